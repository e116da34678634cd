import { componentName, type Evidence, placeKey, told } from "./evidence.ts";
import type { StoredComponent, StoredMutation, ToldEvent } from "./facts.ts";
import { type CommitStep, isAbout } from "./ledger.ts";

/** What a commit did to a component is told in the same commit, once, and nothing else is. */
export function judgeTold({ before, after, process }: CommitStep, events: readonly ToldEvent[], evidence: Evidence) {
  const one = after ?? before;
  if (one === null) return;
  const own = events.filter(({ type, subject }) => type.startsWith("component.") && isAbout(subject, one));
  const wrong = (detail: string) => evidence.fail("events-tell-each-status", `${componentName(one)}: ${detail}`);
  for (const [type, happened] of happenings(before, after)) {
    const count = own.filter((event) => event.type === type).length;
    if (count !== (happened ? 1 : 0))
      wrong(`${type} was told ${count} times, it ${happened ? "happened" : "didn't happen"}`);
  }
  const status = after?.status ?? before?.status;
  for (const { type, data } of own) {
    if (data.from !== undefined && before !== null && data.from !== before.status)
      wrong(`${type} goes on from ${data.from}, it was ${before.status}`);
    if (data.status !== undefined && data.status !== status) wrong(`${type} says ${data.status}, it is ${status}`);
  }
  if (after === null) judgeFarewell(one, process, own, evidence);
}

function happenings(
  before: StoredComponent | null,
  after: StoredComponent | null,
): readonly (readonly [string, boolean])[] {
  const was = before?.status ?? "Active";
  const is = after?.status ?? was;
  const isOverridden = after !== null && after.override !== null;
  const wasOverridden = before !== null && before.override !== null;
  return [
    ["component.override.started", isOverridden && !wasOverridden],
    ["component.override.ended", wasOverridden && !isOverridden],
    ["component.reconcile.requested", was !== "ReconcileRequested" && is === "ReconcileRequested"],
  ];
}

/** What goes is told to be released while its resource is there, and to be deleted once it isn't. */
function judgeFarewell(component: StoredComponent, process: string, events: readonly ToldEvent[], evidence: Evidence) {
  const id = componentName(component);
  const released = events.filter(({ type }) => type === "component.released");
  const deleted = events.filter(({ type }) => type === "component.deleted");
  if (released.length + deleted.length !== 1)
    return evidence.fail(
      "events-tell-what-was-done",
      `${id} is gone, and ${released.length + deleted.length} events say so`,
    );
  const isThere = evidence.truthOf(component) !== null && component.provisioned;
  // Somebody may make it anew between the last look and the commit.
  const seen = evidence.sightings(process, [component.resource.id, component.intent], 0).at(-1)?.reading;
  if (deleted.length === 1 && isThere && seen?.state !== "missing")
    evidence.fail("events-tell-what-was-done", `${id} is told to be deleted, and its resource is there`);
}

/** What a process did to a resource is told with the next it stores of it; and nothing that it didn't do. */
export function judgeDeeds({ before, after, process }: CommitStep, events: readonly ToldEvent[], evidence: Evidence) {
  if (before === null || after === null) return;
  // Whoever stores something in between has the pass that wrote begin anew: what it did is told as what it finds then.
  const known = evidence.done.get(componentName(after).toLowerCase()) ?? [];
  evidence.done.delete(componentName(after).toLowerCase());
  if (after.updatedBy !== "agent" || before.lastWriteAt === after.lastWriteAt) return;
  const id = componentName(after).toLowerCase();
  // Whoever asks first what became of it tells of what took its time.
  const landed = (evidence.landed.get(id) ?? []).map((change) => ({ process, change }));
  const done = [...known.filter((one) => one.process === process), ...landed];
  const own = events.filter(({ subject }) => isAbout(subject, after));
  const says = (type: string) => own.some((event) => event.type === type);
  if (says("component.corrected") || says("component.provisioned")) evidence.landed.delete(id);
  const corrected = known.some((one) => one.process === process && one.change.operation === "update");
  const isRight = Object.keys(after.observed.drift).length === 0 && after.conditions.readable.value === true;
  if (corrected && isRight && !says("component.corrected"))
    evidence.fail("events-tell-what-was-done", `${componentName(after)} was corrected, and nobody was told`);
  const { resource } = after;
  if (says("component.provisioned") && resource.id !== null && evidence.truthOf(after) !== null)
    noteUnseen(after, process, evidence);
  if (known.some((one) => one.process === process && one.change.before === null) && !says("component.provisioned"))
    evidence.fail("events-tell-what-was-done", `${componentName(after)} was made, and nobody was told`);
  // The cloud's own word is good enough, unless it was that it couldn't: it may be said of what was taken away meanwhile.
  const isOver = before.operation?.kind === "correct" && after.operation == null;
  const isGivenUp = evidence.givenUp.has(placeKey(after.provider, resource.id ?? ""));
  if (done.length === 0 && says("component.corrected") && (!isOver || isGivenUp))
    evidence.fail(
      "events-tell-what-was-done",
      `${componentName(after)} is told to be corrected, and wasn't (${told(own as never)})`,
    );
}

/** What is told to be made, and was seen by nobody since, is on its way to be seen. */
function noteUnseen(component: StoredComponent, process: string, evidence: Evidence) {
  const { provider, resource } = component;
  const key = placeKey(provider, resource.id ?? "");
  const made = evidence.lastWritten.get(key)?.sent;
  if (made === undefined || made.operation !== "create") return;
  const seen = evidence.sightings(process, [resource.id], made.order);
  if (seen.every(({ reading }) => reading.state === "missing" || reading.state === "unreadable"))
    evidence.unseen.add(key);
}

const toldAs: ReadonlyMap<string, string> = new Map([
  ["Running", "started"],
  ["Succeeded", "succeeded"],
  ["Failed", "failed"],
]);

/** A mutation's beginning and its end are told once, with what came of it. */
export function judgeMutationTold(
  before: StoredMutation | null,
  after: StoredMutation,
  events: readonly ToldEvent[],
  evidence: Evidence,
) {
  const own = events.filter(
    ({ type, data }) => type.startsWith("livesystem.mutation.") && data.mutationId === after.id,
  );
  const isOver = after.status === "Succeeded" || after.status === "Failed";
  const isNew = before !== null && before.status !== after.status;
  const type = isNew ? (toldAs.get(after.status) ?? null) : null;
  const wrong = (detail: string) => evidence.fail("events-tell-what-was-done", `mutation ${after.id} ${detail}`);
  if (own.length !== (type === null ? 0 : 1) || (type !== null && own[0]?.type !== `livesystem.mutation.${type}`))
    return wrong(`is ${after.status}, told is ${told(own as never)}`);
  if (!isOver || type === null) return;
  const { held = [], released = [], code = null } = own[0]?.data ?? {};
  if (
    JSON.stringify([held, released, code]) !== JSON.stringify([after.held, after.released, after.error?.code ?? null])
  )
    wrong(`ended with ${told([after.held, after.released] as never)}, told is ${told(own[0]?.data as never)}`);
}
