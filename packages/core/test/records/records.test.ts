import { expect, test } from "vitest";
import { memoryStore } from "../../src/ports/memory-store.ts";
import { collection } from "../../src/records/collection.ts";
import { createRecords } from "../../src/records/create-records.ts";
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

test("refuses a taken unique name also to those who didn't look", async () => {
  const { records } = setUp();
  await records.change(cause, (change) => void change.put(people, { id: "a", email: "x@y", city: "Rome" }));
  const second = records.change(cause, (change) => void change.put(people, { id: "b", email: "x@y", city: "Rome" }));
  await expect(second).rejects.toMatchObject({ code: "AlreadyExists" });
});

test("moves the indexes of a record that was overwritten unread", async () => {
  const { records } = setUp();
  await records.change(cause, (change) => void change.put(people, { id: "a", email: "x@y", city: "Rome" }));
  await records.change(cause, (change) => void change.put(people, { id: "a", email: "z@y", city: "Oslo" }));
  expect(await records.list(people, { index: "byCity", prefix: ["Rome"] })).toEqual([]);
  expect(await records.list(people, { index: "byCity", prefix: ["Oslo"] })).toHaveLength(1);
  expect(await records.find(people, "email", ["x@y"])).toBeNull();
  expect((await records.find(people, "email", ["z@y"]))?.id).toBe("a");
});

test("removes the indexes of a record that was deleted unread", async () => {
  const { records, store } = setUp();
  await records.change(cause, (change) => void change.put(people, { id: "a", email: "x@y", city: "Rome" }));
  await records.change(cause, (change) => change.delete(people, ["a"]));
  expect(await store.list({ prefix: [] })).toEqual([]);
});

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
