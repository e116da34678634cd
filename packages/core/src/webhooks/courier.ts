import type { Webhook } from "../contract/schemas/webhook-schemas.ts";
import { nowText, toInstant } from "../encoding.ts";
import type { LoggedEvent } from "../events/event-chain.ts";
import type { EventBatch } from "../events/event-log.ts";
import type { Claim } from "../records/claim.ts";
import type { Change, Stored } from "../records/records.ts";
import type { Services } from "../services.ts";
import {
  afterAttempt,
  type Cursor,
  type DeliveryVerdict,
  type FailingEvent,
  isAttemptDue,
  isTooOld,
  movedTo,
  type NextStep,
} from "./cursor.ts";
import { eventOf, testEvent } from "./redelivery.ts";
import type { SendOnce } from "./sending.ts";
import {
  aboutOwner,
  type DeliveryRecord,
  deliveries,
  forgottenAt,
  newDelivery,
  type WebhookCursor,
  type WebhookRecord,
  webhookCursors,
  webhooks,
} from "./webhook-record.ts";
import { removeWebhook } from "./webhooks.ts";

/** Reads the events after a sequence number that a webhook wants. Whether its owner may see them is decided when they are sent. */
export type ReadingFor = (webhook: WebhookRecord, after: number) => Promise<EventBatch>;

/** Sends a webhook's messages, one at a time, until nothing is due or the signal fires. Throws what the store throws. */
export type Courier = (webhookId: string, signal: AbortSignal) => Promise<void>;

/** After this long another process may continue with a webhook that still has events. */
const turnMs = 60_000;

const cause = { actor: "liveplane", requestId: "webhooks" };

/** One process's turn at a webhook: it holds the claim in the cursor's record. */
interface Turn {
  readonly webhookId: string;
  readonly signal: AbortSignal;
  readonly until: number;
  claim: Claim | null;
  savedAt: number;
  steps: number;
  /** What was read of the log for this version of the webhook. */
  reading: { readonly version: string; readonly batch: EventBatch } | null;
  /** Events up to here are delivered, set aside or not for this webhook; the record follows with the next write. */
  passed: number;
}

/** A change to one delivery, given what is stored. `null`: nothing is written. */
interface Touch {
  readonly id: string;
  readonly next: (known: DeliveryRecord | null) => DeliveryRecord | null;
}

/** What one write changes along with the position. */
interface Result {
  readonly cursor?: Cursor;
  readonly touch?: Touch;
  readonly pauseBecause?: NextStep["pauseBecause"];
}

interface CourierDeps extends Pick<Services, "records" | "runtime" | "claims" | "log" | "sight" | "mailOwner"> {
  readonly read: ReadingFor;
  readonly attempt: SendOnce;
}

/**
 * Builds the courier. Each event is one commit: its delivery and the cursor behind it. A process that dies in between leaves at most one event
 * that is sent a second time, and the next process starts with that event.
 */
export function createCourier(deps: CourierDeps): Courier {
  return async (webhookId, signal) => {
    const turn = await begin(deps, webhookId, signal);
    if (turn === null) return;
    try {
      while (!signal.aborted && (await step(deps, turn))) await deps.runtime.yield();
    } finally {
      await write(deps, turn, {}, null);
    }
  };
}

async function begin(deps: CourierDeps, webhookId: string, signal: AbortSignal): Promise<Turn | null> {
  const claim = deps.claims.make();
  const begun = await deps.records.change(cause, async (change) => {
    const [webhook, cursor] = await change.getPair([webhooks, [webhookId]], [webhookCursors, [webhookId]]);
    if (webhook === null || cursor === null || deps.claims.hold(cursor.claim)) return null;
    const standing = await deps.sight.standing(change, webhook.owner);
    if (standing === "gone") await removeWebhook(change, webhook);
    if (standing !== "acts") return null;
    return change.put(webhookCursors, { ...cursor, claim });
  });
  const now = deps.runtime.clock.monotonic();
  const fresh = { steps: 0, savedAt: now, reading: null };
  return begun && { webhookId, signal, claim, until: now + turnMs, passed: begun.after, ...fresh };
}

/** Commits a result, if this process still holds the claim. Answers whether it does. */
async function write(
  deps: CourierDeps,
  turn: Turn,
  result: Result,
  claim: Claim | null = deps.claims.make(),
): Promise<boolean> {
  const { webhookId, passed } = turn;
  const isMine = await deps.records.change(cause, async (change) => {
    const [webhook, row] = await change.getPair([webhooks, [webhookId]], [webhookCursors, [webhookId]]);
    if (webhook === null || row === null || row.claim?.id !== turn.claim?.id) return false;
    const cursor = movedTo(result.cursor ?? row, passed);
    change.put(webhookCursors, { webhookId, ...cursor, claim });
    const { touch } = result;
    const left = row.failing;
    if (touch !== undefined) await putDelivery(deps, change, webhookId, touch);
    if (left !== null && left.id !== cursor.failing?.id && left.id !== touch?.id)
      await putDelivery(deps, change, webhookId, passedOver(left, deps.runtime.clock.now()));
    if (result.pauseBecause) await pause(deps, change, webhook, result.pauseBecause);
    return true;
  });
  turn.claim = claim;
  turn.savedAt = deps.runtime.clock.monotonic();
  return isMine;
}

async function putDelivery(deps: CourierDeps, change: Change, webhookId: string, { id, next }: Touch): Promise<void> {
  const delivery = next(await change.get(deliveries, [webhookId, id]));
  if (delivery !== null) change.put(deliveries, delivery, forgottenAt(deps.runtime.clock.now()));
}

/** Pauses a webhook whose receiver accepts nothing, with an event and a mail. */
async function pause(
  deps: CourierDeps,
  change: Change,
  webhook: Stored<WebhookRecord>,
  because: NonNullable<Webhook["pausedBecause"]>,
): Promise<void> {
  const pausedAt = nowText(deps);
  change.put(webhooks, {
    ...{ ...webhook, status: "Paused", pausedAt, pausedBecause: because },
    ...{ updatedAt: pausedAt, updatedBy: "liveplane" },
  });
  change.emit({ type: "webhook.paused", subject: webhook.id, about: aboutOwner(webhook.owner), data: { because } });
  await deps.mailOwner(change, webhook.owner);
}

function tried(
  deps: Pick<Services, "runtime">,
  delivery: DeliveryRecord,
  { answerStatus, failure }: DeliveryVerdict,
): DeliveryRecord {
  const now = nowText(deps);
  return { ...delivery, attempts: delivery.attempts + 1, triedAt: now, touchedAt: now, answerStatus, failure };
}

/** The next event that the webhook wants and that isn't too old; `null`: there is none in what was read. */
async function nextEvent(deps: CourierDeps, turn: Turn, webhook: Stored<WebhookRecord>): Promise<LoggedEvent | null> {
  const isNext = ({ sequence, time }: LoggedEvent) =>
    sequence > turn.passed && !isTooOld(Date.parse(time), deps.runtime.clock.now());
  let batch = turn.reading?.version === webhook.version ? turn.reading.batch : null;
  if (batch === null || !batch.events.some(isNext)) {
    batch = await deps.read(webhook, Math.max(turn.passed, batch?.through ?? 0));
    turn.reading = { version: webhook.version, batch };
  }
  const event = batch.events.find(isNext) ?? null;
  turn.passed = Math.max(turn.passed, event === null ? batch.through : event.sequence - 1);
  return event;
}

/** Sends the event behind the cursor. Answers whether there may be more to send. */
async function sendNext(
  deps: CourierDeps,
  turn: Turn,
  webhook: Stored<WebhookRecord>,
  cursor: WebhookCursor,
): Promise<boolean> {
  if (webhook.status !== "Active" || !isAttemptDue(cursor, deps.runtime.clock.now())) return false;
  const event = await nextEvent(deps, turn, webhook);
  if (event === null) return turn.reading?.batch.isLast === false;
  if (!(await deps.sight.sees(webhook.owner, event))) {
    turn.passed = event.sequence;
    return true;
  }
  const verdict = await deps.attempt(webhook, event, turn.signal);
  if (verdict === null) return false;
  const step = afterAttempt(cursor, event, { verdict, now: deps.runtime.clock.now() });
  const isWaiting = step.status === "Waiting" && step.pauseBecause === null;
  const nextTryAt = isWaiting ? toInstant(step.cursor.dueAt) : null;
  const next = (known: DeliveryRecord | null): DeliveryRecord => ({
    ...tried(deps, known ?? newDelivery(turn.webhookId, event), verdict),
    ...{ status: step.status, nextTryAt },
  });
  turn.passed = Math.max(turn.passed, step.cursor.after);
  return write(deps, turn, { ...step, touch: { id: event.id, next } });
}

/** Sends what a person asked for, out of order; a failure holds and pauses nothing. Returns whether there was anything. */
async function sendAsked(
  deps: CourierDeps,
  turn: Turn,
  webhook: Stored<WebhookRecord>,
  cursor: WebhookCursor,
): Promise<boolean> {
  const [asked] = await deps.records.list(deliveries, { index: "asked", prefix: [turn.webhookId], limit: 1 });
  if (asked === undefined) return false;
  const { record } = asked;
  const settledAs = (outcome: Partial<DeliveryRecord>, verdict?: DeliveryVerdict): Touch => ({
    id: record.id,
    next: (known) => {
      const stored = known ?? record;
      // Asked for again in the meantime: that request is still to be carried out.
      const askedAt = stored.askedAt === record.askedAt ? null : stored.askedAt;
      return {
        ...(verdict === undefined ? stored : tried(deps, stored, verdict)),
        ...outcome,
        nextTryAt: null,
        askedAt,
      };
    },
  });
  const logged = await eventOf(deps.log, record);
  const event = record.sequence === null ? testEvent(record) : logged;
  if (event === null) return write(deps, turn, { touch: settledAs({ status: "Failed", failure: "Expired" }) });
  if (logged !== null && !(await deps.sight.sees(webhook.owner, logged)))
    return write(deps, turn, { touch: settledAs({ status: "Withheld" }) });
  const verdict = await deps.attempt(webhook, event, turn.signal);
  if (verdict === null) return false;
  const isDelivered = verdict.kind === "delivered";
  const touch = settledAs({ status: isDelivered ? "Delivered" : "Failed" }, verdict);
  // A person who delivers the event that holds the webhook releases it.
  const isRelease = isDelivered && cursor.failing?.id === record.id;
  return write(deps, turn, { touch, ...(isRelease && { cursor: movedTo(cursor, cursor.failing.sequence) }) });
}

/** One message. Answers whether there may be more. */
async function step(deps: CourierDeps, turn: Turn): Promise<boolean> {
  if (deps.runtime.clock.monotonic() >= turn.until) return false;
  if (deps.runtime.clock.monotonic() - turn.savedAt >= deps.claims.renewMs && !(await write(deps, turn, {})))
    return false;
  const { webhookId } = turn;
  const [webhook, cursor] = await deps.records.getPair([webhooks, [webhookId]], [webhookCursors, [webhookId]]);
  if (webhook === null || cursor === null || cursor.claim?.id !== turn.claim?.id) return false;
  turn.passed = Math.max(turn.passed, cursor.after);
  turn.steps += 1;
  // In turns, so that neither many requests nor many events keep the others waiting.
  const [first, second] = turn.steps % 2 === 1 ? [sendAsked, sendNext] : [sendNext, sendAsked];
  return (
    (await first(deps, turn, webhook, cursor)) || (!turn.signal.aborted && (await second(deps, turn, webhook, cursor)))
  );
}

/** The result of a failed delivery that isn't tried again: its event is too old, or no longer for this webhook. */
function passedOver({ id, happenedAt }: FailingEvent, now: number): Touch {
  const outcome = isTooOld(happenedAt, now)
    ? ({ status: "Failed", failure: "Expired" } as const)
    : ({ status: "Withheld" } as const);
  return { id, next: (known) => known && { ...known, ...outcome, nextTryAt: null } };
}
