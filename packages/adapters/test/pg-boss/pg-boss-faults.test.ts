import pg from "pg";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { fakeRuntime } from "../../../core/src/testing/fake-runtime.ts";
import { waitingWorld } from "../../../core/test/builders/waiting-mutations.ts";
import { type SharedPostgres, sharedPostgres } from "../postgres.ts";
import { pgBossWorld } from "./pg-boss-world.ts";

let postgres: SharedPostgres;
beforeAll(async () => {
  postgres = await sharedPostgres();
});

test("after its schema was dropped, pg-boss has it again once all leases have ended, and every mutation ends", {
  timeout: 60_000,
}, async () => {
  const jobs = await pgBossWorld(postgres);
  onTestFinished(async () => jobs.end?.());
  const { scheduler } = jobs;
  const world = await waitingWorld({ runtime: { ...fakeRuntime(), clock: jobs.clock }, scheduler }, 5_000);
  onTestFinished(() => world.override.stop());
  const isReady = async () =>
    scheduler.requireJobs?.().then(
      () => true,
      () => false,
    );
  const [first] = await world.slow(1);
  await jobs.advance(1_000);
  expect(await isReady()).toBe(true);

  const administrator = new pg.Client(await postgres.freshSchema());
  await administrator.connect();
  await administrator.query(`DROP SCHEMA ${jobs.schema} CASCADE`);
  await administrator.end();
  const second = await world.quick();
  const accepted = [first, second].flatMap((one) => one ?? []);
  for (let second = 0; second < 19; second++) {
    await jobs.advance(1_000);
    expect(await isReady()).toBe(false);
  }
  for (let second = 0; second < 60 && (await world.standing(accepted, "Succeeded")) < 2; second++)
    await jobs.advance(1_000);
  expect(await world.standing(accepted, "Succeeded")).toBe(2);
  expect(await isReady()).toBe(true);
});
