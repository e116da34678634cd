import fc from "fast-check";
import { expect, test } from "vitest";
import { memoryStore } from "../../src/ports/memory-store.ts";
import type { Entry, Store } from "../../src/ports/store.ts";
import { collection } from "../../src/records/collection.ts";
import { createRecords } from "../../src/records/create-records.ts";
import { listTogether } from "../../src/records/lists-together.ts";
import { createPages } from "../../src/records/pages.ts";
import { jsonOf, shownListOnce, shownOnce } from "../../src/records/shown-once.ts";
import { verdictsBy } from "../../src/records/verdicts.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";

interface Person {
  readonly id: string;
  readonly town: string;
  readonly team: string;
}

const people = collection<Person>()("person", {
  key: ({ id }) => [id],
  indexes: { inTown: ({ town }) => [[town]] },
  uniques: {},
});
const cause = { actor: "somebody", requestId: "request-1" };
const byTeam = verdictsBy(({ team }: Person) => team);
const shown = shownListOnce(
  shownOnce(({ id, town, team, version }: Person & { version: string }) => ({ id, town, team, version })),
);

/** A store that returns frozen lists and entries again whenever they are the same, for whatever range. */
function keeping(store: Store): Store {
  const entries = new Map<string, Entry>();
  const lists = new Map<string, readonly Entry[]>();
  const kept = (entry: Entry) => {
    const place = JSON.stringify([entry.key, entry.version]);
    const known = entries.get(place) ?? Object.freeze(entry);
    entries.set(place, known);
    return known;
  };
  return {
    ...store,
    get: async (keys) => (await store.get(keys)).map((entry) => entry && kept(entry)),
    async list(range) {
      const found = (await store.list(range)).map(kept);
      const place = JSON.stringify(found.map(({ key, version }) => [key, version]));
      const known = lists.get(place) ?? Object.freeze(found);
      lists.set(place, known);
      return known;
    },
  };
}

const id = fc.constantFrom("a", "b", "c", "d", "e", "f");
const town = fc.constantFrom("Rome", "Oslo");
const team = fc.constantFrom("red", "blue");
const step = fc.oneof(
  fc.record({ kind: fc.constant("put" as const), person: fc.record({ id, town, team }) }),
  fc.record({ kind: fc.constant("delete" as const), id }),
  fc.record({
    kind: fc.constant("page" as const),
    towns: fc.uniqueArray(town, { minLength: 1 }),
    limit: fc.integer({ min: 1, max: 7 }),
    teams: fc.uniqueArray(team),
  }),
);

test("pages of lists that a store returns again show what is there now", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
      const runtime = fakeRuntime();
      const records = createRecords({ store: keeping(memoryStore({ now: runtime.clock.now })), runtime });
      const pages = createPages({ runtime, key: async () => new Uint8Array(32) });
      const there = new Map<string, Person>();
      const pagesOf = async ({ towns, limit, teams }: { towns: string[]; limit: number; teams: string[] }) => {
        const places = towns.map((name) => ({ index: "inTown" as const, prefix: [name] }));
        const keep = teams.length === 2 ? undefined : byTeam(async ({ team }) => teams.includes(team));
        const found: Person[][] = [];
        for (let cursor: string | null | undefined; cursor !== null; ) {
          const source = listTogether(records, people, places);
          const page = await pages.page(source, { limit, bind: [], cursor: cursor ?? undefined }, keep);
          const items = shown(page.items);
          expect(JSON.parse(jsonOf({ ...page, items }))).toEqual({ ...page, items });
          found.push(items);
          cursor = page.nextCursor;
        }
        return found;
      };
      for (const one of steps)
        if (one.kind === "put") {
          there.set(one.person.id, one.person);
          await records.change(cause, (change) => void change.put(people, one.person));
        } else if (one.kind === "delete") {
          there.delete(one.id);
          await records.change(cause, (change) => change.delete(people, [one.id]));
        } else {
          const expected = [...there.values()]
            .filter(({ town, team }) => one.towns.includes(town as never) && one.teams.includes(team as never))
            .sort((a, b) => (a.id < b.id ? -1 : 1));
          const found = await pagesOf(one);
          expect(found.flat()).toMatchObject(expected);
          const sizes = Array.from({ length: Math.max(1, Math.ceil(expected.length / one.limit)) }, (_, at) =>
            Math.min(one.limit, expected.length - at * one.limit),
          );
          expect(found.map(({ length }) => length)).toEqual(sizes);
        }
    }),
    { numRuns: 150 },
  );
});

test("a list is shown only once, until one of its records changes", async () => {
  const { put, list } = rome();
  await put("a", "red");
  const first = await list();
  expect(await list()).toBe(first);
  await put("a", "blue");
  expect(await list()).toMatchObject([{ team: "blue" }]);
});

test("a page that the same list was cut into leaves larger ones as they are", async () => {
  const { put, list } = rome();
  for (const id of ["a", "b", "c"]) await put(id, "red");
  for (const limit of [2, 5, 2]) expect(await list(limit)).toHaveLength(Math.min(limit, 3));
});

/** People in one town, in a store that returns its list again. */
function rome() {
  const runtime = fakeRuntime();
  const records = createRecords({ store: keeping(memoryStore({ now: runtime.clock.now })), runtime });
  const pages = createPages({ runtime, key: async () => new Uint8Array(32) });
  return {
    put: (id: string, team: string) =>
      records.change(cause, (change) => void change.put(people, { id, town: "Rome", team })),
    async list(limit?: number) {
      const source = listTogether(records, people, [{ index: "inTown", prefix: ["Rome"] }]);
      const { items } = await pages.page(
        source,
        { bind: [], limit },
        byTeam(async () => true),
      );
      return shown(items);
    },
  };
}
