import type { Store } from "../../ports/store.ts";
import { storeCommitLaws } from "./store-commit-laws.ts";
import type { StoreLaw } from "./store-expectations.ts";
import { storeInputLaws } from "./store-input-laws.ts";
import { storeLifeLaws } from "./store-life-laws.ts";
import { storeModelLaw } from "./store-model-law.ts";
import { storeReadLaws } from "./store-read-laws.ts";
import { storeReopeningLaws } from "./store-reopening-laws.ts";

/** Registers a test, like `test` of vitest, node:test or jest. */
export type RegisterTest = (title: string, run: () => Promise<void>) => unknown;

/** Creates a fresh, empty store for one test. `now` is the test's clock, by which entries expire. */
export type StoreFactory = (options: { readonly now: () => number }) => Promise<Store> | Store;

/** Creates a fresh, empty place, and returns a function that opens the store there, again after each close. */
export type StorePlace = (options: { readonly now: () => number }) => () => Promise<Store> | Store;

/** Options of the suite. */
export interface StoreConformanceOptions {
  /** How many random programs the model test runs. @default 200 */
  readonly programs?: number;
  /** The seed of randomness; a failure names it. @default a new one each time */
  readonly seed?: number;
  /** For a persistent store: the suite then also checks what must be there after reopening. */
  readonly place?: StorePlace;
}

/** Every law of the store port as a test of its own. Calls `test` once for each and needs no runner. */
export function storeConformance(
  test: RegisterTest,
  createStore: StoreFactory,
  options: StoreConformanceOptions = {},
): void {
  const laws: readonly StoreLaw[] = [
    ...storeReadLaws,
    ...storeCommitLaws,
    ...storeInputLaws,
    ...storeLifeLaws,
    storeModelLaw(options),
  ];
  for (const { title, holds } of laws) {
    test(title, async () => {
      const time = testTime();
      const store = await createStore(time);
      try {
        await holds(store, time);
      } finally {
        await store.close();
      }
    });
  }
  const { place } = options;
  if (place === undefined) return;
  for (const { title, holds } of storeReopeningLaws) {
    test(title, async () => {
      const time = testTime();
      await holds(place(time), time);
    });
  }
}

function testTime() {
  let time = Date.UTC(2026, 0, 1);
  return {
    now: () => time,
    pass(ms: number) {
      time += ms;
    },
  };
}
