import { expect, test } from "vitest";
import { createClaims } from "../../src/override/claims.ts";
import { fakeRuntime } from "../../src/testing/index.ts";

const work = { id: "1", worker: "other", kind: "correct" } as const;

function world({ exclusive = false } = {}) {
  const { clock, advance } = fakeRuntime();
  return { advance, claims: createClaims({ worker: "own", exclusive, claimMs: 60_000, clock }) };
}

test("another worker's claim holds for as long as it has been watched, whatever the clocks say", async () => {
  const { advance, claims } = world();
  await advance(3_600_000);
  expect(claims.hold(work)).toBe(true);
  await advance(59_999);
  expect(claims.hold(work)).toBe(true);
  await advance(1);
  expect(claims.hold(work)).toBe(false);
  expect(claims.hold({ ...work, id: "2" })).toBe(true);
});

test("one's own claim and none hold nobody, and where one process holds the store a stranger's is a crash's", () => {
  const { claims } = world();
  expect(claims.hold(null)).toBe(false);
  expect(claims.hold({ ...work, worker: "own" })).toBe(false);
  expect(world({ exclusive: true }).claims.hold(work)).toBe(false);
});
