import type { Runtime, Scheduler } from "@liveplane/core";
import { intervalScheduler } from "@liveplane/core/testing/internal";
import { type Chance, chanceOf } from "./chance.ts";
import { type VirtualTime, virtualTime } from "./virtual-time.ts";

/** Decides what happens next in a world: by a seed, or by trying every order. */
export interface Stage {
  readonly time: VirtualTime;
  readonly chance: Chance;
  /** How long a process's calls take. */
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
