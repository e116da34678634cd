import * as z from "zod";
import { eventTypes } from "../event-types.ts";
import type { Schema } from "../row.ts";
import {
  displayName,
  environmentIdShape,
  instant,
  recordFields,
  shownEnvironmentId,
  unique,
  uuid,
  webhookUrl,
} from "./values.ts";

const format = z.enum(["cloudevents", "slack"]);
const fields = {
  types: unique(z.enum(eventTypes), eventTypes.length).nullable().exactOptional(),
  livesystemId: uuid.nullable().exactOptional(),
  environmentId: environmentIdShape.nullable().exactOptional(),
};

const input = z.strictObject({ name: displayName, url: webhookUrl, format: format.exactOptional(), ...fields });
/** A webhook to create. */
export interface WebhookInput extends z.output<typeof input> {}
export const webhookInput: Schema<WebhookInput> = input;

const update = z.strictObject({
  name: displayName.exactOptional(),
  url: webhookUrl.exactOptional(),
  format: format.exactOptional(),
  ...fields,
});
/** Changes to a webhook: omitted members stay, null clears. */
export interface WebhookUpdate extends z.output<typeof update> {}
export const webhookUpdate: Schema<WebhookUpdate> = update;

const webhookShape = z.object({
  id: z.string(),
  name: z.string(),
  /** Only the origin, because the rest may be a secret. */
  url: z.string(),
  format,
  /** The event types to send; all if empty. */
  types: z.array(z.string()),
  livesystemId: z.string().nullable(),
  environmentId: shownEnvironmentId.nullable(),
  status: z.enum(["Active", "Paused"]),
  pausedAt: instant.nullable(),
  pausedBecause: z.enum(["Failing", "Gone"]).nullable(),
  /** Since when no delivery has succeeded; `null` unless the last one failed. */
  failingSince: instant.nullable(),
  /** The organizations whose events it leaves out: they require a second factor, and a person's webhook gives none. */
  leavesOut: z.array(z.string()),
  /** Newest first. One with an expiry also signs until then. */
  secrets: z.array(z.object({ id: z.string(), createdAt: instant, endsAt: instant.nullable() })),
  ...recordFields,
});
/** A webhook: an address that receives events. */
export interface Webhook extends z.output<typeof webhookShape> {}
export const webhook: Schema<Webhook> = webhookShape;

const created = z.object({ ...webhookShape.shape, secret: z.string() });
/** A webhook that was just created, with its whole address and its secret. */
export interface CreatedWebhook extends z.output<typeof created> {}
export const createdWebhook: Schema<CreatedWebhook> = created;

const issued = z.object({ id: z.string(), secret: z.string(), formerEndsAt: instant });
/** A webhook's new secret, shown only once, and when the previous one stops signing. */
export interface WebhookSecret extends z.output<typeof issued> {}
export const webhookSecret: Schema<WebhookSecret> = issued;

const delivery = z.object({
  id: z.string(),
  type: z.string(),
  subject: z.string(),
  /** The event's sequence number; `null` for a test. */
  sequence: z.number().nullable(),
  eventAt: instant,
  /** `SetAside`: the receiver refused the event five times. `Withheld`: the webhook's owner may no longer see the event. */
  status: z.enum(["Waiting", "Delivered", "SetAside", "Failed", "Withheld"]),
  attempts: z.number(),
  triedAt: instant.nullable(),
  nextTryAt: instant.nullable(),
  /** The status of the last answer; `null` if there was none. */
  answerStatus: z.number().nullable(),
  /** Why the last attempt failed, as one word. */
  failure: z.string().nullable(),
});
/** A delivery of a webhook, finished or pending. */
export interface WebhookDelivery extends z.output<typeof delivery> {}
export const webhookDelivery: Schema<WebhookDelivery> = delivery;
