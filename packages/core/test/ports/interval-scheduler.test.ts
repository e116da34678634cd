import { expect, test } from "vitest";
import { intervalScheduler } from "../../src/ports/interval-scheduler.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";

function scheduled(names: readonly string[], work: (shard: string) => Promise<void> = async () => {}) {
  const runtime = fakeRuntime();
  const runs: { shard: string; at: number }[] = [];
  const scheduler = intervalScheduler({ runtime });
  const task = scheduler.start({
    name: "t",
    everyMs: 1000,
    shards: async () => names,
    run: async (shard) => {
      runs.push({ shard, at: runtime.clock.monotonic() });
      await work(shard);
    },
  });
  return { runtime, runs, task };
}

test("runs every shard about every interval, spread over it, and never late", async () => {
  const { runtime, runs, task } = scheduled(["a", "b", "c", "d"]);
  await runtime.advance(10_000);
  await (await task).stop();
  for (const shard of ["a", "b", "c", "d"]) {
    const at = runs.filter((run) => run.shard === shard).map((run) => run.at);
    expect(at.length).toBeGreaterThanOrEqual(10);
    for (let next = 1; next < at.length; next++)
      expect((at[next] ?? 0) - (at[next - 1] ?? 0)).toBeLessThanOrEqual(1100);
  }
  expect(new Set(runs.slice(0, 4).map(({ at }) => at)).size).toBe(4);
});

test("never runs a shard twice at once, and runs it once more when it was asked for meanwhile", async () => {
  let [now, most] = [0, 0];
  const { runtime, runs, task } = scheduled(["a"], async () => {
    now += 1;
    most = Math.max(most, now);
    await runtime.clock.sleep(5_000);
    now -= 1;
  });
  await runtime.settle();
  const running = await task;
  await running.request("a");
  await running.request("a");
  await runtime.advance(4_000);
  expect(runs).toHaveLength(1);
  await runtime.advance(1_500);
  expect(runs).toHaveLength(2);
  const stopped = running.stop();
  await runtime.advance(10_000);
  await stopped;
  expect(most).toBe(1);
});

test("runs a shard that is asked for at once", async () => {
  const { runtime, runs, task } = scheduled(["a"]);
  await runtime.advance(10);
  await (await task).request("urgent");
  await runtime.settle();
  expect(runs.map(({ shard }) => shard)).toEqual(["a", "urgent"]);
  await (await task).stop();
});

test("a run that throws comes back at its next turn", async () => {
  const { runtime, runs, task } = scheduled(["a"], () => Promise.reject(new TypeError("broken")));
  await runtime.advance(3_000);
  expect(runs.length).toBeGreaterThanOrEqual(3);
  await (await task).stop();
});

test("lets what is under way finish when it stops, and begins nothing more", async () => {
  let finished = false;
  const { runtime, runs, task } = scheduled(["a"], async () => {
    await runtime.clock.sleep(3_000);
    finished = true;
  });
  await runtime.settle();
  const stopping = (await task).stop();
  await runtime.advance(2_000);
  expect(finished).toBe(false);
  await runtime.advance(2_000);
  await stopping;
  expect(finished).toBe(true);
  await (await task).request("a");
  await runtime.advance(5_000);
  expect(runs).toHaveLength(1);
});
