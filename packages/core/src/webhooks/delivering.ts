import { isLiveplaneError } from "../errors.ts";
import type { ShardedTask } from "../ports/scheduler.ts";
import type { WebhookSender } from "../ports/webhook-sender.ts";
import { inParallel } from "../records/in-parallel.ts";
import { listAll } from "../records/list-all.ts";
import type { Stored } from "../records/records.ts";
import type { Services } from "../services.ts";
import { createCourier, type ReadingFor } from "./courier.ts";
import { isAttemptDue, isWanted } from "./cursor.ts";
import { createSending } from "./sending.ts";
import { deliveries, type WebhookCursor, type WebhookRecord, webhookCursors, webhooks } from "./webhook-record.ts";

/** Webhooks that one process sends for at the same time: most of them wait for a receiver. */
const webhooksAtOnce = 1000;
/** Of these, webhooks that one account made: receivers that never answer keep no other account waiting. */
const mostOfOneAccount = 100;
/** Webhooks that are checked in parallel. */
const looksAtOnce = 8;
/** Events that one webhook holds in memory. */
const readAtOnce = 100;
/** A webhook that wants none of this many events has its cursor moved past them. */
const farBehind = 10_000;

/** Creates the part that finds and sends messages. */
export function createDelivering(
  deps: Pick<
    Services,
    "records" | "runtime" | "settings" | "sealer" | "claims" | "log" | "sight" | "factsOf" | "nameOf" | "mailOwner"
  > & { readonly sender: WebhookSender },
): Pick<ShardedTask, "shards" | "run" | "atOnce"> {
  const { records, runtime, claims, log } = deps;
  const { clock, metrics } = runtime;
  const read = createReading(deps);
  const carry = createCourier({ ...deps, read, attempt: createSending(deps) });
  /** The webhooks that this process sends for, with the account that made each. */
  const busy = new Map<string, string>();
  /** How far each webhook was looked at without finding an event for it. */
  const quietThrough = new Map<string, number>();
  /** The log's head when there was nothing to send; looking again before it moves costs two reads. */
  let calmSince = -1;

  async function hasWork(webhook: Stored<WebhookRecord>, cursor: WebhookCursor): Promise<boolean> {
    if (!isAttemptDue(cursor, clock.now())) return false;
    if (cursor.failing !== null) return true;
    const from = Math.max(cursor.after, quietThrough.get(webhook.id) ?? 0);
    const { events, through, isLast } = await read(webhook, from);
    if (events.length > 0 || !isLast) return true;
    quietThrough.set(webhook.id, through);
    return through - cursor.after >= farBehind;
  }

  async function lookAtAll() {
    const active = await listAll(records, webhooks, { index: "active" });
    const cursors = await records.getMany(
      webhookCursors,
      active.map(({ id }) => [id]),
    );
    const found: string[] = [];
    const counts = countedBy(busy.values());
    await inParallel([...active.entries()], looksAtOnce, async ([at, webhook]) => {
      const cursor = cursors[at] ?? null;
      const { id, createdBy } = webhook;
      const isFull = () => (counts.get(createdBy) ?? 0) >= mostOfOneAccount;
      if (cursor === null || busy.has(id) || claims.hold(cursor.claim) || isFull()) return;
      if (!(await hasWork(webhook, cursor)) || isFull()) return;
      found.push(id);
      counts.set(createdBy, (counts.get(createdBy) ?? 0) + 1);
    });
    const ids = new Set(active.map(({ id }) => id));
    for (const id of quietThrough.keys()) if (!ids.has(id)) quietThrough.delete(id);
    const all = cursors.filter((cursor) => cursor !== null);
    measure(all, found.length + busy.size);
    const isCalm =
      found.length + busy.size === 0 && all.every(({ failing, claim }) => failing === null && claim === null);
    return { found, isCalm };
  }

  function measure(all: readonly WebhookCursor[], pending: number): void {
    const held = all.flatMap(({ failing }) => (failing === null ? [] : [failing.happenedAt]));
    metrics.gauge("liveplane_webhooks_pending", pending);
    metrics.gauge("liveplane_webhooks_held", held.length);
    const seconds = held.length === 0 ? 0 : Math.max(0, clock.now() - Math.min(...held)) / 1000;
    metrics.gauge("liveplane_webhook_oldest_seconds", seconds);
  }

  return {
    atOnce: webhooksAtOnce,
    async shards() {
      const head = await log.head();
      const asked = await records.list(deliveries, { index: "asked", limit: 1000 });
      const askedOf = asked.map(({ record }) => record.webhookId).filter((id) => !busy.has(id));
      if (head === calmSince && busy.size === 0) return [...new Set(askedOf)];
      const { found, isCalm } = await lookAtAll();
      calmSince = isCalm ? head : -1;
      return [...new Set([...askedOf, ...found])];
    },
    async run(webhookId, { signal }) {
      const webhook = await records.get(webhooks, [webhookId]);
      if (webhook === null || busy.has(webhookId) || busy.size >= webhooksAtOnce) return;
      if ((countedBy(busy.values()).get(webhook.createdBy) ?? 0) >= mostOfOneAccount) return;
      busy.set(webhookId, webhook.createdBy);
      try {
        await carry(webhookId, signal);
      } finally {
        busy.delete(webhookId);
        calmSince = -1;
      }
    },
  };
}

/** How often each account occurs. */
function countedBy(accounts: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const account of accounts) counts.set(account, (counts.get(account) ?? 0) + 1);
  return counts;
}

/** Creates the reading of the log for one webhook. Events that the log no longer has are skipped. */
function createReading({ log, sight }: Pick<Services, "log" | "sight">): ReadingFor {
  return async (webhook, after) => {
    const heard = await sight.hears(webhook.owner);
    try {
      const batch = await log.batch(heard, after, readAtOnce);
      return { ...batch, events: batch.events.filter((event) => isWanted(webhook, event)) };
    } catch (error) {
      if (!isLiveplaneError(error, "EventsExpired")) throw error;
      return { events: [], through: await log.kept(), isLast: false };
    }
  };
}
