import { expect, test } from "vitest";
import { intervalScheduler } from "../../src/ports/interval-scheduler.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";
import { counting, waitingWorld } from "../builders/waiting-mutations.ts";

test("a hundred mutations that wait for a cloud hold no run, lease or claim, and the hundred-and-first goes on at once", async () => {
  const runtime = fakeRuntime();
  const { scheduler, runs } = counting(intervalScheduler({ runtime }));
  const world = await waitingWorld({ runtime, scheduler }, 120_000);
  const slow = await world.slow(100);
  await runtime.advance(1_000);
  expect(await world.waiting()).toBe(100);
  expect(runs.underWay).toBe(0);

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
});
