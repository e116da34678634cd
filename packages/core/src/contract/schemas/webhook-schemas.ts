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
/** A webhook to make. */
export interface WebhookInput extends z.output<typeof input> {}
export const webhookInput: Schema<WebhookInput> = input;

const update = z.strictObject({
  name: displayName.exactOptional(),
  url: webhookUrl.exactOptional(),
  format: format.exactOptional(),
  ...fields,
});
/** What a webhook is changed with: what is left out stays, null clears. */
export interface WebhookUpdate extends z.output<typeof update> {}
export const webhookUpdate: Schema<WebhookUpdate> = update;

const webhookShape = z.object({
  id: z.string(),
  name: z.string(),
  /** Its origin alone: what follows may be a secret. */
  url: z.string(),
  format,
  /** What it reports; none named: everything. */
  types: z.array(z.string()),
  livesystemId: z.string().nullable(),
  environmentId: shownEnvironmentId.nullable(),
  status: z.enum(["Active", "Paused"]),
  pausedAt: instant.nullable(),
  pausedBecause: z.enum(["Failing", "Gone"]).nullable(),
  /** Newest first; one with an end signs next to the first until then. */
  secrets: z.array(z.object({ id: z.string(), createdAt: instant, endsAt: instant.nullable() })),
  ...recordFields,
});
/** A webhook: where somebody learns of events. */
export interface Webhook extends z.output<typeof webhookShape> {}
export const webhook: Schema<Webhook> = webhookShape;

const created = z.object({ ...webhookShape.shape, secret: z.string() });
/** A webhook that was just made, with its whole address and its secret. */
export interface CreatedWebhook extends z.output<typeof created> {}
export const createdWebhook: Schema<CreatedWebhook> = created;

const issued = z.object({ id: z.string(), secret: z.string(), formerEndsAt: instant });
/** A webhook's secret, shown this once, and when the one before it signs no more. */
export interface WebhookSecret extends z.output<typeof issued> {}
export const webhookSecret: Schema<WebhookSecret> = issued;

const delivery = z.object({
  id: z.string(),
  type: z.string(),
  subject: z.string(),
  /** The event's place in the log; `null`: a test. */
  sequence: z.number().nullable(),
  eventAt: instant,
  /** `SetAside`: the receiver refused the event five times. `Withheld`: the webhook's owner may not see the event any more. */
  status: z.enum(["Waiting", "Delivered", "SetAside", "Failed", "Withheld"]),
  attempts: z.number(),
  triedAt: instant.nullable(),
  nextTryAt: instant.nullable(),
  /** The status of the last answer; `null`: there was none. */
  answerStatus: z.number().nullable(),
  /** Why the last attempt failed, in a word. */
  failure: z.string().nullable(),
});
/** What a webhook was sent, or is being sent. */
export interface WebhookDelivery extends z.output<typeof delivery> {}
export const webhookDelivery: Schema<WebhookDelivery> = delivery;
