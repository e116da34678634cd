import fc from "fast-check";
import { expect, test } from "vitest";
import { createRests, growingRest, isResting } from "../../src/records/rest.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";

const instant = fc.integer({ min: 0, max: 4_000_000_000_000 });
const length = fc.integer({ min: 1, max: 86_400_000 });

test.each([
  [0, 1, 250],
  [1, 1, 500],
  [5, 1, 8_000],
  [6, 1, 15_000],
  [5_000, 1, 15_000],
  [1, 0, 250],
  [1, 0.5, 375],
  [6, 0, 7_500],
])("after %i failures, with the chance %d, a rest is %i ms long", (failures, chance, ms) => {
  expect(growingRest(failures, { firstMs: 250, longestMs: 15_000, chance })).toBe(ms);
});

test("a rest lasts for its length, wherever a clock jumps: no longer than that, and no longer than it was to", () => {
  fc.assert(
    fc.property(instant, length, fc.integer(), (begun, lengthMs, jumpMs) => {
      const until = begun + lengthMs;
      expect(isResting(until, lengthMs, begun)).toBe(true);
      expect(isResting(until, lengthMs, until)).toBe(false);
      expect(isResting(until, lengthMs, begun - 1)).toBe(false);
      const now = begun + jumpMs;
      if (isResting(until, lengthMs, now)) {
        expect(until - now).toBeGreaterThan(0);
        expect(until - now).toBeLessThanOrEqual(lengthMs);
      }
    }),
  );
});

test.each([-18_000_000, -5_000, 18_000_000])(
  "a mark stands for as long as it is watched, though the clock jumps by %i ms, and another one begins anew",
  async (jumpMs) => {
    const runtime = fakeRuntime();
    const rests = createRests(runtime);
    const stands = (mark: number) => rests.stands("one", mark, 30_000);
    expect(stands(1)).toBe(true);
    runtime.jump(jumpMs);
    await runtime.advance(29_999);
    expect(stands(1)).toBe(true);
    await runtime.advance(1);
    expect(stands(1)).toBe(false);
    expect(stands(2)).toBe(true);
  },
);
