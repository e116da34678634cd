import type { Reading, ResourceChanger } from "../../ports/cloud.ts";
import type { Json } from "../../ports/store.ts";
import { rowFor } from "./lifecycle-lookup.ts";
import type {
  Adoption,
  Awaiting,
  Effect,
  EpisodeOutcome,
  LifecycleFacts,
  LifecycleRow,
  RestoredTag,
  RowEvent,
  Status,
} from "./lifecycle-row.ts";

/** The part of a component that its lifecycle decides. */
export interface Managed {
  readonly status: Status;
  /** The incarnation last seen while the component managed it. */
  readonly identity: string | null;
  /** Marked missing: the overridden resource is gone. */
  readonly lost: boolean;
  readonly request: HandBack | null;
  readonly override: Override | null;
}

/** A request to reconcile. */
export interface HandBack {
  readonly id: string;
  readonly requestedAt: string;
  /** Of the drift at the time of the request. */
  readonly fingerprint: string;
  readonly reconciled: boolean;
  /** Values that the cloud never returns were written again. Absent: not yet. */
  readonly rewritten?: true;
}

/** An open override, with its notes. */
export interface Override {
  readonly episodeId: string;
  readonly since: string;
  readonly awaiting: Awaiting | null;
  readonly reason: string | null;
  readonly ticket: string | null;
  readonly remindAt: string | null;
  readonly claimedBy: string | null;
  /** What its tags said at the take-over. */
  readonly said: Said | null;
  /** Who took it over, by the cloud's activity log; `null`: the log doesn't tell. Absent: not asked yet. */
  readonly takenOverBy?: ResourceChanger | null;
  /** The reminders sent so far: ages in hours, instants. */
  readonly reminded: readonly string[];
}

/** What a person says about an override when starting it. */
export interface Said {
  readonly reason: string | null;
  readonly owner: string | null;
  /** Only reminds; it ends nothing. */
  readonly until: string | null;
}

/** What a transition is based on: an observation, the time, and an ID for an override that may begin. */
export interface DatedObservation {
  readonly reading: {
    readonly state: Reading["state"];
    readonly identity?: string;
    readonly resource?: { readonly identity?: string };
  };
  readonly managementTag: boolean;
  readonly reconcileTag: boolean;
  readonly differs: boolean;
  readonly adoption: Adoption;
  readonly at: string;
  readonly newId: string;
  /** Of the differences. */
  readonly fingerprint: string;
}

/** The policy settings that decide too. */
export interface Policy {
  readonly restoredTag: RestoredTag;
  readonly redeploy: boolean;
}

/** The result of an observation: the component's new state, and what may be done to its resource. */
export interface Transition<Component extends Managed = Managed> {
  /** The same object if nothing changed. */
  readonly component: Component;
  readonly effect: Effect | null;
  readonly events: readonly LifecycleEvent[];
  readonly ended: EpisodeOutcome | null;
  /** The next check follows at once. */
  readonly again: boolean;
}

/** An event; each one carries `from` and `status`. */
export interface LifecycleEvent {
  readonly type:
    | RowEvent
    | "component.override.awaiting"
    | "component.override.ended"
    | "component.override.drift_changed"
    | "component.failed"
    | "component.missing";
  readonly data: { readonly [name: string]: Json };
}

/** Decides the result of an observation. Pure: looks up the table and applies the row to the component. */
export function transition(component: Managed, observation: DatedObservation, policy: Policy): Transition {
  const facts = factsOf(component, observation, policy);
  const row = rowFor(facts);
  const next = applied(component, row, observation, facts);
  if (next === component && row.emits === undefined)
    return row.effect === undefined ? unchanged(component) : withEffect(component, row.effect);
  return {
    component: next,
    effect: row.effect ?? null,
    events: eventsOf(component, next, row),
    ended: row.ends ?? null,
    again: row.again ?? false,
  };
}

/** The facts of a component and an observation, as the table's rows name them. */
function factsOf(component: Managed, observation: DatedObservation, policy: Policy): LifecycleFacts {
  const { status } = component;
  const { reading, managementTag, reconcileTag, differs } = observation;
  const seen = seenIn(reading);
  const adoption = adoptionNow(observation, policy);
  if (seen === "unreadable" || seen === "missing") return { ...nothingSeen, ...policy, status, seen, adoption };
  // A failed resource counts as different, whatever it shows.
  const drift = differs || seen === "failed";
  const reconciled = component.request?.reconciled === true && !drift;
  const returned = returnedAs(component, identityIn(reading));
  const { restoredTag, redeploy } = policy;
  return { status, seen, returned, managementTag, reconcileTag, drift, reconciled, restoredTag, redeploy, adoption };
}

/** Only a deploy adopts. */
function adoptionNow({ adoption: { state } }: DatedObservation, { redeploy }: Policy): LifecycleFacts["adoption"] {
  return state === "due" && !redeploy ? "refused" : state;
}

/** If the tags are unknown, nothing is known, whatever else the cloud shows. */
function seenIn({ state, resource }: DatedObservation["reading"]): LifecycleFacts["seen"] {
  const isTold = state === "present" || state === "missing" || resource !== undefined;
  return isTold ? state : "unreadable";
}

function identityIn({ identity, resource = {} }: DatedObservation["reading"]): string | null {
  return identity ?? resource.identity ?? null;
}

const nothingSeen = {
  returned: "never-gone",
  managementTag: false,
  reconcileTag: false,
  drift: false,
  reconciled: false,
} as const;
const noEvents: readonly LifecycleEvent[] = [];

function unchanged(component: Managed): Transition {
  return { component, effect: null, events: noEvents, ended: null, again: false };
}

function withEffect(component: Managed, effect: Effect): Transition {
  return { component, effect, events: noEvents, ended: null, again: false };
}

/** A different identity means another resource, marked missing or not. In a cloud without identities, it counts as the same one. */
function returnedAs({ status, lost, identity: known }: Managed, identity: string | null): LifecycleFacts["returned"] {
  if (status === "Active") return "never-gone";
  if (identity === null || known === null) return lost ? "another" : "never-gone";
  if (identity !== known) return "another";
  return lost ? "same" : "never-gone";
}

function applied(
  component: Managed,
  row: LifecycleRow,
  observation: DatedObservation,
  { returned }: LifecycleFacts,
): Managed {
  if (row.stays === true) return component;
  const isPresent = seenIn(observation.reading) !== "missing";
  const own = identityIn(observation.reading);
  const keepsOld = row.lost === true || (isPresent && returned === "another" && row.to !== "Active");
  const identity = isPresent && !keepsOld ? own : component.identity;
  const lost = row.lost === true;
  const request = requestAfter(component.request, row, observation);
  const override = overrideAfter(component.override, row, observation);
  const same =
    component.status === row.to &&
    component.identity === identity &&
    component.lost === lost &&
    component.request === request &&
    component.override === override;
  return same ? component : { status: row.to, identity, lost, request, override };
}

function requestAfter(
  request: HandBack | null,
  row: LifecycleRow,
  { at, newId, fingerprint }: DatedObservation,
): HandBack | null {
  if (row.request === undefined) return null;
  switch (row.request) {
    case "open":
      return { id: newId, requestedAt: at, fingerprint, reconciled: false };
    case "keep":
      return request;
    case "reconciled":
      return request && { ...request, reconciled: true };
    case "reopen":
      return request?.reconciled === true ? { ...request, reconciled: false } : request;
  }
}

function overrideAfter(override: Override | null, row: LifecycleRow, { at, newId }: DatedObservation): Override | null {
  if (row.to === "Active") return null;
  const awaiting = row.awaiting ?? null;
  if (override === null) return { ...newOverride, episodeId: newId, since: at, awaiting };
  return override.awaiting === awaiting ? override : { ...override, awaiting };
}

const newOverride = { reason: null, ticket: null, remindAt: null, claimedBy: null, said: null, reminded: [] };

function eventsOf(before: Managed, after: Managed, row: LifecycleRow): LifecycleEvent[] {
  const events: LifecycleEvent[] = [];
  const moved = { from: before.status, status: after.status };
  const awaiting = after.override?.awaiting ?? null;
  const episodeId = (after.override ?? before.override)?.episodeId ?? null;
  const requestId = (after.request ?? before.request)?.id ?? null;
  if (row.emits !== undefined) {
    const own =
      row.emits === "component.override.started" ? { episodeId, awaiting } : { episodeId, reconcileId: requestId };
    events.push({ type: row.emits, data: { ...moved, ...own } });
  }
  const waits =
    before.override !== null && after.override !== null && awaiting !== null && awaiting !== before.override.awaiting;
  if (waits) events.push({ type: "component.override.awaiting", data: { ...moved, episodeId, awaiting } });
  if (row.ends !== undefined)
    events.push({ type: "component.override.ended", data: { ...moved, episodeId, outcome: row.ends } });
  return events;
}
