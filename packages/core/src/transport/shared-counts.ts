import { toHex, utf8 } from "../encoding.ts";
import type { Runtime } from "../ports/runtime.ts";
import type { Json, Key, Store } from "../ports/store.ts";

/** What one process has counted in a window since it last shared its count. */
export interface OwnCount {
  /** The bucket and the caller. */
  readonly name: string;
  /** Negative if counts were undone. */
  readonly added: number;
  readonly endsInMs: number;
}

/** The count of all processes together. */
export interface SharedCount {
  /** Different for each window, so that counts for an earlier window don't apply. */
  readonly id: string;
  readonly count: number;
}

/** Counts that processes share now and then. */
export interface SharedCounts {
  /** Adds this process's counts and returns each total; `null` if that failed. Never throws. */
  settle(own: readonly OwnCount[]): Promise<readonly SharedCount[] | null>;
}

const mostTries = 3;

/** Counts in the shared store. Callers are stored as digests, because one may be an address or a typed name. */
export function createSharedCounts({
  store,
  runtime,
}: {
  readonly store: Store;
  readonly runtime: Runtime;
}): SharedCounts {
  const { crypto, clock, newId, logger } = runtime;

  async function keyOf({ name }: OwnCount): Promise<Key> {
    return ["rate", toHex(await crypto.digest(utf8(name)))];
  }

  async function settleOnce(own: readonly OwnCount[], keys: readonly Key[]): Promise<readonly SharedCount[] | null> {
    const entries = await store.get(keys);
    const counts = own.map(({ added }, at) => {
      const { id, count } = countIn(entries[at]?.value) ?? { id: newId(), count: 0 };
      return { id, count: Math.max(0, count + added) };
    });
    const made = await store.commit({
      checks: keys.map((key, at) => ({ key, version: entries[at]?.version ?? null })),
      sets: keys.map((key, at) => ({
        key,
        value: { ...counts[at] } as Json,
        expiresAt: entries[at]?.expiresAt ?? clock.now() + (own[at]?.endsInMs ?? 0),
      })),
    });
    return made === null ? null : counts;
  }

  return {
    async settle(own) {
      try {
        const keys = await Promise.all(own.map(keyOf));
        for (let tries = 0; tries < mostTries; tries++) {
          const settled = await settleOnce(own, keys);
          if (settled !== null) return settled;
        }
      } catch (cause) {
        logger.warn({ cause }, "Rate limits could not be shared with other processes; each process counts on its own.");
      }
      return null;
    },
  };
}

function countIn(value: Json | undefined): SharedCount | null {
  const { id, count } = Object(value) as Partial<SharedCount>;
  return typeof id === "string" && typeof count === "number" ? { id, count } : null;
}
