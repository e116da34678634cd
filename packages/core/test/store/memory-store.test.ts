import { expect, test } from "vitest";
import { memoryStore } from "../../src/ports/memory-store.ts";
import { type RegisterTest, storeConformance } from "../../src/testing/store-laws/store-conformance.ts";

storeConformance(test, memoryStore, { programs: 1000, seed: 1 });

/** All laws but the one that frozen values break on purpose: nobody gets a copy. */
const frozenTest: RegisterTest = (title, run) => {
  if (!title.includes("gives out copies")) test(`with frozen values ${title}`, run);
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
