import { isLiveplaneError, LiveplaneError } from "../../errors.ts";
import type { Entry, Key, Store } from "../../ports/store.ts";

/** The test's clock. */
export interface StoreTime {
  /** Advances the clock. */
  pass(ms: number): void;
}

/** One law of the store port. */
export interface StoreLaw {
  readonly title: string;
  readonly holds: (store: Store, time: StoreTime) => Promise<void>;
}

/** Fails a law with the expected and the actual result. */
export function broken(expected: string, came: unknown): LiveplaneError {
  return new LiveplaneError("InternalError", `Expected ${expected}; came ${JSON.stringify(came) ?? String(came)}.`);
}

/** Fails unless two JSON values are equal, with members in any order. */
export function same(came: unknown, expected: unknown, what: string): void {
  if (canonical(came) !== canonical(expected)) throw broken(`${what} ${JSON.stringify(expected)}`, came);
}

/** Fails unless the condition holds. */
export function storeHolds(condition: boolean, expected: string, came: unknown): void {
  if (!condition) throw broken(expected, came);
}

/** Fails unless the work rejects with a code. */
export async function rejects(work: () => Promise<unknown>, code: string): Promise<void> {
  let came: unknown = "no failure";
  try {
    await work();
  } catch (error) {
    if (isLiveplaneError(error) && error.code === code) return;
    came = String(error);
  }
  throw broken(`a failure with code ${code}`, came);
}

/** The version of a commit that must succeed. */
export async function committed(answer: Promise<number | null>): Promise<number> {
  const version = await answer;
  if (version === null) throw broken("the commit to be made", null);
  return version;
}

/** Sets each key to its own name. */
export function put(store: Store, ...keys: Key[]): Promise<number> {
  return committed(store.commit({ sets: keys.map((key) => ({ key, value: key.join("/") })) }));
}

/** The keys of entries. */
export function keysOf(entries: readonly Entry[]): Key[] {
  return entries.map(({ key }) => key);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
