import type { EventLog } from "../events/event-log.ts";
import type { Runtime } from "../ports/runtime.ts";
import type { Claims } from "../records/claim.ts";
import { inParallel } from "../records/in-parallel.ts";
import { listAll } from "../records/list-all.ts";
import type { Records, Stored } from "../records/records.ts";
import type { Courier } from "./courier.ts";
import { deliveries, type WebhookProgress, webhookProgress } from "./delivery-record.ts";
import { isCrowded, oldestHeld, queuesDue } from "./delivery-rules.ts";
import type { ReadingFor } from "./webhook-reading.ts";
import { type WebhookRecord, webhooks } from "./webhook-record.ts";

/** What looking for work takes. */
export interface LookoutDeps {
  readonly records: Records;
  readonly runtime: Runtime;
  readonly claims: Pick<Claims, "hold">;
  readonly log: Pick<EventLog, "head">;
  readonly read: ReadingFor;
}

/** Finds the webhooks that have something to send. */
export interface Lookout {
  /** Their ids. Where nothing has happened and nothing is held, it costs two reads. */
  waiting(): Promise<readonly string[]>;
  /** The same courier, at most once at a time for a webhook in this process. */
  once(carry: Courier): Courier;
}

const atOnce = 8;
/** A webhook that hears nothing for so many events has its place in the log moved on all the same. */
const farBehind = 10_000;

/** Builds the lookout. What it remembers is how far each webhook was looked at in vain. */
export function createLookout({ records, runtime, claims, log, read }: LookoutDeps): Lookout {
  const { clock, metrics } = runtime;
  const quietThrough = new Map<string, number>();
  const busy = new Set<string>();
  let calmSince = -1;

  async function hasWork(webhook: Stored<WebhookRecord>, progress: WebhookProgress): Promise<boolean> {
    if (queuesDue(progress, clock.now()).length > 0) return true;
    if (isCrowded(progress)) return false;
    const from = Math.max(progress.through, quietThrough.get(webhook.id) ?? 0);
    const { events, through, isLast } = await read(webhook, from);
    if (events.length > 0 || !isLast) return true;
    quietThrough.set(webhook.id, through);
    return through - progress.through >= farBehind;
  }

  async function lookAtAll() {
    const active = await listAll(records, webhooks, { index: "active" });
    const known = await records.getMany(
      webhookProgress,
      active.map(({ id }) => [id]),
    );
    const found: string[] = [];
    await inParallel([...active.entries()], atOnce, async ([at, webhook]) => {
      const progress = known[at] ?? null;
      const isFree = progress !== null && !busy.has(webhook.id) && !claims.hold(progress.claim);
      if (isFree && (await hasWork(webhook, progress))) found.push(webhook.id);
    });
    const all = known.filter((progress) => progress !== null);
    tell(all, found.length + busy.size);
    const ids = new Set(active.map(({ id }) => id));
    for (const id of quietThrough.keys()) if (!ids.has(id)) quietThrough.delete(id);
    const isCalm =
      found.length + busy.size === 0 && all.every(({ queues, claim }) => queues.length === 0 && claim === null);
    return { found, isCalm };
  }

  function tell(all: readonly WebhookProgress[], pending: number): void {
    const held = all.flatMap(({ queues }) => queues.filter(({ attempts }) => attempts > 0));
    const oldest = all.map(oldestHeld).filter((time) => time !== null);
    metrics.gauge("liveplane_webhooks_pending", pending);
    metrics.gauge("liveplane_webhook_queues_held", held.length);
    const seconds = oldest.length === 0 ? 0 : Math.max(0, clock.now() - Math.min(...oldest)) / 1000;
    metrics.gauge("liveplane_webhook_oldest_seconds", seconds);
  }

  return {
    async waiting() {
      const head = await log.head();
      const asked = await records.list(deliveries, { index: "asked", limit: 1000 });
      const askedOf = asked.map(({ record }) => record.webhookId).filter((id) => !busy.has(id));
      if (head === calmSince && busy.size === 0) return [...new Set(askedOf)];
      const { found, isCalm } = await lookAtAll();
      calmSince = isCalm ? head : -1;
      return [...new Set([...askedOf, ...found])];
    },
    once: (carry) => async (webhookId, lease) => {
      if (busy.has(webhookId)) return;
      busy.add(webhookId);
      try {
        await carry(webhookId, lease);
      } finally {
        busy.delete(webhookId);
        calmSince = -1;
      }
    },
  };
}
