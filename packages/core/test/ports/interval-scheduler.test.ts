import { expect, test } from "vitest";
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

test("spreads its shards over the interval", async () => {
  const runtime = fakeRuntime();
  const runs: number[] = [];
  const run = async () => void runs.push(runtime.clock.monotonic());
  const task = { name: "t", everyMs: 1000, shards: async () => ["a", "b", "c", "d"], run };
  const running = await intervalScheduler({ runtime }).start(task);
  await runtime.advance(10_000);
  await running.stop();
  expect(new Set(runs.slice(0, 4)).size).toBe(4);
});
