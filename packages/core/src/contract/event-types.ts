import * as z from "zod";
import type { EventData } from "./event-data.ts";
import type { InOne, Schema } from "./row.ts";
import { instant, jsonMap } from "./schemas/values.ts";

/** Every type of event. */
export const eventTypes = [
  "environment.created",
  "environment.updated",
  "environment.deleted",
  "environment.restored",
  "environment.initialization.started",
  "environment.initialization.step_changed",
  "environment.initialization.completed",
  "environment.initialization.failed",
  "environment.initialization.cancelled",
  "environment.authentication.requested",
  "environment.authentication.completed",
  "cicd_profile.created",
  "cicd_profile.updated",
  "cicd_profile.deleted",
  "secret.created",
  "secret.updated",
  "secret.revealed",
  "secret.deleted",
  "service_account.assigned",
  "service_account.updated",
  "service_account.removed",
  "service_account.secret_issued",
  "service_account.secret_revoked",
  "service_account.identity_added",
  "service_account.identity_removed",
  "account.registered",
  "account.activated",
  "account.updated",
  "account.password_changed",
  "account.suspended",
  "account.resumed",
  "account.deleted",
  "identity.linked",
  "identity.unlinked",
  "session.started",
  "session.failed",
  "session.revoked",
  "session.reuse_detected",
  "organization.created",
  "organization.updated",
  "organization.deleted",
  "team.created",
  "team.updated",
  "team.deleted",
  "resource_group.created",
  "resource_group.updated",
  "resource_group.deleted",
  "permission.granted",
  "permission.revoked",
  "subscription.created",
  "subscription.updated",
  "subscription.expired",
  "webhook.created",
  "webhook.updated",
  "webhook.deleted",
  "webhook.paused",
  "webhook.resumed",
  "webhook.secret_issued",
  "livesystem.mutation.started",
  "livesystem.mutation.succeeded",
  "livesystem.mutation.failed",
  "component.provisioned",
  "component.working",
  "component.failed",
  "component.corrected",
  "component.correction_failed",
  "component.settled",
  "component.settled_forgotten",
  "component.deleted",
  "component.released",
  "component.override.started",
  "component.override.drift_changed",
  "component.override.noted",
  "component.override.awaiting",
  "component.override.overdue",
  "component.override.ended",
  "component.reconcile.requested",
  "component.reconcile.completed",
  "component.reconcile.failed",
  "component.reconcile.withdrawn",
  "component.moved",
  "component.race_detected",
] as const satisfies readonly (keyof EventData)[];

/** A type of event. */
export type EventType = (typeof eventTypes)[number];

const event = z.object({
  specversion: z.literal("1.0"),
  id: z.string(),
  source: z.string(),
  type: z.string(),
  subject: z.string(),
  time: instant,
  datacontenttype: z.literal("application/json"),
  /** Gapless in the log. A caller sees gaps for events that they may not View. */
  sequence: z.number(),
  actor: z.string(),
  requestid: z.string(),
  data: jsonMap,
});
/** An event of one type, with the attributes of CloudEvents 1.0 and what that type says. */
export interface EventOf<Type extends EventType> extends Omit<z.output<typeof event>, "type" | "data"> {
  readonly type: Type;
  readonly data: InOne<EventData[Type]>;
}

/** An event; its `type` determines its `data`. */
export type LiveplaneEvent = { [Type in EventType]: EventOf<Type> }[EventType];
export const liveplaneEvent = event as unknown as Schema<LiveplaneEvent>;

const entry = z.object({
  sequence: z.number(),
  /** The event as logged and hashed. */
  event: jsonMap,
  /** The previous event's hash; empty at the start of the log. */
  before: z.string(),
  /** SHA-256, in hexadecimal, of `before` followed by the event as JSON. */
  hash: z.string(),
});
/** An event in the chain of hashes, for verifying an exported log elsewhere. */
export interface AuditEntry extends z.output<typeof entry> {}
export const auditEntry: Schema<AuditEntry> = entry;
