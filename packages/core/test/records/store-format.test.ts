import { describe, expect, test } from "vitest";
import { LiveplaneError } from "../../src/errors.ts";
import { memoryStore } from "../../src/ports/memory-store.ts";
import type { Json, Key } from "../../src/ports/store.ts";
import { collection } from "../../src/records/collection.ts";
import { createRecords } from "../../src/records/create-records.ts";
import { storeFormat } from "../../src/records/store-format.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";

const place = ["installation", "format"];
const boxes = collection<{ readonly name: string }>()("box", { key: ({ name }) => [name] });
const cause = { actor: "test", requestId: "test" };

async function storeOf(...sets: { key: Key; value: Json }[]) {
  const store = memoryStore();
  await store.commit({ sets });
  return store;
}

describe("a store's format", () => {
  test("is written into an empty store by whichever process is first, before its first record", async () => {
    const store = memoryStore();
    await Promise.all([storeFormat(store)(), storeFormat(store)()]);
    expect((await store.list({ prefix: [] })).map(({ key, value }) => [key, value])).toEqual([[place, 5]]);

    const other = memoryStore();
    const records = createRecords({ store: other, runtime: fakeRuntime(), requireFormat: storeFormat(other) });
    await records.change(cause, (change) => void change.put(boxes, { name: "a" }));
    expect((await other.get([place]))[0]?.value).toBe(5);
    await storeFormat(other)();
  });

  test("is missing in a store with records: the store is refused and nothing is written", async () => {
    const store = await storeOf({ key: ["record", "box", "a"], value: { name: "a" } });
    const before = await store.list({ prefix: [] });
    const records = createRecords({ store, runtime: fakeRuntime(), requireFormat: storeFormat(store) });
    const refusal = { code: "ConfigurationInvalid", message: expect.stringContaining("begin with an empty store") };
    await expect(storeFormat(store)()).rejects.toMatchObject(refusal);
    await expect(records.change(cause, (change) => void change.put(boxes, { name: "b" }))).rejects.toMatchObject(
      refusal,
    );
    expect(await store.list({ prefix: [] })).toEqual(before);
  });

  test.each([
    [0, /has format 0.*Start the build that wrote it/],
    [6, /build of liveplane is too old.*format 6.*Start a newer release/],
  ])("%s is refused, with what to do", async (format, message) => {
    const store = await storeOf({ key: place, value: format });
    await expect(storeFormat(store)()).rejects.toThrow(message);
  });

  test("is asked for again after a failure, and only once after a success", async () => {
    const store = memoryStore();
    let [gets, isAway] = [0, true];
    const requireFormat = storeFormat({
      ...store,
      async get(keys, options) {
        gets += 1;
        if (isAway) throw new LiveplaneError("StoreFailed", "away");
        return store.get(keys, options);
      },
    });
    await expect(requireFormat()).rejects.toMatchObject({ code: "StoreFailed" });
    isAway = false;
    await requireFormat();
    await requireFormat();
    expect(gets).toBe(2);
  });
});
