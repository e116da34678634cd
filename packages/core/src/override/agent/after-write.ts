import { toInstant } from "../../encoding.ts";
import { forStrangers, LiveplaneError } from "../../errors.ts";
import { sameJson } from "../../json-pointer.ts";
import { growingRest } from "../../records/rest.ts";
import type { Difference } from "../protocol/drift.ts";
import type { Effect } from "../protocol/lifecycle-row.ts";
import { wordsAbout } from "../protocol/observation.ts";
import { failureIn, type ProviderWords, redacted, wordsOf } from "../protocol/redaction.ts";
import { contestedAgain, isExhausted, sparing, triedAgain } from "../protocol/tries.ts";
import { broughtBy, exhaustedVerdict, notCorrectable } from "../protocol/verdicts.ts";
import type { ComponentRecord, Failures } from "../records/component-record.ts";
import type { DirectObservation } from "./agent-observe.ts";
import { isGoneOrReplaced } from "./agent-read.ts";
import type { CloudWrite } from "./agent-write.ts";
import { notApplied } from "./expectations.ts";
import type { DecisionFacts, Emitted, Round, RoundDecision } from "./round.ts";

interface AfterWrite extends Pick<RoundDecision, "events"> {
  readonly record: ComponentRecord;
  readonly wrote?: RoundDecision["wrote"];
}

/** Applies the result of the last write to the component. Pure. */
export function afterWrite(round: Round, facts: DecisionFacts): AfterWrite {
  const { observation, writes } = round;
  const { component, events } = round.transition;
  const written = writes.at(-1);
  const { followed, at, isSettled } = observation;
  const { unread, unconfirmed, ...known } = component;
  const isKept = unread !== undefined && isStillUnread(round);
  const kept: ComponentRecord = isKept ? { ...known, unread } : known;
  const seen = isSettled ? { ...kept, madeAt: null } : kept;
  const late = unread === undefined ? [] : lateRaceOf(unread, round);
  const telling = { observation, events: [...late, ...events], facts };
  if (followed.ended !== null) return afterOperation(seen, followed.ended, telling);
  const isAdopted = isTagSeen(observation);
  const found = isAdopted ? { ...seen, provisioned: true, intent: null } : seen;
  const looked = afterLook(found, unconfirmed, telling);
  if (written === undefined) return { ...looked, events: [...adopted(observation), ...looked.events] };
  const { error, effect, resourceId, conditional } = written;
  if (error !== null) {
    const said = failureIn(error.details);
    const words = said && wordsOf(said, written.observation.expectation.secretValues);
    const refused = { effect, error, words, isMoved: isMoved(written) };
    const tried = isMaybeMade(written, looked.record) ? { ...looked.record, madeAt: facts.now } : looked.record;
    const failure = afterFailure(tried, refused, { ...telling, events: looked.events });
    return isAdopted ? { ...failure, events: [adoption, ...failure.events] } : failure;
  }
  const counted = withTries(seen, written, observation);
  if (written.operation !== null) {
    const working: Emitted = { type: "component.working", data: { effect } };
    return { record: { ...counted, lastWriteAt: at }, events: [working, ...events] };
  }
  const { changes } = written.observation;
  const placed = { ...seen.resource, id: resourceId ?? seen.resource.id };
  return afterSuccess({ ...counted, resource: placed }, { effect, changes, conditional }, telling);
}

/** A look without a write. It may be the first that shows the effect of an earlier correction. */
function afterLook(
  seen: ComponentRecord,
  unconfirmed: ComponentRecord["unconfirmed"],
  { observation, events }: Telling,
): AfterWrite {
  const { resource, managementTag, reading } = observation;
  const isSeenWithoutTag = !managementTag && (resource !== null || reading.state === "missing");
  if (unconfirmed === undefined || isSeenWithoutTag) return { record: seen, events };
  const isEffective = !observation.changes.some(({ pointer }) => unconfirmed.includes(pointer));
  if (!observation.isSettled || !isEffective) return { record: { ...seen, unconfirmed }, events };
  return { record: seen, events: [{ type: "component.corrected", data: { pointers: unconfirmed } }, ...events] };
}

/** A write that was made, and what it was meant to change. */
interface MadeWrite extends Pick<CloudWrite, "effect" | "conditional"> {
  readonly changes: readonly Difference[];
}

interface Telling {
  readonly observation: DirectObservation;
  readonly events: readonly Emitted[];
  readonly facts: DecisionFacts;
}

function afterSuccess(seen: ComponentRecord, write: MadeWrite, telling: Telling): AfterWrite {
  const done = { ...seen, lastWriteAt: telling.observation.at, failures: null };
  switch (write.effect) {
    case "create":
      return afterCreate(done, write, telling);
    case "adopt":
      return afterAdoption(done, telling);
    case "correct":
      return afterCorrection(done, write, telling);
    case "removeReconcileTag":
      return { record: done, events: telling.events };
  }
}

/** An operation has ended. What it changed after a take-over is a race, whatever its condition was. */
function afterOperation(
  seen: ComponentRecord,
  { operation, failure }: NonNullable<DirectObservation["followed"]["ended"]>,
  telling: Telling,
): AfterWrite {
  const { kind: effect, changes } = operation;
  const { observation, events } = telling;
  if (effect === "remove") return { record: seen, events };
  // The resource was removed or replaced meanwhile, so nobody knows what the write did.
  const isGone = effect !== "create" && isGoneOrReplaced(observation);
  if (failure === null && isGone) return { record: seen, events };
  if (failure === null) {
    const isUnseen = observation.resource === null && (effect === "correct" || effect === "create");
    // Whether it crossed a take-over shows with the first read that succeeds.
    const open = isUnseen ? { ...seen, unread: changes } : seen;
    return afterSuccess(open, { effect, changes, conditional: false }, telling);
  }
  const error = new LiveplaneError("ProviderError", "The cloud could not complete the last operation.");
  // A failed write is retried after its own pauses and isn't counted.
  const tried = seen.tried && { ...seen.tried, writes: Math.max(0, seen.tried.writes - 1) };
  const words = wordsAbout({ ...observation, record: seen }, failure);
  const failedWrite = { effect, error, words, isMoved: false, code: "ProvisioningFailed" };
  const applied = { ...seen.applied, ...notApplied(observation.expectation) };
  return afterFailure({ ...seen, tried, applied }, failedWrite, telling);
}

const adoption: Emitted = { type: "component.provisioned", data: { adopted: true } };

/** A resource that existed before its component counts as provisioned once it is found. */
function adopted(observation: DirectObservation): Emitted[] {
  const { record, managementTag, isSettled, adoption: judged } = observation;
  const isFound = !record.provisioned && isSettled && managementTag && judged.state === "none";
  return isFound || isTagSeen(observation) ? [adoption] : [];
}

/** Whether the tag of an exact adoption is there, even if the cloud is still at work: from then on a missing tag is a take-over. */
function isTagSeen({ record, resource, managementTag, expectation: { declared } }: DirectObservation): boolean {
  return declared.adoptsExactly && !record.provisioned && record.intent !== null && resource !== null && managementTag;
}

function afterCreate(done: ComponentRecord, write: MadeWrite, { observation, events, facts }: Telling): AfterWrite {
  const madeAt = observation.isSettled ? null : facts.now;
  const record: ComponentRecord = { ...done, provisioned: true, intent: null, madeAt };
  const provisioned: Emitted = { type: "component.provisioned", data: { adopted: false } };
  return { record, events: [provisioned, ...events, ...raceOf(write, observation)] };
}

/** The tag was set once: if it is missing now, somebody has taken over the resource. */
function afterAdoption(done: ComponentRecord, { events, observation }: Telling): AfterWrite {
  const told = observation.record.provisioned ? [] : [adoption];
  return { record: { ...done, provisioned: true, intent: null }, events: [...told, ...events] };
}

function afterCorrection(done: ComponentRecord, { changes, conditional }: MadeWrite, telling: Telling): AfterWrite {
  const { observation, facts, events } = telling;
  const pointers = changes.map(({ pointer }) => pointer);
  const raced = raceOf({ conditional, changes }, observation);
  const contested = contestedAgain(done.contested, changes, { ...facts, at: observation.at });
  const record = withExhausted({ ...done, contested }, observation);
  const isSame = observation.isSettled && changes.length > 0 && sameJson(changes, observation.changes);
  const isGivenUp = raced.length === 0 && record.conditions !== done.conditions;
  const told: Emitted[] = isGivenUp ? [failed("correct", { code: record.conditions.inSync.reason, pointers })] : [];
  if (isSame && raced.length === 0) {
    const unseen = { ...record, unconfirmed: pointers };
    return { record: unseen, events: [...told, ...events], wrote: { outcome: "ineffective" } };
  }
  const corrected: Emitted = { type: "component.corrected", data: { pointers } };
  return { record, events: [corrected, ...told, ...raced, ...events], wrote: { outcome: "corrected" } };
}

/** Counts a write of properties that the cloud has made or accepted. */
function withTries(
  seen: ComponentRecord,
  { effect, observation, operation }: CloudWrite,
  now: DirectObservation,
): ComponentRecord {
  const { tagParameter } = observation.expectation.expected;
  const isCounted = effect === "create" || observation.changes.some(({ parameter }) => parameter !== tagParameter);
  if (effect === "removeReconcileTag" || !isCounted || observation.reading.state === "failed") return seen;
  // Nothing was tried yet on a resource that was just made.
  const before = effect === "create" ? { tried: null } : seen;
  const tried = triedAgain(before, broughtBy(observation.expectation));
  const isDone = effect === "correct" && operation === null && now.reading.state === "present";
  return { ...seen, tried: isDone ? sparing(tried, observation.changes, now.changes) : tried };
}

/** Marks what still differs after the allowed number of writes. */
function withExhausted(record: ComponentRecord, observation: DirectObservation): ComponentRecord {
  const { inSync } = record.conditions;
  const { changes, expectation } = observation;
  if (changes.length === 0 || inSync.value !== false || inSync.reason === "Muted") return record;
  if (!isExhausted(record, observation, broughtBy(expectation))) return record;
  const verdict = exhaustedVerdict(changes);
  const before = observation.record.conditions.inSync;
  const isSame = before.value === verdict.value && before.reason === verdict.reason;
  const changedAt = isSame ? before.changedAt : observation.at;
  return { ...record, conditions: { ...record.conditions, inSync: { ...inSync, ...verdict, changedAt } } };
}

/** An unconditional write reached a resource whose tag had been removed meanwhile. */
function raceOf({ conditional, changes }: Omit<MadeWrite, "effect">, now: DirectObservation): Emitted[] {
  if (conditional || now.resource === null || now.managementTag) return [];
  const fields = changes.map(({ pointer, actual, declared }) => ({ pointer, from: actual, to: declared }));
  return [{ type: "component.race_detected", data: { fields } }];
}

/** Nothing shows yet what became of an unbound write: it may have been made, and the resource can't be read or is being changed. */
function isStillUnread({ observation: { reading, isSettled }, writes }: Round): boolean {
  const written = writes.at(-1);
  const isAnswered = written !== undefined && (written.operation !== null || isRefused(written));
  return !isAnswered && !isSettled && reading.state !== "missing";
}

/** A creation that may still arrive, of a resource whose ID the cloud chooses: another one would make a second resource. */
function isMaybeMade({ effect, error }: CloudWrite, { resource }: ComponentRecord): boolean {
  return effect === "create" && resource.id === null && error?.details.outcome === "unknown";
}

/** The cloud has answered that it didn't make the write. */
export function isRefused({ error }: Pick<CloudWrite, "error">): boolean {
  return error !== null && error.details.outcome !== "unknown";
}

/**
 * A race that only a later read shows, because the answer was lost, the read after it failed, or the worker died: the tag is off, and the
 * places of the write are as it left them.
 */
function lateRaceOf(unread: readonly Difference[], { observation, writes }: Round): Emitted[] {
  const written = writes.at(-1);
  if (!observation.isSettled || (written !== undefined && (written.error === null || isRefused(written)))) return [];
  const differing = new Map(observation.changes.map(({ pointer, actual }) => [pointer, actual]));
  // By now something else may be declared than was sent.
  const isAsSent = ({ pointer, declared }: Difference) =>
    !differing.has(pointer) || (declared !== redacted && sameJson(differing.get(pointer) ?? null, declared));
  const changes = unread.filter(isAsSent);
  const isMade = unread.length === 0 ? !observation.differs : changes.length > 0;
  return isMade ? raceOf({ conditional: written?.conditional ?? false, changes }, observation) : [];
}

interface FailedWrite {
  readonly effect: Effect;
  readonly error: LiveplaneError;
  readonly isMoved: boolean;
  /** The cloud's own; `null` if there are none. */
  readonly words: ProviderWords | null;
  /** @default the error's own code */
  readonly code?: string;
}

function afterFailure(
  seen: ComponentRecord,
  { effect, error, isMoved: moved, words, code = codeOf(error) }: FailedWrite,
  { events, facts: { now, everyMs } }: Pick<Telling, "events" | "facts">,
): AfterWrite {
  if (moved) return { record: seen, events };
  const { failures: before } = seen;
  const same = before?.code === code ? before : null;
  const count = (same?.count ?? 0) + 1;
  const restMs = growingRest(count, { firstMs: 500, longestMs: everyMs });
  const since = same?.since ?? toInstant(now);
  const rests = { since, count, nextAt: now + restMs, restMs };
  const failures: Failures = { code, detail: forStrangers(error).message, ...rests, ...(words && { words }) };
  const { providerCode, providerRequestId } = words ?? {};
  const told = same !== null ? [] : [failed(effect, { code, pointers: [], ...words })];
  const wrote = { outcome: code, failed: { effect, code, providerCode, providerRequestId } };
  return { record: { ...seen, failures }, events: [...told, ...events], wrote };
}

/** What the adapter says that its cloud has no call for is no failure of the moment. */
function codeOf({ code, details }: LiveplaneError): string {
  return details.reason === notCorrectable.reason ? notCorrectable.reason : code;
}

function failed(
  effect: Effect,
  data: { readonly code: string; readonly pointers: readonly string[] } & Partial<ProviderWords>,
): Emitted {
  return { type: "component.correction_failed", data: { effect, ...data } };
}

/** A write was refused because something changed meanwhile: that isn't a failure, and the next round decides. */
export function isMoved({ error }: CloudWrite): boolean {
  if (error === null) return false;
  return (
    ["PreconditionFailed", "AlreadyExists", "NotFound", "InvalidState"].includes(error.code) ||
    error.details.outcome === "unknown"
  );
}
