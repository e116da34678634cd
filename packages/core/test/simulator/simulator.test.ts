import { describe, expect, test } from "vitest";
import { planOf, simulate } from "../../src/testing/index.ts";

const batches = Array.from({ length: 10 }, (_, at) => ({ from: at * 8 + 1, to: at * 8 + 8 }));

describe("whatever people, clouds, stores and crashes do, what must hold does", () => {
  test.each(batches)("seeds $from to $to", { timeout: 240_000 }, async ({ from, to }) => {
    for (let seed = from; seed <= to; seed++) {
      const { broken } = await simulate(planOf(seed));
      expect(broken, `pnpm simulate --seed ${seed}`).toBeNull();
    }
  });
});

/** What they broke was mended; what they do moves with the agent, so that each mend has a test of its own beside them. */
const onceBroken = [995, 1393, 1698, 2297, 2860, 101_520, 102_979, 103_034];

test.each(onceBroken)("seed %i, which once broke a rule, holds", { timeout: 60_000 }, async (seed) => {
  expect((await simulate(planOf(seed))).broken).toBeNull();
});

test("a seed always goes the same way", async () => {
  const traces = await Promise.all([traceOf(7), traceOf(7)]);
  expect(traces[0]).toEqual(traces[1]);
  expect(traces[0].length).toBeGreaterThan(500);
  expect(await traceOf(8)).not.toEqual(traces[0]);
});

async function traceOf(seed: number): Promise<string[]> {
  const trace: string[] = [];
  await simulate(planOf(seed), { onStep: (line) => trace.push(line) });
  return trace;
}
