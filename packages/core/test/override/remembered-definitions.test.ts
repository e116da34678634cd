import { expect, test } from "vitest";
import { createDeclarations } from "../../src/override/records/in-force.ts";
import { memoryStore } from "../../src/ports/memory-store.ts";
import { webRuntime } from "../../src/ports/web-runtime.ts";
import { createRecords } from "../../src/records/create-records.ts";
import { fillFleet } from "../builders/fleet.ts";

/** Three live systems of one size, and how many definitions are read from the store. */
async function threeSystems(rememberedLetters: number) {
  const [store, runtime] = [memoryStore(), webRuntime()];
  const records = createRecords({ store, runtime });
  const ids = [...new Set((await fillFleet(records, 60, runtime.newId)).map((id) => id.slice(0, id.indexOf("/"))))];
  const stored = await store.list({ prefix: ["record", "definition"], limit: 10 });
  const letters = Math.max(...stored.map(({ value }) => (value as { readonly bytes: number }).bytes));
  let read = 0;
  const counting = {
    getMany: ((collection, keys) => {
      if (collection.name === "definition") read += keys.length;
      return records.getMany(collection, keys);
    }) as typeof records.getMany,
  };
  const rememberedBytes = rememberedLetters * letters;
  const clouds = new Map();
  const declarations = createDeclarations({ records: { ...records, ...counting }, clouds, rememberedBytes });
  return { ids, declarations, read: () => read };
}

test("definitions are remembered within the memory that they take once they are read, four bytes for a letter", async () => {
  const { ids, declarations, read } = await threeSystems(4 * 3);
  for (const id of [...ids, ...ids]) expect((await declarations.of([id])).size).toBe(1);
  expect(read()).toBe(3);
});

test("where all of them take more, those that were used last are remembered", async () => {
  const { ids, declarations, read } = await threeSystems(4 * 2);
  const [first = "", second = "", third = ""] = ids;
  for (const id of [first, second, first, third, first]) await declarations.of([id]);
  expect(read()).toBe(3);
  await declarations.of([second]);
  expect(read()).toBe(4);
});
