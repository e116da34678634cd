import { fakeRuntime, schedulerConformance } from "@liveplane/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { oneByOneScheduler } from "../custom-scheduler/one-by-one-scheduler.ts";

async function start(run: (shard: string) => Promise<void> = async () => {}) {
  const runtime = fakeRuntime();
  const runs: string[] = [];
  const task = await oneByOneScheduler(runtime).start({
    name: "look",
    everyMs: 1000,
    shards: async () => ["a", "b"],
    async run(shard) {
      runs.push(shard);
      await run(shard);
    },
  });
  onTestFinished(() => task.stop());
  await runtime.settle();
  return { runtime, runs, task };
}

test("every shard runs once an interval", async () => {
  const { runtime, runs } = await start();
  expect(runs).toEqual(["a", "b"]);
  await runtime.advance(999);
  expect(runs).toEqual(["a", "b"]);
  await runtime.advance(1001);
  expect(runs).toEqual(["a", "b", "a", "b", "a", "b"]);
});

test("what is asked for runs at once, and once for however many ask", async () => {
  const { runtime, runs, task } = await start();
  await Promise.all([task.request("b"), task.request("b")]);
  await runtime.settle();
  expect(runs).toEqual(["a", "b", "b"]);
});

test("a run that throws comes back at its next turn", async () => {
  const { runtime, runs } = await start(async () => {
    throw new TypeError("broken");
  });
  await runtime.advance(1000);
  expect(runs).toEqual(["a", "b", "a", "b"]);
});

test("stopping lets what is under way finish, and begins nothing more", async () => {
  let finish = () => {};
  const { runs, task, runtime } = await start(() => new Promise((resolve) => (finish = resolve)));
  const stopped = task.stop();
  finish();
  await stopped;
  await runtime.advance(5000);
  expect(runs).toEqual(["a"]);
});

schedulerConformance(
  test,
  () => {
    const runtime = fakeRuntime();
    return { scheduler: oneByOneScheduler(runtime), clock: runtime.clock, advance: runtime.advance };
  },
  { sharedByProcesses: false },
);
