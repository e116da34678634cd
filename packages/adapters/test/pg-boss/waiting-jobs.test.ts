import { beforeAll, expect, test } from "vitest";
import { fakeRuntime } from "../../../core/src/testing/fake-runtime.ts";
import { counting, waitingWorld } from "../../../core/test/builders/waiting-mutations.ts";
import { type SharedPostgres, sharedPostgres } from "../postgres.ts";
import { pgBossWorld } from "./pg-boss-world.ts";

let postgres: SharedPostgres;
beforeAll(async () => {
  postgres = await sharedPostgres();
});

test("a hundred mutations that wait for a cloud hold no job of pg-boss, and the hundred-and-first goes on at once", {
  timeout: 120_000,
}, async () => {
  const jobs = await pgBossWorld(postgres, { peopleAtOnce: 16 });
  const { scheduler, runs } = counting(jobs.scheduler);
  const world = await waitingWorld({ runtime: { ...fakeRuntime(), clock: jobs.clock }, scheduler });
  const slow = await world.slow(100);
  for (let seconds = 0; (await world.waiting()) < 100 && seconds < 60; seconds++) await jobs.advance(1_000);
  expect(await world.waiting()).toBe(100);
  expect(runs.underWay).toBe(0);

  const quick = await world.quick();
  const isDone = async () => (await world.mutation(quick)).status === "Succeeded";
  for (let seconds = 0; !(await isDone()) && seconds < 5; seconds++) await jobs.advance(1_000);
  expect(await isDone()).toBe(true);

  // Each comes back when its cloud said to ask.
  for (let seconds = 0; runs.begun < 201 && seconds < 60; seconds++) await jobs.advance(1_000);
  expect(runs.begun).toBeGreaterThanOrEqual(201);
  expect(await world.standing(slow, "Running")).toBe(100);
  await world.override.stop();
  await jobs.end?.();
});
