import { nowText } from "../encoding.ts";
import { isLiveplaneError, LiveplaneError } from "../errors.ts";
import type { LoggedEvent } from "../events/event-chain.ts";
import type { EventLog } from "../events/event-log.ts";
import type { Change, Stored } from "../records/records.ts";
import type { Services } from "../services.ts";
import type { OutgoingEvent } from "./message.ts";
import { type DeliveryRecord, deliveries, forgottenAt, type WebhookRecord } from "./webhook-record.ts";

const testType = "webhook.test";

/** Asks for a test message, which is sent to a paused webhook as well. */
export function askForTest(
  { runtime }: Pick<Services, "runtime">,
  change: Change,
  { id: webhookId }: WebhookRecord,
): Stored<DeliveryRecord> {
  const now = nowText({ runtime });
  const test: DeliveryRecord = {
    ...{ webhookId, id: runtime.newId(), type: testType, subject: webhookId, sequence: null, eventAt: now },
    ...{ status: "Waiting", attempts: 0, triedAt: null, nextTryAt: now, answerStatus: null, failure: null },
    ...{ askedAt: now, touchedAt: now },
  };
  return change.put(deliveries, test, forgottenAt(runtime.clock.now()));
}

/** Asks to send an event again. Throws `NotFound`, and `EventsExpired` if the log no longer has the event. */
export async function askAgain(
  { runtime, log }: Pick<Services, "runtime" | "log">,
  change: Change,
  { webhook, deliveryId }: { readonly webhook: WebhookRecord; readonly deliveryId: string },
): Promise<Stored<DeliveryRecord>> {
  const known = await change.get(deliveries, [webhook.id, deliveryId]);
  if (known === null) throw new LiveplaneError("NotFound");
  if (known.sequence !== null && (await eventOf(log, known)) === null) throw new LiveplaneError("EventsExpired");
  const now = nowText({ runtime });
  const anew = {
    status: "Waiting",
    attempts: 0,
    triedAt: null,
    nextTryAt: now,
    answerStatus: null,
    failure: null,
  } as const;
  const asked = { ...known, ...anew, askedAt: now, touchedAt: now };
  return change.put(deliveries, asked, forgottenAt(runtime.clock.now()));
}

/** The event of a delivery; `null`: the log no longer has it. */
export async function eventOf(
  log: Pick<EventLog, "read">,
  { id, sequence }: Pick<DeliveryRecord, "id" | "sequence">,
): Promise<LoggedEvent | null> {
  if (sequence === null) return null;
  try {
    const [event] = await log.read(sequence - 1, 1);
    return event?.id === id ? event : null;
  } catch (error) {
    if (isLiveplaneError(error, "EventsExpired")) return null;
    throw error;
  }
}

/** The event that a test sends. It has no place in the log. */
export function testEvent({ id, webhookId, eventAt }: DeliveryRecord): OutgoingEvent {
  return {
    ...{ specversion: "1.0", id, source: "liveplane", type: testType, subject: webhookId, time: eventAt },
    ...{ datacontenttype: "application/json", actor: "liveplane", requestid: id, data: {} },
  };
}
