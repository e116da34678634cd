import type { EventType } from "../contract/event-types.ts";
import type { Webhook } from "../contract/schemas/webhook-schemas.ts";
import type { EnvironmentRef, EventTarget } from "../contract/target.ts";
import { type OwnerScope, scopeOfOwner } from "../events/event-owner.ts";
import type { SealedRecords } from "../keys/rotation.ts";
import type { Sealed } from "../ports/secrets.ts";
import { collection } from "../records/collection.ts";
import type { Stored } from "../records/records.ts";
import type { WebhookFilter } from "./delivery-rules.ts";

/** Whose a webhook is. */
export interface WebhookOwner {
  readonly type: "Account" | "Organization";
  readonly id: string;
}

/** A secret that signs. */
export interface KeptWebhookSecret {
  readonly id: string;
  readonly sealed: Sealed;
  readonly createdAt: string;
  /** Until when it signs beside a newer one; `null`: it is the newest. */
  readonly endsAt: string | null;
}

/** A webhook as it is kept: its address and its secrets are sealed. */
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

/** Where its address is sealed for. */
export function addressPlace({ id }: Pick<WebhookRecord, "id">): string[] {
  return ["webhook", id, "url"];
}

/** Where one of its secrets is sealed for. */
export function webhookSecretPlace({ id }: Pick<WebhookRecord, "id">, secretId: string): string[] {
  return ["webhook", id, "secret", secretId];
}

/** What is sealed of webhooks. */
export const sealedWebhooks: SealedRecords<WebhookRecord> = {
  collection: webhooks,
  async rewrapped(record, rewrap) {
    const secrets: KeptWebhookSecret[] = [];
    for (const secret of record.secrets)
      secrets.push({ ...secret, sealed: await rewrap(secret.sealed, webhookSecretPlace(record, secret.id)) });
    return { ...record, url: await rewrap(record.url, addressPlace(record)), secrets };
  },
};

/** What its events are about. */
export function aboutOwner({ type, id }: WebhookOwner): EventTarget {
  return type === "Account" ? { kind: "account", accountId: id } : { kind: "organization", organizationId: id };
}

/** Whose events an organization's webhook hears: all that is the organization's, which its Admins may View. */
export function scopeOfOrganization({ id }: WebhookOwner): OwnerScope {
  return scopeOfOwner({ type: "Organizational", id });
}

/** The webhook as it is shown. */
export function toWebhook(record: Stored<WebhookRecord>, now: number): Webhook {
  const { owner: _owner, url: _url, origin, secrets, types, environmentId, ...shown } = record;
  return {
    ...shown,
    url: origin,
    types: [...types],
    environmentId: environmentId && { ...environmentId },
    secrets: signingSecrets(secrets, now).map(({ sealed: _sealed, ...secret }) => secret),
  };
}

/** The secrets that sign now. */
export function signingSecrets(secrets: readonly KeptWebhookSecret[], now: number): readonly KeptWebhookSecret[] {
  return secrets.filter(({ endsAt }) => endsAt === null || Date.parse(endsAt) > now);
}
