import { expect, test } from "vitest";
import { memoryStore } from "../../src/ports/memory-store.ts";
import { collection } from "../../src/records/collection.ts";
import { createRecords } from "../../src/records/create-records.ts";
import { createEventLog } from "../../src/records/event-log.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";

interface Thing {
  readonly id: string;
  readonly name: string;
}

const things = collection<Thing>()("thing", {
  key: ({ id }) => [id],
  indexes: { byName: ({ name }) => [[name]] },
  uniques: { name: ({ name }) => [[name]] },
});
const cause = { actor: "somebody", requestId: "request-1" };

function setUp() {
  const runtime = fakeRuntime();
  const store = memoryStore({ now: runtime.clock.now });
  const log = createEventLog({ store, runtime });
  const records = createRecords({ store, runtime, onEvents: log.wake });
  const make = (id: string) =>
    records.change(cause, (change) => {
      change.put(things, { id, name: `name ${id}` });
      change.emit({ type: "environment.created", subject: id, about: { kind: "installation" } });
    });
  return { runtime, store, log, records, make };
}

test("keeps unique names and indexes in the commit of their record", async () => {
  const { records, make } = setUp();
  await make("a");
  await expect(
    records.change(cause, async (change) => {
      await change.find(things, "name", ["name a"]);
      change.put(things, { id: "b", name: "name a" });
    }),
  ).rejects.toMatchObject({ code: "AlreadyExists" });
  await records.change(cause, async (change) => {
    const thing = await change.get(things, ["a"]);
    if (thing !== null) change.put(things, { ...thing, name: "renamed" });
  });
  expect((await records.find(things, "name", ["renamed"]))?.id).toBe("a");
  expect(await records.find(things, "name", ["name a"])).toBeNull();
  expect((await records.list(things, { index: "byName", prefix: ["renamed"] })).length).toBe(1);
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
  const runtimeFree = Array.from({ length: 2 }, increment);
  await Promise.all(runtimeFree);
  expect((await records.get(counters, ["c"]))?.count).toBe(2);
});
