import type { Api } from "@liveplane/client";
import { make } from "./elements.ts";

/** An open override, as the server lists it. */
export type Listed = Awaited<ReturnType<Api["overrides"]["list"]>>["items"][number];

/** The overrides as links, in the server's order: oldest first. */
export function overrideList(overrides: readonly Listed[], chosen: string): HTMLElement {
  if (overrides.length === 0) return make("p", {}, "Nothing is taken over. The agent has everything.");
  const items = overrides.map(({ component, override, driftCount }) => {
    const link = make(
      "a",
      { href: `#${encodeURIComponent(component.id)}`, ariaCurrent: String(component.id === chosen) },
      make("strong", {}, pathOf(component.id)),
      make("span", {}, component.type),
      make("span", {}, "since ", instant(override.since)),
      make("span", {}, driftCount === 1 ? "1 parameter differs" : `${driftCount} parameters differ`),
      ...(override.reason === null ? [] : [make("q", {}, override.reason)]),
    );
    return make("li", {}, link);
  });
  return make("ol", {}, ...items);
}

/** A component's path within its live system. */
export function pathOf(componentId: string): string {
  return componentId.slice(componentId.indexOf("/") + 1);
}

/** An instant in the reader's format. */
export function instant(at: string): HTMLElement {
  return make("time", { dateTime: at }, new Date(at).toLocaleString());
}
