import { fromUtf8 } from "../encoding.ts";
import { isLiveplaneError } from "../errors.ts";
import type { WebhookOutcome, WebhookSender } from "../ports/webhook-sender.ts";
import type { Services } from "../services.ts";
import { type DeliveryVerdict, verdictOn } from "./cursor.ts";
import { type OutgoingEvent, writeMessage } from "./message.ts";
import { signedHeaders } from "./signature.ts";
import { addressPlace, signingSecrets, type WebhookRecord, webhookSecretPlace } from "./webhook-record.ts";

/** Tries once to send an event. `null`: it was interrupted, so it is unknown whether the receiver has it. */
export type SendOnce = (
  webhook: WebhookRecord,
  event: OutgoingEvent,
  signal: AbortSignal,
) => Promise<DeliveryVerdict | null>;

/** Longer than any sender that keeps the port's law. */
const longestSendMs = 15_000;

export function createSending(
  deps: Pick<Services, "runtime" | "settings" | "sealer" | "factsOf" | "nameOf"> & { readonly sender: WebhookSender },
): SendOnce {
  const { runtime, sender } = deps;
  const { clock, metrics } = runtime;

  /** A sender that never returns must not hold the webhook. */
  async function post(message: Parameters<WebhookSender["send"]>[0], stop: AbortSignal): Promise<WebhookOutcome> {
    const ended = new AbortController();
    const signal = AbortSignal.any([stop, ended.signal]);
    const late = clock
      .sleep(longestSendMs, { signal })
      .then((): WebhookOutcome => ({ kind: "failed", because: "TimedOut" }));
    return Promise.race([sender.send(message, { signal }), late]).finally(() => ended.abort());
  }

  async function send(webhook: WebhookRecord, event: OutgoingEvent, signal: AbortSignal): Promise<WebhookOutcome> {
    const { url, secrets } = await opened(deps, webhook);
    const { contentType, body } = await messageOf(deps, webhook, event);
    const seconds = Math.floor(clock.now() / 1000);
    const signed = await signedHeaders(secrets, { id: event.id, seconds, body }, runtime.crypto);
    return post({ url, headers: { "content-type": contentType, "user-agent": "liveplane", ...signed }, body }, signal);
  }

  return async (webhook, event, signal) => {
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
      // Neither text nor cause: a sender's error may contain the address.
      const code = isLiveplaneError(error) ? error.code : "InternalError";
      runtime.logger.error({ webhookId: webhook.id, code }, "A webhook message couldn't be created or sent.");
      metrics.count("liveplane_webhook_attempts_total", { outcome: "refused" });
      // An event that can't be turned into a message must not hold up later events.
      return { kind: "refused", failure: "InternalError", answerStatus: null };
    }
  };
}

async function opened({ sealer, runtime }: Pick<Services, "runtime" | "sealer">, webhook: WebhookRecord) {
  const url = fromUtf8(await sealer.open(webhook.url, addressPlace(webhook)));
  const secrets: string[] = [];
  for (const { id, sealed } of signingSecrets(webhook.secrets, runtime.clock.now()))
    secrets.push(fromUtf8(await sealer.open(sealed, webhookSecretPlace(webhook, id))));
  return { url, secrets };
}

async function messageOf(
  deps: Pick<Services, "runtime" | "settings" | "factsOf" | "nameOf">,
  { format }: WebhookRecord,
  event: OutgoingEvent,
) {
  const { runtime, settings, factsOf, nameOf } = deps;
  const isForPeople = format === "slack";
  const isOfComponent = isForPeople && event.type.startsWith("component.");
  return writeMessage(format, event, {
    component: isOfComponent ? await factsOf(event.subject) : null,
    actorName: isForPeople ? await nameOf(event.actor) : null,
    consoleUrl: settings.consoleUrl,
    now: runtime.clock.now(),
  });
}
