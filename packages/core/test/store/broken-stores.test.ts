import { expect, test } from "vitest";
import { memoryStore } from "../../src/ports/memory-store.ts";
import type { Commit, Entry, Range, Store } from "../../src/ports/store.ts";
import { storeConformance } from "../../src/testing/store-conformance.ts";

/** Runs the suite against a store and gives the titles of the laws that it breaks. */
async function brokenLaws(createStore: (options: { now: () => number }) => Store): Promise<string[]> {
  const laws: [string, () => Promise<void>][] = [];
  storeConformance((title, run) => laws.push([title, run]), createStore, { programs: 20, seed: 1 });
  const failed: string[] = [];
  for (const [title, run] of laws) await run().catch(() => failed.push(title));
  return failed;
}

type Breaking = (store: Store, options: { now: () => number }) => Partial<Store>;

const without = (member: keyof Commit) => (commit: Commit) => ({ ...commit, [member]: [] });
const listed = (store: Store, change: (entries: Entry[], range: Range) => Entry[]): Partial<Store> => ({
  list: async (range, options) => change(await store.list(range, options), range),
});

/** Each breaks one promise; each must be noticed. */
const breakings: Record<string, Breaking> = {
  "ignores checks": (store) => ({ commit: (commit, options) => store.commit(without("checks")(commit), options) }),
  "ignores deletes": (store) => ({ commit: (commit, options) => store.commit(without("deletes")(commit), options) }),
  "ignores appends": (store) => ({ commit: (commit, options) => store.commit(without("appends")(commit), options) }),
  "writes part of a refused commit": (store) => ({
    async commit(commit, options) {
      const version = await store.commit(commit, options);
      if (version === null) await store.commit({ sets: commit.sets ?? [] });
      return version;
    },
  }),
  "checks before it commits, not while": (store) => ({
    async commit({ checks = [], ...commit }, options) {
      const found = await store.get(checks.map(({ key }) => key));
      if (checks.some(({ version }, at) => (found[at]?.version ?? null) !== version)) return null;
      await Promise.resolve();
      return store.commit(commit, options);
    },
  }),
  "holds checks only on keys that it sets": (store) => ({
    commit({ checks = [], sets = [], ...commit }, options) {
      const own = checks.filter(({ key }) => sets.some((set) => set.key.join() === key.join()));
      return store.commit({ ...commit, sets, checks: own }, options);
    },
  }),
  "answers a made-up version": (store) => ({
    commit: async (commit, options) => ((await store.commit(commit, options)) === null ? null : 1),
  }),
  "lists neighbours of a prefix": (store) => ({
    async list(range, options) {
      const all = await store.list({ prefix: [] }, options);
      return all.filter(({ key }) => key.join("/").startsWith(range.prefix.join("/"))).slice(0, range.limit ?? 1000);
    },
  }),
  "ignores reverse": (store) => ({ list: (range, options) => store.list({ ...range, reverse: false }, options) }),
  "ignores limit": (store) => ({ list: ({ limit: _limit, ...range }, options) => store.list(range, options) }),
  "drops the last of a page": (store) =>
    listed(store, (entries) => (entries.length > 3 ? entries.slice(0, -1) : entries)),
  "includes the cursor": (store) => ({
    async list({ after, ...range }, options) {
      const found = await store.list({ ...range, ...(after && { after }) }, options);
      const [entry] = after === undefined ? [] : await store.get([after]);
      return entry ? [entry, ...found] : found;
    },
  }),
  "forgets expiry": (store) => ({
    commit: ({ sets = [], ...commit }, options) =>
      store.commit({ ...commit, sets: sets.map(({ key, value }) => ({ key, value })) }, options),
  }),
  "ignores signals": (store) => ({
    get: (keys) => store.get(keys),
    list: (range) => store.list(range),
    commit: (commit) => store.commit(commit),
  }),
  "gives snapshots that move": (store) => ({
    snapshot: async () => ({ get: store.get, list: store.list, release: async () => {} }),
  }),
  "promises a snapshot and has none": (store) => {
    const { snapshot: _snapshot, ...rest } = store;
    return Object.assign(Object.create(null), rest, { snapshot: undefined });
  },
  "works on after it was closed": () => ({ close: async () => {} }),
  "reads in another order": (store) => ({ get: async (keys, options) => (await store.get(keys, options)).reverse() }),
  "shares its values": (store) => {
    const shared = new Map<string, Entry>();
    return {
      async get(keys, options) {
        const found = await store.get(keys, options);
        return found.map((entry) => {
          if (entry === null) return null;
          const id = `${entry.key.join()} ${entry.version}`;
          shared.set(id, shared.get(id) ?? entry);
          return shared.get(id) ?? null;
        });
      },
    };
  },
};

test("finds nothing broken in the memory store", async () => {
  expect(await brokenLaws((options) => memoryStore(options))).toEqual([]);
});

for (const [name, breaking] of Object.entries(breakings)) {
  test(`notices a store that ${name}`, async () => {
    const failed = await brokenLaws((options) => {
      const store = memoryStore(options);
      return { ...store, ...breaking(store, options) };
    });
    expect(failed.length).toBeGreaterThan(0);
  });
}
