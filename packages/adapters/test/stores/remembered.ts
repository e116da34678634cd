import type { Commit, Entry, Range, Store } from "@liveplane/core/store";
import fc from "fast-check";
import { expect } from "vitest";

const names = ["a", "b", "c", "d"];

/** Under a prefix of several parts, whose lists may be remembered as well. */
export const prefix = ["index", "thing", "byName"] as const;

/** Where a name is. */
export const keyOf = (name: string) => [...prefix, name];

/** Few keys, which writes hit again and again. */
export const keys = names.map(keyOf);

/** One of them. */
export const name = fc.constantFrom(...names);

/** What a commit does. */
export const write = fc.record({
  set: fc.uniqueArray(name, { maxLength: 3 }),
  // Seldom: a list that something expires from isn't remembered.
  expiresIn: fc.oneof(
    { weight: 4, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 90_000 }) },
  ),
  remove: fc.option(name, { nil: undefined }),
  append: fc.boolean(),
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
  return async ({ set, expiresIn, remove, append, check }) => {
    const [found] = await bare.get([keyOf("a")]);
    const version = found?.version ?? null;
    return {
      ...(check !== "none" && {
        checks: [{ key: keyOf("a"), version: check === "holds" ? version : (version ?? 0) + 999 }],
      }),
      sets: set.map((key) => ({
        key: keyOf(key),
        value: { at: ++value, list: [value] },
        ...(expiresIn !== undefined && { expiresAt: now() + expiresIn }),
      })),
      deletes: remove === undefined || set.includes(remove) ? [] : [keyOf(remove)],
      appends: append ? [{ prefix, value: ++value }] : [],
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
  const ranges: readonly Range[] = [
    { prefix },
    { prefix: prefix.slice(0, 2), limit: 3 },
    { prefix: keyOf("a") },
    { prefix, after: keyOf("a"), limit: 2 },
    { prefix, reverse: true },
  ];
  // What was taken from one answer is in the next one. Nothing can be taken from a frozen one.
  for (const store of stores)
    for (const range of ranges)
      for (let time = 0; time < 2; time++) {
        const found = await store.list(range);
        expect(found).toEqual(await bare.list(range));
        if (!Object.isFrozen(found)) (found as Entry[]).pop();
      }
  for (const store of stores) {
    const recalled = () => store.recall?.(keys).map((entry, at) => ({ entry, isNow: truth[at] })) ?? [];
    for (const { entry, isNow } of recalled())
      if (entry?.version === isNow?.version) expect(entry ?? null).toEqual(isNow);
    expect(await store.get(keys)).toEqual(truth);
    for (const { entry, isNow } of recalled()) if (entry !== undefined) expect(entry).toEqual(isNow);
    expect(await store.get([keyOf("b"), keyOf("a")])).toEqual([truth[1], truth[0]]);
    for (const [at, key] of keys.entries()) expect(await store.get([key])).toEqual([truth[at]]);
  }
}
