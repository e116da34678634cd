import fc from "fast-check";
import { expect, test } from "vitest";
import { takeInOrder } from "../../src/override/mutations/mutation-steps.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";

/** Steps that depend on earlier ones; some wait for a cloud, for so many seconds. */
const steps = fc
  .array(
    fc.record({ needs: fc.array(fc.nat(11), { maxLength: 3 }), waits: fc.option(fc.integer({ min: 3, max: 90 })) }),
    {
      minLength: 1,
      maxLength: 12,
    },
  )
  .map((all) =>
    all.map(({ needs, waits }, at) => ({
      path: `${at}`,
      waits,
      needs: [...new Set(needs.filter((one) => one < at).map(String))],
    })),
  );

test("a run goes on with all that waits for nothing, and ends once the rest waits for a cloud", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const runtime = fakeRuntime();
      const taken: string[] = [];
      const progress = await takeInOrder({
        order: new Map(all.map(({ path, needs }) => [path, needs])),
        endedBefore: () => null,
        async take(path) {
          taken.push(path);
          const { waits = null } = all.find((one) => one.path === path) ?? {};
          return waits === null ? { state: "converged" } : { state: "waiting", afterMs: waits * 1000 };
        },
        goOn: async () => ({ state: "converged" }),
        block: async () => {},
        context: { deps: { runtime, sharing: { work: true } } as never, woken: new AbortController().signal },
      });
      const behind = new Set<string>();
      for (const { path, needs, waits } of all)
        if (waits !== null || needs.some((one) => behind.has(one))) behind.add(path);
      const isBegun = ({ path, needs }: (typeof all)[number]) =>
        !behind.has(path) || needs.every((one) => !behind.has(one));
      expect(taken.sort()).toEqual(
        all
          .filter(isBegun)
          .map(({ path }) => path)
          .sort(),
      );
      const rests = all.filter((one) => one.waits !== null && isBegun(one)).map(({ waits }) => Number(waits) * 1000);
      expect(progress).toEqual(
        rests.length === 0 ? { state: "done" } : { state: "interrupted", afterMs: Math.min(...rests) },
      );
      expect(runtime.clock.monotonic()).toBe(0);
    }),
    { numRuns: 200 },
  );
});

test("a run goes on while a step that has waited is at work again", async () => {
  const runtime = fakeRuntime();
  const rests = new Map([
    ["short", 3_000],
    ["long", 30_000],
  ]);
  const running = takeInOrder({
    order: new Map([...rests.keys(), "slow"].map((path) => [path, []])),
    endedBefore: () => null,
    async take(path) {
      const afterMs = rests.get(path);
      if (afterMs !== undefined) return { state: "waiting", afterMs };
      await runtime.clock.sleep(5_000);
      return { state: "converged" };
    },
    async goOn(path) {
      // It is at work when the slow one ends, and only the long one waits then.
      if (path === "short") await runtime.clock.sleep(60_000);
      return { state: "converged" };
    },
    block: async () => {},
    context: { deps: { runtime, sharing: { work: true } } as never, woken: new AbortController().signal },
  });
  expect(await runtime.during(running)).toEqual({ state: "done" });
});

test("what waits goes on while others are at work, and holds nobody's place meanwhile", async () => {
  const runtime = fakeRuntime();
  const [began, wentOn] = [new Map<string, number>(), new Map<string, number>()];
  const order = new Map(Array.from({ length: 20 }, (_, at) => [`${at}`, []] as [string, string[]]));
  const running = takeInOrder({
    order,
    endedBefore: () => null,
    async take(path) {
      began.set(path, runtime.clock.monotonic());
      if (path !== "19") return { state: "waiting", afterMs: 5_000 };
      await runtime.clock.sleep(60_000);
      return { state: "converged" };
    },
    async goOn(path) {
      wentOn.set(path, runtime.clock.monotonic());
      return { state: "converged" };
    },
    block: async () => {},
    context: { deps: { runtime, sharing: { work: true } } as never, woken: new AbortController().signal },
  });
  expect(await runtime.during(running)).toEqual({ state: "done" });
  expect([...began.values()]).toEqual(Array.from({ length: 20 }, () => 0));
  expect([...wentOn.values()]).toEqual(Array.from({ length: 19 }, () => 5_000));
});
