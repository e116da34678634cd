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

test("gives every event of a change its place in one gapless sequence", async () => {
  const { log, make } = setUp();
  await Promise.all(Array.from({ length: 20 }, (_, at) => make(`t${at}`)));
  await log.sequence();
  const events = await log.read(0, 100);
  expect(events.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
  expect(new Set(events.map(({ subject }) => subject)).size).toBe(20);
  expect(await log.verify()).toEqual({ verified: 20, broken: null, waiting: 0 });
});

test("never forks or doubles when two sequencers run at once", async () => {
  const { store, runtime, log, records } = setUp();
  const other = createEventLog({ store, runtime });
  for (let round = 0; round < 10; round++) {
    await records.change(cause, (change) => {
      for (let at = 0; at < 5; at++)
        change.emit({ type: "x", subject: `${round}.${at}`, about: { kind: "installation" } });
    });
    await Promise.all([log.sequence(), other.sequence()]);
  }
  const events = await log.read(0, 100);
  expect(events.map(({ subject }) => subject)).toEqual(
    Array.from({ length: 50 }, (_, at) => `${Math.floor(at / 5)}.${at % 5}`),
  );
});

test("names the first entry that was tampered with", async () => {
  const { store, log, make } = setUp();
  for (const id of ["a", "b", "c"]) await make(id);
  await log.sequence();
  const [, second] = await store.list({ prefix: ["event", "log"] });
  const value = structuredClone(second?.value) as { event: { actor: string } };
  value.event.actor = "somebody else";
  await store.commit({ sets: [{ key: second?.key ?? [], value: value as never }] });
  expect(await log.verify()).toMatchObject({ broken: 2 });
});

test("shows those who follow what comes, and wakes them at once", async () => {
  const { log, make } = setUp();
  await make("before");
  await log.sequence();
  const stop = new AbortController();
  const seen: string[] = [];
  const following = (async () => {
    for await (const event of log.follow({ after: 0, signal: stop.signal })) {
      seen.push(event.subject);
      if (seen.length === 3) stop.abort();
    }
  })();
  await make("one");
  await make("two");
  await following;
  expect(seen).toEqual(["before", "one", "two"]);
});

test("says when events behind a point are no longer kept", async () => {
  const { runtime, log, make } = setUp();
  await make("old");
  await runtime.advance(10_000);
  await make("new");
  await log.sequence();
  expect(await log.prune(runtime.clock.now() - 5000)).toBe(1);
  await expect(log.read(0, 10)).rejects.toMatchObject({ code: "EventsExpired" });
  expect((await log.read(1, 10)).map(({ subject }) => subject)).toEqual(["new"]);
  expect(await log.verify()).toEqual({ verified: 1, broken: null, waiting: 0 });
});

test("lets no listener disturb another", async () => {
  const { log, make } = setUp();
  const seen: string[] = [];
  log.on("*", () => {
    throw new TypeError("broken listener");
  });
  log.on("environment.created", ({ subject }) => void seen.push(subject));
  await make("a");
  await log.sequence();
  expect(seen).toEqual(["a"]);
});
