import type { Json } from "../../ports/store.ts";
import {
  type Awaiting,
  type Effect,
  type LifecycleRow,
  lifecycleTable,
  type Outcome,
  type RestoredTag,
  type RowEvent,
  type Situation,
  type Status,
} from "./lifecycle-table.ts";

/** The part of a component that its lifecycle decides. */
export interface Managed {
  readonly status: Status;
  /** The incarnation that was last seen while it was the component's own. */
  readonly identity: string | null;
  /** Marked missing: what was overridden is gone. */
  readonly lost: boolean;
  readonly request: HandBack | null;
  readonly override: Override | null;
}

/** A request to reconcile. */
export interface HandBack {
  readonly id: string;
  readonly requestedAt: string;
  /** Of the drift that was there when it was made. */
  readonly fingerprint: string;
  readonly reconciled: boolean;
}

/** An override in force, with what its holder says of it. */
export interface Override {
  readonly episodeId: string;
  readonly since: string;
  readonly awaiting: Awaiting | null;
  readonly reason: string | null;
  readonly ticket: string | null;
  readonly remindAt: string | null;
  readonly claimedBy: string | null;
  /** The reminders that went out: ages in hours, instants. */
  readonly reminded: readonly string[];
}

/** What a direct read saw, with the time and an id for what it may begin. */
export type Observation = {
  readonly at: string;
  readonly newId: string;
} & (
  | { readonly seen: "unreadable" }
  | { readonly seen: "missing" }
  | {
      readonly seen: "present";
      /** `null`: the cloud doesn't tell incarnations apart. */
      readonly identity: string | null;
      readonly managementTag: boolean;
      readonly reconcileTag: boolean;
      readonly drift: boolean;
      readonly fingerprint: string;
    }
);

/** What else decides. */
export interface Policy {
  readonly restoredTag: RestoredTag;
  readonly redeploy: boolean;
}

/** What a check comes to. */
export interface Transition {
  /** The same object when nothing changed. */
  readonly component: Managed;
  readonly effect: Effect | null;
  readonly events: readonly LifecycleEvent[];
  readonly ended: Outcome | null;
  /** The next check follows at once. */
  readonly again: boolean;
}

/** Something to tell of: every one carries `from` and `status`. */
export interface LifecycleEvent {
  readonly type:
    | RowEvent
    | "component.override.awaiting"
    | "component.override.ended"
    | "component.override.drift_changed";
  readonly data: { readonly [name: string]: Json };
}

/** Decides what a check comes to. Pure: the table, looked up and carried out on the component's own members. */
export function transition(component: Managed, observation: Observation, policy: Policy): Transition {
  const situation = situationOf(component, observation, policy);
  const row = rowFor(situation);
  const next = applied(component, row, observation, situation);
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

/** The row that decides a situation. @internal */
export function rowFor(situation: Situation): LifecycleRow {
  return compiled[placeOf(situation)] as LifecycleRow;
}

/** Sees a component and an observation as the table does. */
function situationOf(component: Managed, observation: Observation, policy: Policy): Situation {
  const { status } = component;
  if (observation.seen !== "present") return { ...nothingSeen, ...policy, status, seen: observation.seen };
  const { seen, managementTag, reconcileTag, drift, identity } = observation;
  const reconciled = component.request?.reconciled === true && !drift;
  const returned = returnedAs(component, identity);
  const { restoredTag, redeploy } = policy;
  return { status, seen, returned, managementTag, reconcileTag, drift, reconciled, restoredTag, redeploy };
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

/** Under another identity it is another resource, marked missing or not; where the cloud has none, whoever was gone is. */
function returnedAs({ status, lost, identity: known }: Managed, identity: string | null): Situation["returned"] {
  if (status === "Active") return "never-gone";
  if (identity === null || known === null) return lost ? "another" : "never-gone";
  if (identity !== known) return "another";
  return lost ? "same" : "never-gone";
}

function applied(component: Managed, row: LifecycleRow, observation: Observation, { returned }: Situation): Managed {
  if (observation.seen === "unreadable") return component;
  const isPresent = observation.seen === "present";
  const keepsOld = row.lost === true || (isPresent && returned === "another" && row.to !== "Active");
  const identity = isPresent && !keepsOld ? observation.identity : component.identity;
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
  { at, newId, ...seen }: Observation,
): HandBack | null {
  if (row.request === undefined) return null;
  switch (row.request) {
    case "open":
      return {
        id: newId,
        requestedAt: at,
        fingerprint: "fingerprint" in seen ? seen.fingerprint : "",
        reconciled: false,
      };
    case "keep":
      return request;
    case "reconciled":
      return request === null || request.reconciled ? request : { ...request, reconciled: true };
    case "reopen":
      return request?.reconciled === true ? { ...request, reconciled: false } : request;
  }
}

function overrideAfter(override: Override | null, row: LifecycleRow, { at, newId }: Observation): Override | null {
  if (row.to === "Active") return null;
  const awaiting = row.awaiting ?? null;
  if (override === null) return { ...newOverride, episodeId: newId, since: at, awaiting };
  return override.awaiting === awaiting ? override : { ...override, awaiting };
}

const newOverride = { reason: null, ticket: null, remindAt: null, claimedBy: null, reminded: [] };

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

/** Every situation has its place in one array: looking a row up is arithmetic. */
const facts = {
  status: ["Active", "ManualOverride", "ReconcileRequested"],
  seen: ["unreadable", "missing", "present"],
  returned: ["never-gone", "same", "another"],
  managementTag: [false, true],
  reconcileTag: [false, true],
  drift: [false, true],
  reconciled: [false, true],
  restoredTag: ["resume-when-clean", "resume", "wait"],
  redeploy: [false, true],
} as const satisfies { readonly [Fact in keyof Situation]: readonly Situation[Fact][] };

const places: { readonly [Fact in keyof Situation]: (value: Situation[Fact]) => number } = {
  status: (value) => facts.status.indexOf(value),
  seen: (value) => facts.seen.indexOf(value),
  returned: (value) => facts.returned.indexOf(value),
  managementTag: Number,
  reconcileTag: Number,
  drift: Number,
  reconciled: Number,
  restoredTag: (value) => facts.restoredTag.indexOf(value),
  redeploy: Number,
};

function placeOf(situation: Situation): number {
  let place = places.status(situation.status);
  place = place * 3 + places.seen(situation.seen);
  place = place * 3 + places.returned(situation.returned);
  place = place * 2 + places.managementTag(situation.managementTag);
  place = place * 2 + places.reconcileTag(situation.reconcileTag);
  place = place * 2 + places.drift(situation.drift);
  place = place * 2 + places.reconciled(situation.reconciled);
  place = place * 3 + places.restoredTag(situation.restoredTag);
  return place * 2 + places.redeploy(situation.redeploy);
}

/** Every situation there can be, each once: what the table is compiled from and the tests walk. @internal */
export function* everySituation(): Generator<Situation> {
  const names = Object.keys(facts) as (keyof Situation)[];
  const counts = names.map((name) => facts[name].length);
  const total = counts.reduce((product, count) => product * count, 1);
  for (let at = 0; at < total; at++) {
    let rest = at;
    const chosen = names.map((name) => {
      const values = facts[name];
      const value = values[rest % values.length];
      rest = Math.floor(rest / values.length);
      return [name, value] as const;
    });
    yield Object.fromEntries(chosen) as unknown as Situation;
  }
}

function compile(table: readonly LifecycleRow[]): readonly (LifecycleRow | undefined)[] {
  const rows: (LifecycleRow | undefined)[] = [];
  for (const situation of everySituation()) rows[placeOf(situation)] = table.find((row) => fits(row, situation));
  return rows;
}

function fits({ from, when }: LifecycleRow, situation: Situation): boolean {
  if (from !== situation.status) return false;
  return Object.entries(when).every(([fact, wanted]) => {
    const value = situation[fact as keyof Situation];
    return Array.isArray(wanted) ? wanted.includes(value) : wanted === value;
  });
}

const compiled = compile(lifecycleTable);
