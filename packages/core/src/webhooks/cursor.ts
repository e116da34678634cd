import { type EnvironmentRef, environmentName } from "../contract/target.ts";
import type { LoggedEvent } from "../events/event-chain.ts";
import type { WebhookOutcome } from "../ports/webhook-sender.ts";
import { growingRest, isResting } from "../records/rest.ts";

/** Which events a webhook wants. */
export interface WebhookFilter {
  /** Empty for all types. */
  readonly types: readonly string[];
  readonly liveSystemId: string | null;
  readonly environmentId: EnvironmentRef | null;
}

/** The event behind the cursor, once an attempt to send it has failed. */
export interface FailingEvent {
  readonly id: string;
  readonly sequence: number;
  /** When it happened, in milliseconds of the epoch. */
  readonly happenedAt: number;
  /** Failed attempts of any kind. */
  readonly attempts: number;
  /** Attempts that the receiver refused: an answer about this event, and not about the receiver. */
  readonly refusals: number;
}

/** How far a webhook got in the event log. */
export interface Cursor {
  /** Every event up to this sequence number is delivered, set aside, or not for this webhook. */
  readonly after: number;
  readonly failing: FailingEvent | null;
  /** When the next attempt is due, in milliseconds of the epoch. */
  readonly dueAt: number;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Older events are not sent. */
export const keptMs = 7 * dayMs;

/** An event is set aside after this many refusals. */
const mostRefusals = 5;

const longestPauseMs = 4 * hourMs;

function pauseAfter(attempts: number): number {
  return growingRest(attempts - 1, { firstMs: 15_000, longestMs: longestPauseMs });
}

/** Whether a webhook's pauses after this many attempts add up to a day. */
function isGivenUp(attempts: number): boolean {
  let pausedMs = 0;
  for (let attempt = 1; attempt < attempts; attempt++) pausedMs += pauseAfter(attempt);
  return pausedMs >= dayMs;
}

/** Whether the next attempt may be made. A due time beyond the longest pause was set by a clock that has since jumped back. */
export function isAttemptDue({ dueAt }: Pick<Cursor, "dueAt">, now: number): boolean {
  return !isResting(dueAt, longestPauseMs, now);
}

export function isWanted(filter: WebhookFilter, { type, about }: LoggedEvent): boolean {
  const { types, liveSystemId, environmentId } = filter;
  if (types.length > 0 && !types.includes(type)) return false;
  if (liveSystemId !== null && !(about.kind === "liveSystem" && about.id === liveSystemId)) return false;
  return environmentId === null || isIn(environmentId, about);
}

function isIn(wanted: EnvironmentRef, about: LoggedEvent["about"]): boolean {
  const environment = about.kind === "liveSystem" && "environment" in about ? about.environment : about;
  if (!("type" in environment && "shortName" in environment) || about.kind === "group") return false;
  return environmentName(environment).toLowerCase() === environmentName(wanted).toLowerCase();
}

/** Whether an event is too old to send. */
export function isTooOld(happenedAt: number, now: number): boolean {
  return now - happenedAt > keptMs;
}

/** The cursor moved forward: an event that failed before that place is no longer tried. */
export function movedTo(cursor: Cursor, after: number): Cursor {
  if (after <= cursor.after) return cursor;
  const { failing, dueAt } = cursor;
  const isStillNext = failing !== null && failing.sequence > after;
  return { after, ...(isStillNext ? { failing, dueAt } : { failing: null, dueAt: 0 }) };
}

/** The cursor with its pauses started over, as when a webhook is resumed. */
export function startedOver({ after, failing }: Cursor): Cursor {
  return { after, failing: failing && { ...failing, attempts: 0 }, dueAt: 0 };
}

/** What an outcome means. `held`: the receiver isn't working; `refused`: it is, and doesn't accept this event. */
export interface DeliveryVerdict {
  readonly kind: "delivered" | "held" | "refused" | "gone";
  /** Why it was not delivered, in a word. */
  readonly failure: string | null;
  readonly answerStatus: number | null;
  readonly retryAfterMs?: number;
}

/** Judges an outcome: 2xx is a delivery, and 410 means that the receiver is gone for good. */
export function verdictOn(outcome: WebhookOutcome): DeliveryVerdict {
  if (outcome.kind === "failed") return { kind: "held", failure: outcome.because, answerStatus: null };
  const { status: answerStatus, retryAfterMs } = outcome;
  if (answerStatus >= 200 && answerStatus < 300) return { kind: "delivered", failure: null, answerStatus };
  if (answerStatus === 410) return { kind: "gone", failure: "Gone", answerStatus };
  const kind = answerStatus === 429 || answerStatus >= 500 ? "held" : "refused";
  const failure = answerStatus >= 300 && answerStatus < 400 ? "Redirected" : "NotTaken";
  return { kind, failure, answerStatus, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

/** What follows from an attempt. */
export interface NextStep {
  readonly cursor: Cursor;
  readonly status: "Delivered" | "Waiting" | "SetAside";
  readonly pauseBecause: "Failing" | "Gone" | null;
}

/** Decides what follows from an attempt: the next event, another attempt later, or a paused webhook. */
export function afterAttempt(
  cursor: Cursor,
  { id, sequence, time }: Pick<LoggedEvent, "id" | "sequence" | "time">,
  { verdict, now }: { readonly verdict: DeliveryVerdict; readonly now: number },
): NextStep {
  if (verdict.kind === "delivered")
    return { cursor: movedTo(cursor, sequence), status: "Delivered", pauseBecause: null };
  const before = cursor.failing?.sequence === sequence ? cursor.failing : { attempts: 0, refusals: 0 };
  const attempts = before.attempts + 1;
  const refusals = before.refusals + (verdict.kind === "refused" ? 1 : 0);
  if (refusals >= mostRefusals) return { cursor: movedTo(cursor, sequence), status: "SetAside", pauseBecause: null };
  const asked = Math.min(verdict.retryAfterMs ?? 0, hourMs);
  const held: Cursor = {
    after: cursor.after,
    failing: { id, sequence, happenedAt: Date.parse(time), attempts, refusals },
    dueAt: now + Math.max(pauseAfter(attempts), asked),
  };
  if (verdict.kind === "gone") return { cursor: held, status: "Waiting", pauseBecause: "Gone" };
  const isPaused = verdict.kind === "held" && isGivenUp(attempts);
  return { cursor: held, status: "Waiting", pauseBecause: isPaused ? "Failing" : null };
}
