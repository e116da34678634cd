import fc from "fast-check";
import { expect, test } from "vitest";
import { createPages } from "../../src/records/pages.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";

const names = Array.from({ length: 5 }, (_, at) => `é${at}`);
const source = async ({ after, limit }: { readonly after?: readonly string[]; readonly limit: number }) =>
  names
    .filter((name) => after === undefined || name > (after[0] ?? ""))
    .slice(0, limit)
    .map((name) => ({ position: [name], record: { name, version: "1" } }));

function pagesWith(key: number) {
  const pages = createPages({ runtime: fakeRuntime(), key: async () => new Uint8Array(32).fill(key) });
  return (cursor: string | undefined, bind = ["ada", "things"], limit = 2) =>
    pages.page(source, { limit, bind, ...(cursor !== undefined && { cursor }) });
}

test("refuses a cursor of which any character was changed, added or left out", async () => {
  const page = pagesWith(1);
  const { nextCursor } = await page(undefined);
  const cursor = nextCursor ?? "";
  const character = fc.constantFrom(...".=+/-_ABYZabyz0189 \u0000é%");
  const tampered = fc
    .tuple(fc.nat({ max: cursor.length }), fc.nat({ max: 2 }), fc.string({ unit: character, maxLength: 3 }))
    .map(([at, dropped, added]) => cursor.slice(0, at) + added + cursor.slice(at + dropped))
    .filter((text) => text !== cursor);
  for (const end of [".", ".a", "=", "A"])
    await expect(page(cursor + end)).rejects.toMatchObject({ code: "InvalidCursor" });
  await fc.assert(
    fc.asyncProperty(fc.oneof(tampered, fc.string()), async (text) => {
      await expect(page(text)).rejects.toMatchObject({ code: "InvalidCursor" });
    }),
    { numRuns: 500 },
  );
});

test("refuses a cursor of somebody else, of another list and of another installation", async () => {
  const { nextCursor } = await pagesWith(1)(undefined);
  const cursor = nextCursor ?? "";
  for (const bind of [["eve", "things"], ["ada", "others"], ["ada"], ["ada", "things", ""], ["ada,things"]])
    await expect(pagesWith(1)(cursor, bind)).rejects.toMatchObject({ code: "InvalidCursor" });
  await expect(pagesWith(2)(cursor)).rejects.toMatchObject({ code: "InvalidCursor" });
  expect((await pagesWith(1)(cursor, ["ada", "things"], 3)).items.map(({ name }) => name)).toEqual(names.slice(2));
});
