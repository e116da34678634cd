import { isLiveplaneError } from "../errors.ts";
import type { EventBatch, EventLog } from "../events/event-log.ts";
import { isWanted } from "./delivery-rules.ts";
import type { WebhookRecord } from "./webhook-record.ts";
import type { WebhookSight } from "./webhook-sight.ts";

/** So many events are read at once: what one webhook holds in memory, however much waits. */
const atOnce = 100;

/** Reads what a webhook is for, behind a sequence number. Whether its owner may see it is judged when it is sent. */
export type ReadingFor = (webhook: WebhookRecord, after: number) => Promise<EventBatch>;

/** What reading takes. */
export interface WebhookReadingDeps {
  readonly log: Pick<EventLog, "batch" | "kept">;
  readonly sight: Pick<WebhookSight, "hears">;
}

/** Builds the reading. What the log keeps no more is passed over. */
export function createReading({ log, sight }: WebhookReadingDeps): ReadingFor {
  return async (webhook, after) => {
    const heard = await sight.hears(webhook.owner);
    try {
      const batch = await log.batch(heard, after, atOnce);
      return { ...batch, events: batch.events.filter((event) => isWanted(webhook, event)) };
    } catch (error) {
      if (!isLiveplaneError(error, "EventsExpired")) throw error;
      return { events: [], through: await log.kept(), isLast: false };
    }
  };
}
