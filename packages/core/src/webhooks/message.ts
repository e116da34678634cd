import type { Component, ShownOverride } from "../contract/schemas/live-system-schemas.ts";
import type { AdoptionPlan } from "../contract/schemas/override-schemas.ts";
import type { Webhook } from "../contract/schemas/webhook-schemas.ts";
import type { LoggedEvent } from "../events/event-chain.ts";
import type { Json } from "../ports/store.ts";

/** An event to send: one of the log, or a test, which has no place there. */
export type OutgoingEvent = Omit<LoggedEvent, "sequence" | "about"> & Partial<Pick<LoggedEvent, "sequence">>;

/** What a message for people contains along with the event. */
export interface MessageContext {
  /** The component that the event is about, as it is now; `null`: there is none. */
  readonly component: ComponentFacts | null;
  /** The name of the actor; `null`: it is not known. */
  readonly actorName: string | null;
  /** The console's address; empty: there is none. */
  readonly consoleUrl: string;
  readonly now: number;
}

/** A component at the moment of sending. */
export interface ComponentFacts {
  readonly liveSystemName: string;
  /** `null`: it is gone. */
  readonly component: Component | null;
  /** What a hand-back would revert. */
  readonly plan: Pick<AdoptionPlan, "possible" | "reason" | "changes"> | null;
}

/** A message for Slack's incoming webhooks. */
interface SlackMessage {
  /** What a notification shows. */
  readonly text: string;
  readonly blocks: readonly SlackBlock[];
}

interface SlackBlock {
  readonly type: "section" | "context";
  readonly text?: SlackText;
  readonly fields?: readonly SlackText[];
  readonly elements?: readonly SlackText[];
}

interface SlackText {
  readonly type: "mrkdwn";
  readonly text: string;
}

/** The words for events about components, without the component. */
const said: Readonly<Record<string, string>> = {
  "component.override.started": "was taken over",
  "component.override.drift_changed": "has different drift now",
  "component.override.attributed": "was taken over by somebody whom its cloud names",
  "component.override.noted": "has a new note",
  "component.override.awaiting": "is waiting for its next tag",
  "component.override.overdue": "is still taken over",
  "component.override.ended": "is no longer taken over",
  "component.reconcile.requested": "was handed back",
  "component.reconcile.completed": "is as declared again",
  "component.reconcile.failed": "couldn't be restored to its declaration",
  "component.reconcile.withdrawn": "is taken over again: its hand-back was withdrawn",
  "component.correction_failed": "couldn't be corrected",
  "component.failed": "failed in its cloud",
  "component.missing": "is missing in its cloud",
  "component.race_detected": "was written to while it was being taken over",
};

const most = { lines: 10, value: 80, text: 200, section: 2900 } as const;

/** Writes an event in a webhook's format: as logged, or for people. */
export function writeMessage(
  format: Webhook["format"],
  event: OutgoingEvent,
  context: MessageContext,
): { readonly contentType: string; readonly body: string } {
  switch (format) {
    case "cloudevents":
      return { contentType: "application/cloudevents+json", body: JSON.stringify(asShown(event)) };
    case "slack":
      return { contentType: "application/json", body: JSON.stringify(slackMessage(event, context)) };
  }
}

/** The event as the API shows it, without the target that decides who may see it. */
function asShown(event: OutgoingEvent & Partial<Pick<LoggedEvent, "about">>): OutgoingEvent {
  const { about: _about, ...shown } = event;
  return shown;
}

/** Writes an event for people: what, who, why, how old, what differs, what a hand-back would revert, and a link. */
function slackMessage(event: OutgoingEvent, context: MessageContext): SlackMessage {
  const headline = headlineOf(event, context);
  const { component, plan } = context.component ?? { component: null, plan: null };
  const shown = component?.override ?? null;
  const override = shown === null || "heldBy" in shown ? null : shown;
  const facts = [
    field("Who", whoOf(event, override, context)),
    ...(override === null ? [] : [field("Why", whyOf(override))]),
    ...(override === null ? [] : [field("For", lengthBetween(Date.parse(override.since), context.now))]),
    ...(override?.ticket ? [field("Ticket", override.ticket)] : []),
  ];
  const link = linkOf(event, context);
  const at = `${event.type} at ${event.time}`;
  return {
    text: headline,
    blocks: [
      section(link === null ? `*${headline}*` : `*<${link}|${headline}>*`),
      { type: "section", fields: facts },
      ...(component === null ? [] : differencesOf(component)),
      ...(override === null || plan === null ? [] : [section(handBackOf(plan))]),
      { type: "context", elements: [mrkdwn(plain(at))] },
    ],
  };
}

function headlineOf({ type, subject }: OutgoingEvent, { component: facts }: MessageContext): string {
  const what = said[type];
  if (facts === null) return plain(what === undefined ? `${type}: ${subject}` : `${subject} ${what}`);
  const name = `${facts.liveSystemName}/${pathIn(subject)}`;
  return plain(what === undefined ? `${name}: ${type}` : `${name} ${what}`);
}

/** Who took it over, by the cloud or the tags; otherwise who did what the event reports. */
function whoOf({ actor, type }: OutgoingEvent, override: ShownOverride | null, { actorName }: MessageContext): string {
  const isByHand = override !== null && type.startsWith("component.override.");
  const byHand = isByHand ? (override.takenOverBy?.name ?? override.said?.owner ?? null) : null;
  if (byHand !== null) return byHand;
  if (isByHand && actorName === null) return "unknown";
  return actorName ?? actor;
}

function whyOf({ reason, said: tags }: ShownOverride): string {
  return reason ?? tags?.reason ?? "no reason given";
}

function differencesOf({ outputFields }: Component): SlackBlock[] {
  const drift = Object.entries(outputFields.drift ?? {});
  if (drift.length === 0) return [];
  const lines = drift.map(([parameter, sides]) => {
    const { declared = null, actual = null } = Object(sides) as { declared?: Json; actual?: Json };
    return `• ${code(parameter)} is ${value(actual)}, declared ${value(declared)}`;
  });
  return [section(`*Differs*\n${listed(lines)}`)];
}

function handBackOf({ possible, reason, changes }: NonNullable<ComponentFacts["plan"]>): string {
  if (!possible) return `*Handing back* isn't possible now: ${plain(reason ?? "reason unknown")}`;
  if (changes.length === 0) return "*Handing back* reverts nothing.";
  const lines = changes.map(
    ({ pointer, declared, actual }) => `• ${code(pointer)} from ${value(actual)} to ${value(declared)}`,
  );
  return `*Handing back reverts*\n${listed(lines)}`;
}

function listed(lines: readonly string[]): string {
  const left = lines.length - most.lines;
  return [...lines.slice(0, most.lines), ...(left > 0 ? [`and ${left} more`] : [])].join("\n");
}

/** The page of the component, if it exists. */
function linkOf({ subject, type }: OutgoingEvent, { consoleUrl }: MessageContext): string | null {
  if (consoleUrl === "") return null;
  const home = `${consoleUrl.replace(/\/+$/, "")}/`;
  const path = pathIn(subject);
  if (!type.startsWith("component.") || path === "") return home;
  const liveSystem = subject.slice(0, -path.length - 1);
  return `${home}#/component/${[liveSystem, path].map(encodeURIComponent).join("/")}`;
}

/** The path of a component within its live system, by its id. */
function pathIn(componentId: string): string {
  const at = componentId.indexOf("/");
  return at === -1 ? "" : componentId.slice(at + 1);
}

const minuteMs = 60_000;

function lengthBetween(from: number, to: number): string {
  const minutes = Math.max(0, Math.floor((to - from) / minuteMs));
  const [days, hours] = [Math.floor(minutes / 1440), Math.floor(minutes / 60)];
  if (days > 0) return `${days} d ${hours % 24} h`;
  return hours > 0 ? `${hours} h ${minutes % 60} min` : `${minutes} min`;
}

function section(text: string): SlackBlock {
  return { type: "section", text: mrkdwn(text.slice(0, most.section)) };
}

function field(name: string, text: string): SlackText {
  return mrkdwn(`*${name}*\n${plain(text)}`);
}

function mrkdwn(text: string): SlackText {
  return { type: "mrkdwn", text };
}

/** Text that Slack shows literally: nothing that somebody wrote becomes a mention, a link or markup. */
function plain(text: string): string {
  const short = text.length > most.text ? `${text.slice(0, most.text)}…` : text;
  const marked = short.replaceAll(/[*_~`|]/g, (mark) => `\u200b${mark}`).replaceAll(/\s+/g, " ");
  return marked.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function value(json: Json): string {
  return code(JSON.stringify(json));
}

function code(text: string): string {
  const short = text.length > most.value ? `${text.slice(0, most.value)}…` : text;
  const safe = short.replaceAll("`", "'").replaceAll(/\s+/g, " ");
  return `\`${safe.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")}\``;
}
