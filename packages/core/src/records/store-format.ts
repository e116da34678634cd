import { LiveplaneError } from "../errors.ts";
import type { Runtime } from "../ports/runtime.ts";
import type { Commit, Key, SetEntry, Store } from "../ports/store.ts";

/** A store that refuses commits of a build that can't read its format. */
export interface FormattedStore {
  readonly store: Store;
  /**
   * The store's format, in which this build writes. An empty store gets the newest one.
   *
   * @throws {ConfigurationInvalid} if this build doesn't read the format, saying what to do.
   */
  format(): Promise<number>;
}

/**
 * The formats that this build reads. A change of a stored shape raises the newest. 5: release 0.1.0. 6: events are stored without what they
 * all share.
 */
const [oldest, newest] = [5, 6];
const place: Key = ["installation", "format"];
/** Where processes that share a store name the newest format that they read. */
const processes: Key = ["installation", "process"];
const presentMs = 600_000;
const renewedMs = 60_000;

/**
 * Each commit checks that the format is the one that was read, so a running process stops writing when the format is raised. The check costs
 * no round trip; the format is read again after a lost race.
 */
export function formattedStore(store: Store, { clock, newId }: Pick<Runtime, "clock" | "newId">): FormattedStore {
  const { capabilities, bell } = store;
  let own: Key | null = null;
  let renewedAt = Number.NEGATIVE_INFINITY;
  let known: Promise<Known> | null = null;

  function current(): Promise<Known> {
    known ??= read(store).catch((error: unknown) => {
      known = null;
      throw error;
    });
    return known;
  }

  function presence({ sets = [] }: Commit): SetEntry[] {
    const isDue = capabilities.sharedByProcesses && clock.monotonic() - renewedAt >= renewedMs;
    if (!isDue || sets.length === 0) return [];
    own ??= [...processes, newId()];
    return [{ key: own, value: newest, expiresAt: clock.now() + presentMs }];
  }

  async function commit(wanted: Commit, options?: Parameters<Store["commit"]>[1]): Promise<number | null> {
    const { checks = [], sets = [] } = wanted;
    for (;;) {
      const { version } = await current();
      const present = presence(wanted);
      const guarded = { ...wanted, checks: [...checks, { key: place, version }], sets: [...sets, ...present] };
      const made = await store.commit(guarded, options);
      if (made !== null && present.length > 0) renewedAt = clock.monotonic();
      if (made !== null) return made;
      known = null;
      // Without checks of its own only the format can have changed.
      if (checks.length > 0) return null;
    }
  }

  return {
    format: async () => (await current()).format,
    store: {
      capabilities,
      get: (keys, options) => store.get(keys, options),
      ...(store.recall && { recall: store.recall.bind(store) }),
      list: (range, options) => store.list(range, options),
      commit,
      ...(store.snapshot && { snapshot: store.snapshot.bind(store) }),
      ...(bell && { bell }),
      async close() {
        // A stopped process needn't expire before the format can be raised.
        if (own !== null) await store.commit({ deletes: [own] }).catch(() => null);
        own = null;
        await store.close();
      },
    },
  };
}

/**
 * Raises a store's format to the newest that this build writes, and returns both. Older builds can't use the store afterwards.
 *
 * @throws {InvalidState} if an older build may be running.
 * @throws {ConfigurationInvalid} if this build doesn't read the format.
 */
export async function raiseFormat(store: Store): Promise<{ readonly from: number; readonly to: number }> {
  for (;;) {
    const { format: from, version } = await read(store);
    const present = await store.list({ prefix: processes });
    const older = present.filter(({ value }) => Number(value) < newest).length;
    if (older > 0) throw new LiveplaneError("InvalidState", olderAreRunning(older));
    const raised = { checks: [{ key: place, version }], sets: [{ key: place, value: newest }] };
    if (from === newest || (await store.commit(raised)) !== null) return { from, to: newest };
  }
}

const olderAreRunning = (count: number) =>
  `Processes of an older release have written to the store in the last ten minutes: ${count}. Stop them first. If one was killed, wait for ten minutes.`;

/** The format of a store or an export, without judging it; `null` if it has none. */
export async function formatIn(store: Pick<Store, "get">): Promise<unknown> {
  return (await store.get([place]))[0]?.value ?? null;
}

/** @throws {ConfigurationInvalid} if this build doesn't read the format. `what` has it: the store, the export. */
export function requireReadable(format: unknown, what: string): asserts format is number {
  if (typeof format === "number" && format >= oldest && format <= newest) return;
  throw new LiveplaneError("ConfigurationInvalid", refusalOf(format, what));
}

interface Known {
  readonly format: number;
  readonly version: number;
}

async function read(store: Store): Promise<Known> {
  for (;;) {
    // Records are read first: whoever writes some has written the format before.
    const hasRecords = (await store.list({ prefix: ["record"], limit: 1 })).length > 0;
    const [entry = null] = await store.get([place]);
    if (entry === null && !hasRecords) {
      // It is read again even if this has written it, so that the store remembers what each commit checks.
      await store.commit({ checks: [{ key: place, version: null }], sets: [{ key: place, value: newest }] });
      continue;
    }
    requireReadable(entry?.value, "store");
    return { format: entry?.value, version: entry?.version ?? 0 };
  }
}

const readable = oldest === newest ? `format ${newest}` : `formats ${oldest} to ${newest}`;

function refusalOf(found: unknown, what: string): string {
  if (typeof found === "number" && found > newest)
    return `This build of liveplane is too old: the ${what} has format ${found}, and this build reads ${readable}. Start a newer release.`;
  const was = typeof found === "number" ? `has format ${found}` : "was written by a build before release 0.1.0";
  return `The ${what} ${was}, and this build of liveplane reads ${readable}. Start the build that wrote it, or begin with an empty store.`;
}
