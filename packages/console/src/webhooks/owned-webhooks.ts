import type { Api, EventType } from "@liveplane/client";

export type OwnedWebhook = Awaited<ReturnType<Api["accounts"]["webhooks"]["get"]>>;
export type Delivery = Awaited<ReturnType<Api["accounts"]["webhooks"]["deliveries"]["redeliver"]>>;
export type NewWebhook = Parameters<Api["accounts"]["webhooks"]["create"]>[0];
type Created = Awaited<ReturnType<Api["accounts"]["webhooks"]["create"]>>;

/** The webhooks of one owner. The service keeps those of people and of organizations apart; a page doesn't. */
export interface OwnedWebhooks {
  list(signal: AbortSignal): AsyncIterable<OwnedWebhook>;
  create(body: NewWebhook): Promise<Created>;
  get(webhookId: string, signal: AbortSignal): Promise<OwnedWebhook>;
  delete(webhookId: string): Promise<unknown>;
  /** Resolves with the new secret. */
  issueSecret(webhookId: string): Promise<string>;
  test(webhookId: string): Promise<unknown>;
  resume(webhookId: string): Promise<unknown>;
  deliveries(webhookId: string, signal: AbortSignal): AsyncIterable<Delivery>;
  redeliver(webhookId: string, deliveryId: string): Promise<unknown>;
}

/** The owner in an address that stands for whoever is signed in. */
export const ownSegment = "me";

/** The webhooks of an organization by its ID, or of whoever is signed in. */
export function webhooksBy(api: Api, owner: string): OwnedWebhooks {
  return owner === ownSegment ? ofAccount(api.accounts.webhooks) : ofOrganization(api.organizations.webhooks, owner);
}

function ofAccount(webhooks: Api["accounts"]["webhooks"]): OwnedWebhooks {
  return {
    list: (signal) => webhooks.list.all({ limit: 100, signal }),
    create: (body) => webhooks.create(body),
    get: (webhookId, signal) => webhooks.get({ webhookId }, { signal }),
    delete: (webhookId) => webhooks.delete({ webhookId }),
    issueSecret: async (webhookId) => (await webhooks.issueSecret({ webhookId })).secret,
    test: (webhookId) => webhooks.test({ webhookId }),
    resume: (webhookId) => webhooks.resume({ webhookId }),
    deliveries: (webhookId, signal) => webhooks.deliveries.list.all({ webhookId }, { limit: 100, signal }),
    redeliver: (webhookId, deliveryId) => webhooks.deliveries.redeliver({ webhookId, deliveryId }),
  };
}

function ofOrganization(webhooks: Api["organizations"]["webhooks"], organizationId: string): OwnedWebhooks {
  const of = (webhookId: string) => ({ organizationId, webhookId });
  return {
    list: (signal) => webhooks.list.all({ organizationId }, { limit: 100, signal }),
    create: (body) => webhooks.create({ organizationId }, body),
    get: (webhookId, signal) => webhooks.get(of(webhookId), { signal }),
    delete: (webhookId) => webhooks.delete(of(webhookId)),
    issueSecret: async (webhookId) => (await webhooks.issueSecret(of(webhookId))).secret,
    test: (webhookId) => webhooks.test(of(webhookId)),
    resume: (webhookId) => webhooks.resume(of(webhookId)),
    deliveries: (webhookId, signal) => webhooks.deliveries.list.all(of(webhookId), { limit: 100, signal }),
    redeliver: (webhookId, deliveryId) => webhooks.deliveries.redeliver({ ...of(webhookId), deliveryId }),
  };
}

/** What a webhook may be about, as the page offers it. The API takes any types. */
export const typesAbout: Readonly<Record<"all" | "overrides" | "deploys", readonly EventType[]>> = {
  all: [],
  overrides: [
    "component.override.started",
    "component.override.drift_changed",
    "component.override.attributed",
    "component.override.noted",
    "component.override.awaiting",
    "component.override.overdue",
    "component.override.ended",
    "component.reconcile.requested",
    "component.reconcile.completed",
    "component.reconcile.failed",
    "component.reconcile.withdrawn",
  ],
  deploys: [
    "livesystem.mutation.started",
    "livesystem.mutation.succeeded",
    "livesystem.mutation.failed",
    "component.failed",
    "component.correction_failed",
  ],
};
