import { fromUtf8 } from "../encoding.ts";
import type { LoggedEvent } from "../events/event-chain.ts";
import type { Lease } from "../ports/scheduler.ts";
import type { Sealer } from "../ports/secrets.ts";
import { inParallel } from "../records/in-parallel.ts";
import {
  failedAt,
  isCrowded,
  isTooOld,
  lanesOf,
  type QueueState,
  queueOf,
  queuesDue,
  readThrough,
  settledTo,
} from "./delivery-rules.ts";
import { createErrands, type Errand, type ErrandDeps } from "./errands.ts";
import { createRedelivering } from "./redelivering.ts";
import { eventAt } from "./redelivery.ts";
import type { SendOnce, UnsealedWebhook } from "./sending.ts";
import type { ReadingFor } from "./webhook-reading.ts";
import { addressPlace, signingSecrets, type WebhookRecord, webhookSecretPlace } from "./webhook-record.ts";
import type { WebhookSight } from "./webhook-sight.ts";

/** What carrying messages takes. */
export interface CourierDeps extends ErrandDeps {
  readonly sealer: Pick<Sealer, "open">;
  readonly sight: Pick<WebhookSight, "standing" | "sees">;
  readonly read: ReadingFor;
  readonly attempt: SendOnce;
}

/** Sends what a webhook has to be sent, until nothing is left that is due or the lease ends. Throws what the store does. */
export type Courier = (webhookId: string, lease: Lease) => Promise<void>;

/** So many live systems of one webhook are told of at once. */
const lanesAtOnce = 4;
/** A webhook that has much to send lets the others have a turn in between. */
const sliceMs = 60_000;

/** Events of one queue to send, and how far the queue is once they are settled. */
interface Trip {
  readonly queue: string;
  readonly events: readonly LoggedEvent[];
  readonly end: number;
}

/** Builds the courier: several processes may have one, and only one is on an errand for a webhook at a time. */
export function createCourier(deps: CourierDeps): Courier {
  const { runtime, sight, read, attempt } = deps;
  const { clock } = runtime;
  const errands = createErrands(deps);
  const sendAsked = createRedelivering(deps);

  /** One event: `true`: it is settled, and the next one's turn; `false`: its queue is held, or the errand ends. */
  async function settle(errand: Errand, webhook: UnsealedWebhook, event: LoggedEvent): Promise<boolean> {
    const now = clock.now();
    if (isTooOld(event, now)) return true;
    if (!(await sight.sees(webhook.record.owner, event))) {
      errand.withhold(event);
      return true;
    }
    const verdict = await attempt(webhook, event, errand.signal);
    if (verdict === null) return false;
    if (verdict.kind === "delivered") {
      errand.delivered(event, verdict);
      return true;
    }
    const { retryAfterMs } = verdict.kind === "failed" ? verdict : { retryAfterMs: undefined };
    const failed = failedAt(errand.positions, event, { now: clock.now(), ...(retryAfterMs && { retryAfterMs }) });
    errand.positions = failed.positions;
    errand.failed(event, verdict, failed);
    return false;
  }

  async function travel(errand: Errand, webhook: UnsealedWebhook, { queue, events, end }: Trip): Promise<void> {
    for (const event of events) {
      if (errand.signal.aborted || !(await settle(errand, webhook, event))) return;
      errand.positions = settledTo(errand.positions, queue, event.sequence);
      await errand.saveNowAndThen();
    }
    errand.positions = settledTo(errand.positions, queue, end);
  }

  /** What a queue has to catch up with: behind the rest all of it, ahead of the rest the one event that failed. */
  async function tripOf(errand: Errand, webhook: WebhookRecord, state: QueueState): Promise<Trip> {
    const { queue, after, attempts } = state;
    const { through } = errand.positions;
    const batch = await read(webhook, after);
    const own = batch.events.filter((event) => queueOf(event) === queue);
    const isHeardNoMore = attempts > 0 && own[0]?.sequence !== after + 1;
    const tried = isHeardNoMore ? await eventAt(deps.log, after + 1) : null;
    if (tried !== null) errand.withhold(tried);
    if (after >= through) {
      const [first] = own;
      return { queue, events: first === undefined ? [] : [first], end: first?.sequence ?? after };
    }
    const events = own.filter(({ sequence }) => sequence <= through);
    return { queue, events, end: Math.min(batch.through, through) };
  }

  /** What is due, once. Answers whether there may be more. */
  async function round(errand: Errand, webhook: UnsealedWebhook): Promise<boolean> {
    const { record } = webhook;
    const { positions } = errand;
    const due = queuesDue(positions, clock.now());
    const trips = await Promise.all(due.map((state) => tripOf(errand, record, state)));
    const batch = isCrowded(positions) ? null : await read(record, positions.through);
    const through = batch?.through ?? positions.through;
    const lanes = batch === null ? [] : lanesOf(positions, batch.events);
    const all: Trip[] = [...trips, ...lanes.map((lane) => ({ ...lane, end: through }))];
    await inParallel(all, lanesAtOnce, (trip) => travel(errand, webhook, trip));
    if (errand.signal.aborted) return false;
    errand.positions = readThrough(errand.positions, through);
    // What was only read need not be written down each time.
    await (all.length > 0 ? errand.save() : errand.saveNowAndThen());
    return all.length > 0 || batch?.isLast === false;
  }

  async function open(record: WebhookRecord): Promise<UnsealedWebhook> {
    const { sealer } = deps;
    const url = fromUtf8(await sealer.open(record.url, addressPlace(record)));
    const secrets: string[] = [];
    for (const { id, sealed } of signingSecrets(record.secrets, clock.now()))
      secrets.push(fromUtf8(await sealer.open(sealed, webhookSecretPlace(record, id))));
    return { record, url, secrets };
  }

  async function carry(errand: Errand): Promise<void> {
    const until = clock.monotonic() + sliceMs;
    for (let more = true; more && !errand.signal.aborted; await runtime.yield()) {
      const record = await errand.webhook();
      if (record === null || clock.monotonic() >= until) return;
      const webhook = await open(record);
      const isAsked = await sendAsked(errand, webhook);
      more = record.status === "Active" ? await round(errand, webhook) : isAsked;
    }
  }

  return async (webhookId, lease) => {
    const errand = await errands.begin(webhookId, lease.signal);
    if (errand === null) return;
    try {
      await carry(errand);
    } finally {
      await errand.end();
    }
  };
}
