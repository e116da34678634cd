import { operation } from "../row.ts";
import { pageQueryInput } from "../schemas/account-schemas.ts";
import * as s from "../schemas/webhook-schemas.ts";

const self = { who: "account", changes: "things" } as const;
const admin = { on: "organization", need: "Admin" } as const;

/** The operations on one's own webhooks. */
export const accountWebhookOperations = {
  /** Lists one's own webhooks. */
  list: operation("accounts.webhooks.list", {
    summary: "Lists one's own webhooks.",
    access: self,
    query: pageQueryInput,
    result: s.webhook,
  }),
  /** Makes a webhook of one's own; its address and its secret are shown this once. */
  create: operation("accounts.webhooks.create", {
    summary: "Makes a webhook of one's own; its address and its secret are shown this once.",
    access: self,
    body: s.webhookInput,
    result: s.createdWebhook,
    success: [201],
    rate: "secretWrites",
    versioned: true,
    unconditional: true,
    secretResult: true,
    errors: ["SubscriptionExpired", "InvalidState", "FeatureDisabled"],
  }),
  /** Reads a webhook of one's own. */
  get: operation("accounts.webhooks.get", {
    summary: "Reads a webhook of one's own.",
    access: self,
    result: s.webhook,
    versioned: true,
  }),
  /** Changes a webhook of one's own: what is left out stays, null clears. */
  update: operation("accounts.webhooks.update", {
    summary: "Changes a webhook of one's own: what is left out stays, null clears.",
    access: self,
    body: s.webhookUpdate,
    result: s.webhook,
    rate: "secretWrites",
    versioned: true,
    errors: ["SubscriptionExpired", "FeatureDisabled"],
  }),
  /** Deletes a webhook of one's own; what waits for it is sent no more. */
  delete: operation("accounts.webhooks.delete", {
    summary: "Deletes a webhook of one's own; what waits for it is sent no more.",
    access: self,
    result: s.webhook,
    versioned: true,
  }),
  /** Issues a new secret to a webhook of one's own; the old one signs for 24 hours. */
  issueSecret: operation("accounts.webhooks.issueSecret", {
    summary: "Issues a new secret to a webhook of one's own; the old one signs for 24 hours.",
    access: self,
    result: s.webhookSecret,
    success: [201],
    rate: "secretWrites",
    secretResult: true,
    errors: ["SubscriptionExpired", "InvalidState"],
  }),
  /** Sends a test to a webhook of one's own, also to one that is paused. */
  test: operation("accounts.webhooks.test", {
    summary: "Sends a test to a webhook of one's own, also to one that is paused.",
    access: self,
    result: s.webhookDelivery,
    success: [202],
    errors: ["SubscriptionExpired", "FeatureDisabled"],
  }),
  /** Resumes a paused webhook of one's own: what is at most seven days old is sent. */
  resume: operation("accounts.webhooks.resume", {
    summary: "Resumes a paused webhook of one's own: what is at most seven days old is sent.",
    access: self,
    result: s.webhook,
    versioned: true,
    unconditional: true,
    errors: ["SubscriptionExpired"],
  }),
  deliveries: {
    /** Lists what a webhook of one's own was sent, and what is being tried. */
    list: operation("accounts.webhooks.deliveries.list", {
      summary: "Lists what a webhook of one's own was sent, and what is being tried.",
      access: self,
      query: pageQueryInput,
      result: s.webhookDelivery,
    }),
    /** Sends once more what was sent, outside of the order. */
    redeliver: operation("accounts.webhooks.deliveries.redeliver", {
      summary: "Sends once more what was sent, outside of the order.",
      access: self,
      result: s.webhookDelivery,
      success: [202],
      errors: ["SubscriptionExpired", "EventsExpired", "FeatureDisabled"],
    }),
  },
} as const;

/** The operations on the webhooks of an organization. */
export const organizationWebhookOperations = {
  /** Lists the webhooks of an organization. */
  list: operation("organizations.webhooks.list", {
    summary: "Lists the webhooks of an organization.",
    access: admin,
    query: pageQueryInput,
    result: s.webhook,
  }),
  /** Makes a webhook of an organization; its address and its secret are shown this once. */
  create: operation("organizations.webhooks.create", {
    summary: "Makes a webhook of an organization; its address and its secret are shown this once.",
    access: admin,
    body: s.webhookInput,
    result: s.createdWebhook,
    success: [201],
    rate: "secretWrites",
    versioned: true,
    unconditional: true,
    secretResult: true,
    errors: ["InvalidState", "FeatureDisabled"],
  }),
  /** Reads a webhook of an organization. */
  get: operation("organizations.webhooks.get", {
    summary: "Reads a webhook of an organization.",
    access: admin,
    result: s.webhook,
    versioned: true,
  }),
  /** Changes a webhook of an organization: what is left out stays, null clears. */
  update: operation("organizations.webhooks.update", {
    summary: "Changes a webhook of an organization: what is left out stays, null clears.",
    access: admin,
    body: s.webhookUpdate,
    result: s.webhook,
    rate: "secretWrites",
    versioned: true,
    errors: ["FeatureDisabled"],
  }),
  /** Deletes a webhook of an organization; what waits for it is sent no more. */
  delete: operation("organizations.webhooks.delete", {
    summary: "Deletes a webhook of an organization; what waits for it is sent no more.",
    access: admin,
    result: s.webhook,
    versioned: true,
  }),
  /** Issues a new secret to a webhook of an organization; the old one signs for 24 hours. */
  issueSecret: operation("organizations.webhooks.issueSecret", {
    summary: "Issues a new secret to a webhook of an organization; the old one signs for 24 hours.",
    access: admin,
    result: s.webhookSecret,
    success: [201],
    rate: "secretWrites",
    secretResult: true,
    errors: ["InvalidState"],
  }),
  /** Sends a test to a webhook of an organization, also to one that is paused. */
  test: operation("organizations.webhooks.test", {
    summary: "Sends a test to a webhook of an organization, also to one that is paused.",
    access: admin,
    result: s.webhookDelivery,
    success: [202],
    errors: ["FeatureDisabled"],
  }),
  /** Resumes a paused webhook of an organization: what is at most seven days old is sent. */
  resume: operation("organizations.webhooks.resume", {
    summary: "Resumes a paused webhook of an organization: what is at most seven days old is sent.",
    access: admin,
    result: s.webhook,
    versioned: true,
    unconditional: true,
  }),
  deliveries: {
    /** Lists what a webhook of an organization was sent, and what is being tried. */
    list: operation("organizations.webhooks.deliveries.list", {
      summary: "Lists what a webhook of an organization was sent, and what is being tried.",
      access: admin,
      query: pageQueryInput,
      result: s.webhookDelivery,
    }),
    /** Sends once more what was sent, outside of the order. */
    redeliver: operation("organizations.webhooks.deliveries.redeliver", {
      summary: "Sends once more what was sent, outside of the order.",
      access: admin,
      result: s.webhookDelivery,
      success: [202],
      errors: ["EventsExpired", "FeatureDisabled"],
    }),
  },
} as const;
