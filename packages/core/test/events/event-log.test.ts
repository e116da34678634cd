import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { createEventLog } from "../../src/events/event-log.ts";
import { memoryStore } from "../../src/ports/memory-store.ts";
import type { Json, Store } from "../../src/ports/store.ts";
import { collection } from "../../src/records/collection.ts";
import { createRecords } from "../../src/records/create-records.ts";
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

const event = (subject: string, type: "environment.created" | "environment.updated" = "environment.updated") =>
  ({ type, subject, about: { kind: "installation" }, data: { changed: [] } }) as const;

function setUp() {
  const runtime = fakeRuntime();
  const store = memoryStore({ now: runtime.clock.now });
  const log = createEventLog({ store, runtime });
  const records = createRecords({ store, runtime, onEvents: log.wake });
  const make = (id: string) =>
    records.change(cause, (change) => {
      change.put(things, { id, name: `name ${id}` });
      change.emit(event(id, "environment.created"));
    });
  const emit = (count: number) =>
    records.change(cause, (change) => {
      for (let at = 0; at < count; at++) change.emit(event(`event ${at}`));
    });
  return { runtime, store, log, records, make, emit };
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
      for (let at = 0; at < 5; at++) change.emit(event(`${round}.${at}`));
    });
    await Promise.all([log.sequence(), other.sequence()]);
  }
  const events = await log.read(0, 100);
  expect(events.map(({ subject }) => subject)).toEqual(
    Array.from({ length: 50 }, (_, at) => `${Math.floor(at / 5)}.${at % 5}`),
  );
});

/** What somebody with access to the database might do to the entry of a sequence number. */
const tamperings: Record<string, (store: Store, key: readonly string[], value: Json) => Promise<unknown>> = {
  "changes an event": (store, key, value) => {
    const changed = structuredClone(value) as { event: { actor: string } };
    changed.event.actor = "somebody else";
    return store.commit({ sets: [{ key, value: changed }] });
  },
  "changes a hash": (store, key, value) =>
    store.commit({ sets: [{ key, value: { ...(value as { event: Json }), hash: "00" } }] }),
  "takes an event out": (store, key) => store.commit({ deletes: [key] }),
};

for (const [what, tamper] of Object.entries(tamperings)) {
  test(`names the first broken entry, wherever in the chain somebody ${what}`, async () => {
    for (const sequence of [1, 3, 250, 500]) {
      const { store, log, emit } = setUp();
      await emit(500);
      await log.sequence();
      const entries = await store.list({ prefix: ["event", "log"] });
      const entry = entries[sequence - 1];
      await tamper(store, entry?.key ?? [], entry?.value ?? null);
      expect(await log.verify()).toEqual({ verified: sequence - 1, broken: sequence, waiting: 0 });
    }
  });
}

test("reads events of both formats in one unbroken chain, and writes the one that the store says", async () => {
  const { store, runtime } = setUp();
  let written = 0;
  const log = createEventLog({ store, runtime, format: async () => written });
  const records = createRecords({ store, runtime });
  const stored = async () =>
    (await store.list({ prefix: ["event", "log"] })).map(({ value }) =>
      Object.keys(Object(Reflect.get(Object(value), "event"))),
    );
  for (const format of [5, 6, 5]) {
    written = format;
    for (const subject of ["a", "b"]) await records.change(cause, (change) => change.emit(event(subject)));
    await log.sequence();
  }
  const compact = ["id", "type", "subject", "time", "actor", "requestid", "data", "about"];
  const events = await log.read(0, 10);
  const whole = Object.keys(events[0] ?? {});
  expect(await stored()).toEqual([whole, whole, compact, compact, whole, whole]);
  expect(events.map((one) => [Object.keys(one), one.sequence])).toEqual([1, 2, 3, 4, 5, 6].map((at) => [whole, at]));
  expect(events[2]).toMatchObject({ specversion: "1.0", source: "liveplane", datacontenttype: "application/json" });
  expect((await log.batch([["installation"]], 0, 10)).events).toEqual(events);
  expect(await log.verify()).toEqual({ verified: 6, broken: null, waiting: 0 });
});

test("the chain of a released format stays unbroken: its hashes are over this text", async () => {
  const { store, log } = setUp();
  const text =
    '{"specversion":"1.0","id":"1-0","source":"liveplane","type":"environment.updated","subject":"a","time":"2026-11-26T10:00:00.000Z","datacontenttype":"application/json","sequence":1,"actor":"somebody","requestid":"r","data":{"changed":[]},"about":{"kind":"installation"}}';
  const hash = createHash("sha256").update(text).digest("hex");
  const head = { sequence: 1, hash, pruned: 0, prunedHash: "" };
  const { specversion, source, datacontenttype, sequence, ...compact } = JSON.parse(text);
  for (const event of [{ ...compact, specversion, source, datacontenttype, sequence }, compact]) {
    const entry = { key: ["event", "log", "0000000000000001"], value: { event, hash } };
    await store.commit({ sets: [{ key: ["event", "head"], value: head }, entry] });
    expect(await log.verify()).toEqual({ verified: 1, broken: null, waiting: 0 });
  }
});

test("counts what waits for its place, of which nothing is verified yet", async () => {
  const { store, log, emit } = setUp();
  await emit(3);
  await log.sequence();
  await store.commit({ appends: [{ prefix: ["event", "pending"], value: null }] });
  expect(await log.verify()).toEqual({ verified: 3, broken: null, waiting: 1 });
});

test("finds an untouched chain whole while events are added and removed", async () => {
  const { store, runtime, log, emit } = setUp();
  await emit(450);
  await log.sequence();
  await runtime.advance(1000);
  let lists = 0;
  const disturbed: Store = {
    ...store,
    async list(range, options) {
      if (++lists === 1) await log.prune(runtime.clock.now());
      if (lists === 3) await emit(7).then(() => log.sequence());
      return store.list(range, options);
    },
  };
  const found = await createEventLog({ store: disturbed, runtime }).verify();
  expect(found).toEqual({ verified: 250, broken: null, waiting: 0 });
});

test("loses no wake-up, whenever it comes", async () => {
  const { runtime, store, log, emit } = setUp();
  const silent = createRecords({ store, runtime });
  await emit(1);
  for (let round = 1; round <= 200; round++) {
    const first = log.sequence();
    for (let turn = 0; turn < round % 40; turn++) await Promise.resolve();
    await silent.change(cause, (change) => change.emit(event("y")));
    await log.sequence();
    expect(await log.head()).toBe(round + 1);
    await first;
  }
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

test("lets no listener disturb another, be it asynchronous", async () => {
  const { store, runtime } = setUp();
  const silent = createRecords({ store, runtime });
  const make = (subject: string) =>
    silent.change(cause, (change) => change.emit(event(subject, "environment.created")));
  const seen: string[] = [];
  const errors: unknown[] = [];
  const logger = { ...runtime.logger, error: (_fields: object, message: string) => void errors.push(message) };
  const log = createEventLog({ store, runtime: { ...runtime, logger } });
  log.on("*", () => {
    throw new TypeError("broken listener");
  });
  log.on("*", async () => {
    await Promise.resolve();
    throw new TypeError("broken later");
  });
  const stop = log.on("environment.created", ({ subject }) => seen.push(subject));
  await make("a");
  await log.sequence();
  stop();
  await make("b");
  await log.sequence();
  expect(seen).toEqual(["a"]);
  expect(errors).toEqual(Array(4).fill("A listener failed."));
});
