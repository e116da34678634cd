import { expect, test } from "vitest";
import { memoryStore } from "../../src/ports/memory-store.ts";
import type { Commit, Entry, Json, Range, Store } from "../../src/ports/store.ts";
import { storeConformance } from "../../src/testing/store-laws/store-conformance.ts";

type CreateStore = (options: { now: () => number }) => Store;

/** The tests that the suite registers for a store. */
function laws(createStore: CreateStore): [string, () => Promise<void>][] {
  const registered: [string, () => Promise<void>][] = [];
  storeConformance((title, run) => registered.push([title, run]), createStore, { programs: 150, seed: 1 });
  return registered;
}

/** Runs the suite against a store and gives the titles of the laws that it breaks. */
async function brokenLaws(createStore: CreateStore): Promise<string[]> {
  const failed: string[] = [];
  for (const [title, run] of laws(createStore)) await run().catch(() => failed.push(title));
  return failed;
}

function broken(name: string, options: { now: () => number }): Store {
  const store = memoryStore(options);
  return { ...store, ...breakings[name]?.(store, options) };
}

type Breaking = (store: Store, options: { now: () => number }) => Partial<Store>;

const without = (member: keyof Commit) => (commit: Commit) => ({ ...commit, [member]: [] });
const listed = (
  store: Store,
  change: (entries: readonly Entry[], range: Range) => readonly Entry[],
): Partial<Store> => ({
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
  "gives the same list again after a commit": (store) => {
    const known = new Map<string, Promise<readonly Entry[]>>();
    return {
      list(range, options) {
        const asked = JSON.stringify(range);
        const list = known.get(asked) ?? store.list(range, options);
        known.set(asked, list);
        return list;
      },
    };
  },
  "forgets lists by the keys that they hold": (store) => {
    let known: readonly { readonly asked: string; readonly entries: readonly Entry[] }[] = [];
    return {
      async list(range, options) {
        const asked = JSON.stringify(range);
        const found = known.find((one) => one.asked === asked);
        if (found !== undefined) return [...found.entries];
        const entries = await store.list(range, options);
        known = [...known, { asked, entries }];
        return [...entries];
      },
      commit(commit, options) {
        const written = [...(commit.sets ?? []).map(({ key }) => key), ...(commit.deletes ?? [])].map(String);
        known = known.filter(({ entries }) => !entries.some(({ key }) => written.includes(String(key))));
        return store.commit(commit, options);
      },
    };
  },
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
  "gets values that can be changed": (store) => ({
    get: async (keys, options) => (await store.get(keys, options)).map((entry) => structuredClone(entry)),
  }),
  "freezes values on top alone": (store) => ({
    get: async (keys, options) =>
      (await store.get(keys, options)).map(
        (entry) => entry && { ...entry, value: Object.freeze(structuredClone(entry.value)) },
      ),
  }),
  "freezes few values at a time": (store) => ({
    get: async (keys, options) =>
      keys.length > 20 ? structuredClone(await store.get(keys, options)) : store.get(keys, options),
  }),
  "shares what it lists": (store) => {
    const shared = new Map<string, Entry>();
    return listed(store, (entries) =>
      entries.map((entry) => {
        const id = `${entry.key.join()} ${entry.version}`;
        shared.set(id, shared.get(id) ?? entry);
        return shared.get(id) ?? entry;
      }),
    );
  },
  "keeps the writer's own value": (store) => {
    const written = new Map<string, Json>();
    return {
      commit(commit, options) {
        for (const { key, value } of commit.sets ?? []) written.set(key.join(), value);
        return store.commit(commit, options);
      },
      get: async (keys, options) =>
        (await store.get(keys, options)).map(
          (entry) => entry && { ...entry, value: written.get(entry.key.join()) ?? entry.value },
        ),
    };
  },
  "remembers what was read over a commit": (store) => {
    const remembered = new Map<string, Entry | null>();
    return {
      async get(keys, options) {
        const found = await store.get(keys, options);
        return found.map((entry, at) => {
          const id = keys[at]?.join() ?? "";
          const known = remembered.get(id) ?? entry;
          remembered.set(id, known);
          return known;
        });
      },
    };
  },
  "takes what it can't carry": (store) => ({
    commit: (commit, options) => store.commit(commit, options).catch(() => 1),
  }),
  "answers whatever it is asked": (store) => ({
    get: (keys, options) => store.get(keys, options).catch(() => []),
    list: (range, options) => store.list(range, options).catch(() => []),
  }),
  "sorts the members of values": (store) => ({
    get: async (keys, options) =>
      (await store.get(keys, options)).map((entry) => entry && { ...entry, value: sorted(entry.value) }),
  }),
  "lets the last of a doubled key win": (store) => ({
    commit({ sets = [], ...commit }, options) {
      const last = new Map(sets.map((set) => [set.key.join(), set]));
      return store.commit({ ...commit, sets: [...last.values()] }, options);
    },
  }),
  "refuses a commit of checks alone": (store) => ({
    commit: async (commit, options) =>
      commit.sets || commit.deletes || commit.appends ? store.commit(commit, options) : null,
  }),
  "appends backwards": (store) => ({
    commit: ({ appends = [], ...commit }, options) =>
      store.commit({ ...commit, appends: appends.toReversed() }, options),
  }),
  "reads keys one after the other": (store) => ({
    async get(keys, options) {
      const found: (Entry | null)[] = [];
      for (const key of keys) found.push(...(await store.get([key], options)));
      return found;
    },
  }),
  "reads what was there a moment ago": (store) => {
    let view = store.snapshot?.();
    return {
      async get(keys, options) {
        const old = await view;
        await store.get([], options);
        view = store.snapshot?.();
        return (await old?.get(keys, options)) ?? [];
      },
    };
  },
  "refuses now and then without a reason": (store) => {
    let commits = 0;
    return { commit: async (commit, options) => (++commits % 7 === 0 ? null : store.commit(commit, options)) };
  },
  "counts versions down": (store) => {
    const turned = (entry: Entry | null) => entry && { ...entry, version: 1e6 - entry.version };
    return {
      get: async (keys, options) => (await store.get(keys, options)).map(turned),
      async commit(commit, options) {
        const checks = (commit.checks ?? []).map(({ key, version }) => ({ key, version: version && 1e6 - version }));
        const version = await store.commit({ ...commit, checks }, options);
        return version && 1e6 - version;
      },
    };
  },
};

function sorted(value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.fromEntries(Object.entries(value as object).sort(([a], [b]) => (a < b ? -1 : 1)));
}

const noticed = new Set<string>();

test("finds nothing broken in the memory store", async () => {
  expect(await brokenLaws((options) => memoryStore(options))).toEqual([]);
});

for (const name of Object.keys(breakings)) {
  test(`notices a store that ${name}`, async () => {
    const failed = await brokenLaws((options) => broken(name, options));
    expect(failed.length).toBeGreaterThan(0);
    for (const title of failed) noticed.add(title);
  });
}

const subtle = [
  "checks before it commits, not while",
  "holds checks only on keys that it sets",
  "reads keys one after the other",
  "reads what was there a moment ago",
  "refuses now and then without a reason",
  "counts versions down",
];

test.for(subtle)("notices by the model too a store that %s", async (name) => {
  const model = laws((options) => broken(name, options)).find(([title]) => title.includes("model"));
  await expect(model?.[1]()).rejects.toThrow("Property failed");
});

test("has a broken store for every law", () => {
  const titles = laws(memoryStore).map(([title]) => title);
  expect(titles.filter((title) => !noticed.has(title))).toEqual([]);
});
