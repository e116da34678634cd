import { describe, expect, test } from "vitest";
import { createClaims } from "../../src/records/claim.ts";
import { fakeRuntime } from "../../src/testing/index.ts";

const claim = { id: "1", worker: "other" };
const dayMs = 86_400_000;

function world({ exclusive = false } = {}) {
  const runtime = fakeRuntime();
  return { ...runtime, claims: createClaims({ runtime, exclusive }) };
}

describe("another worker's claim", () => {
  test.each([0, dayMs, -dayMs])(
    "holds until it has been watched for a minute, wherever the clock jumps (%i)",
    async (ms) => {
      const { advance, claims, jump } = world();
      await advance(3_600_000);
      expect(claims.hold(claim)).toBe(true);
      jump(ms);
      await advance(59_999);
      expect(claims.hold(claim)).toBe(true);
      await advance(1);
      expect(claims.hold(claim)).toBe(false);
      expect(claims.hold({ ...claim, id: "2" })).toBe(true);
    },
  );

  test("holds nobody who has the lease that it was made under, and everybody else", () => {
    const { claims } = world();
    const leased = { ...claim, under: "sweep 1:0" };
    expect(claims.hold(leased, "sweep 1:0")).toBe(false);
    expect(claims.hold(leased, "sweep 1:1")).toBe(true);
    expect(claims.hold(leased)).toBe(true);
    // What names no lease isn't freed by none.
    expect(claims.hold(claim, "sweep 1:0")).toBe(true);
    expect(claims.hold(claim, null)).toBe(true);
  });

  test("holds anew each time that it is renewed", async () => {
    const { advance, claims } = world();
    const other = world().claims;
    for (let renewed = 0; renewed < 10; renewed++) {
      expect(claims.hold({ ...other.make(), worker: "other", id: String(renewed) })).toBe(true);
      await advance(other.renewMs);
    }
  });

  test("is watched on while ten thousand others come and go", async () => {
    const { advance, claims } = world();
    for (let at = 0; at < 30_000; at++) {
      claims.hold({ worker: "other", id: `short ${at}` });
      if (at % 5_000 === 0) claims.hold(claim);
    }
    await advance(60_000);
    expect(claims.hold(claim)).toBe(false);
  });

  test("is a crash's where one process holds the store, and holds nobody unless it outlives that", () => {
    expect(world({ exclusive: true }).claims.hold(claim)).toBe(false);
    expect(world({ exclusive: true }).claims.hold({ ...claim, outlives: true })).toBe(true);
  });
});

test("one's own claim and none hold nobody", () => {
  const { claims } = world();
  expect(claims.hold(null)).toBe(false);
  expect(claims.hold(claims.make())).toBe(false);
  expect(claims.make().id).not.toBe(claims.make().id);
  expect(claims.make({ under: "sweep 1:0" })).toMatchObject({ under: "sweep 1:0" });
  expect(claims.make()).not.toHaveProperty("under");
});

test("a worker's own claim keeps it off while it is at what the claim is for, and no longer", async () => {
  const { claims } = world({ exclusive: true });
  const own = claims.make();
  expect(claims.hold(own)).toBe(false);
  const failed = claims.during(own, async () => {
    expect(claims.hold(own)).toBe(true);
    expect(claims.hold(claims.make())).toBe(false);
    throw new Error("refused");
  });
  await expect(failed).rejects.toThrow("refused");
  expect(claims.hold(own)).toBe(false);
});

test("a worker's own claim that outlives its work keeps it off for a minute more", async () => {
  const { advance, claims } = world({ exclusive: true });
  const own = claims.make({ outlives: true });
  await claims.during(own, async () => expect(claims.hold(own)).toBe(true));
  expect(claims.hold(own)).toBe(true);
  await advance(59_999);
  expect(claims.hold(own)).toBe(true);
  await advance(1);
  expect(claims.hold(own)).toBe(false);
});

describe("a worker's own claim", () => {
  test("covers what ends before others stop waiting, from the moment it is made", async () => {
    const { advance, claims } = world();
    const own = claims.make();
    await advance(30_000);
    expect(claims.covers(own, 30_000)).toBe(true);
    await advance(1);
    expect(claims.covers(own, 30_000)).toBe(false);
    expect(claims.covers(claims.make(), 30_000)).toBe(true);
  });

  test("covers nothing if it isn't known", () => {
    const { claims } = world();
    expect(claims.covers(null, 0)).toBe(false);
    expect(claims.covers(claim, 0)).toBe(false);
  });
});
