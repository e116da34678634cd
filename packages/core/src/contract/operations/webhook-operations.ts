import { operation } from "../row.ts";
import { pageQueryInput } from "../schemas/account-schemas.ts";
import * as s from "../schemas/webhook-schemas.ts";

const self = { who: "account", changes: "things" } as const;
const admin = { on: "organization", need: "Admin" } as const;

/** The operations on one's own webhooks. */
export const accountWebhookOperations = {
  /** Lists the caller's own webhooks. */
  list: operation("accounts.webhooks.list", {
    summary: "Lists the caller's own webhooks.",
    access: self,
    query: pageQueryInput,
    result: s.webhook,
  }),
  /** Creates a webhook for the caller; its address and secret are shown only once. */
  create: operation("accounts.webhooks.create", {
    summary: "Creates a webhook for the caller; its address and secret are shown only once.",
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
  /** Reads one of the caller's own webhooks. */
  get: operation("accounts.webhooks.get", {
    summary: "Reads one of the caller's own webhooks.",
    access: self,
    result: s.webhook,
    versioned: true,
  }),
  /** Changes one of the caller's own webhooks. Omitted members stay; null clears. */
  update: operation("accounts.webhooks.update", {
    summary: "Changes one of the caller's own webhooks. Omitted members stay; null clears.",
    access: self,
    body: s.webhookUpdate,
    result: s.webhook,
    rate: "secretWrites",
    versioned: true,
    errors: ["SubscriptionExpired", "FeatureDisabled"],
  }),
  /** Deletes one of the caller's own webhooks; pending events are not sent. */
  delete: operation("accounts.webhooks.delete", {
    summary: "Deletes one of the caller's own webhooks; pending events are not sent.",
    access: self,
    result: s.webhook,
    versioned: true,
  }),
  /** Issues a new secret to one of the caller's own webhooks; the old one also signs for 24 hours. */
  issueSecret: operation("accounts.webhooks.issueSecret", {
    summary: "Issues a new secret to one of the caller's own webhooks; the old one also signs for 24 hours.",
    access: self,
    result: s.webhookSecret,
    success: [201],
    rate: "secretWrites",
    secretResult: true,
    errors: ["SubscriptionExpired", "InvalidState"],
  }),
  /** Sends a test to one of the caller's own webhooks, even a paused one. */
  test: operation("accounts.webhooks.test", {
    summary: "Sends a test to one of the caller's own webhooks, even a paused one.",
    access: self,
    result: s.webhookDelivery,
    success: [202],
    errors: ["SubscriptionExpired", "FeatureDisabled"],
  }),
  /** Resumes one of the caller's own webhooks and sends events that are at most seven days old. */
  resume: operation("accounts.webhooks.resume", {
    summary: "Resumes one of the caller's own webhooks and sends events that are at most seven days old.",
    access: self,
    result: s.webhook,
    versioned: true,
    unconditional: true,
    errors: ["SubscriptionExpired"],
  }),
  deliveries: {
    /** Lists the past and pending deliveries of one of the caller's own webhooks. */
    list: operation("accounts.webhooks.deliveries.list", {
      summary: "Lists the past and pending deliveries of one of the caller's own webhooks.",
      access: self,
      query: pageQueryInput,
      result: s.webhookDelivery,
    }),
    /** Sends a past delivery again, out of order. */
    redeliver: operation("accounts.webhooks.deliveries.redeliver", {
      summary: "Sends a past delivery again, out of order.",
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
  /** Creates a webhook for an organization; its address and secret are shown only once. */
  create: operation("organizations.webhooks.create", {
    summary: "Creates a webhook for an organization; its address and secret are shown only once.",
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
  /** Changes a webhook of an organization. Omitted members stay; null clears. */
  update: operation("organizations.webhooks.update", {
    summary: "Changes a webhook of an organization. Omitted members stay; null clears.",
    access: admin,
    body: s.webhookUpdate,
    result: s.webhook,
    rate: "secretWrites",
    versioned: true,
    errors: ["FeatureDisabled"],
  }),
  /** Deletes a webhook of an organization; pending events are not sent. */
  delete: operation("organizations.webhooks.delete", {
    summary: "Deletes a webhook of an organization; pending events are not sent.",
    access: admin,
    result: s.webhook,
    versioned: true,
  }),
  /** Issues a new secret to a webhook of an organization; the old one also signs for 24 hours. */
  issueSecret: operation("organizations.webhooks.issueSecret", {
    summary: "Issues a new secret to a webhook of an organization; the old one also signs for 24 hours.",
    access: admin,
    result: s.webhookSecret,
    success: [201],
    rate: "secretWrites",
    secretResult: true,
    errors: ["InvalidState"],
  }),
  /** Sends a test to a webhook of an organization, even a paused one. */
  test: operation("organizations.webhooks.test", {
    summary: "Sends a test to a webhook of an organization, even a paused one.",
    access: admin,
    result: s.webhookDelivery,
    success: [202],
    errors: ["FeatureDisabled"],
  }),
  /** Resumes a paused webhook of an organization and sends events that are at most seven days old. */
  resume: operation("organizations.webhooks.resume", {
    summary: "Resumes a paused webhook of an organization and sends events that are at most seven days old.",
    access: admin,
    result: s.webhook,
    versioned: true,
    unconditional: true,
  }),
  deliveries: {
    /** Lists the past and pending deliveries of a webhook of an organization. */
    list: operation("organizations.webhooks.deliveries.list", {
      summary: "Lists the past and pending deliveries of a webhook of an organization.",
      access: admin,
      query: pageQueryInput,
      result: s.webhookDelivery,
    }),
    /** Sends a past delivery again, out of order. */
    redeliver: operation("organizations.webhooks.deliveries.redeliver", {
      summary: "Sends a past delivery again, out of order.",
      access: admin,
      result: s.webhookDelivery,
      success: [202],
      errors: ["EventsExpired", "FeatureDisabled"],
    }),
  },
} as const;
