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
