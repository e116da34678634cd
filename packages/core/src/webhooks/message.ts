import type { Webhook } from "../contract/schemas/webhook-schemas.ts";
import type { LoggedEvent } from "../events/event-chain.ts";
import type { MessageContext, OutgoingEvent } from "./outgoing-event.ts";
import { slackMessage } from "./slack-message.ts";

/** A message's body, and what it is. */
export interface WrittenMessage {
  readonly contentType: string;
  readonly body: string;
}

/** What is sent of a test. */
export const testType = "webhook.test";

/** Writes an event as a webhook wants it: as it stands in the log, or for people. */
export function writeMessage(format: Webhook["format"], event: OutgoingEvent, context: MessageContext): WrittenMessage {
  switch (format) {
    case "cloudevents":
      return { contentType: "application/cloudevents+json", body: JSON.stringify(asLogged(event)) };
    case "slack":
      return { contentType: "application/json", body: JSON.stringify(slackMessage(event, context)) };
  }
}

/** The event as everybody is shown it: whose View shows it is no part of it. */
function asLogged(event: OutgoingEvent & Partial<Pick<LoggedEvent, "about">>): OutgoingEvent {
  const { about: _about, ...shown } = event;
  return shown;
}
