import type { WebhookDelivery } from "../contract/schemas/webhook-schemas.ts";
import type { LoggedEvent } from "../events/event-chain.ts";
import type { Claim } from "../records/claim.ts";
import { collection } from "../records/collection.ts";
import { keptMs, type Positions } from "./delivery-rules.ts";

/** How far a webhook's events got, and who is sending them. A row beside the webhook, whose version it leaves alone. */
export interface WebhookProgress extends Positions {
  readonly webhookId: string;
  readonly claim: Claim | null;
}

export const webhookProgress = collection<WebhookProgress>()("webhook-progress", {
  key: ({ webhookId }) => [webhookId],
});

/** What a webhook was sent, or is being sent. */
export interface DeliveryRecord extends WebhookDelivery {
  readonly webhookId: string;
  /** When it was asked for, outside of the order; `null`: it isn't to be sent so. */
  readonly askedAt: string | null;
  /** Orders the list. */
  readonly touchedAt: string;
}

export const deliveries = collection<DeliveryRecord>()("webhook-delivery", {
  key: ({ webhookId, id }) => [webhookId, id],
  indexes: {
    latest: ({ webhookId, touchedAt }) => [[webhookId, touchedAt]],
    asked: ({ askedAt, webhookId }) => (askedAt === null ? [] : [[webhookId, askedAt]]),
  },
});

/** A delivery leaves the list once it could be sent no more. */
export function forgottenAt(now: number): { readonly expiresAt: number } {
  return { expiresAt: now + keptMs };
}

/** The delivery of an event that nobody has tried yet. */
export function newDelivery(webhookId: string, { id, type, subject, sequence, time }: LoggedEvent): DeliveryRecord {
  return {
    ...{ webhookId, id, type, subject, sequence, eventAt: time, status: "Waiting", attempts: 0 },
    ...{ triedAt: null, nextTryAt: null, answerStatus: null, failure: null, askedAt: null, touchedAt: time },
  };
}

/** The delivery as it is shown. */
export function toDelivery({
  webhookId: _webhookId,
  askedAt: _askedAt,
  touchedAt: _touchedAt,
  ...shown
}: DeliveryRecord & { readonly version?: string }): WebhookDelivery {
  const { version: _version, ...delivery } = shown;
  return delivery;
}
