import type { Reading } from "@liveplane/core/clouds";
import type { Commit, Key } from "@liveplane/core/store";
import { createJudge, type Judge, type JudgeOptions } from "./judge/create-judge.ts";
import type {
  Broken,
  Invariant,
  JudgedWorld,
  Landed,
  ResourceChanged,
  SentDefinition,
  StoredComponent,
  ToldEvent,
} from "./judge/facts.ts";
import type { StepOf } from "./judge/steps.ts";

/** Where the resource of a path is, or was last. */
export interface Whereabouts {
  readonly provider: string;
  readonly resourceId: string;
  readonly type: string;
  /** The position of that report. */
  readonly order: number;
}

/** Sees every commit, direct read and change of a resource, and passes it to the judge and to the trace. */
export class Watch {
  readonly judge: Judge;
  readonly components = new Map<string, StoredComponent>();
  /** Where the resource of each path is, or was last. */
  readonly resources = new Map<string, Whereabouts>();
  /** The number of writes to clouds and to the store. At rest it doesn't change. */
  written = 0;
  /** When each event was committed, in the order of their sequence numbers. */
  readonly eventTimes: number[] = [];
  #stragglers = 0;
  readonly #now: () => number;
  readonly #tell: ((line: string) => void) | undefined;

  constructor(world: JudgedWorld, tell?: (line: string) => void, options?: JudgeOptions) {
    this.judge = createJudge(world, options);
    this.#now = world.now;
    this.#tell = tell;
  }

  /** The first violation. */
  get broken(): Broken | null {
    return this.judge.broken;
  }

  fail(invariant: Invariant, detail: string): void {
    this.judge.fail(invariant, detail);
  }

  /** Adds a line to the trace. */
  tell(who: string, what: () => string): void {
    this.#tell?.(`${(this.#now() / 1000).toFixed(3)} ${who}: ${what()}`);
  }

  /** A request for a deploy, or without a definition for a delete. */
  sawAsked(requestId: string, definition: SentDefinition | null): void {
    this.judge.sees({ kind: "asked", requestId, definition });
  }

  /** A direct read was answered. */
  sawReading(process: string, name: string, reading: Reading): void {
    this.tell(process, () => `read ${name}: ${JSON.stringify(reading)}`);
    this.judge.sees({ kind: "read", process, name, reading });
  }

  /** A change of a resource is sent; what is read while it runs comes too late for it. */
  sawSent(
    process: string,
    provider: string,
    {
      operation,
      resourceId,
      etag,
      isOfTags = false,
    }: Pick<StepOf<"sent">, "operation" | "resourceId" | "etag" | "isOfTags">,
  ): void {
    this.tell(process, () => `sends ${operation} ${resourceId}`);
    this.judge.sees({ kind: "sent", process, provider, operation, resourceId, etag: etag ?? null, isOfTags });
  }

  /** A process gives up a write that still arrives. Returns its number. */
  sawStraggling(process: string, provider: string, { resourceId }: Pick<StepOf<"sent">, "resourceId">): number {
    const straggler = ++this.#stragglers;
    this.tell(process, () => `gives up ${resourceId}, straggler ${straggler}`);
    this.judge.sees({ kind: "straggles", process, provider, resourceId, straggler });
    return straggler;
  }

  sawAnswer(process: string, write: { provider: string; resourceId: string; made: boolean; isLost: boolean }): void {
    this.judge.sees({ kind: "answered", process, ...write });
  }

  /** A process read records. */
  sawFetch(process: string, keys: readonly Key[]): void {
    for (const key of keys) this.judge.sees({ kind: "fetched", process, key });
  }

  sawCommit(process: string, { sets = [], deletes = [], appends = [] }: Commit, version: number): void {
    // When a shard was swept says nothing of any component.
    if (appends.length > 0 || deletes.length > 0 || !sets.every(({ key }) => isSweepTime(key))) this.written += 1;
    const events = appends.map(({ value }) => value as unknown as ToldEvent);
    this.eventTimes.push(...events.map(() => this.#now()));
    for (const { type, subject, data } of events)
      this.tell(process, () => `event ${type} ${subject} ${JSON.stringify(data)}`);
    for (const { key, value } of sets) if (isComponent(key)) this.#keep(key, value as never);
    for (const key of deletes) if (isComponent(key)) this.#keep(key, null);
    this.judge.sees({ kind: "committed", process, sets, deletes, events, version });
  }

  /** A process or, if `null`, a person changed a resource. */
  sawChange(process: string | null, provider: string, change: ResourceChanged): void {
    if (process !== null) this.written += 1;
    this.tell(process ?? "a person", () => `${change.operation} ${change.resourceId}: ${JSON.stringify(change.after)}`);
    this.judge.sees({ kind: "changed", process, provider, change });
  }

  /** An accepted write has ended. */
  sawLanding(provider: string, change: Landed): void {
    this.tell("the cloud", () => `${change.operation} ${change.resourceId} ends: ${JSON.stringify(change.after)}`);
    this.judge.sees({ kind: "landed", provider, change });
  }

  sawDeath(process: string): void {
    this.judge.sees({ kind: "died", process });
  }

  /** A log entry; a failure without a code is unexpected. */
  sawLog(fields: Readonly<Record<string, unknown>>, message: string): void {
    this.judge.sees({ kind: "logged", fields, message });
  }

  /** A component by its ID in whichever letters. */
  component(id: string): StoredComponent | null {
    return this.components.get(id.toLowerCase()) ?? null;
  }

  #keep(key: Key, after: StoredComponent | null): void {
    const id = key.slice(2).join("/");
    this.tell("store", () => `${id} is ${after === null ? "gone" : told(after)}`);
    if (after === null) return void this.components.delete(id);
    this.components.set(id, after);
    const { provider, type, resource, path } = after;
    if (resource.id !== null)
      this.resources.set(path, { provider, type, resourceId: resource.id, order: this.written });
  }
}

function told({ status, resource, intent, work, step, lost, operation, conditions }: StoredComponent): string {
  const why = { readable: conditions.readable.reason, inSync: conditions.inSync.reason, operation: operation?.kind };
  return JSON.stringify({ status, lost, ...why, id: resource.id, intent, work, step: step?.state });
}

function isSweepTime(key: Key): boolean {
  return key[0] === "record" && key[1] === "sweep";
}

function isComponent(key: Key): boolean {
  return key[0] === "record" && key[1] === "component";
}
