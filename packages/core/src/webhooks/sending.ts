import { isLiveplaneError } from "../errors.ts";
import type { Runtime } from "../ports/runtime.ts";
import type { WebhookOutcome, WebhookSender } from "../ports/webhook-sender.ts";
import { createSlots } from "../records/in-parallel.ts";
import type { Settings } from "../settings.ts";
import { type DeliveryVerdict, verdictOn } from "./delivery-rules.ts";
import { writeMessage } from "./message.ts";
import type { ComponentFacts, OutgoingEvent } from "./outgoing-event.ts";
import { signedHeaders } from "./signature.ts";
import type { WebhookRecord } from "./webhook-record.ts";

/** A webhook with what its messages need, opened. */
export interface UnsealedWebhook {
  readonly record: WebhookRecord;
  readonly url: string;
  /** All that sign now. */
  readonly secrets: readonly string[];
}

/** What an attempt takes. */
export interface SendingDeps {
  readonly runtime: Runtime;
  readonly sender: WebhookSender;
  readonly settings: Pick<Settings, "consoleUrl">;
  /** What is known of the component that an event is about; `null`: it is about none, or nothing is known of it. */
  readonly factsOf: (componentId: string) => Promise<ComponentFacts | null>;
  /** What whoever did something goes by; `null`: nobody knows a name. */
  readonly nameOf: (actor: string) => Promise<string | null>;
}

/** Tries once to send an event. `null`: it was broken off, and nobody knows whether it was taken. */
export type SendOnce = (
  webhook: UnsealedWebhook,
  event: OutgoingEvent,
  signal: AbortSignal,
) => Promise<DeliveryVerdict | null>;

/** Longer than any sender takes that keeps to the port's law. */
const longestSendMs = 30_000;
/** So many messages are on their way at once in one process. */
const mostAtOnce = 1000;

/** Builds what sends one message. */
export function createSending(deps: SendingDeps): SendOnce {
  const { runtime, sender } = deps;
  const { clock, metrics } = runtime;
  const slot = createSlots(mostAtOnce);

  /** A sender that never answers must not hold up what is behind. */
  async function inTime(sending: Promise<WebhookOutcome>, signal: AbortSignal): Promise<WebhookOutcome> {
    const answered = new AbortController();
    const late = clock
      .sleep(longestSendMs, { signal: AbortSignal.any([answered.signal, signal]) })
      .then((): WebhookOutcome => ({ kind: "failed", because: "TimedOut" }));
    return Promise.race([sending, late]).finally(() => answered.abort());
  }

  async function send(webhook: UnsealedWebhook, event: OutgoingEvent, signal: AbortSignal): Promise<WebhookOutcome> {
    const { contentType, body } = await messageOf(deps, webhook, event);
    const seconds = Math.floor(clock.now() / 1000);
    const signed = await signedHeaders(webhook.secrets, { id: event.id, seconds, body }, runtime.crypto);
    const headers = { "content-type": contentType, "user-agent": "liveplane", ...signed };
    return inTime(sender.send({ url: webhook.url, headers, body }, { signal }), signal);
  }

  return (webhook, event, signal) =>
    slot(async () => {
      const begun = clock.monotonic();
      try {
        const verdict = verdictOn(await send(webhook, event, signal));
        if (signal.aborted && verdict.kind !== "delivered") return null;
        metrics.count("liveplane_webhook_attempts_total", { outcome: verdict.kind });
        metrics.observe("liveplane_webhook_attempt_seconds", (clock.monotonic() - begun) / 1000);
        return verdict;
      } catch (error) {
        if (signal.aborted || isLiveplaneError(error, "Aborted")) return null;
        if (isLiveplaneError(error, "StoreFailed")) throw error;
        // Neither text nor cause: a sender's error may hold the address.
        const code = isLiveplaneError(error) ? error.code : "InternalError";
        runtime.logger.error(
          { webhookId: webhook.record.id, code },
          "A message of a webhook could not be made or sent.",
        );
        metrics.count("liveplane_webhook_attempts_total", { outcome: "failed" });
        return { kind: "failed", failure: "InternalError", answerStatus: null };
      }
    });
}

async function messageOf(deps: SendingDeps, { record }: UnsealedWebhook, event: OutgoingEvent) {
  const { runtime, settings, factsOf, nameOf } = deps;
  const isForPeople = record.format === "slack";
  const isOfComponent = isForPeople && event.type.startsWith("component.");
  return writeMessage(record.format, event, {
    component: isOfComponent ? await factsOf(event.subject) : null,
    actorName: isForPeople ? await nameOf(event.actor) : null,
    consoleUrl: settings.consoleUrl,
    now: runtime.clock.now(),
  });
}
