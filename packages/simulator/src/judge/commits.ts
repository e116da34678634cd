import type { Json } from "@liveplane/core/store";
import { componentName, type Evidence, placeKey } from "./evidence.ts";
import type { Fact, StoredComponent, StoredEpisode, StoredMutation, ToldEvent } from "./facts.ts";
import { type CommitStep, judgeLedger } from "./ledger.ts";
import { judgeOutcome, noteWhoStands } from "./outcomes.ts";
import { judgeMoved, judgeMoves, movesAsked, movesTold } from "./renames.ts";
import { judgeClaims } from "./rest.ts";
import { judgeSaidKept } from "./said.ts";
import { judgeLook } from "./shown.ts";
import { judgeDeeds, judgeMutationTold, judgeTold } from "./told.ts";

/** A process stored something: what it says of components, mutations and the ledger, and what it tells of that. */
export function sawCommit(
  { process, sets, deletes, events }: Extract<Fact, { kind: "committed" }>,
  asked: ReadonlyMap<string, Extract<Fact, { kind: "asked" }>>,
  evidence: Evidence,
) {
  const own = recordsOf(sets);
  for (const { value } of own("live-system")) {
    const { id, status } = value as unknown as { id: string; status: string };
    evidence.systems.set(id, status);
  }
  for (const key of deletes)
    if (key[0] === "record" && key[1] === "override-episode") evidence.episodes.delete(key.at(-1) ?? "");
  for (const { value } of own("override-episode"))
    evidence.episodes.set((value as unknown as StoredEpisode).id, value as unknown as StoredEpisode);
  for (const { type, subject, data } of events) {
    if (type !== "component.released" || typeof data.mutationId !== "string") continue;
    const released = evidence.releasedBy.get(data.mutationId) ?? new Set();
    evidence.releasedBy.set(data.mutationId, released.add(subject.toLowerCase()));
  }
  for (const { value } of own("mutation")) sawMutation(value as unknown as StoredMutation, { asked, events, evidence });
  const moves = movesTold(events);
  evidence.rename(moves);
  const steps = [
    ...own("component").map(({ value }) => ({
      ...placeOf(value as unknown as StoredComponent),
      after: value as unknown as StoredComponent,
    })),
    ...deletes.flatMap((key) => {
      const id = key.slice(2).join("/").toLowerCase();
      return key[0] === "record" && key[1] === "component" && !moves.has(id) ? [{ id, after: null }] : [];
    }),
  ];
  const lines = own("override-episode").map(({ value }) => value as unknown as StoredEpisode);
  for (const { id, after } of steps) sawStep({ id, after, process, events, lines }, evidence);
  judgeSecrets(sets, events, evidence);
}

function recordsOf(sets: readonly { readonly key: readonly string[]; readonly value: Json }[]) {
  return (collection: string) => sets.filter(({ key }) => key[0] === "record" && key[1] === collection);
}

function placeOf(component: StoredComponent) {
  return { id: componentName(component).toLowerCase() };
}

function sawMutation(
  mutation: StoredMutation,
  {
    asked,
    events,
    evidence,
  }: { asked: ReadonlyMap<string, Extract<Fact, { kind: "asked" }>>; events: readonly ToldEvent[]; evidence: Evidence },
) {
  const before = evidence.mutations.get(mutation.id) ?? null;
  evidence.mutations.set(mutation.id, mutation);
  if (before === null) {
    const { livesystemId: id, kind } = mutation;
    const definition = kind === "Deploy" ? (asked.get(mutation.requestId)?.definition ?? null) : null;
    const isThere = (path: string) => evidence.sibling(id, path) !== null;
    const moves = movesAsked(definition, id, { declarations: evidence.declarations, isThere });
    judgeMoves(moves, movesTold(events), id, evidence);
    noteWhoStands(id, evidence);
    evidence.declarations.accept(id, definition, { order: evidence.order, mutationId: mutation.id, moves });
    for (const { record } of evidence.components.values()) {
      if (record.liveSystemId !== mutation.livesystemId) continue;
      if (evidence.convergedUntil.get(componentName(record).toLowerCase()) === Number.POSITIVE_INFINITY)
        evidence.convergedUntil.set(componentName(record).toLowerCase(), evidence.order - 1);
      evidence.noteConvergence(record);
    }
  }
  judgeMutationTold(before, mutation, events, evidence);
  judgeOutcome(before, mutation, evidence);
}

interface StoredStep {
  readonly id: string;
  readonly after: StoredComponent | null;
  readonly process: string;
  readonly events: readonly ToldEvent[];
  readonly lines: readonly StoredEpisode[];
}

function sawStep({ id, after, process, events, lines }: StoredStep, evidence: Evidence) {
  const kept = evidence.components.get(id) ?? null;
  const before = kept?.record ?? null;
  const moved: CommitStep = { before, after, process };
  if (before !== null && after !== null && before.path.toLowerCase() !== after.path.toLowerCase())
    judgeMoved(before, after, evidence);
  if (before !== null && after !== null && kept !== null && after.updatedBy === "agent")
    judgeLook({ before, after, process, from: kept.order }, evidence);
  judgeTold(moved, events, evidence);
  judgeDeeds(moved, events, evidence);
  judgeLedger(moved, events, lines, evidence);
  judgeSaidKept(before, after, evidence);
  judgeClaimKept(id, moved, evidence);
  if (before?.conditions.exists.value === true) evidence.existedAt.set(id, evidence.world.now());
  if (before !== null && before.status !== "Active") evidence.heldUntil.set(id, evidence.order);
  if (after === null) return sawFarewell(id, before, events, evidence);
  evidence.components.set(id, { record: after, order: evidence.order });
  if (after.resource.id !== null && after.resource.id !== before?.resource.id) {
    const key = placeKey(after.provider, after.resource.id);
    evidence.known.add(key);
    evidence.leftBehind.delete(key);
    judgeClaims(after, evidence);
  }
  evidence.noteConvergence(after);
  if (after.work !== null && after.work.id !== before?.work?.id)
    evidence.claimedAt.set(id, { order: evidence.order, at: evidence.world.now(), process });
  noteHandBack(id, after, events, evidence);
}

/** A claim is given back by whoever made it, or has stood for too long. */
function judgeClaimKept(id: string, { before, after, process }: CommitStep, evidence: Evidence) {
  const claim = evidence.claimedAt.get(id);
  const { claimMs, now } = evidence.world;
  if (!before?.work || claim === undefined || claimMs === null || after?.work?.id === before.work.id) return;
  const isOver = evidence.dead.has(claim.process) || claim.at + claimMs <= now();
  if (claim.process !== process && !isOver)
    evidence.fail("one-worker-at-a-time", `${process} took ${id} from ${claim.process}, which is writing to it`);
}

/** A hand-back that has nothing to reconcile writes nothing, for as long as nothing differs. */
function noteHandBack(id: string, after: StoredComponent, events: readonly ToldEvent[], evidence: Evidence) {
  const carriesReconcileTag = events.some(
    ({ type, subject }) => type === "component.reconcile.requested" && subject.toLowerCase() === id,
  );
  const differs =
    evidence.truthOf(after)?.failed !== undefined ||
    Object.keys(after.observed.drift).length > 0 ||
    evidence.declarations.acceptedAt(after.liveSystemId) === evidence.order;
  if (after.status === "Active" || differs || refersToOthers(after, evidence)) evidence.clean.delete(id);
  else if (carriesReconcileTag) evidence.clean.add(id);
}

/** What others' outputs are moves without anybody's hand. */
function refersToOthers({ liveSystemId, path }: StoredComponent, evidence: Evidence): boolean {
  return (evidence.declarations.newest(liveSystemId, path)?.needs.length ?? 0) > 0;
}

function sawFarewell(id: string, before: StoredComponent | null, events: readonly ToldEvent[], evidence: Evidence) {
  evidence.components.delete(id);
  evidence.clean.delete(id);
  evidence.identities.delete(id);
  const released = events.find(({ type, subject }) => type === "component.released" && subject.toLowerCase() === id);
  const resourceId = released?.data.resourceId ?? before?.resource.id;
  if (before === null || typeof resourceId !== "string") return;
  const key = placeKey(before.provider, resourceId);
  evidence.known.add(key);
  // What it wrote and is under way still is nothing that another component writes, which may have its resource then.
  evidence.lastWritten.delete(key);
  if (released !== undefined && evidence.truth.has(key)) evidence.leftBehind.add(key);
}

/** Secrets stand in no record and in no event. */
function judgeSecrets(
  sets: readonly { readonly key: readonly string[]; readonly value: Json }[],
  events: readonly ToldEvent[],
  evidence: Evidence,
) {
  if (evidence.secretValues.size === 0) return;
  for (const { key, value } of sets)
    if (key[0] === "record" && holdsSecret(value, evidence))
      evidence.fail("secrets-never-show", `${key.join("/")} holds one: ${JSON.stringify(value)}`);
  for (const event of events)
    if (holdsSecret(event as unknown as Json, evidence))
      evidence.fail("secrets-never-show", `an event holds one: ${JSON.stringify(event)}`);
}

/** A record that is written again has mostly the members that it had: to remember more costs more than to search it. */
const searchedOnce = 1;

/** Whether there is a secret anywhere in a value. What is frozen all the way down is searched once for as many secrets as there are. */
function holdsSecret(value: Json, { secretValues, searched }: Evidence): boolean {
  const secrets = [...secretValues];
  const shortest = Math.min(...secrets.map(({ length }) => length));
  const isIn = (text: string) => text.length >= shortest && secrets.some((secret) => text.includes(secret));
  const isKnown = (one: object) => searched.get(one) === secrets.length;
  let thawed = 0;
  const search = (one: Json, depth: number): boolean => {
    if (typeof one === "string") return isIn(one);
    if (typeof one !== "object" || one === null || isKnown(one)) return false;
    const thawedBefore = thawed;
    if (!Object.isFrozen(one)) thawed += 1;
    const members: readonly Json[] = Array.isArray(one) ? one : Object.values(one);
    if (!Array.isArray(one) && Object.keys(one).some(isIn)) return true;
    for (const member of members) if (search(member, depth + 1)) return true;
    if (depth === searchedOnce && thawed === thawedBefore) searched.set(one, secrets.length);
    return false;
  };
  return search(value, 0);
}
