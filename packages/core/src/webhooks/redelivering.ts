import type { EventLog } from "../events/event-log.ts";
import { inParallel } from "../records/in-parallel.ts";
import type { Records } from "../records/records.ts";
import { type DeliveryRecord, deliveries } from "./delivery-record.ts";
import type { DeliveryVerdict } from "./delivery-rules.ts";
import { type Errand, wordOf } from "./errands.ts";
import { eventOf, testEvent } from "./redelivery.ts";
import type { SendOnce, UnsealedWebhook } from "./sending.ts";
import type { WebhookSight } from "./webhook-sight.ts";

/** What sending outside of the order takes. */
export interface RedeliveringDeps {
  readonly records: Pick<Records, "list">;
  readonly log: Pick<EventLog, "read">;
  readonly sight: Pick<WebhookSight, "sees">;
  readonly attempt: SendOnce;
}

const atOnce = 100;

/** Sends what somebody asked for, once each; failing holds nothing up and pauses nothing. Answers whether there was anything. */
export type Redeliver = (errand: Errand, webhook: UnsealedWebhook) => Promise<boolean>;

/** Builds what sends tests, and what is to be sent once more. */
export function createRedelivering({ records, log, sight, attempt }: RedeliveringDeps): Redeliver {
  async function send(errand: Errand, webhook: UnsealedWebhook, delivery: DeliveryRecord): Promise<void> {
    const logged = await eventOf(log, delivery);
    const event = delivery.sequence === null ? testEvent(delivery) : logged;
    if (event === null) return errand.settleAsked(delivery, { status: "Failed", failure: "Expired", nextTryAt: null });
    const isTold = logged === null || (await sight.sees(webhook.record.owner, logged));
    if (!isTold) return errand.settleAsked(delivery, { status: "Withheld", nextTryAt: null });
    const verdict = await attempt(webhook, event, errand.signal);
    if (verdict !== null) errand.settleAsked(delivery, outcomeOf(verdict));
  }

  return async (errand, webhook) => {
    const asked = await records.list(deliveries, { index: "asked", prefix: [webhook.record.id], limit: atOnce });
    await inParallel(asked, 4, ({ record }) => send(errand, webhook, record));
    if (asked.length > 0) await errand.save();
    return asked.length > 0;
  };
}

function outcomeOf(verdict: DeliveryVerdict): Partial<DeliveryRecord> {
  const { kind, answerStatus } = verdict;
  const failure = wordOf(verdict);
  return { status: kind === "delivered" ? "Delivered" : "Failed", failure, answerStatus, nextTryAt: null };
}
