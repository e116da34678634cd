import type { EnvironmentRef } from "../contract/target.ts";
import { environmentName } from "../contract/target.ts";
import type { LoggedEvent } from "../events/event-chain.ts";
import type { WebhookOutcome } from "../ports/webhook-sender.ts";
import { isResting } from "../records/rest.ts";

/** Which events a webhook is for. */
export interface WebhookFilter {
  /** None: all. */
  readonly types: readonly string[];
  readonly livesystemId: string | null;
  readonly environmentId: EnvironmentRef | null;
}

/**
 * How far the events of one live system got, where that isn't as far as the rest. Behind the rest it is held by a failure, or catching
 * up after one; ahead of it, the rest of what was read with it isn't sent yet.
 */
export interface QueueState {
  readonly queue: string;
  /** Everything of this queue up to this sequence number is settled. */
  readonly after: number;
  /** How often the next event was tried. */
  readonly attempts: number;
  /** Milliseconds of the epoch. */
  readonly dueAt: number;
  /** When the next event happened. */
  readonly since: number | null;
}

/** How far a webhook's events got. */
export interface Positions {
  /** Up to here the log was read. */
  readonly through: number;
  readonly queues: readonly QueueState[];
}

/** Events of one live system, to be sent one after the other. */
export interface QueuedEvents {
  readonly queue: string;
  readonly events: readonly LoggedEvent[];
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** What happened longer ago is sent no more. */
export const keptMs = 7 * dayMs;

/** So many queues may be held at once: with more, it is the receiver that isn't well, and the rest waits where it is. */
const mostHeld = 50;

const rests = [5000, 30_000, 2 * minuteMs, 10 * minuteMs, 30 * minuteMs, hourMs, 2 * hourMs];

/** The longest pause between two attempts. */
const longestQueueRestMs = 4 * hourMs;

/** How long an event rests once it was tried so often; `null`: it was tried for a day, and its webhook is to be paused. */
function queueRestAfter(attempts: number): number | null {
  let rested = 0;
  for (let attempt = 1; attempt < attempts; attempt++) rested += lengthOf(attempt);
  return rested < dayMs ? lengthOf(attempts) : null;
}

function lengthOf(attempt: number): number {
  return rests[attempt - 1] ?? longestQueueRestMs;
}

/** Whether a queue is to be tried. An instant further away than the longest rest was set by a clock that has jumped back since. */
function isQueueDue({ dueAt }: Pick<QueueState, "dueAt">, now: number): boolean {
  return !isResting(dueAt, longestQueueRestMs, now);
}

/** The queue that an event stands in: its live system's, or the one of all that is about none. */
export function queueOf({ about }: Pick<LoggedEvent, "about">): string {
  return about.kind === "liveSystem" ? about.id : "";
}

/** Whether a webhook is for an event at all. */
export function isWanted(filter: WebhookFilter, { type, about }: LoggedEvent): boolean {
  const { types, livesystemId, environmentId } = filter;
  if (types.length > 0 && !types.includes(type)) return false;
  if (livesystemId !== null && !(about.kind === "liveSystem" && about.id === livesystemId)) return false;
  return environmentId === null || isIn(environmentId, about);
}

function isIn(wanted: EnvironmentRef, about: LoggedEvent["about"]): boolean {
  const environment = about.kind === "liveSystem" && "environment" in about ? about.environment : about;
  if (!("type" in environment && "shortName" in environment) || about.kind === "group") return false;
  return environmentName(environment).toLowerCase() === environmentName(wanted).toLowerCase();
}

/** Whether an event is too old to be news. */
export function isTooOld({ time }: Pick<LoggedEvent, "time">, now: number): boolean {
  return now - Date.parse(time) > keptMs;
}

/** What of newly read events is to be sent now, by queue: what is held waits for its own turn. */
export function lanesOf({ through, queues }: Positions, events: readonly LoggedEvent[]): QueuedEvents[] {
  const states = new Map(queues.map((state) => [state.queue, state]));
  const lanes = new Map<string, LoggedEvent[]>();
  for (const event of events) {
    const queue = queueOf(event);
    const state = states.get(queue);
    const isHeld = state !== undefined && (state.after < through || state.attempts > 0);
    if (isHeld || event.sequence <= (state?.after ?? through)) continue;
    const lane = lanes.get(queue);
    if (lane === undefined) lanes.set(queue, [event]);
    else lane.push(event);
  }
  return [...lanes].map(([queue, own]) => ({ queue, events: own }));
}

/** The queues whose turn it is to be tried again, or to catch up. */
export function queuesDue({ through, queues }: Positions, now: number): readonly QueueState[] {
  return queues.filter((state) => (state.attempts > 0 || state.after < through) && isQueueDue(state, now));
}

/** Whether the rest has to wait for what is held. */
export function isCrowded({ queues }: Positions): boolean {
  return queues.filter(({ attempts }) => attempts > 0).length >= mostHeld;
}

/** All that was read up to here is sent, or held by its own queue: whoever is as far as that needs no state of their own. */
export function readThrough({ queues }: Positions, through: number): Positions {
  return { through, queues: queues.filter(({ after, attempts }) => attempts > 0 || after < through) };
}

/** Everything of a queue up to a place is settled: sent, or not to be sent. */
export function settledTo(positions: Positions, queue: string, after: number): Positions {
  const state = { queue, after, attempts: 0, dueAt: 0, since: null };
  return { ...positions, queues: [...positions.queues.filter((other) => other.queue !== queue), state] };
}

/** What follows from a failed attempt. */
export type FailedDelivery =
  | { readonly positions: Positions; readonly nextTryAt: number; readonly attempts: number }
  | { readonly positions: Positions; readonly nextTryAt: null; readonly attempts: number };

/** The queue rests, longer each time; after a day without a rest left the webhook is to be paused. */
export function failedAt(
  positions: Positions,
  event: Pick<LoggedEvent, "about" | "sequence" | "time">,
  { now, retryAfterMs = 0 }: { readonly now: number; readonly retryAfterMs?: number },
): FailedDelivery {
  const queue = queueOf(event);
  const known = positions.queues.find((state) => state.queue === queue);
  const attempts = (known?.after === event.sequence - 1 ? known.attempts : 0) + 1;
  const restMs = queueRestAfter(attempts);
  const asked = Math.min(retryAfterMs, hourMs);
  const dueAt = now + Math.max(restMs ?? 0, asked);
  const state = { queue, after: event.sequence - 1, attempts, dueAt, since: Date.parse(event.time) };
  const held = { ...positions, queues: [...positions.queues.filter((other) => other.queue !== queue), state] };
  return restMs === null
    ? { positions: held, nextTryAt: null, attempts }
    : { positions: held, nextTryAt: dueAt, attempts };
}

/** What an outcome means for the delivery, and the status that it was answered with. */
export type DeliveryVerdict = { readonly answerStatus: number | null } & (
  | { readonly kind: "delivered" | "gone" }
  | { readonly kind: "failed"; readonly failure: string; readonly retryAfterMs?: number }
);

/** Judges an outcome: what is in the two hundreds was taken, 410 says that there will be no receiver any more. */
export function verdictOn(outcome: WebhookOutcome): DeliveryVerdict {
  if (outcome.kind === "failed") return { kind: "failed", failure: outcome.because, answerStatus: null };
  const { status: answerStatus, retryAfterMs } = outcome;
  if (answerStatus >= 200 && answerStatus < 300) return { kind: "delivered", answerStatus };
  if (answerStatus === 410) return { kind: "gone", answerStatus };
  const failure = answerStatus >= 300 && answerStatus < 400 ? "Redirected" : "NotTaken";
  return { kind: "failed", failure, answerStatus, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

/** Everything is tried anew, as when a webhook is resumed. */
export function rested({ through, queues }: Positions): Positions {
  return { through, queues: queues.map((state) => ({ ...state, attempts: 0, dueAt: 0 })) };
}

/** When the event that waits longest happened; `null`: none is held. */
export function oldestHeld({ queues }: Positions): number | null {
  const times = queues.flatMap(({ since }) => (since === null ? [] : [since]));
  return times.length === 0 ? null : Math.min(...times);
}
