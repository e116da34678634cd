import fc from "fast-check";
import { expect, test } from "vitest";
import { memoryStore } from "../../src/ports/memory-store.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";
import { createRateLimiter, type RateBucket, type RateLimiter, ratePolicies } from "../../src/transport/rate-limits.ts";
import { createSharedCounts } from "../../src/transport/shared-counts.ts";

const buckets = Object.keys(ratePolicies) as RateBucket[];

test("no answer ever says more seconds than its window has, or none, whatever fraction the clock shows", () => {
  const begins = fc.double({ min: 0, max: 1e9, noNaN: true });
  const steps = fc.array(fc.double({ min: 0, max: 70_000, noNaN: true }), { maxLength: 40 });
  fc.assert(
    fc.property(begins, steps, fc.constantFrom(...buckets), (begun, pauses, bucket) => {
      let time = begun;
      const limiter = createRateLimiter(() => time);
      for (const pause of [0, ...pauses]) {
        time += pause;
        const { resetSeconds, remaining, policy } = limiter.count(bucket, "192.0.2.1");
        expect(resetSeconds).toBeGreaterThanOrEqual(1);
        expect(resetSeconds).toBeLessThanOrEqual(policy.windowSeconds);
        expect(remaining).toBeGreaterThanOrEqual(0);
      }
    }),
  );
});

test("a window that is longer than others lasts as long as it says, however many there are", () => {
  let time = 0;
  const limiter = createRateLimiter(() => time);
  const spent = () => Array.from({ length: 31 }, () => limiter.count("signInName", "ada")).at(-1);
  expect(spent()?.allowed).toBe(false);
  time = 120_000;
  for (let at = 0; at < 30_000; at++) limiter.count("reads", `192.0.2.${at}`);
  expect(limiter.count("signInName", "ada").allowed).toBe(false);
  time = 900_001;
  expect(limiter.count("signInName", "ada").allowed).toBe(true);
});

test("what is forgiven counts no more, and never becomes a credit", () => {
  const limiter = createRateLimiter(() => 0);
  limiter.forgive("signInName", "ada");
  for (let at = 0; at < 100; at++) {
    expect(limiter.count("signInName", "ada").remaining).toBe(29);
    limiter.forgive("signInName", "ada");
    limiter.forgive("signInName", "ada");
  }
});

test("a flood of addresses stays cheap and bounded", () => {
  const limiter = createRateLimiter(() => 0);
  // A sweep for each of them would take minutes, and this test its time.
  for (let at = 0; at < 220_000; at++) limiter.count("reads", `a${at}`);
  // The first ones had to go.
  expect(limiter.count("reads", "a0").remaining).toBe(299);
  expect(limiter.count("reads", "a219999").remaining).toBe(298);
});

const settledEveryMs = 5_000;

/** Limiters of several processes over one store. */
function fleet(count: number) {
  const runtime = fakeRuntime();
  const store = memoryStore({ now: runtime.clock.now });
  const shared = createSharedCounts({ store, runtime });
  const limiters = Array.from({ length: count }, () =>
    createRateLimiter(runtime.clock.monotonic, ratePolicies, shared),
  );
  const allowed = (some: readonly RateLimiter[], times: number) => {
    let through = 0;
    for (let at = 0; at < times; at++)
      for (const limiter of some) through += limiter.count("writes", "ada").allowed ? 1 : 0;
    return through;
  };
  return { runtime, store, limiters, allowed };
}

test("processes that share a store let a caller through about as often as one of them would, once they have settled", async () => {
  const { runtime, limiters, allowed } = fleet(3);
  let through = 0;
  // A second request a second, at each of three: 180 a minute, where 90 are allowed.
  for (let second = 0; second < 59; second++) {
    through += allowed(limiters, 1);
    await runtime.advance(1_000);
  }
  const unsettled = (3 * settledEveryMs) / 1000;
  expect(through).toBeGreaterThanOrEqual(90);
  expect(through).toBeLessThanOrEqual(90 + unsettled);
});

test("in one burst each process lets its whole quota through, and nothing more after it", async () => {
  const { runtime, limiters, allowed } = fleet(2);
  expect(allowed(limiters, 200)).toBe(180);
  await runtime.advance(settledEveryMs);
  expect(allowed(limiters, 10)).toBe(0);
  await runtime.advance(60_000);
  expect(allowed(limiters, 1)).toBe(2);
});

test("a caller alone has all of every window, and what is far from a quota costs the store nothing", async () => {
  const { runtime, store, limiters, allowed } = fleet(1);
  expect(allowed(limiters, 5)).toBe(5);
  await runtime.advance(settledEveryMs);
  allowed(limiters, 1);
  await runtime.settle();
  expect(await store.list({ prefix: ["rate"] })).toEqual([]);
  for (let window = 0; window < 4; window++) {
    let through = 0;
    for (let second = 0; second < 60; second += 6) {
      through += allowed(limiters, 9);
      await runtime.advance(6_000);
    }
    if (window > 0) expect(through).toBe(90);
  }
});

test("where the store fails each process counts for itself, and whoever is counted can't be read in it", async () => {
  const { runtime, store, limiters, allowed } = fleet(2);
  allowed(limiters, 80);
  await runtime.advance(settledEveryMs);
  allowed(limiters, 1);
  await runtime.settle();
  expect(JSON.stringify(await store.list({ prefix: ["rate"] }))).not.toContain("ada");
  await store.close();
  const alone = createRateLimiter(runtime.clock.monotonic, ratePolicies, createSharedCounts({ store, runtime }));
  expect(allowed([alone], 50)).toBe(50);
  await runtime.advance(settledEveryMs);
  expect(allowed([alone], 50)).toBe(40);
});
