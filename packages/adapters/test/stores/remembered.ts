import type { Commit, Store } from "@liveplane/core/store";
import fc from "fast-check";
import { expect } from "vitest";

const names = ["a", "b", "c", "d"];

/** Few keys, which writes hit again and again. */
export const keys = names.map((name) => [name]);

/** One of them. */
export const name = fc.constantFrom(...names);

/** What a commit does. */
export const write = fc.record({
  set: fc.uniqueArray(name, { maxLength: 3 }),
  expiresIn: fc.option(fc.integer({ min: 1, max: 90_000 }), { nil: undefined }),
  remove: fc.option(name, { nil: undefined }),
  /** Of a check that holds, doesn't, or isn't made. */
  check: fc.constantFrom("none", "holds", "fails"),
});
export type Write = typeof write extends fc.Arbitrary<infer T> ? T : never;

/** A step of every plan: the clock goes on, or is put back. */
export const timePasses = fc.record({
  kind: fc.constant("time passes" as const),
  ms: fc.integer({ min: -70_000, max: 130_000 }),
});

/** Makes commits of writes, each with a value of its own. `bare` remembers nothing: checks hold by what it reads. */
export function commitsBy(bare: Store, now: () => number): (write: Write) => Promise<Commit> {
  let value = 0;
  return async ({ set, expiresIn, remove, check }) => {
    const [found] = await bare.get([["a"]]);
    const version = found?.version ?? null;
    return {
      ...(check !== "none" && {
        checks: [{ key: ["a"], version: check === "holds" ? version : (version ?? 0) + 999 }],
      }),
      sets: set.map((key) => ({
        key: [key],
        value: { at: ++value, list: [value] },
        ...(expiresIn !== undefined && { expiresAt: now() + expiresIn }),
      })),
      deletes: remove === undefined || set.includes(remove) ? [] : [[remove]],
    };
  };
}

/** Stores that remember, one beside them that doesn't, and what may happen to all of them. */
export interface RememberingWorld<Step> {
  readonly stores: readonly Store[];
  readonly bare: Store;
  take(step: Step): Promise<unknown>;
  close(): Promise<unknown>;
}

/** The law of what a store remembers: after every step of every plan it is what is there, in whichever order and company it is asked for. */
export async function rememberedIsThere<Step>(
  step: fc.Arbitrary<Step>,
  open: () => Promise<RememberingWorld<Step>>,
  { numRuns }: { readonly numRuns: number },
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 15 }), async (plan) => {
      const world = await open();
      try {
        for (const one of plan) {
          await world.take(one);
          await sameAs(world);
        }
      } finally {
        await world.close();
      }
    }),
    { numRuns },
  );
}

async function sameAs({ bare, stores }: Pick<RememberingWorld<never>, "bare" | "stores">): Promise<void> {
  const truth = await bare.get(keys);
  for (const store of stores) {
    expect(await store.get(keys)).toEqual(truth);
    expect(await store.get([["b"], ["a"]])).toEqual([truth[1], truth[0]]);
    for (const [at, key] of keys.entries()) expect(await store.get([key])).toEqual([truth[at]]);
  }
}
