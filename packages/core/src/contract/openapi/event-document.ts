import { eventData } from "../event-data.ts";
import { type EventType, eventTypes, liveplaneEvent } from "../event-types.ts";
import type { Schema } from "../row.ts";
import { type DocumentObject, inlineSchema, namedSchemas, refTo } from "./schemas.ts";

/** An AsyncAPI 3 document. */
export interface AsyncApiDocument {
  readonly asyncapi: "3.0.0";
  readonly info: DocumentObject;
  readonly channels: DocumentObject;
  readonly operations: DocumentObject;
  readonly components: { readonly messages: DocumentObject; readonly schemas: DocumentObject };
}

/** What both documents say of the API. AsyncAPI's licenses have no identifier. */
export const about = {
  title: "liveplane",
  version: "1",
  license: { name: "MIT" },
  contact: { name: "liveplane", url: "https://github.com/liveplane/liveplane" },
} as const;

const contentType = "application/cloudevents+json";
const text = { type: "string" } as const;

/** Describes every event, and how it is sent to streams and webhooks, as an AsyncAPI 3 document. */
export function toAsyncApi(): AsyncApiDocument {
  const messages = Object.fromEntries(eventTypes.map((type) => [type, { $ref: `#/components/messages/${type}` }]));
  return {
    asyncapi: "3.0.0",
    info: { ...about, description: "The events of liveplane, as streams and as webhooks." },
    channels: {
      stream: { address: "/events", description: "Server-Sent Events, for callers with an access token.", messages },
      webhook: { address: null, description: "The address of a webhook in the format `cloudevents`.", messages },
    },
    operations: {
      "events.follow": sent("stream", "Streams the events that the caller may see."),
      "webhooks.deliver": sent("webhook", "Delivers the events that the webhook's owner may see, in order."),
    },
    components: {
      messages: Object.fromEntries(eventTypes.map((type) => [type, messageOf(type)])),
      schemas: { LiveplaneEvent: namedSchemas().LiveplaneEvent },
    },
  };
}

/** The webhooks of the OpenAPI document: one request, whose `type` determines its `data`. */
export function describedWebhooks(): DocumentObject {
  const signed = ["webhook-id", "webhook-timestamp", "webhook-signature"];
  return {
    event: {
      post: {
        operationId: "webhooks.receive",
        summary: "Receives an event.",
        description: "A message to a webhook in the format `cloudevents`, signed according to Standard Webhooks.",
        tags: ["events"],
        security: [],
        parameters: signed.map((name) => ({
          ...{ name, in: "header", required: true, schema: text },
          description: "See Standard Webhooks.",
        })),
        requestBody: {
          required: true,
          content: { [contentType]: { schema: { ...refTo(liveplaneEvent), oneOf: eventTypes.map(typed) } } },
        },
        responses: {
          "2XX": { description: "Received. The next event is sent." },
          "410": { description: "The webhook is paused, unless the message is a test or a redelivery." },
          "4XX": { description: "The event is tried five times, and then set aside." },
        },
      },
    },
  };
}

function sent(channel: string, summary: string): DocumentObject {
  return { action: "send", summary, channel: { $ref: `#/channels/${channel}` } };
}

function messageOf(type: EventType): DocumentObject {
  return { name: type, title: type, contentType, payload: { allOf: [refTo(liveplaneEvent), typed(type)] } };
}

function typed(type: EventType): DocumentObject {
  const data = inlineSchema(eventData[type] as Schema<unknown>, "output");
  return { type: "object", properties: { type: { const: type, type: "string" }, data }, required: ["type", "data"] };
}
