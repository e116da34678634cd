import type { Api } from "@liveplane/client";
import { make, shown, table } from "./elements.ts";
import { instant, pathOf } from "./override-list.ts";

type Components = Api["liveSystems"]["components"];
/** A component, as the server shows it. */
export type Component = Awaited<ReturnType<Components["get"]>>;
/** What a hand-back would do. */
export type Plan = Awaited<ReturnType<Components["adoptionPlan"]>>;
/** The note of a take-over. */
export type Note = Parameters<Components["annotateOverride"]>[1];

const movedBy = { cloud: "it was changed in the cloud", declaration: "the declaration moved", both: "both moved" };

/** A component: its differences, what a hand-back would do, and its note. */
export function componentView(component: Component, plan: Plan, onNote: (note: Note) => void): HTMLElement {
  const { id, type, resourceId, status } = component;
  const override = overrideOf(component);
  return make(
    "article",
    {},
    make("h2", {}, pathOf(id)),
    make("p", {}, `${type}, ${status}`, ...(override === null ? [] : [" since ", instant(override.since)])),
    make("p", { className: "id" }, resourceId ?? ""),
    driftOf(component),
    planOf(plan),
    ...(override === null ? [] : [noteForm(override, onNote)]),
  );
}

/** Its own override; a component that is held with another has none. */
function overrideOf({ override }: Component) {
  return override === null || "heldBy" in override ? null : override;
}

function driftOf({ outputFields }: Component): HTMLElement {
  const rows = Object.entries(outputFields.drift ?? {}).map(([name, { declared, actual }]) => [
    name,
    shown(declared),
    shown(actual),
  ]);
  if (rows.length === 0) return make("p", {}, "Nothing differs from the declaration.");
  return table("What differs", ["parameter", "declared", "in the cloud"], rows);
}

function planOf({ possible, reason, changes, dependents, keepPatch }: Plan): HTMLElement {
  if (!possible) return make("p", {}, `It can't be handed back: ${reason}`);
  if (changes.length === 0) return make("p", {}, "A hand-back would write nothing.");
  const rows = changes.map(({ pointer, actual, declared, cause }) => [
    pointer,
    shown(actual),
    shown(declared),
    movedBy[cause],
  ]);
  return make(
    "section",
    {},
    table("What a hand-back would revert", ["where", "from", "back to", "why it differs"], rows),
    make("p", {}, `Components that read its outputs: ${dependents.length}.`),
    make(
      "details",
      {},
      make("summary", {}, "Keep the changes instead"),
      make("p", {}, "Apply this JSON Patch to the declaration and deploy it. Then a hand-back writes nothing."),
      make("pre", { tabIndex: 0 }, JSON.stringify(keepPatch, undefined, 2)),
    ),
  );
}

function noteForm(override: NonNullable<ReturnType<typeof overrideOf>>, onNote: (note: Note) => void): HTMLElement {
  const reason = make("input", { name: "reason", value: override.reason ?? "" });
  const ticket = make("input", { name: "ticket", value: override.ticket ?? "" });
  const form = make(
    "form",
    {},
    make("h3", {}, "Why it is taken over"),
    make("label", {}, "Reason ", reason),
    make("label", {}, "Ticket ", ticket),
    make("button", {}, "Note it"),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    onNote({ reason: reason.value || null, ticket: ticket.value || null });
  });
  return form;
}
