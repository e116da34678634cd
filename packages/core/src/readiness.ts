import type { Runtime } from "./ports/runtime.ts";
import type { Key, Store } from "./ports/store.ts";

/** Which parts of a control plane are ready. */
export interface Readiness {
  /** The store writes and reads, within a second. */
  readonly store: boolean;
  /** The key ring is the one that the store was written with. */
  readonly keys: boolean;
  /** There is a cloud. */
  readonly clouds: boolean;
  /** The agent runs here. */
  readonly agent: boolean;
}

/** What readiness is judged by. */
export interface ReadinessDeps {
  readonly store: Store;
  readonly runtime: Runtime;
  readonly requireKeys: () => Promise<void>;
  readonly hasClouds: boolean;
  readonly isRunning: () => boolean;
}

const place: Key = ["ready"];
/** So long an answer may take. Whoever asks more often than that writes no more, and is told again what failed. */
const patienceMs = 1000;

/** Judges whether requests can be served. A disk that is full is read without complaint, so each look writes as well. */
export function createReadiness(deps: ReadinessDeps): () => Promise<Readiness> {
  const { store, runtime, requireKeys, hasClouds, isRunning } = deps;
  let [written, writtenAt] = [0, Number.NEGATIVE_INFINITY];
  const isStoreReady = repeated("store", async () => {
    if (runtime.clock.monotonic() - writtenAt >= patienceMs) {
      const set = { key: place, value: runtime.clock.now() };
      written = (await store.commit({ sets: [set] })) ?? Number.POSITIVE_INFINITY;
      writtenAt = runtime.clock.monotonic();
    }
    const [entry] = await store.get([place]);
    return entry != null && entry.version >= written;
  });
  const areKeysReady = repeated("keys", async () => {
    await requireKeys();
    return true;
  });

  /** One look at a time, however many ask; a failure holds for a while. */
  function repeated(part: "store" | "keys", look: () => Promise<boolean>): () => Promise<boolean> {
    let looking: Promise<boolean> | null = null;
    let failedAt = Number.NEGATIVE_INFINITY;

    async function lookOnce(): Promise<boolean> {
      const isReady = await look().catch((cause: unknown) => {
        runtime.logger.error({ part, cause }, "A part isn't ready.");
        return false;
      });
      failedAt = isReady ? Number.NEGATIVE_INFINITY : runtime.clock.monotonic();
      looking = null;
      return isReady;
    }

    return async () => {
      if (runtime.clock.monotonic() - failedAt < patienceMs) return false;
      looking ??= lookOnce();
      return withinPatience(part, looking);
    };
  }

  async function withinPatience(part: "store" | "keys", looking: Promise<boolean>): Promise<boolean> {
    const enough = new AbortController();
    const late = runtime.clock.sleep(patienceMs, { signal: enough.signal }).then(
      () => {
        runtime.logger.error({ part, ms: patienceMs }, "A part isn't ready: it gives no answer.");
        return false;
      },
      () => false,
    );
    const isReady = await Promise.race([looking, late]);
    enough.abort();
    return isReady;
  }

  return async () => {
    const [store, keys] = await Promise.all([isStoreReady(), areKeysReady()]);
    return { store, keys, clouds: hasClouds, agent: isRunning() };
  };
}
