import { expect, test } from "vitest";
import {
  callOf,
  environment,
  goodA,
  initializationWorld,
  subscriptionId,
} from "../../../core/test/builders/initialization.ts";
import { jobNodes } from "./job-nodes.ts";

const initialize = "environments.providerA.initialize";
const status = "environments.providerA.status";
const stepMs = 5_000;

/** Processes that answer requests, and take jobs once their tasks are started. */
async function nodes() {
  const { node, advance } = await jobNodes();
  return {
    advance,
    async node(options: Parameters<typeof node>[0] = {}) {
      const { kill, ...parts } = await node(options);
      const world = await initializationWorld({ ...parts, alone: false });
      const running: { stop(): Promise<void> }[] = [];
      return {
        ...world,
        kill,
        async begin() {
          for (const task of world.tasks) running.push(await parts.scheduler.start(task));
        },
        async stop() {
          await Promise.all([world.stop(), ...running.map((task) => task.stop())]);
        },
        run: async () => (await world.handlers[status](callOf(status))).value.initializationRun,
      };
    },
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

test("an initialization whose node is killed is another's within two minutes, and each thing is made once", {
  timeout: 120_000,
}, async () => {
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
