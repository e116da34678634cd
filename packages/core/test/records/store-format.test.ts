import { describe, expect, test } from "vitest";
import { LiveplaneError } from "../../src/errors.ts";
import { memoryStore } from "../../src/ports/memory-store.ts";
import type { Json, Key, Store } from "../../src/ports/store.ts";
import { collection } from "../../src/records/collection.ts";
import { createRecords } from "../../src/records/create-records.ts";
import { formattedStore, raiseFormat } from "../../src/records/store-format.ts";
import { exportStore, importStore } from "../../src/records/transfer.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";

const place = ["installation", "format"];
const boxes = collection<{ readonly name: string }>()("box", { key: ({ name }) => [name] });
const cause = { actor: "test", requestId: "test" };
const runtime = fakeRuntime();

async function storeOf(...sets: { key: Key; value: Json }[]) {
  const store = memoryStore();
  await store.commit({ sets });
  return store;
}

/** A process that opens a store. */
function opened(store: Store) {
  const formatted = formattedStore(store, runtime);
  const records = createRecords({ store: formatted.store, runtime });
  return {
    ...formatted,
    put: (name: string) => records.change(cause, (change) => void change.put(boxes, { name })),
  };
}

describe("a store's format", () => {
  test("is written into an empty store by whichever process is first, before its first record", async () => {
    const store = memoryStore();
    await Promise.all([opened(store).format(), opened(store).format()]);
    expect((await store.list({ prefix: [] })).map(({ key, value }) => [key, value])).toEqual([[place, 6]]);

    const other = memoryStore();
    await opened(other).put("a");
    expect((await other.get([place]))[0]?.value).toBe(6);
    expect(await opened(other).format()).toBe(6);
  });

  test("is missing in a store with records: the store is refused and nothing is written", async () => {
    const store = await storeOf({ key: ["record", "box", "a"], value: { name: "a" } });
    const before = await store.list({ prefix: [] });
    const refusal = { code: "ConfigurationInvalid", message: expect.stringContaining("begin with an empty store") };
    await expect(opened(store).format()).rejects.toMatchObject(refusal);
    await expect(opened(store).put("b")).rejects.toMatchObject(refusal);
    expect(await store.list({ prefix: [] })).toEqual(before);
  });

  test.each([
    [0, /has format 0.*Start the build that wrote it/],
    [99, /build of liveplane is too old.*format 99.*Start a newer release/],
  ])("%s is refused, with what to do", async (format, message) => {
    const store = await storeOf({ key: place, value: format });
    await expect(opened(store).format()).rejects.toThrow(message);
    await expect(importStore(memoryStore(), exportStore(store, { atRest: true }))).rejects.toThrow(message);
  });

  test("refuses the next commit of a running process when it is raised, and nothing is written", async () => {
    const store = memoryStore();
    const process = opened(store);
    await process.put("a");
    await store.commit({ sets: [{ key: place, value: 99 }] });
    const before = await store.list({ prefix: [] });
    const refusal = { code: "ConfigurationInvalid", message: expect.stringContaining("too old") };
    await expect(process.put("b")).rejects.toMatchObject(refusal);
    await expect(process.store.commit({ sets: [{ key: ["ready"], value: 1 }] })).rejects.toMatchObject(refusal);
    await expect(process.format()).rejects.toMatchObject(refusal);
    expect(await store.list({ prefix: [] })).toEqual(before);
  });

  test("of an earlier release is kept until it is raised, also under a running process", async () => {
    const store = await storeOf({ key: place, value: 5 });
    const process = opened(store);
    await process.put("a");
    expect([await process.format(), (await store.get([place]))[0]?.value]).toEqual([5, 5]);
    const target = memoryStore();
    await importStore(target, exportStore(store, { atRest: true }));
    expect(await opened(target).format()).toBe(5);

    expect(await raiseFormat(store)).toEqual({ from: 5, to: 6 });
    expect(await process.store.commit({ sets: [{ key: ["ready"], value: 1 }] })).not.toBeNull();
    await process.put("b");
    expect(await process.format()).toBe(6);
    expect(await raiseFormat(store)).toEqual({ from: 6, to: 6 });
  });

  test("isn't raised while a process of an earlier release may run", async () => {
    const older = ["installation", "process", "older"];
    const store = await storeOf({ key: place, value: 5 }, { key: older, value: 5 });
    await store.commit({ sets: [{ key: ["installation", "process", "this"], value: 6 }] });
    const refusal = { code: "InvalidState", message: expect.stringContaining("in the last ten minutes: 1.") };
    await expect(raiseFormat(store)).rejects.toMatchObject(refusal);
    expect((await store.get([place]))[0]?.value).toBe(5);
    await store.commit({ deletes: [older] });
    expect((await raiseFormat(store)).to).toBe(6);
  });

  test("is asked for again after a failure, and only once after a success", async () => {
    const store = await storeOf({ key: place, value: 6 });
    let [gets, isAway] = [0, true];
    const { format } = opened({
      ...store,
      async get(keys, options) {
        gets += 1;
        if (isAway) throw new LiveplaneError("StoreFailed", "away");
        return store.get(keys, options);
      },
    });
    await expect(format()).rejects.toMatchObject({ code: "StoreFailed" });
    isAway = false;
    await format();
    await format();
    expect(gets).toBe(2);
  });

  test("is read again after a lost race, which counts as lost", async () => {
    const process = opened(memoryStore());
    const commit = () =>
      process.store.commit({ checks: [{ key: ["a"], version: null }], sets: [{ key: ["a"], value: 1 }] });
    expect(await commit()).not.toBeNull();
    expect(await commit()).toBeNull();
    await process.put("a");
  });
});

test("processes that share a store name the format that they read, at most once a minute", async () => {
  const clock = { ...runtime.clock, now: () => at, monotonic: () => at };
  let at = 0;
  const store = memoryStore({ now: () => at });
  const shared = { ...store, close: async () => {}, capabilities: { ...store.capabilities, sharedByProcesses: true } };
  const { store: formatted } = formattedStore(shared, { ...runtime, clock });
  const present = async () => (await store.list({ prefix: ["installation", "process"] })).map((one) => one.expiresAt);
  const change = () => formatted.commit({ sets: [{ key: ["a"], value: 1 }] });
  await change();
  expect(await present()).toEqual([600_000]);
  at = 59_000;
  await change();
  expect(await present()).toEqual([600_000]);
  at = 60_000;
  await formatted.commit({});
  expect(await present()).toEqual([600_000]);
  await change();
  expect(await present()).toEqual([660_000]);
  await formatted.close();
  expect(await present()).toEqual([]);
});
