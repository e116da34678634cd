import type { Json } from "@liveplane/core/store";
import { movesAsked, movesTold } from "./declared-moves.ts";
import type { Evidence } from "./evidence.ts";
import type { SentDefinition, StoredComponent, StoredEpisode, StoredMutation, ToldEvent } from "./facts.ts";
import { caselessId, isAbout, placeKey } from "./names.ts";
import type { ComponentStored, Step, StepOf, StepTime } from "./steps.ts";

/**
 * The steps of a commit, in the order in which they are judged. Each is derived from what was seen before it, so the evidence must observe
 * one before the next is requested.
 */
export function* commitSteps(
  commit: StepOf<"committed">,
  sentWith: (requestId: string) => SentDefinition | null,
  evidence: Evidence,
): Generator<Step> {
  const { process, sets, deletes, events, order, at } = commit;
  const time: StepTime = { order, at };
  yield commit;
  for (const after of recordsIn<StoredMutation>(sets, "mutation")) {
    const before = evidence.stored.mutations.get(after.id) ?? null;
    if (before === null) {
      const definition = after.kind === "Deploy" ? sentWith(after.requestId) : null;
      const asked = movesAsked(definition, after.liveSystemId, evidence);
      const told = movesTold(events);
      yield { kind: "accepted", mutation: after, definition, movesAsked: asked, movesTold: told, ...time };
    }
    yield { kind: "mutation-stored", before, after, events, ...time };
  }
  const moves = movesTold(events);
  if (moves.size > 0) yield { kind: "moved", ids: moves, ...time };
  const gone = deletes
    .filter(([kind, collection]) => kind === "record" && collection === "component")
    .map(([, , ...id]) => id.join("/").toLowerCase())
    .filter((id) => !moves.has(id));
  const lines = recordsIn<StoredEpisode>(sets, "override-episode");
  const stored = (id: string, after: StoredComponent | null): ComponentStored & StepTime => {
    const kept = evidence.stored.components.get(id);
    const [before, since] = [kept?.record ?? null, kept?.order ?? 0];
    const parted = before === null || after !== null ? null : partedFrom(before, events);
    return { kind: "component-stored", id, before, since, after, process, events, lines, parted, ...time };
  };
  for (const after of recordsIn<StoredComponent>(sets, "component")) yield stored(caselessId(after), after);
  for (const id of gone) yield stored(id, null);
}

function partedFrom(component: StoredComponent, events: readonly ToldEvent[]): ComponentStored["parted"] {
  const released = events.find(({ type, subject }) => type === "component.released" && isAbout(subject, component));
  const resourceId = released?.data.resourceId ?? component.resource.id;
  if (typeof resourceId !== "string") return null;
  return { key: placeKey(component.provider, resourceId), isReleased: released !== undefined };
}

function recordsIn<Stored>(
  sets: readonly { readonly key: readonly string[]; readonly value: Json }[],
  collection: string,
): readonly Stored[] {
  const own = sets.filter(({ key }) => key[0] === "record" && key[1] === collection);
  return own.map(({ value }) => value as unknown as Stored);
}
