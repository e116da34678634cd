import { type ComponentRecord, idOf } from "../../override/records/component-record.ts";
import type { Reading } from "../../ports/cloud.ts";
import type { Commit, Key } from "../../ports/store.ts";
import { type Broken, type Invariant, judgeDrift, judgeMove, judgeWrite, type Sighting } from "./invariants.ts";
import type { ResourceEvent, SimulatedPlace } from "./places.ts";

/** No pass takes longer, from its read to the commit of what it saw. */
const longestPassMs = 30_000;

/** Sees every commit, every direct read and every change of a resource, and holds each to the invariants. */
export class Watch {
  /** The components as they are stored, by id. */
  readonly components = new Map<string, ComponentRecord>();
  /** Where the resource of each path is, or was last. */
  readonly resources = new Map<
    string,
    { readonly provider: string; readonly resourceId: string; readonly type: string }
  >();
  /** How much was written to clouds and to the store. At rest it stands still. */
  written = 0;
  /** How many events were committed. */
  events = 0;
  broken: Broken | null = null;
  readonly #places: ReadonlyMap<string, SimulatedPlace>;
  readonly #now: () => number;
  readonly #tell: (line: string) => void;
  readonly #statuses = new Map<string, string>();
  readonly #sent = new Map<string, number>();
  readonly #sightings = new Map<string, (Sighting & { readonly at: number })[]>();
  readonly #claims = new Map<string, number>();
  readonly #known = new Set<string>();
  /** The resources that processes made, and the intents under which they did. */
  readonly #made = new Map<string, string>();
  /** Hand-backs under way that had nothing to reconcile. */
  readonly #clean = new Set<string>();
  #order = 0;

  constructor(places: readonly SimulatedPlace[], now: () => number, tell: (line: string) => void = () => {}) {
    this.#places = new Map(places.map((place) => [place.provider, place]));
    this.#now = now;
    this.#tell = tell;
  }

  /** Tells what happens, for people who read a trace. */
  tell(who: string, what: string): void {
    this.#tell(`${(this.#now() / 1000).toFixed(3)} ${who}: ${what}`);
  }

  /** A direct read was answered. */
  sawReading(process: string, name: string, reading: Reading): void {
    const key = `${process} ${name.toLowerCase()}`;
    this.tell(process, `read ${name}: ${JSON.stringify(reading)}`);
    const sighting = { order: ++this.#order, at: this.#now(), reading };
    this.#sightings.set(key, [...this.#recent(key), sighting]);
  }

  /** A change of a resource went out; what is seen while it is under way comes too late for it. */
  sawSent(process: string, resourceId: string): void {
    this.#sent.set(`${process} ${resourceId.toLowerCase()}`, this.#order);
  }

  /** A commit was made. */
  sawCommit(process: string, { sets = [], deletes = [], appends = [] }: Commit): void {
    this.written += 1;
    this.#order += 1;
    const events = appends.map(({ value }) => value as unknown as Told);
    this.events += events.length;
    for (const { type, subject, data } of events)
      this.tell(process, `event ${type} ${subject} ${JSON.stringify(data)}`);
    const steps: Step[] = [];
    for (const { key, value } of sets) if (isComponent(key)) steps.push(this.#step(key, value as never));
    for (const key of deletes) if (isComponent(key)) steps.push(this.#step(key, null));
    for (const step of steps) this.#judgeStep(process, step, events);
    this.#replay(events);
    for (const { id, after } of steps) {
      const told = this.#statuses.get(id);
      if (after === null) this.#statuses.delete(id);
      else if ((told ?? "Active") !== after.status)
        this.fail("events-tell-each-status", `${id} is ${after.status}, its events say ${told}`);
    }
  }

  /** A process changed a resource. */
  sawChange(process: string, provider: string, change: ResourceEvent): void {
    this.written += 1;
    const { resourceId, operation, before, after } = change;
    this.tell(process, `${operation} ${resourceId}: ${JSON.stringify(after)}`);
    if (before === null && after?.intent) this.#made.set(`${provider} ${resourceId}`, after.intent);
    if (after === null) this.#made.delete(`${provider} ${resourceId}`);
    const component = this.#holderOf(provider, resourceId);
    const place = this.#places.get(provider);
    if (component === null || place === undefined) return;
    const id = idOf(component);
    const { overrideWith } = component;
    const governor =
      overrideWith === null ? undefined : this.components.get(`${component.liveSystemId}/${overrideWith}`);
    const sentAt = this.#sent.get(`${process} ${resourceId.toLowerCase()}`) ?? this.#order;
    const seen = (state: ComponentRecord) => this.#seen(process, state).filter(({ order }) => order <= sentAt);
    const broken = judgeWrite({
      process,
      component,
      place,
      change,
      sightings: seen(component),
      claimedAt: this.#claims.get(id) ?? 0,
      governor: governor === undefined ? null : { component: governor, sightings: seen(governor) },
    });
    this.broken ??= broken;
    if (operation === "update" && this.#clean.has(id))
      this.fail("clean-hand-back-writes-nothing", `${resourceId} was changed although nothing differed`);
  }

  /** A person changed a component's resource or its declaration: what was clean may not be any more. */
  sawHand(id: string): void {
    this.#clean.delete(id);
  }

  /** What was logged; what failed without a code was foreseen by nobody. */
  sawLog(fields: Readonly<Record<string, unknown>>, message: string): void {
    const error = fields.error ?? fields.cause;
    const isUncoded = error instanceof Error && !("code" in error && "status" in error);
    if (isUncoded) this.fail("failures-have-codes", `${message} ${error.stack}`);
    else if (error === "InternalError") this.fail("failures-have-codes", `${message} ${JSON.stringify(fields)}`);
  }

  /** Resources that a process made, and that no component ever knew of or still looks for. */
  orphans(): string[] {
    const sought = new Set([...this.components.values()].map(({ intent }) => intent));
    const made = [...this.#made].filter(([key, intent]) => !this.#known.has(key.toLowerCase()) && !sought.has(intent));
    return made.map(([key]) => key);
  }

  fail(invariant: Invariant, detail: string): void {
    this.broken ??= { invariant, detail };
  }

  #step(key: Key, after: ComponentRecord | null): Step {
    const id = key.slice(2).join("/");
    const before = this.components.get(id) ?? null;
    this.tell("store", `${id} is ${after === null ? "gone" : told(after)}`);
    if (after === null) this.components.delete(id);
    else this.components.set(id, after);
    return { id, before, after };
  }

  #judgeStep(process: string, { id, before, after }: Step, events: readonly Told[]): void {
    if (after === null) {
      this.#clean.delete(id);
      const released = events.find(({ type, subject }) => type === "component.released" && subject === id);
      this.#known.add(`${before?.provider} ${released?.data.resourceId}`.toLowerCase());
      return;
    }
    const { provider, type, resource } = after;
    if (resource.id !== null) {
      this.#known.add(`${provider} ${resource.id}`.toLowerCase());
      this.resources.set(after.path, { provider, type, resourceId: resource.id });
    }
    // A note that is put down meanwhile carries the claim along, and is none.
    if (after.work !== null && after.work.id !== before?.work?.id) this.#claims.set(id, this.#order);
    const differs = after.observed.changes.length > 0 || !differsOnlyInState(before, after);
    const asked = events.some((event) => event.type === "component.reconcile.requested" && event.subject === id);
    if (after.status === "Active" || differs) this.#clean.delete(id);
    else if (asked) this.#clean.add(id);
    const place = this.#places.get(provider);
    if (before === null || place === undefined || after.leaving || after.updatedBy !== "agent") return;
    const judged = { before, after, place, sightings: this.#seen(process, before, after) };
    if (before.status !== after.status) this.broken ??= judgeMove(judged);
    this.broken ??= judgeDrift(judged);
  }

  /** The events of one commit tell one move each, in any number of words. */
  #replay(events: readonly Told[]): void {
    const moved = new Map<string, string>();
    for (const { type, subject, data } of events) {
      if (!type.startsWith("component.") || data.status === undefined) continue;
      const begins = begun.get(type);
      if (begins !== undefined && begins !== data.status)
        this.fail("events-tell-each-status", `${type} of ${subject} says ${data.status}`);
      const known = this.#statuses.get(subject) ?? "Active";
      if (data.from !== undefined && data.from !== known)
        this.fail("events-tell-each-status", `${type} of ${subject} goes on from ${data.from}, it was ${known}`);
      moved.set(subject, data.status);
    }
    for (const [subject, status] of moved) this.#statuses.set(subject, status);
  }

  /** What a process read of a component's resource lately, in order. */
  #seen(process: string, ...states: readonly ComponentRecord[]): readonly Sighting[] {
    const names = states.flatMap(({ resource, intent }) => [resource.id, intent]).filter((name) => name !== null);
    const keys = new Set(names.map((name) => `${process} ${name.toLowerCase()}`));
    return [...keys].flatMap((key) => this.#recent(key)).sort((a, b) => a.order - b.order);
  }

  #recent(key: string) {
    const since = this.#now() - longestPassMs;
    return (this.#sightings.get(key) ?? []).filter(({ at }) => at >= since);
  }

  #holderOf(provider: string, resourceId: string): ComponentRecord | null {
    const wanted = resourceId.toLowerCase();
    for (const component of this.components.values())
      if (component.provider === provider && component.resource.id?.toLowerCase() === wanted) return component;
    return null;
  }
}

/** The status that an event of this type says has begun. */
const begun: ReadonlyMap<string, string> = new Map([
  ["component.override.started", "ManualOverride"],
  ["component.reconcile.requested", "ReconcileRequested"],
  ["component.reconcile.completed", "Active"],
]);

/** What a commit did to one component. */
interface Step {
  readonly id: string;
  readonly before: ComponentRecord | null;
  readonly after: ComponentRecord | null;
}

/** An event as it is committed. */
interface Told {
  readonly type: string;
  readonly subject: string;
  readonly data: { readonly from?: string; readonly status?: string; readonly resourceId?: string };
}

function told({ status, resource, intent, work, step }: ComponentRecord): string {
  return JSON.stringify({ status, id: resource.id, intent, work: work?.kind, step: step?.state });
}

function differsOnlyInState(before: ComponentRecord | null, after: ComponentRecord): boolean {
  return JSON.stringify(before?.parameters) === JSON.stringify(after.parameters);
}

function isComponent(key: Key): boolean {
  return key[0] === "record" && key[1] === "component";
}
