import type { Json } from "@liveplane/core/store";
import type { StoredComponent } from "./facts.ts";

export function placeKey(provider: string, resourceId: string): string {
  return `${provider} ${resourceId}`.toLowerCase();
}

export function componentName({ liveSystemId, path }: Pick<StoredComponent, "liveSystemId" | "path">): string {
  return `${liveSystemId}/${path}`;
}

/** A component's ID without case, the key of everything remembered about it. */
export function caselessId(component: Pick<StoredComponent, "liveSystemId" | "path">): string {
  return componentName(component).toLowerCase();
}

export function isAbout(subject: string, component: StoredComponent): boolean {
  return subject.toLowerCase() === caselessId(component);
}

/** Values as a sentence shows them. */
export function told(value: Json | object | undefined): string {
  return JSON.stringify(value)?.slice(0, 400) ?? "nothing";
}

/** Moves entries to new IDs. All old ones are removed first, because two may swap names. */
export function rename(known: Map<string, unknown>, ids: ReadonlyMap<string, string>): void {
  const came = [...ids].flatMap(([from, to]) => (known.has(from) ? [[to, known.get(from)] as const] : []));
  for (const from of ids.keys()) known.delete(from);
  for (const [to, value] of came) known.set(to, value);
}
