import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LiveplaneError } from "../../src/errors.ts";
import { memoryStore } from "../../src/ports/memory-store.ts";
import type { Entry, Store } from "../../src/ports/store.ts";
import { collection } from "../../src/records/collection.ts";
import { createRecords } from "../../src/records/create-records.ts";
import { listAll } from "../../src/records/list-all.ts";
import type { Change } from "../../src/records/records.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";

interface Person {
  readonly id: string;
  readonly email: string;
  readonly city: string;
}

const people = collection<Person>()("person", {
  key: ({ id }) => [id],
  indexes: { byCity: ({ city }) => [[city]] },
  uniques: { email: ({ email }) => [[email]] },
});
const cause = { actor: "somebody", requestId: "request-1" };

function setUp() {
  const runtime = fakeRuntime();
  const store = memoryStore({ now: runtime.clock.now });
  return { runtime, store, records: createRecords({ store, runtime }) };
}

test("gives up with Conflict when others keep changing what was read", async () => {
  const { records, runtime } = setUp();
  const put = (city: string) =>
    records.change(cause, (change) => void change.put(people, { id: "a", email: "x@y", city }));
  await put("Rome");
  let rounds = 0;
  const work = records.change(
    cause,
    async (change) => {
      const person = await change.get(people, ["a"]);
      await put(`city ${++rounds}`);
      if (person) change.put(people, { ...person, email: "late@y" });
    },
    { attempts: 4 },
  );
  const outcome = expect(work).rejects.toMatchObject({ code: "Conflict", retryable: true });
  await runtime.advance(5000);
  await outcome;
  expect(rounds).toBe(4);
});

test("shows a change its own writes, and tells them their version", async () => {
  const { records } = setUp();
  const person = await records.change(cause, async (change) => {
    const made = change.put(people, { id: "a", email: "x@y", city: "Rome" });
    expect(await change.get(people, ["a"])).toMatchObject({ city: "Rome" });
    expect(await change.find(people, "email", ["x@y"])).toMatchObject({ id: "a" });
    return made;
  });
  expect(person.version).toBe((await records.get(people, ["a"]))?.version);
});

test("lets exactly one of two racing changes win at a time", async () => {
  const { records } = setUp();
  const counters = collection<{ id: string; count: number }>()("counter", { key: ({ id }) => [id] });
  const increment = () =>
    records.change(
      cause,
      async (change) => {
        const counter = (await change.get(counters, ["c"])) ?? { id: "c", count: 0 };
        change.put(counters, { id: "c", count: counter.count + 1 });
      },
      { attempts: 100 },
    );
  await Promise.all([increment(), increment()]);
  expect((await records.get(counters, ["c"]))?.count).toBe(2);
});

test("goes on with a list by index past what leaves it during the read, and shows nothing that isn't under it", async () => {
  const { records, runtime, store } = setUp();
  for (let at = 0; at < 30; at++)
    await records.change(
      cause,
      (change) => void change.put(people, { id: `p${String(at).padStart(2, "0")}`, email: `${at}`, city: "Rome" }),
    );
  let lists = 0;
  const disturbed: Store = {
    ...store,
    async list(range, options) {
      const found = await store.list(range, options);
      if (++lists === 1)
        await records.change(cause, (change) => {
          change.delete(people, ["p00"]);
          change.put(people, { id: "p01", email: "1", city: "Oslo" });
        });
      return found;
    },
  };
  const reading = createRecords({ store: disturbed, runtime });
  const listed = await reading.list(people, { index: "byCity", prefix: ["Rome"], limit: 10 });
  expect(listed.map(({ record }) => record.id)).toEqual(
    Array.from({ length: 10 }, (_, at) => `p${String(at + 2).padStart(2, "0")}`),
  );
});

test("repeats no change whose outcome is unknown", async () => {
  const { runtime, store } = setUp();
  let commits = 0;
  const losing: Store = {
    ...store,
    async commit(commit, options) {
      commits += 1;
      await store.commit(commit, options);
      throw new LiveplaneError("CommitOutcomeUnknown");
    },
  };
  const records = createRecords({ store: losing, runtime });
  const change = records.change(cause, (change) => void change.put(people, { id: "a", email: "x@y", city: "Rome" }));
  await expect(change).rejects.toMatchObject({ code: "CommitOutcomeUnknown" });
  expect(commits).toBe(1);
});

const id = fc.constantFrom("a", "b", "c", "d");
const step = fc.record({
  id,
  email: fc.constantFrom("1", "2", "3"),
  city: fc.constantFrom("Rome", "Oslo", "Rom"),
  what: fc.constantFrom("put", "put", "blind put", "delete", "blind delete"),
});

test("keeps records, indexes and unique names in agreement, whatever several clients do at once", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { maxLength: 6 }), { minLength: 1, maxLength: 3 }), async (programs) => {
      const { runtime, store } = setUp();
      const records = createRecords({
        store,
        runtime: { ...runtime, clock: { ...runtime.clock, sleep: async () => {} } },
      });
      const run = ({ what, ...person }: Person & { what: string }) =>
        records.change(
          cause,
          async (change) => {
            if (!what.startsWith("blind")) await change.get(people, [person.id]);
            if (what.endsWith("delete")) change.delete(people, [person.id]);
            else change.put(people, person);
          },
          { attempts: 200 },
        );
      await Promise.all(
        programs.map(async (program) => {
          for (const person of program)
            await run(person).catch((error: unknown) => expect(error).toMatchObject({ code: "AlreadyExists" }));
        }),
      );
      const kept = await listAll(records, people);
      expect(new Set(kept.map(({ email }) => email)).size).toBe(kept.length);
      for (const person of kept) expect(await records.find(people, "email", [person.email])).toEqual(person);
      for (const city of ["Rome", "Oslo", "Rom"]) {
        const there = kept.filter((person) => person.city === city);
        expect(await listAll(records, people, { index: "byCity", prefix: [city] })).toEqual(there);
        expect(await records.keys(people, "byCity", [city])).toEqual(there.map(({ id }) => [id]));
      }
      expect(await store.list({ prefix: [] })).toHaveLength(kept.length * 3);
    }),
    { numRuns: 200 },
  );
});

test("lets others run after each page of a long list, in a change too", async () => {
  let turns = 0;
  const turn = async () => {
    turns += 1;
  };
  const fake = fakeRuntime();
  const records = createRecords({ store: memoryStore({ now: fake.clock.now }), runtime: { ...fake, yield: turn } });
  const put = (from: number, until: number) =>
    records.change(cause, (change) => {
      for (let at = from; at < until; at++) change.put(people, { id: `${at}`, email: `${at}@y`, city: "Rome" });
    });
  await put(0, 400);
  await listAll(records, people);
  expect(turns).toBe(0);
  await put(400, 2_100);
  expect(await listAll(records, people)).toHaveLength(2_100);
  expect(turns).toBe(2);
  await records.change(cause, (change) => listAll(change, people));
  expect(turns).toBe(4);
  expect(new Set(await records.keys(people, "byCity", ["Rome"])).size).toBe(2_100);
  expect(turns).toBe(8);
});

test("writes the indexes and names of a record only where they change", async () => {
  const { store, runtime } = setUp();
  const written: string[] = [];
  const watched = createRecords({
    runtime,
    store: {
      ...store,
      commit(commit, options) {
        for (const { key } of commit.sets ?? []) written.push(key.join("/"));
        for (const key of commit.deletes ?? []) written.push(`no ${key.join("/")}`);
        return store.commit(commit, options);
      },
    },
  });
  const put = async (person: Person, expiresAt?: number) => {
    written.length = 0;
    await watched.change(cause, async (change) => {
      await change.get(people, [person.id]);
      change.put(people, person, expiresAt === undefined ? {} : { expiresAt });
    });
    return [...written].sort();
  };
  const ada = { id: "a", email: "x@y", city: "Rome" };
  const [city, name, record] = ["index/person/byCity/Rome/a", "unique/person/email/x@y", "record/person/a"];
  expect(await put(ada)).toEqual([city, record, name]);
  expect(await put({ ...ada, email: "z@y" })).toEqual([`no ${name}`, record, "unique/person/email/z@y"]);
  expect(await put({ ...ada, email: "z@y" })).toEqual([record]);
  // What expires takes its indexes and names with it.
  const expiresAt = runtime.clock.now() + 1000;
  expect(await put({ ...ada, email: "z@y" }, expiresAt)).toEqual([city, record, "unique/person/email/z@y"]);
});

describe("over a store that recalls what it last knew", () => {
  /** Recalls every entry as it was when `recalled` was called last, and counts reads. */
  async function recalling() {
    const { store, runtime } = setUp();
    const known = new Map<string, Entry>();
    let reads = 0;
    const recalls: Store = {
      ...store,
      get(keys, options) {
        reads += 1;
        return store.get(keys, options);
      },
      recall: (keys) => keys.map((key) => known.get(key.join("/"))),
    };
    const others = createRecords({ store, runtime });
    const put = (city: string) =>
      others.change(cause, (change) => void change.put(people, { id: "a", email: "x@y", city }));
    await put("Rome");
    for (const entry of await store.list({ prefix: [] })) known.set(entry.key.join("/"), entry);
    return { others, put, records: createRecords({ store: recalls, runtime }), reads: () => reads };
  }
  const moved = (change: Change, to: string) =>
    change.get(people, ["a"]).then((person) => {
      if (person?.city !== "Rome") throw new LiveplaneError("InvalidState", `Already in ${person?.city}.`);
      return change.put(people, { ...person, city: to });
    });

  test("a change that recalls what is still so reads nothing", async () => {
    const { others, records, reads } = await recalling();
    await records.change(cause, (change) => moved(change, "Oslo"));
    expect(reads()).toBe(0);
    expect(await others.get(people, ["a"])).toMatchObject({ city: "Oslo" });
  });

  test("what others have changed since is read before anything is written, refused or answered", async () => {
    const { others, put, records } = await recalling();
    await put("Kyiv");
    await expect(records.change(cause, (change) => moved(change, "Oslo"))).rejects.toMatchObject({
      message: "Already in Kyiv.",
    });
    await put("Rome");
    await records.change(cause, (change) => moved(change, "Oslo"));
    expect(await others.get(people, ["a"])).toMatchObject({ city: "Oslo" });
    expect(await records.change(cause, (change) => change.get(people, ["a"]))).toMatchObject({ city: "Oslo" });
    await others.change(cause, (change) => change.delete(people, ["a"]));
    expect(await records.change(cause, (change) => change.get(people, ["a"]))).toBeNull();
  });

  test("a refusal because of what isn't so any more isn't one", async () => {
    const { put, records } = await recalling();
    await put("Kyiv");
    const inKyiv = (change: Change) =>
      change.get(people, ["a"]).then((person) => {
        if (person?.city !== "Kyiv") throw new LiveplaneError("InvalidState", "Not there.");
        return change.put(people, { ...person, city: "Oslo" });
      });
    expect(await records.change(cause, inKyiv)).toMatchObject({ city: "Oslo" });
  });

  test("a change that is tried only once recalls nothing", async () => {
    const { put, records } = await recalling();
    await put("Kyiv");
    const there = records.change(cause, (change) => change.get(people, ["a"]), { attempts: 1 });
    expect(await there).toMatchObject({ city: "Kyiv" });
  });
});
