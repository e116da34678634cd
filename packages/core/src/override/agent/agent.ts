import { isLiveplaneError, LiveplaneError } from "../../errors.ts";
import type { Lease } from "../../ports/scheduler.ts";
import type { Key } from "../../ports/store.ts";
import type { Stored } from "../../records/records.ts";
import { type ComponentRecord, componentKey, components, idOf, pathOf } from "../records/component-record.ts";
import { type AgentDeps, leaseNamed, type PassOptions } from "./agent-deps.ts";
import { mayBeAsked } from "./agent-follow.ts";
import { type Outcome, runPass, type StepPassOptions } from "./agent-pass.ts";
import { sweep } from "./agent-sweep.ts";
import { createChangers } from "./changers.ts";
import { createComponentGauges } from "./component-gauges.ts";
import { createShards } from "./shards.ts";

/** What a person who asked for a check is told. */
export interface Checked {
  readonly record: Stored<ComponentRecord>;
  /** The last direct read. */
  readonly observedAt: string | null;
  /** `null`: it couldn't be read, or doesn't exist. */
  readonly managementTag: boolean | null;
  /** Writes that may still reach the resource. */
  readonly writesInFlight: number;
  readonly lastWriteAt: string | null;
}

/** The most writes polled in one round. */
const mostFollowed = 1_000;

/** How long a person waits for a running check. */
const patienceMs = 10_000;

/**
 * Keeps every component equal to its declaration, gives it to people who take it over, and takes it back when they hand it back. It has no
 * timers: a scheduler calls its steps, which wait only for records, clouds and the runtime.
 */
export class Agent {
  readonly #deps: AgentDeps;
  readonly #busy = new Map<string, Promise<unknown>>();
  readonly #following = new Set<Promise<unknown>>();
  readonly #sweeping = new Set<Promise<unknown>>();
  readonly #checking = new Set<Promise<unknown>>();
  readonly #stop = new AbortController();
  readonly #gauges;
  readonly #changers;
  readonly #shards;

  constructor(deps: AgentDeps) {
    this.#deps = deps;
    this.#gauges = createComponentGauges(deps);
    this.#changers = createChangers(deps);
    this.#shards = createShards(deps);
  }

  /** The current shards of all components. */
  async shards(): Promise<readonly string[]> {
    return this.#shards.names();
  }

  /** Sets the gauges of the components that this process checks. */
  measure(): void {
    this.#gauges.measure();
  }

  /** Checks every component of a shard with as few calls as possible, and does what is due. */
  async sweepShard(shard: string, lease?: Lease): Promise<void> {
    if (this.#stop.signal.aborted) return;
    const tasks = { deps: this.#deps, isBusy: (key: Key) => this.#busy.has(nameOf(key)), check: this.#checkInSweep };
    const kept = { gauges: this.#gauges, changers: this.#changers };
    const running = sweep(shard, { ...tasks, ...kept, ...(lease && { lease: leaseNamed(lease, `sweep ${shard}`) }) });
    await this.#tracked(this.#sweeping, running);
  }

  /** The components with an accepted write that may be polled now. A mutation polls its own. */
  async following(): Promise<readonly string[]> {
    const { records, runtime } = this.#deps;
    const listed = await records.list(components, { index: "following", limit: mostFollowed });
    const due = listed.filter(({ record: { operation, step } }) => {
      return operation !== null && step?.state !== "begun" && mayBeAsked(operation, runtime.clock.now());
    });
    return due.map(({ record }) => idOf(record));
  }

  /** Checks one of them, by its ID. */
  async lookAfter(id: string, lease?: Lease): Promise<void> {
    const liveSystemId = id.slice(0, id.indexOf("/"));
    const key = componentKey(liveSystemId, pathOf(liveSystemId, id) ?? "");
    if (this.#stop.signal.aborted || this.#busy.has(nameOf(key))) return;
    const options = { lane: "sweep", ...(lease && { lease: leaseNamed(lease, `operations ${id}`) }) } as const;
    await this.#tracked(this.#sweeping, this.#checkInSweep(key, options));
  }

  /**
   * Checks one component now, for a caller who waits. Throws `Conflict` if a running check takes too long, and `Unavailable` once the agent
   * is stopping: an unobserved write could cross those of the next process.
   */
  async check(key: Key): Promise<Checked | null> {
    return this.#tracked(this.#checking, this.#check(key));
  }

  async #check(key: Key): Promise<Checked | null> {
    const { clock } = this.#deps.runtime;
    const until = clock.monotonic() + patienceMs;
    for (;;) {
      if (this.#stop.signal.aborted) throw new LiveplaneError("Unavailable", "The agent is about to stop.");
      const outcome = await this.pass(key, { lane: "people" }, until);
      if (outcome === null) throw tooLong();
      if (outcome.record === null) return null;
      if (outcome.again) this.#follow(key);
      if (outcome.end !== "busy" && outcome.end !== "raced") return checkedOf(outcome, outcome.record);
      if (clock.monotonic() >= until) throw tooLong();
      await clock.sleep(outcome.end === "raced" ? 5 : 100);
    }
  }

  /** One pass over a component, after any work on it in this process. `null`: that took longer than `until`. */
  async pass(key: Key, options: StepPassOptions, until = Number.POSITIVE_INFINITY): Promise<Outcome | null> {
    const name = nameOf(key);
    for (let under = this.#busy.get(name); under !== undefined; under = this.#busy.get(name)) {
      if (!(await this.#endsBefore(under, until))) return null;
    }
    return this.exclusively(key, () => runPass(key, this.#deps, options));
  }

  /** Works on a component while nothing else in this process does. The component must be free. */
  async exclusively<T>(key: Key, work: () => Promise<T>): Promise<T> {
    const name = nameOf(key);
    const running = work();
    this.#busy.set(name, running);
    try {
      return await running;
    } finally {
      this.#busy.delete(name);
    }
  }

  /** Waits until nothing in this process works on a component. */
  async whenFree(key: Key): Promise<void> {
    for (let under = this.#busy.get(nameOf(key)); under !== undefined; under = this.#busy.get(nameOf(key)))
      await settled(under);
  }

  /** Resolves when all follow-up checks are done. */
  async idle(): Promise<void> {
    while (this.#following.size > 0) await Promise.allSettled([...this.#following]);
  }

  /** Starts nothing more and waits for running work. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.idle();
    await Promise.allSettled([...this.#sweeping, ...this.#checking, ...this.#busy.values()]);
  }

  readonly #checkInSweep = async (key: Key, options: PassOptions): Promise<void> => {
    let again = true;
    for (let times = 0; again && times < 3 && !this.#stop.signal.aborted; times++) {
      const outcome = await this.pass(key, options);
      again = outcome?.again ?? false;
    }
  };

  /** The next check of a hand-back follows at once, ahead of any sweep; if it fails, the next sweep retries. */
  #follow(key: Key): void {
    if (this.#stop.signal.aborted) return;
    const following = this.pass(key, { lane: "people" }).then(
      (outcome) => {
        if (outcome?.again) this.#follow(key);
      },
      (error: unknown) =>
        this.#deps.runtime.logger.warn({ component: nameOf(key), error: codeOf(error) }, "A follow-up check failed."),
    );
    void this.#tracked(this.#following, following);
  }

  async #tracked<T>(set: Set<Promise<unknown>>, work: Promise<T>): Promise<T> {
    set.add(work);
    try {
      return await work;
    } finally {
      set.delete(work);
    }
  }

  async #endsBefore(work: Promise<unknown>, until: number): Promise<boolean> {
    if (until === Number.POSITIVE_INFINITY) {
      await settled(work);
      return true;
    }
    const { clock } = this.#deps.runtime;
    const giveUp = new AbortController();
    const timeout = clock.sleep(Math.max(0, until - clock.monotonic()), { signal: giveUp.signal }).then(
      () => false,
      () => true,
    );
    const inTime = await Promise.race([settled(work).then(() => true), timeout]);
    giveUp.abort();
    return inTime;
  }
}

function checkedOf({ observation }: Outcome, record: Stored<ComponentRecord>): Checked {
  const isSeen = observation?.resource != null;
  const { observedAt } = record.conditions.readable;
  return {
    record,
    observedAt,
    managementTag: isSeen ? observation.managementTag : null,
    writesInFlight: (record.work === null ? 0 : 1) + (record.operation === null ? 0 : 1),
    lastWriteAt: record.lastWriteAt,
  };
}

async function settled(work: Promise<unknown>): Promise<void> {
  await Promise.allSettled([work]);
}

function nameOf(key: Key): string {
  return key.join("/");
}

function codeOf(error: unknown): string {
  return isLiveplaneError(error) ? error.code : "InternalError";
}

function tooLong(): LiveplaneError {
  return new LiveplaneError("Conflict", "The agent is still working on this component. Try again.");
}
