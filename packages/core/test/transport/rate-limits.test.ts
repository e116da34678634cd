import fc from "fast-check";
import { expect, test } from "vitest";
import { createRateLimiter, type RateBucket, ratePolicies } from "../../src/transport/rate-limits.ts";

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
