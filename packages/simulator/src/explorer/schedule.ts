import { memoryStore } from "@liveplane/core/store";
import { atRest } from "../at-rest.ts";
import { carryOutDeed } from "../hands.ts";
import type { RulesOf } from "../judge/create-judge.ts";
import type { Broken } from "../judge/facts.ts";
import { simulatedPlaces } from "../places.ts";
import type { SimulationPlan } from "../plan.ts";
import { checkSeconds } from "../variants.ts";
import { newWorld, type SimulatedWorld, startProcess } from "../world.ts";
import { type Beside, firstDeclared, type NamedDeed } from "./deeds.ts";
import { endingIn } from "./ending.ts";
import { stateDigest, stateReader } from "./state-digest.ts";
import { Turns } from "./turns.ts";
import { WorkersAtWork } from "./workers-at-work.ts";

/** What happens instead at a step: another worker continues or starts its round, or a deed. */
export type Choice = { readonly worker: number } | { readonly deed: NamedDeed };

/** A choice and its step, counted from the end of the first deploy. */
export interface ChosenStep {
  readonly step: number;
  readonly choice: Choice;
  /** It interrupts a worker. */
  readonly interrupts: boolean;
}

/** The world to explore. */
export interface ExploredWorld {
  readonly beside: Beside;
  /** Writes can be bound to what was read. */
  readonly conditionalWrites: boolean;
  /** IDs are unknown until the resource exists. */
  readonly choosesIds: boolean;
}

/** A moment at which something else could happen. */
export interface Moment {
  readonly step: number;
  /** Identifies the whole state: equal digests lead to the same future. */
  readonly digest: number;
  /** No worker is running, so nothing is interrupted now. */
  readonly isRest: boolean;
  /** The other workers that could continue or start. */
  readonly others: readonly number[];
}

/** Options of following a schedule. */
export interface ScheduleOptions {
  readonly world: ExploredWorld;
  readonly decisions: readonly ChosenStep[];
  /** Called with each moment after the last decision; false if its future is known. */
  readonly visit: (moment: Moment) => boolean;
  /** Called with each step, as a line of text. */
  readonly onStep?: (line: string) => void;
  /** What to judge by. @default the judge's own rules */
  readonly rulesOf?: RulesOf;
  /** Called with the final state without faults. The rules at rest aren't judged then. */
  readonly onEnding?: (ending: string) => void;
}

/** How a schedule ended. */
export interface ScheduleEnd {
  readonly broken: Broken | null;
  readonly steps: number;
}

const workers = 2;
const cycleMs = checkSeconds * 1000;
/** The most rounds that coming to rest takes. */
const mostRounds = 12;

/** Follows one schedule: without a decision, workers run one after the other, each to its end. */
export async function followSchedule(options: ScheduleOptions): Promise<ScheduleEnd> {
  const schedule = new Schedule(options);
  try {
    return await schedule.follow();
  } finally {
    schedule.end();
  }
}

class Schedule {
  readonly #options: ScheduleOptions;
  readonly #turns = new Turns(workers);
  readonly #clouds = memoryStore({ values: "frozen" });
  readonly #world: SimulatedWorld;
  readonly #state: () => Promise<number>;
  /** The calls of each worker since it was last idle. */
  readonly #been = Array.from({ length: workers }, () => 0);
  readonly #workers: WorkersAtWork;
  /** The unfinished deeds. */
  readonly #underWay: string[] = [];
  #current = 0;
  #step = 0;
  #isFree = false;

  constructor(options: ScheduleOptions) {
    this.#options = options;
    const { onStep, world, rulesOf } = options;
    this.#world = newWorld(planFor(world), {
      stage: this.#turns,
      newPlaces: (variations, runtime, slownessOf) =>
        simulatedPlaces(variations, runtime, slownessOf, { store: this.#clouds }).slice(0, 1),
      ...(onStep && { onStep }),
      ...(rulesOf && { rulesOf }),
    });
    this.#state = stateReader(this.#world, this.#clouds);
    this.#workers = new WorkersAtWork(this.#world, this.#turns);
  }

  end(): void {
    this.#turns.time.end();
  }

  async follow(): Promise<ScheduleEnd> {
    const { watch } = this.#world;
    for (let slot = 0; slot < workers; slot++) await this.#whole(startProcess(this.#world, slot));
    const variant = firstDeclared(this.#options.world.beside);
    await this.#whole(carryOutDeed(this.#world, { kind: "deploy", variant }));
    for (let round = 0; round < 3; round++) await this.#round();
    this.#isFree = true;
    const isNew = await this.#freely();
    if (isNew && watch.broken === null) {
      this.#isFree = false;
      const { onEnding } = this.#options;
      if (onEnding === undefined) await atRest(this.#world, (ms) => this.#pass(ms));
      else onEnding(await this.#ending());
    }
    return { broken: watch.broken, steps: this.#step };
  }

  /** Continues from rest to rest until nothing new happens. False: the rest is known. */
  async #freely(): Promise<boolean> {
    const { decisions } = this.#options;
    let last = -1;
    for (let round = 0; round < mostRounds; round++) {
      const here = await this.#stateNow();
      if (here === last && decisions.every(({ step }) => step < this.#step)) return true;
      last = here;
      if (!(await this.#decide({ digest: here, isRest: true }))) return false;
      if (this.#world.watch.broken !== null) return true;
      // Requested work continues at once, before time passes.
      if (!(await (this.#able().length > 0 ? this.#untilRest() : this.#round()))) return false;
    }
    return true;
  }

  /** A round of the first running worker, and everything that follows. */
  async #round(ms = cycleMs): Promise<boolean> {
    const until = this.#turns.time.now() + ms;
    while (this.#turns.passTo(until)) if (!(await this.#untilRest())) return false;
    const first = this.#world.processes.findIndex((process) => process?.life.isOver() === false);
    if (first >= 0) this.#workers.begin(first);
    return this.#untilRest();
  }

  /** Passes time, with only the rounds needed to come to rest. */
  async #pass(ms: number): Promise<void> {
    const rounds = Math.min(Math.ceil(ms / cycleMs), 8);
    for (let round = 0; round < rounds && this.#world.watch.broken === null; round++) await this.#round(ms / rounds);
  }

  /** The final state when all faults have ended and nobody does anything. */
  async #ending(): Promise<string> {
    const { watch, cloudFaults, storeFaults, slowWrites } = this.#world;
    for (const waiting of [cloudFaults, storeFaults, slowWrites]) waiting.length = 0;
    await this.#pass(mostRounds * cycleMs);
    return endingIn(watch.judge.evidence);
  }

  /** Finishes some work without further choices. */
  async #whole(work: Promise<void>): Promise<void> {
    this.#workers.track(work);
    await this.#untilRest();
  }

  /** Continues until no call waits and nobody is working. False: the rest is known. */
  async #untilRest(): Promise<boolean> {
    const { watch } = this.#world;
    for (;;) {
      await this.#turns.settle();
      if (watch.broken !== null) return true;
      this.#workers.forgetTheDead();
      const able = this.#able();
      if (able.length === 0) {
        const timer = this.#turns.nextTimer();
        if (this.#workers.atWork === 0 || timer === null) break;
        this.#turns.passTo(timer);
        continue;
      }
      if (!able.includes(this.#current)) this.#current = able[0] ?? 0;
      if (this.#isFree) {
        const here = await this.#stateNow();
        if (!(await this.#decide({ digest: here, isRest: false }))) return false;
        if (watch.broken !== null) return true;
        if (!this.#able().includes(this.#current)) continue;
        this.#been[this.#current] = stateDigest(`${here}`, this.#been[this.#current]);
      }
      this.#turns.go(this.#current);
    }
    this.#been.fill(0);
    this.#current = 0;
    return true;
  }

  #able(): number[] {
    return this.#been.flatMap((_, slot) => (this.#turns.waiting(slot) > 0 ? [slot] : []));
  }

  /** Makes the choices at this moment. False: this moment and its future are known. */
  async #decide({ digest, isRest }: Pick<Moment, "digest" | "isRest">): Promise<boolean> {
    const { decisions, visit } = this.#options;
    let here = digest;
    for (;;) {
      const step = this.#step++;
      const decision = decisions.find((one) => one.step === step);
      if (decision === undefined) {
        const isBehind = decisions.every((one) => one.step < step);
        return !isBehind || visit({ step, digest: here, isRest, others: this.#others(isRest) });
      }
      await this.#make(decision.choice);
      if (this.#world.watch.broken !== null || (isRest && this.#able().length > 0)) return true;
      here = await this.#stateNow();
    }
  }

  #others(isRest: boolean): number[] {
    return this.#been.flatMap((_, slot) => {
      if (this.#world.processes[slot]?.life.isOver() !== false) return [];
      const isAble = this.#turns.waiting(slot) > 0 || !this.#workers.isInRound(slot);
      return isAble && (isRest ? slot > 0 : slot !== this.#current) ? [slot] : [];
    });
  }

  async #make(choice: Choice): Promise<void> {
    const { watch } = this.#world;
    if ("worker" in choice) {
      watch.tell("schedule", () => `worker ${choice.worker} goes on`);
      if (this.#turns.waiting(choice.worker) === 0) this.#workers.begin(choice.worker);
      await this.#turns.settle();
      this.#current = choice.worker;
      return;
    }
    watch.tell("deed", () => choice.deed.name);
    this.#workers.track(this.#carryOut(choice.deed));
    await this.#turns.settle();
    this.#workers.forgetTheDead();
  }

  /** Until a deed is over, the stored state doesn't distinguish it from another. */
  async #carryOut({ name, deed }: NamedDeed): Promise<void> {
    this.#underWay.push(name);
    try {
      await carryOutDeed(this.#world, deed);
    } finally {
      this.#underWay.splice(this.#underWay.indexOf(name), 1);
    }
  }

  async #stateNow(): Promise<number> {
    const around = [
      this.#current,
      this.#been,
      this.#been.map((_, slot) => this.#turns.waiting(slot)),
      this.#been.map((_, slot) => this.#workers.isInRound(slot)),
    ];
    const timers = this.#turns.timersFrom(this.#turns.time.now()).map((ms) => Math.ceil(ms / 1000));
    return stateDigest(JSON.stringify([around, timers, this.#workers.atWork, this.#underWay]), await this.#state());
  }
}

function planFor({ beside, conditionalWrites, choosesIds }: ExploredWorld): SimulationPlan {
  const habits = beside === "an app in words" ? (["renames", "completes"] as const) : [];
  const cloud = { conditionalWrites, choosesIds, identities: true, lagMs: 0, habits };
  return {
    seed: 0,
    world: { processes: workers, restoredTag: "resume-when-clean", clouds: [cloud, cloud] },
    deeds: [],
  };
}
