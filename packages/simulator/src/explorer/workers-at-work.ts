import type { SimulatedProcess, SimulatedWorld } from "../world.ts";
import type { Turns } from "./turns.ts";

/** The running work of an explored world: the workers' rounds, and what people do. */
export class WorkersAtWork {
  readonly #world: SimulatedWorld;
  readonly #turns: Turns;
  readonly #atWork = new Set<Promise<void>>();
  /** Which process is in its round, by slot; its successor isn't. */
  readonly #inRound: (SimulatedProcess | null)[];

  constructor(world: SimulatedWorld, turns: Turns) {
    this.#world = world;
    this.#turns = turns;
    this.#inRound = world.processes.map(() => null);
  }

  /** The number of unfinished works. */
  get atWork(): number {
    return this.#atWork.size;
  }

  begin(slot: number): void {
    const process = this.#world.processes[slot];
    if (process?.life.isOver() !== false || this.isInRound(slot)) return;
    this.#inRound[slot] = process;
    this.track(this.#turns.turn(slot), process);
  }

  isInRound(slot: number): boolean {
    const process = this.#inRound[slot] ?? null;
    return process !== null && process === this.#world.processes[slot];
  }

  /** Tracks work until it is over. A failure that nobody waits for is unexpected. */
  track(work: Promise<void>, process: SimulatedProcess | null = null): void {
    const ended = work
      .catch((error: unknown) => this.#world.watch.fail("failures-have-codes", String(Object(error).stack ?? error)))
      .finally(() => {
        this.#atWork.delete(ended);
        const slot = process === null ? -1 : this.#inRound.indexOf(process);
        if (slot >= 0) this.#inRound[slot] = null;
      });
    this.#atWork.add(ended);
  }

  /** Dead processes finish nothing and make no calls. */
  forgetTheDead(): void {
    for (const [slot, process] of this.#world.processes.entries()) {
      if (process?.life.isOver() !== true) continue;
      if (this.isInRound(slot)) this.#atWork.clear();
      this.#inRound[slot] = null;
      this.#turns.forget(slot);
    }
  }
}
