import type { RegisterTest } from "../store-laws/store-conformance.ts";
import { schedulerAskingLaws } from "./scheduler-asking-laws.ts";
import { schedulerFleetLaws } from "./scheduler-fleet-laws.ts";
import { schedulerRoundLaws } from "./scheduler-round-laws.ts";
import type { SchedulerUnderTest } from "./scheduler-under-test.ts";

/** Creates a scheduler for one test, on a clock that the test controls. */
export type SchedulerFactory = () => Promise<SchedulerUnderTest> | SchedulerUnderTest;

/** Options of the suite. */
export interface SchedulerConformanceOptions {
  /** Whether several processes may schedule together; if so, those laws are tested too. */
  readonly sharedByProcesses: boolean;
}

/** Every law of the scheduler port as a test of its own. Calls `test` once for each and needs no runner. */
export function schedulerConformance(
  test: RegisterTest,
  createScheduler: SchedulerFactory,
  { sharedByProcesses }: SchedulerConformanceOptions,
): void {
  const fleet = sharedByProcesses ? schedulerFleetLaws : [];
  for (const { title, holds } of [...schedulerRoundLaws, ...schedulerAskingLaws, ...fleet]) {
    test(title, async () => {
      const world = await createScheduler();
      try {
        await holds(world);
      } finally {
        await world.end?.();
      }
    });
  }
}
