import { nowText } from "../encoding.ts";
import { isLiveplaneError, LiveplaneError } from "../errors.ts";
import type { LoggedEvent } from "../events/event-chain.ts";
import type { EventLog } from "../events/event-log.ts";
import type { Runtime } from "../ports/runtime.ts";
import type { Change, Stored } from "../records/records.ts";
import { type DeliveryRecord, deliveries, forgottenAt } from "./delivery-record.ts";
import { testType } from "./message.ts";
import type { OutgoingEvent } from "./outgoing-event.ts";
import type { WebhookRecord } from "./webhook-record.ts";

/** What asking for a message outside of the order takes. */
export interface RedeliveryDeps {
  readonly runtime: Pick<Runtime, "clock" | "newId">;
  readonly log: Pick<EventLog, "read">;
}

/** Asks for a test, which goes to a paused webhook as well. */
export function askForTest(
  { runtime }: RedeliveryDeps,
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

/** Asks for what was sent already once more. Throws `NotFound`, and `EventsExpired` where the log has it no more. */
export async function askAgain(
  { runtime, log }: RedeliveryDeps,
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

/** The event of a delivery; `null`: the log has it no more. */
export async function eventOf(
  log: Pick<EventLog, "read">,
  { id, sequence }: Pick<DeliveryRecord, "id" | "sequence">,
): Promise<LoggedEvent | null> {
  const event = sequence === null ? null : await eventAt(log, sequence);
  return event?.id === id ? event : null;
}

/** The event at a place; `null`: the log has it no more. */
export async function eventAt(log: Pick<EventLog, "read">, sequence: number): Promise<LoggedEvent | null> {
  try {
    const [event] = await log.read(sequence - 1, 1);
    return event?.sequence === sequence ? event : null;
  } catch (error) {
    if (isLiveplaneError(error, "EventsExpired")) return null;
    throw error;
  }
}

/** What is sent of a test. */
export function testEvent({ id, webhookId, eventAt }: DeliveryRecord): OutgoingEvent {
  return {
    ...{ specversion: "1.0", id, source: "liveplane", type: testType, subject: webhookId, time: eventAt },
    ...{ datacontenttype: "application/json", actor: "liveplane", requestid: id, data: {} },
  };
}
