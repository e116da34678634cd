import fc from "fast-check";
import { expect, test } from "vitest";
import { memoryStore } from "../../src/ports/memory-store.ts";
import type { Store } from "../../src/ports/store.ts";
import { createCallRecords } from "../../src/records/call-records.ts";
import { collection } from "../../src/records/collection.ts";
import { createRecords } from "../../src/records/create-records.ts";
import type { Reader } from "../../src/records/records.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";

interface Person {
  readonly id: string;
  readonly email: string;
  readonly town: string;
}

const people = collection<Person>()("person", {
  key: ({ id }) => [id],
  indexes: { inTown: ({ town }) => [[town]] },
  uniques: { email: ({ email }) => [[email]] },
});
const cause = { actor: "somebody", requestId: "request-1" };

/** Records whose reads wait for `gate`. Counts the turns in which something is read. */
function world({ gate = () => {} }: { readonly gate?: (read: "get" | "list") => Promise<void> | void } = {}) {
  const runtime = fakeRuntime();
  const store = memoryStore({ now: runtime.clock.now });
  let turns = 0;
  let isCounted = false;
  function count(): void {
    if (isCounted) return;
    isCounted = true;
    turns += 1;
    setImmediate(() => {
      isCounted = false;
    });
  }
  const slow: Store = {
    ...store,
    async get(keys) {
      count();
      await gate("get");
      await new Promise(setImmediate);
      return store.get(keys);
    },
    async list(range) {
      count();
      await gate("list");
      await new Promise(setImmediate);
      return store.list(range);
    },
  };
  const own = createRecords({ store, runtime });
  return {
    own,
    readerOf: createCallRecords(createRecords({ store: slow, runtime })),
    put: (id: string, town: string, email = `${id}@example.com`) =>
      own.change(cause, (change) => void change.put(people, { id, email, town })),
    remove: (id: string) => own.change(cause, (change) => change.delete(people, [id])),
    async turnsOf<T>(work: () => Promise<T>): Promise<{ readonly answer: T; readonly turns: number }> {
      turns = 0;
      const answer = await work();
      return { answer, turns };
    },
  };
}

const inTown = async (reader: Reader, town: string) => {
  const listed = await reader.list(people, { index: "inTown", prefix: [town], limit: 10 });
  return listed.map(({ record }) => record);
};
const idsIn = async (reader: Reader, town: string) => (await inTown(reader, town)).map(({ id }) => id);

test("a call reads a record once, by its key and by a name, and the next call anew", async () => {
  const { readerOf, put, turnsOf } = world();
  await put("a", "Rome");
  const reader = readerOf("get a");
  const first = await reader.get(people, ["a"]);
  expect(first).toMatchObject({ email: "a@example.com" });
  expect(await reader.get(people, ["b"])).toBeNull();
  expect(await reader.find(people, "email", ["c@example.com"])).toBeNull();
  await put("a", "Rome", "c@example.com");
  await put("b", "Rome");
  const { turns } = await turnsOf(async () => {
    expect(await reader.get(people, ["a"])).toBe(first);
    expect(await reader.get(people, ["b"])).toBeNull();
    expect(await reader.find(people, "email", ["c@example.com"])).toBeNull();
  });
  expect(turns).toBe(0);
  const next = readerOf("get a");
  expect(await next.find(people, "email", ["c@example.com"])).toMatchObject({ id: "a" });
  expect(await next.get(people, ["b"])).toMatchObject({ email: "b@example.com" });
});

/** A call that finds somebody, and lists everybody in the same town. */
async function neighbours(reader: Reader, id: string): Promise<readonly Person[]> {
  const person = await reader.get(people, [id]);
  return person === null ? [] : inTown(reader, person.town);
}

test("a call that lists reads in one turn what it read last time in the same session", async () => {
  const { readerOf, put, turnsOf } = world();
  for (const id of ["a", "b"]) await put(id, "Rome");
  const call = (session: string, name = "neighbours of a") =>
    turnsOf(async () => {
      const reader = readerOf(name);
      reader.readAhead(session);
      return neighbours(reader, "a");
    });
  expect((await call("s1")).turns).toBe(3);
  expect((await call("s1")).turns).toBe(1);
  expect((await call("s2")).turns).toBe(3);
  expect((await call("s1", "another call")).turns).toBe(3);
  await put("c", "Rome");
  const grown = await call("s1");
  expect(grown.answer.map(({ id }) => id)).toEqual(["a", "b", "c"]);
  expect(grown.turns).toBe(2);
  expect((await call("s1")).turns).toBe(1);
});

test("what nobody asks for any more isn't read again, nor what isn't a list", async () => {
  const { readerOf, put, turnsOf } = world();
  await put("a", "Rome");
  const call = (list: string | null, asks: boolean) =>
    turnsOf(async () => {
      const reader = readerOf(list);
      reader.readAhead("s");
      if (asks) await neighbours(reader, "a");
    });
  for (const list of ["neighbours of a", null]) await call(list, true);
  expect((await call(null, false)).turns).toBe(0);
  expect((await call("neighbours of a", false)).turns).toBe(1);
  expect((await call("neighbours of a", false)).turns).toBe(0);
});

test("it forgets the calls made longest ago", async () => {
  const { readerOf, put, turnsOf } = world();
  for (let at = 0; at < 200; at++) await put(`${at}`, "Rome");
  const call = (name: number) =>
    turnsOf(() => {
      const reader = readerOf(`call ${name}`);
      reader.readAhead("s");
      return reader.list(people, { index: "inTown", prefix: ["Rome"] });
    });
  for (let name = 0; name <= 150; name++) await call(name);
  expect((await call(150)).turns).toBe(1);
  expect((await call(0)).turns).toBe(2);
});

test("what others change between two calls is in the second, whatever the first has read", async () => {
  const deed = fc.record({
    id: fc.constantFrom("a", "b", "c"),
    town: fc.option(fc.constantFrom("Rome", "Oslo"), { nil: null }),
    calls: fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 2 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(deed, { maxLength: 12 }), async (deeds) => {
      const { own, readerOf, put, remove } = world();
      for (const { id, town, calls } of deeds) {
        await (town === null ? remove(id) : put(id, town));
        for (const asked of calls) {
          const reader = readerOf(asked);
          reader.readAhead("s");
          expect(await neighbours(reader, asked)).toEqual(await neighbours(own, asked));
        }
      }
    }),
    { numRuns: 60 },
  );
});

test("what moves into a list while it is read isn't left out", async () => {
  let meanwhile: () => Promise<void> = async () => {};
  const { readerOf, put } = world({ gate: (read) => (read === "list" ? meanwhile() : undefined) });
  for (const id of ["a", "b"]) await put(id, "Rome");
  const call = () => {
    const reader = readerOf("Rome");
    reader.readAhead("s");
    return idsIn(reader, "Rome");
  };
  await call();
  await put("a", "Oslo");
  meanwhile = async () => {
    meanwhile = async () => {};
    // The records have been read, and the list hasn't.
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    await put("a", "Rome");
    await put("c", "Rome");
  };
  expect(await call()).toEqual(["a", "b", "c"]);
});

test("an early read that fails ends only a call that asks for it", async () => {
  let isFailing = false;
  const { readerOf, put } = world({
    gate: () => {
      if (isFailing) throw new Error("The store is away.");
    },
  });
  await put("a", "Rome");
  const first = readerOf("Rome");
  first.readAhead("s");
  await idsIn(first, "Rome");
  isFailing = true;
  const second = readerOf("Rome");
  second.readAhead("s");
  await new Promise(setImmediate);
  isFailing = false;
  expect(await second.get(people, ["a"])).toMatchObject({ id: "a" });
  await expect(idsIn(second, "Rome")).rejects.toThrow("The store is away.");
});
