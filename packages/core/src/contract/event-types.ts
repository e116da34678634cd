import * as z from "zod";
import { type EventData, eventData } from "./event-data.ts";
import type { InOne, Schema } from "./row.ts";
import { instant, jsonMap } from "./schemas/values.ts";

/** Every type of event. */
export const eventTypes = Object.keys(eventData) as readonly (keyof EventData)[];

/** A type of event. */
export type EventType = keyof EventData;

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
