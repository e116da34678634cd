import { expect, test } from "vitest";
import { intervalScheduler } from "../../src/ports/interval-scheduler.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";
import { counting, waitingWorld } from "../builders/waiting-mutations.ts";

test.each([
  { title: "runs are scarce: none is held", isScarce: true },
  { title: "one process has as many runs as it likes", isScarce: false },
])(
  "a hundred mutations that wait for a cloud hold no claim, and the hundred-and-first goes on at once ($title)",
  async ({ isScarce }) => {
    const runtime = fakeRuntime();
    const interval = intervalScheduler({ runtime });
    const { scheduler, runs } = counting(isScarce ? { ...interval, leaseMs: 20_000 } : interval);
    const world = await waitingWorld({ runtime, scheduler }, 120_000);
    const slow = await world.slow(100);
    await runtime.advance(1_000);
    expect(await world.waiting()).toBe(100);
    expect(runs.underWay).toBe(isScarce ? 0 : 100);

    // The cloud asks to be left alone for twelve seconds: nobody looks before.
    const { begun } = runs;
    await runtime.advance(10_000);
    expect(await world.standing(slow, "Running")).toBe(100);
    expect(runs.begun).toBe(begun);

    const quick = await world.quick();
    await runtime.advance(1_000);
    expect(await world.mutation(quick)).toMatchObject({ status: "Succeeded" });

    await runtime.advance(130_000);
    expect(await world.standing(slow, "Succeeded")).toBe(100);
    await world.override.stop();
  },
);
