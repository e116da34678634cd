import { memoryStore } from "@liveplane/core/store";
import { atRest } from "../at-rest.ts";
import { carryOutDeed } from "../hands.ts";
import type { Broken } from "../judge/facts.ts";
import { simulatedPlaces } from "../places.ts";
import { checkSeconds, type SimulationPlan } from "../plan.ts";
import { newWorld, type SimulatedWorld, startProcess } from "../world.ts";
import { type Beside, firstDeclared, type NamedDeed } from "./deeds.ts";
import { endingIn } from "./ending.ts";
import { stateDigest, stateReader } from "./state-digest.ts";
import { Turns } from "./turns.ts";
import { WorkersAtWork } from "./workers-at-work.ts";

/** What happens in place of what would at a step: a worker continues or begins its round, or somebody does something. */
export type Choice = { readonly worker: number } | { readonly deed: NamedDeed };

/** A choice and the step, counted from the first deploy's end, at which it is made. */
export interface ChosenStep {
  readonly step: number;
  readonly choice: Choice;
  /** A worker was at something. */
  readonly interrupts: boolean;
}

/** The world that is explored. */
export interface ExploredWorld {
  readonly beside: Beside;
  /** Writes can be bound to what was read. */
  readonly conditionalWrites: boolean;
  /** Ids aren't known before the resource is there. */
  readonly choosesIds: boolean;
}

/** A moment at which something else could happen. */
export interface Moment {
  readonly step: number;
  /** Stands for the whole state: equal ones lead to the same. */
  readonly digest: number;
  /** No worker is at anything: whatever is done now interrupts nobody. */
  readonly isRest: boolean;
  /** The other workers that could continue, or begin. */
  readonly others: readonly number[];
}

/** How a schedule is followed. */
export interface ScheduleOptions {
  readonly world: ExploredWorld;
  readonly decisions: readonly ChosenStep[];
  /** Told of each moment behind the last decision; false: what comes is known. */
  readonly visit: (moment: Moment) => boolean;
  /** Told of each step, as a line of the story. */
  readonly onStep?: (line: string) => void;
  /** Told what it came to once nothing goes wrong any more. What must be at rest isn't judged then. */
  readonly onEnding?: (ending: string) => void;
}

/** How a schedule ended. */
export interface ScheduleEnd {
  readonly broken: Broken | null;
  readonly steps: number;
}

const workers = 2;
const cycleMs = checkSeconds * 1000;
/** This many rounds bring everything to rest that comes to rest. */
const mostRounds = 12;

/** Follows one schedule: what its decisions don't say, the workers do one after the other, each to its end. */
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
  /** What each worker has been through since it was last idle. */
  readonly #been = Array.from({ length: workers }, () => 0);
  readonly #workers: WorkersAtWork;
  /** The deeds that aren't over. */
  readonly #underWay: string[] = [];
  #current = 0;
  #step = 0;
  #isFree = false;

  constructor(options: ScheduleOptions) {
    this.#options = options;
    const { onStep, world } = options;
    this.#world = newWorld(planFor(world), {
      stage: this.#turns,
      newPlaces: (variations, runtime, slownessOf) =>
        simulatedPlaces(variations, runtime, slownessOf, this.#clouds).slice(0, 1),
      ...(onStep && { onStep }),
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

  /** Goes on from rest to rest until nothing new comes. False: what comes is known. */
  async #freely(): Promise<boolean> {
    const { decisions } = this.#options;
    let last = -1;
    for (let round = 0; round < mostRounds; round++) {
      const here = await this.#stateNow();
      if (here === last && decisions.every(({ step }) => step < this.#step)) return true;
      last = here;
      if (!(await this.#decide({ digest: here, isRest: true }))) return false;
      if (this.#world.watch.broken !== null) return true;
      // What somebody asked for continues at once, before time passes.
      if (!(await (this.#able().length > 0 ? this.#untilRest() : this.#round()))) return false;
    }
    return true;
  }

  /** A round of the first worker that is there, and all that follows of it. */
  async #round(ms = cycleMs): Promise<boolean> {
    const until = this.#turns.time.now() + ms;
    while (this.#turns.passTo(until)) if (!(await this.#untilRest())) return false;
    const first = this.#world.processes.findIndex((process) => process?.life.isOver() === false);
    if (first >= 0) this.#workers.begin(first);
    return this.#untilRest();
  }

  /** Lets time pass, with no more rounds than it takes to come to rest. */
  async #pass(ms: number): Promise<void> {
    const rounds = Math.min(Math.ceil(ms / cycleMs), 8);
    for (let round = 0; round < rounds && this.#world.watch.broken === null; round++) await this.#round(ms / rounds);
  }

  /** What the world comes to when nothing goes wrong any more and nobody does anything. */
  async #ending(): Promise<string> {
    const { watch, cloudFaults, storeFaults, slowWrites } = this.#world;
    for (const waiting of [cloudFaults, storeFaults, slowWrites]) waiting.length = 0;
    await this.#pass(mostRounds * cycleMs);
    return endingIn(watch.judge.evidence);
  }

  /** Everything that it takes to end some work, without a choice. */
  async #whole(work: Promise<void>): Promise<void> {
    this.#workers.track(work);
    await this.#untilRest();
  }

  /** Goes on until no call waits and nobody is at work. False: what comes is known. */
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

  /** Makes the choices that belong here. False: this moment is known, and so is what follows. */
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

  /** Until a deed is over nothing that is stored tells it from another one. */
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
