import { atRest } from "./at-rest.ts";
import { begin, carryOutDeed } from "./hands.ts";
import type { Broken } from "./judge/facts.ts";
import type { RestTally } from "./judge/invariants/at-rest-as-declared.ts";
import type { NewPlaces } from "./places.ts";
import { type Deed, type SimulationPlan, unrestMs } from "./plan.ts";
import { newWorld, type SimulatedWorld, startProcess } from "./world.ts";

/** How a simulation went. */
export interface Simulation {
  readonly plan: SimulationPlan;
  /** `null`: everything held to the end. */
  readonly broken: Broken | null;
  /** When it ended, in virtual milliseconds. */
  readonly endedAt: number;
  /** How many components were judged at rest, and how many of them needn't be as declared, by why. */
  readonly tally: RestTally;
}

/** How simulations are carried out. */
export interface SimulateOptions {
  /** The clouds in which it happens. @default two simulated ones */
  readonly newPlaces?: NewPlaces;
  /** Told what happens, line by line: for people who look for a cause. */
  readonly onStep?: (line: string) => void;
}

/** Carries a plan out on virtual time, and holds every step to what must hold always. The same plan always ends the same. */
export async function simulate(plan: SimulationPlan, options: SimulateOptions = {}): Promise<Simulation> {
  const world = newWorld(plan, options);
  try {
    for (let slot = 0; slot < plan.world.processes; slot++) background(world, startProcess(world, slot));
    background(world, begin(world));
    for (const { at, deed } of plan.deeds)
      background(
        world,
        world.time.sleep(at).then(() => doDeed(world, deed)),
      );
    await pass(world, unrestMs);
    if (world.watch.broken === null) await atRest(world, (ms) => pass(world, world.time.now() + ms));
    return { plan, broken: world.watch.broken, endedAt: world.time.now(), tally: world.watch.judge.tally };
  } finally {
    world.time.end();
  }
}

async function doDeed(world: SimulatedWorld, deed: Deed): Promise<void> {
  world.watch.tell("deed", () => JSON.stringify(deed));
  await carryOutDeed(world, deed);
}

/** Lets time pass until an instant, or until something is broken. */
async function pass(world: SimulatedWorld, until: number): Promise<void> {
  while (world.watch.broken === null && (await world.time.step(until)));
}

/** What nobody waits for must not fail all the same. */
function background({ watch }: SimulatedWorld, work: Promise<unknown>): void {
  work.catch((error: unknown) => {
    watch.fail("failures-have-codes", `A deed failed: ${error instanceof Error ? error.stack : String(error)}`);
  });
}
