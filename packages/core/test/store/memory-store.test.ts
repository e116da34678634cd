import { expect, test } from "vitest";
import { memoryStore } from "../../src/ports/memory-store.ts";
import { type RegisterTest, storeConformance } from "../../src/testing/store-laws/store-conformance.ts";

storeConformance(test, memoryStore, { programs: 1000, seed: 1 });

/** All laws but the one that frozen values break on purpose: what was written isn't copied. */
const frozenTest: RegisterTest = (title, run) => {
  if (!title.includes("keeps what was written")) test(`with frozen values ${title}`, run);
};
storeConformance(frozenTest, ({ now }) => memoryStore({ now, values: "frozen" }), { programs: 200, seed: 2 });

test("frozen values are one and the same for all, and changed neither by who wrote them nor by who reads them", async () => {
  const store = memoryStore({ values: "frozen" });
  const value = { list: [1] };
  await store.commit({ sets: [{ key: ["v"], value }] });
  expect(() => value.list.push(2)).toThrow(TypeError);
  const read = [...(await store.get([["v"]])), ...(await store.list({ prefix: [] }))];
  expect(read[0]).toBe(read[1]);
  expect(read[0]).toEqual({ key: ["v"], value: { list: [1] }, version: 1 });
  expect(() => (read[0] as unknown as { key: string[] }).key.push("w")).toThrow(TypeError);
  expect(() => (read[0] as unknown as { value: typeof value }).value.list.push(3)).toThrow(TypeError);
});

test.each(["copied", "frozen"] as const)(
  "a fork of %s values has all that its store has, and each changes apart",
  async (values) => {
    let now = 0;
    const store = memoryStore({ now: () => now, values });
    await store.commit({ sets: [{ key: ["kept"], value: 1 }] });
    await store.commit({ sets: [{ key: ["ends"], value: 1, expiresAt: 10 }] });
    const fork = store.fork();
    expect(await fork.list({ prefix: [] })).toEqual(await store.list({ prefix: [] }));
    expect(await fork.commit({ sets: [{ key: ["kept"], value: 2 }], checks: [{ key: ["kept"], version: 1 }] })).toBe(3);
    expect(await store.commit({ deletes: [["kept"]] })).toBe(3);
    expect(await fork.get([["kept"]])).toEqual([{ key: ["kept"], value: 2, version: 3 }]);
    expect(await store.get([["kept"]])).toEqual([null]);
    now = 10;
    expect(await fork.get([["ends"]])).toEqual([null]);
    await store.close();
    expect(await fork.fork().list({ prefix: [] })).toHaveLength(1);
  },
);
