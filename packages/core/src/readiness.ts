import { toBase64Url } from "./encoding.ts";
import { isLiveplaneError } from "./errors.ts";
import type { Json, Key, Store } from "./ports/store.ts";
import type { Services } from "./services.ts";

/** Which parts of a control plane are ready. */
export interface Readiness {
  /** The store reads and accepts writes, within a second. */
  readonly store: boolean;
  /** The key ring fits the store. */
  readonly keys: boolean;
  /** There is a cloud. */
  readonly clouds: boolean;
  /** The agent runs in this process. */
  readonly agent: boolean;
  /** Work can be queued and started, so that accepted work finishes. */
  readonly jobs: boolean;
}

const place: Key = ["ready"];
/** The longest wait for an answer; also how long a failure is repeated, and a write counts, before the next one. */
const patienceMs = 1000;
/** After a refusal, a write of this size must succeed: on a nearly full disk a tiny one still fits. */
const proofBytes = 65_536;

/** The same store, counting the commits that it refuses. */
export function countRefusals(store: Store): { readonly store: Store; readonly refusals: () => number } {
  let refused = 0;
  const counted: Store = {
    ...store,
    commit: (commit, options) =>
      store.commit(commit, options).catch((error: unknown) => {
        if (isLiveplaneError(error, "StoreFailed") || isLiveplaneError(error, "CommitOutcomeUnknown")) refused++;
        throw error;
      }),
  };
  return { store: counted, refusals: () => refused };
}

/** Decides whether requests can be served. A full disk can still be read, so each check also writes. */
export function createReadiness(
  deps: Pick<Services, "store" | "runtime" | "scheduler"> & {
    readonly refusals: () => number;
    readonly requireKeys: () => Promise<void>;
    readonly clouds: { readonly adapters: readonly unknown[] };
    readonly isRunning: () => boolean;
  },
): () => Promise<Readiness> {
  const { store, scheduler, refusals, runtime, requireKeys, clouds, isRunning } = deps;
  let [written, writtenAt] = [0, Number.NEGATIVE_INFINITY];
  let forgiven = 0;
  const isStoreReady = repeated("store", async () => {
    const refused = refusals();
    if (refused > forgiven) {
      await write(toBase64Url(runtime.crypto.random(proofBytes)));
      forgiven = refused;
      await write(runtime.clock.now());
    } else if (runtime.clock.monotonic() - writtenAt >= patienceMs) await write(runtime.clock.now());
    const [entry] = await store.get([place]);
    return entry != null && entry.version >= written;
  });
  const areKeysReady = repeated("keys", async () => {
    await requireKeys();
    return true;
  });
  const areJobsReady = repeated("jobs", async () => {
    await scheduler.requireJobs?.();
    return true;
  });

  async function write(value: Json): Promise<void> {
    written = (await store.commit({ sets: [{ key: place, value }] })) ?? Number.POSITIVE_INFINITY;
    writtenAt = runtime.clock.monotonic();
  }

  /** One check at a time, however many ask; a failure counts for a while. */
  function repeated(part: keyof Readiness, look: () => Promise<boolean>): () => Promise<boolean> {
    let looking: Promise<boolean> | null = null;
    let failedAt = Number.NEGATIVE_INFINITY;

    async function lookOnce(): Promise<boolean> {
      const isReady = await look().catch((cause: unknown) => {
        runtime.logger.error({ part, cause }, "A part of the service isn't ready.");
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

  async function withinPatience(part: keyof Readiness, looking: Promise<boolean>): Promise<boolean> {
    const enough = new AbortController();
    const late = runtime.clock.sleep(patienceMs, { signal: enough.signal }).then(
      () => {
        runtime.logger.error({ part, ms: patienceMs }, "A part of the service isn't ready: it doesn't respond.");
        return false;
      },
      () => false,
    );
    const isReady = await Promise.race([looking, late]);
    enough.abort();
    return isReady;
  }

  return async () => {
    const [store, keys, jobs] = await Promise.all([isStoreReady(), areKeysReady(), areJobsReady()]);
    return { store, keys, clouds: clouds.adapters.length > 0, agent: isRunning(), jobs };
  };
}
