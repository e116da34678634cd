import { test } from "vitest";
import { intervalScheduler } from "../../src/ports/interval-scheduler.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";
import { schedulerConformance } from "../../src/testing/scheduler-laws/scheduler-conformance.ts";

schedulerConformance(
  test,
  () => {
    const runtime = fakeRuntime();
    return { scheduler: intervalScheduler({ runtime }), clock: runtime.clock, advance: runtime.advance };
  },
  { sharedByProcesses: false },
);
