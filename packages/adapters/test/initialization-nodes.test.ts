import { webRuntime } from "@liveplane/core";
import type { Store } from "@liveplane/core/store";
import { memoryStore } from "@liveplane/core/testing";
import { expect, onTestFinished, test } from "vitest";
import {
  callOf,
  environment,
  goodA,
  initializationWorld,
  subscriptionId,
} from "../../core/test/builders/initialization.ts";
import { pgBossWorld } from "./pg-boss-world.ts";
import { sharedPostgres } from "./postgres.ts";

const initialize = "environments.providerA.initialize";
const status = "environments.providerA.status";
const startedAt = Date.UTC(2026, 0, 1);
const stepMs = 5_000;

/** Nodes over one store, whose jobs are in a real Postgres. Time moves when it is told to. */
async function nodes() {
  const fleet = await pgBossWorld(await sharedPostgres());
  const store = memoryStore();
  const runtime = webRuntime({ clock: { ...fleet.clock, now: () => startedAt + fleet.clock.monotonic() } });
  onTestFinished(async () => fleet.end?.());
  return {
    advance: fleet.advance,
    /** A process that answers requests, and takes jobs once its tasks are started. */
    async node({ isFirst = false } = {}) {
      const life = { isOver: false };
      const scheduler = isFirst ? fleet.scheduler : ((await fleet.another?.()) ?? fleet.scheduler);
      const world = await initializationWorld({ store: mortal(store, life), runtime, alone: false, scheduler });
      const running: { stop(): Promise<void> }[] = [];
      return {
        ...world,
        async begin() {
          for (const task of world.tasks) running.push(await scheduler.start(task));
        },
        async stop() {
          await Promise.all([world.stop(), ...running.map((task) => task.stop())]);
        },
        async kill() {
          life.isOver = true;
          await fleet.cut?.();
        },
        run: async () => (await world.handlers[status](callOf(status))).value.initializationRun,
      };
    },
  };
}

/** Whoever is dead hears nothing and says nothing, for ever. */
function mortal(store: Store, life: { readonly isOver: boolean }): Store {
  const whileAlive = <R>(answer: Promise<R>) => (life.isOver ? new Promise<R>(() => {}) : answer);
  return {
    ...store,
    get: (...args) => whileAlive(store.get(...args)),
    list: (...args) => whileAlive(store.list(...args)),
    commit: (...args) => whileAlive(store.commit(...args)),
  };
}

test("an initialization is a job: a node carries it through that wasn't asked for it", async () => {
  const { node, advance } = await nodes();
  const asked = await node({ isFirst: true });
  const worker = await node();
  await worker.begin();
  await asked.handlers[initialize](callOf(initialize, { body: { subscriptionId }, credentials: goodA }));
  expect((await asked.run()).steps.map((step) => step.status)).not.toContain("Completed");
  await advance(stepMs);
  expect(await asked.run()).toMatchObject({ environmentId: environment, status: "Completed" });
  await worker.stop();
});

test("an initialization whose node is killed is another's within two minutes, and each thing is made once", async () => {
  const { node, advance } = await nodes();
  const first = await node({ isFirst: true });
  await first.begin();
  await first.consoles.a.setFaults({ initialize: { step: "identity", delayMs: 600_000 } });
  await first.handlers[initialize](callOf(initialize, { body: { subscriptionId }, credentials: goodA }));
  await advance(stepMs);
  const second = await node();
  await second.begin();
  expect((await second.run()).steps.map((step) => step.status)).toContain("InProgress");
  await first.kill();
  await second.consoles.a.setFaults({});
  let passedMs = 0;
  for (; passedMs < 120_000 && (await second.run()).status === "InProgress"; passedMs += stepMs) await advance(stepMs);
  expect(await second.run()).toMatchObject({ status: "Completed" });
  const { items } = await second.consoles.a.list();
  expect(items).toHaveLength(4);
  expect(items.every(({ etag }) => etag.endsWith("-1"))).toBe(true);
  await second.stop();
});
