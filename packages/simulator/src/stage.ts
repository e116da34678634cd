import type { Runtime, Scheduler } from "@liveplane/core";
import { intervalScheduler } from "@liveplane/core/testing/internal";
import { type Chance, chanceOf } from "./chance.ts";
import { type VirtualTime, virtualTime } from "./virtual-time.ts";

/** What decides what comes next in a world: a seed, or anyone who wants to try every order. */
export interface Stage {
  readonly time: VirtualTime;
  readonly chance: Chance;
  /** How long the calls of a process take. */
  wireOf(slot: number): Pick<VirtualTime, "sleep">;
  schedulerOf(slot: number, runtime: Runtime): Scheduler;
}

export function seededStage(seed: number): Stage {
  const time = virtualTime();
  return {
    time,
    chance: chanceOf(seed),
    wireOf: () => time,
    schedulerOf: (_slot, runtime) => intervalScheduler({ runtime }),
  };
}
