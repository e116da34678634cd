import { expect, test } from "vitest";
import { createCloudCalls } from "../../src/override/agent/cloud-calls.ts";
import type { Cloud } from "../../src/ports/cloud.ts";
import type { CallSort } from "../../src/ports/cloud-capabilities.ts";
import { fakeRuntime } from "../../src/testing/index.ts";

const pace = {
  read: { perSecond: 25, burst: 250 },
  write: { perSecond: 10, burst: 200 },
  bulk: { perSecond: 3, burst: 15 },
} as const;

/** How long so many calls of a sort wait in all, in milliseconds of the clock that they wait by. */
async function waitedFor(sorts: readonly CallSort[], options = {}, own: object = { pace }) {
  const { runtime, waited } = timed();
  const cloud = { provider: "provider-a", capabilities: own, throttleScope: () => "one" } as unknown as Cloud;
  const calls = createCloudCalls(runtime, options);
  for (const sort of sorts) await calls.turn(cloud, { resourceId: "r", sort, lane: "sweep" });
  return waited();
}

function timed() {
  const runtime = fakeRuntime();
  let ms = 0;
  const sleep = async (length: number) => {
    ms += length;
  };
  const clock = { ...runtime.clock, monotonic: () => ms, sleep };
  return { runtime: { ...runtime, clock }, waited: () => ms };
}

const many = (count: number, sort: CallSort) => Array.from({ length: count }, () => sort);

test.each([
  ["read", 250, 25],
  ["write", 200, 10],
  ["bulk", 15, 3],
] as const)("calls of a sort go at its own pace: %s", async (sort, burst, perSecond) => {
  expect(await waitedFor(many(burst, sort))).toBe(0);
  expect(await waitedFor(many(burst + 10 * perSecond, sort))).toBeCloseTo(10_000, -1);
});

test("a sort that has none left keeps no other waiting", async () => {
  expect(await waitedFor([...many(15, "bulk"), ...many(250, "read"), ...many(200, "write")])).toBe(0);
});

test("a host that says how many counts all together", async () => {
  const told = { callsPerSecond: 1, burst: 2 };
  expect(await waitedFor(["read", "write", "bulk"], told)).toBeCloseTo(1_000, -1);
  expect(await waitedFor(["read", "write", "bulk"], { burst: 2 })).toBeCloseTo(10, 5);
});

test("a cloud that says nothing takes a hundred a second, of all sorts", async () => {
  expect(await waitedFor([...many(200, "read"), ...many(100, "write")], {}, {})).toBeCloseTo(1_000, -1);
});

/** A cloud that says what is left, with the calls that it is asked for. */
async function toldOf(said: readonly { calls: number; at: number }[], calls: readonly CallSort[]) {
  const { runtime, waited } = timed();
  let nth = 0;
  const remaining = (_id: string, sort: CallSort) =>
    sort === "read" ? (said[Math.min(nth++, said.length - 1)] ?? null) : null;
  const cloud = { provider: "provider-a", capabilities: { pace }, throttleScope: () => "one", remaining };
  const paced = createCloudCalls(runtime, {});
  for (const sort of calls) await paced.turn(cloud as unknown as Cloud, { resourceId: "r", sort, lane: "sweep" });
  return waited();
}

test("what a cloud says is left is heeded at once, and then fills at its pace", async () => {
  expect(await toldOf([{ calls: 5, at: 1 }], many(5, "read"))).toBe(0);
  expect(await toldOf([{ calls: 5, at: 1 }], many(5 + 25, "read"))).toBeCloseTo(1_000, -1);
  expect(await toldOf([{ calls: 5, at: 1 }], [...many(200, "write"), ...many(15, "bulk")])).toBe(0);
});

test("what a cloud said once counts once, and more than is counted gives nothing", async () => {
  expect(await toldOf([{ calls: 1_000, at: 1 }], many(250, "read"))).toBe(0);
  expect(await toldOf([{ calls: 1_000, at: 1 }], many(275, "read"))).toBeCloseTo(1_000, -1);
  const others = [{ calls: 250, at: 1 }, ...Array.from({ length: 9 }, (_, at) => ({ calls: 0, at: at + 2 }))];
  expect(await toldOf(others, many(10, "read"))).toBeCloseTo(9 * 40, -1);
});
