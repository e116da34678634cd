import fc from "fast-check";
import { expect, test } from "vitest";
import { createRests, isResting } from "../../src/records/rest.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";

const instant = fc.integer({ min: 0, max: 4_000_000_000_000 });
const length = fc.integer({ min: 1, max: 86_400_000 });

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
  "a rest that was begun here lasts as long as it is, though the clock jumps by %i ms",
  async (jumpMs) => {
    const runtime = fakeRuntime();
    const rests = createRests(runtime);
    const rest = { until: runtime.clock.now() + 30_000, lengthMs: 30_000 };
    rests.begin("one", rest);
    runtime.jump(jumpMs);
    expect(rests.last("one", rest)).toBe(true);
    await runtime.advance(29_999);
    expect(rests.last("one", rest)).toBe(true);
    await runtime.advance(1);
    expect(rests.last("one", rest)).toBe(false);
  },
);
