import type { EventType } from "../contract/event-types.ts";
import type { Webhook, WebhookDelivery } from "../contract/schemas/webhook-schemas.ts";
import type { EnvironmentRef, EventTarget } from "../contract/target.ts";
import { toInstant } from "../encoding.ts";
import type { LoggedEvent } from "../events/event-chain.ts";
import { type OwnerScope, scopeOfOwner } from "../events/event-owner.ts";
import type { SealedRecords } from "../keys/rotation.ts";
import type { Sealed } from "../ports/secrets.ts";
import type { Claim } from "../records/claim.ts";
import { collection } from "../records/collection.ts";
import type { Reader, Stored } from "../records/records.ts";
import { type Cursor, keptMs, type WebhookFilter } from "./cursor.ts";

export interface WebhookOwner {
  readonly type: "Account" | "Organization";
  readonly id: string;
}

export interface KeptWebhookSecret {
  readonly id: string;
  readonly sealed: Sealed;
  readonly createdAt: string;
  /** Until when it signs beside a newer one; `null` for the newest. */
  readonly endsAt: string | null;
}

/** A webhook as stored, with its address and secrets sealed. */
export interface WebhookRecord extends WebhookFilter {
  readonly id: string;
  readonly owner: WebhookOwner;
  readonly name: string;
  readonly url: Sealed;
  readonly origin: string;
  readonly format: Webhook["format"];
  readonly types: readonly EventType[];
  readonly environmentId: EnvironmentRef | null;
  readonly status: Webhook["status"];
  readonly pausedAt: string | null;
  readonly pausedBecause: Webhook["pausedBecause"];
  /** Newest first. */
  readonly secrets: readonly KeptWebhookSecret[];
  readonly createdAt: string;
  readonly createdBy: string;
  readonly updatedAt: string;
  readonly updatedBy: string;
}

/** All webhooks. */
export const webhooks = collection<WebhookRecord>()("webhook", {
  key: ({ id }) => [id],
  indexes: {
    ofOwner: ({ owner, createdAt }) => [[owner.type, owner.id, createdAt]],
    active: ({ status }) => (status === "Active" ? [[]] : []),
  },
});

/** The webhooks of some IDs; `null`: there is none. */
export function namesOfWebhooks(reader: Reader, ids: readonly string[]): Promise<readonly (WebhookRecord | null)[]> {
  return reader.getMany(
    webhooks,
    ids.map((id) => [id]),
  );
}

/** The cursor of a webhook and its sending process. Stored apart, so that sending doesn't change the webhook's version. */
export interface WebhookCursor extends Cursor {
  readonly webhookId: string;
  readonly claim: Claim | null;
}

export const webhookCursors = collection<WebhookCursor>()("webhook-cursor", { key: ({ webhookId }) => [webhookId] });

/** An event on its way to a webhook. */
export interface DeliveryRecord extends WebhookDelivery {
  readonly webhookId: string;
  /** When a person asked to send it, out of order; `null` if nobody did, or it was sent. */
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

/** A delivery is dropped from the list once its event is too old to send. */
export function forgottenAt(now: number): { readonly expiresAt: number } {
  return { expiresAt: now + keptMs };
}

/** The delivery of an event before its first attempt. */
export function newDelivery(
  webhookId: string,
  { id, type, subject, sequence, time }: Pick<LoggedEvent, "id" | "type" | "subject" | "sequence" | "time">,
): DeliveryRecord {
  return {
    ...{ webhookId, id, type, subject, sequence, eventAt: time, status: "Waiting", attempts: 0 },
    ...{ triedAt: null, nextTryAt: null, answerStatus: null, failure: null, askedAt: null, touchedAt: time },
  };
}

/** A delivery as the API shows it. */
export function toDelivery({
  webhookId: _webhookId,
  askedAt: _askedAt,
  touchedAt: _touchedAt,
  version: _version,
  ...shown
}: Stored<DeliveryRecord>): WebhookDelivery {
  return shown;
}

export function addressPlace({ id }: Pick<WebhookRecord, "id">): string[] {
  return ["webhook", id, "url"];
}

export function webhookSecretPlace({ id }: Pick<WebhookRecord, "id">, secretId: string): string[] {
  return ["webhook", id, "secret", secretId];
}

export const sealedWebhooks: SealedRecords<WebhookRecord> = {
  collection: webhooks,
  async rewrapped(record, rewrap) {
    const secrets: KeptWebhookSecret[] = [];
    for (const secret of record.secrets)
      secrets.push({ ...secret, sealed: await rewrap(secret.sealed, webhookSecretPlace(record, secret.id)) });
    return { ...record, url: await rewrap(record.url, addressPlace(record)), secrets };
  },
};

export function aboutOwner({ type, id }: WebhookOwner): EventTarget {
  return type === "Account" ? { kind: "account", accountId: id } : { kind: "organization", organizationId: id };
}

/** Whose events an organization's webhook hears: everything of the organization, which its Admins may View. */
export function scopeOfOrganization({ id }: WebhookOwner): OwnerScope {
  return scopeOfOwner({ type: "Organizational", id });
}

/** What is known of a webhook beside its record. */
export interface WebhookFindings extends Pick<Webhook, "failingSince" | "leavesOut"> {
  readonly now: number;
}

export function toWebhook(record: Stored<WebhookRecord>, { now, ...found }: WebhookFindings): Webhook {
  const { id, name, status, owner: _owner, url: _url, origin, ...others } = record;
  const { secrets, types, liveSystemId, environmentId, ...shown } = others;
  return {
    // What matters comes first: the command line shows the first columns.
    ...{ id, name, status, ...found, ...shown },
    url: origin,
    types: [...types],
    livesystemId: liveSystemId,
    environmentId: environmentId && { ...environmentId },
    secrets: signingSecrets(secrets, now).map(({ sealed: _sealed, ...secret }) => secret),
  };
}

/** Since when deliveries have failed, by the latest ones, latest first; `null` unless the last one that was tried failed. */
export function failingSince(latest: readonly DeliveryRecord[]): string | null {
  const tried = latest.filter(({ attempts, status }) => attempts > 0 && status !== "Withheld");
  const success = tried.findIndex(({ status }) => status === "Delivered");
  const first = (success === -1 ? tried : tried.slice(0, success)).at(-1);
  if (first === undefined) return null;
  const before = tried[success]?.triedAt ?? first.eventAt;
  return toInstant(Math.max(Date.parse(before), Date.parse(first.eventAt)));
}

export function signingSecrets(secrets: readonly KeptWebhookSecret[], now: number): readonly KeptWebhookSecret[] {
  return secrets.filter(({ endsAt }) => endsAt === null || Date.parse(endsAt) > now);
}
