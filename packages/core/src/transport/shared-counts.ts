import { toHex, utf8 } from "../encoding.ts";
import type { Runtime } from "../ports/runtime.ts";
import type { Json, Key, Store } from "../ports/store.ts";

/** What one process has counted of a window since it told of it last. */
export interface OwnCount {
  /** The bucket and anyone who is counted in it. */
  readonly name: string;
  /** Fewer than none, where some were taken back. */
  readonly added: number;
  readonly endsInMs: number;
}

/** What all processes have counted together. */
export interface SharedCount {
  /** Another one for each window: what was added to the one before doesn't count in this. */
  readonly id: string;
  readonly count: number;
}

/** Counts that processes settle with each other now and then. */
export interface SharedCounts {
  /** Adds what was counted here, and answers what there is of each; `null`: it could not be settled now. Never fails. */
  settle(own: readonly OwnCount[]): Promise<readonly SharedCount[] | null>;
}

const mostTries = 3;

/** Counts in the store that the processes share. Anyone who is counted is there as a digest: it may be an address, or a name that was typed. */
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
