import { atRest } from "./at-rest.ts";
import { begin, carryOutDeed } from "./hands.ts";
import type { JudgeOptions } from "./judge/create-judge.ts";
import type { Broken } from "./judge/facts.ts";
import type { RestTally } from "./judge/invariants/at-rest-as-declared.ts";
import { beginOther } from "./neighbours.ts";
import type { NewPlaces } from "./places.ts";
import type { Deed, SimulationPlan } from "./plan.ts";
import { unrestMs } from "./variants.ts";
import { endWorld, newWorld, type SimulatedWorld, startProcess } from "./world.ts";

/** The result of a simulation. */
export interface Simulation {
  readonly plan: SimulationPlan;
  /** `null` if everything held. */
  readonly broken: Broken | null;
  /** When it ended, in virtual milliseconds. */
  readonly endedAt: number;
  /** How many components were judged at rest, and how many were excused, by reason. */
  readonly tally: RestTally;
}

/** Options of a simulation. */
export interface SimulateOptions extends JudgeOptions {
  /** The clouds to use. @default two simulated ones */
  readonly newPlaces?: NewPlaces;
  /** Called with each step as a line, for people who look for a cause. */
  readonly onStep?: (line: string) => void;
}

/** Runs a plan on virtual time, and judges every step. The same plan always has the same result. */
export async function simulate(plan: SimulationPlan, options: SimulateOptions = {}): Promise<Simulation> {
  const world = newWorld(plan, options);
  try {
    for (let slot = 0; slot < plan.world.processes; slot++) background(world, startProcess(world, slot));
    background(world, begin(world));
    if (plan.world.neighbours) background(world, beginOther(world, 2));
    for (const { at, deed } of plan.deeds)
      background(
        world,
        world.time.sleep(at).then(() => doDeed(world, deed)),
      );
    await passUntil(world, unrestMs);
    if (world.watch.broken === null) await atRest(world, (ms) => passUntil(world, world.time.now() + ms));
    return { plan, broken: world.watch.broken, endedAt: world.time.now(), tally: world.watch.judge.tally };
  } finally {
    endWorld(world);
  }
}

async function doDeed(world: SimulatedWorld, deed: Deed): Promise<void> {
  world.watch.tell("deed", () => JSON.stringify(deed));
  await carryOutDeed(world, deed);
}

/** Passes time until an instant, or the first violation. */
export async function passUntil(world: SimulatedWorld, until: number): Promise<void> {
  while (world.watch.broken === null && (await world.time.step(until)));
}

/** Runs work that nobody waits for; it must not fail unnoticed. */
function background({ watch }: SimulatedWorld, work: Promise<unknown>): void {
  work.catch((error: unknown) => {
    watch.fail("failures-have-codes", `A deed failed: ${error instanceof Error ? error.stack : String(error)}`);
  });
}
