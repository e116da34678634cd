import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { backUpSqlite, restoreSqlite, sqliteStore } from "@liveplane/adapters/sqlite-store";
import { expect, onTestFinished, test } from "vitest";
import { emptyFolder } from "../empty-folder.ts";

/** A store that is in use, with some entries. */
async function inUse(file: string) {
  const store = await sqliteStore({ file });
  onTestFinished(() => store.close());
  const write = (from: number, count: number) =>
    store.commit({
      sets: Array.from({ length: count }, (_, at) => ({ key: ["k", `${from + at}`], value: `value ${at}` })),
    });
  await write(0, 500);
  return { store, write };
}

async function all(file: string) {
  const store = await sqliteStore({ file, readOnly: true });
  try {
    return await store.list({ prefix: [], limit: 10_000 });
  } finally {
    await store.close();
  }
}

test("a copy of a store that is written on is one moment of it, and opens as a store elsewhere", async () => {
  const at = emptyFolder();
  const { store, write } = await inUse(join(at, "live.db"));
  const before = await store.list({ prefix: [], limit: 10_000 });
  await backUpSqlite({ file: join(at, "live.db"), to: join(at, "copy.db") });
  await write(1000, 100);
  expect(await all(join(at, "copy.db"))).toEqual(before);

  await restoreSqlite({ from: join(at, "copy.db"), file: join(at, "other.db") });
  const restored = await sqliteStore({ file: join(at, "other.db") });
  onTestFinished(() => restored.close());
  expect(await restored.list({ prefix: [], limit: 10_000 })).toEqual(before);
  const [last] = before.slice(-1);
  expect(await restored.commit({ sets: [{ key: ["new"], value: 1 }] })).toBeGreaterThan(last?.version ?? 0);
});

test("only its owner reads a copy, and nothing else is left beside it", async () => {
  const at = emptyFolder();
  await inUse(join(at, "live.db"));
  const away = emptyFolder();
  writeFileSync(join(away, "copy.db.part"), "of a run that was killed");
  await backUpSqlite({ file: join(at, "live.db"), to: join(away, "copy.db") });
  expect(readdirSync(away)).toEqual(["copy.db"]);
  expect(statSync(join(away, "copy.db")).mode & 0o777).toBe(0o600);
  await restoreSqlite({ from: join(away, "copy.db"), file: join(away, "store.db") });
  expect(readdirSync(away).sort()).toEqual(["copy.db", "store.db"]);
  expect(statSync(join(away, "store.db")).mode & 0o777).toBe(0o600);
});

test("what was deleted isn't in the copy", async () => {
  const at = emptyFolder();
  const { store } = await inUse(join(at, "live.db"));
  await store.commit({ sets: [{ key: ["secret"], value: "canary ".repeat(2000) }] });
  await store.commit({ deletes: [["secret"]] });
  await backUpSqlite({ file: join(at, "live.db"), to: join(at, "copy.db") });
  expect(readFileSync(join(at, "copy.db")).includes("canary")).toBe(false);
});

test("a file that is there is left as it is", async () => {
  const at = emptyFolder();
  await inUse(join(at, "live.db"));
  await backUpSqlite({ file: join(at, "live.db"), to: join(at, "copy.db") });
  writeFileSync(join(at, "taken"), "mine");
  const refused = { code: "ConfigurationInvalid", message: expect.stringContaining("taken already exists") };
  await expect(backUpSqlite({ file: join(at, "live.db"), to: join(at, "taken") })).rejects.toMatchObject(refused);
  await expect(restoreSqlite({ from: join(at, "copy.db"), file: join(at, "taken") })).rejects.toMatchObject(refused);
  expect(readFileSync(join(at, "taken"), "utf8")).toBe("mine");
  expect(readdirSync(at)).not.toContain("taken.part");
});

test.each([
  ["a damaged copy", (bytes: Buffer) => bytes.fill(0xa5, 8192, 12_288), "StoreFailed"],
  ["half a copy", (bytes: Buffer) => bytes.subarray(0, bytes.length / 2), "StoreFailed"],
  ["something else", () => Buffer.from("a letter to a friend"), "StoreFailed"],
])("%s isn't restored, and nothing is left of it", async (_what, spoil, code) => {
  const at = emptyFolder();
  await inUse(join(at, "live.db"));
  await backUpSqlite({ file: join(at, "live.db"), to: join(at, "copy.db") });
  writeFileSync(join(at, "spoilt.db"), spoil(readFileSync(join(at, "copy.db"))));
  const away = emptyFolder();
  await expect(restoreSqlite({ from: join(at, "spoilt.db"), file: join(away, "store.db") })).rejects.toMatchObject({
    code,
  });
  expect(readdirSync(away)).toEqual([]);
});

test("what isn't there, or can't be written, is named", async () => {
  const at = emptyFolder();
  await inUse(join(at, "live.db"));
  const nowhere = join(at, "no", "where.db");
  const named = { code: "ConfigurationInvalid", message: expect.stringContaining("where.db") };
  await expect(backUpSqlite({ file: join(at, "live.db"), to: nowhere })).rejects.toMatchObject(named);
  await expect(restoreSqlite({ from: nowhere, file: join(at, "new.db") })).rejects.toMatchObject(named);
  await expect(backUpSqlite({ file: nowhere, to: join(at, "new.db") })).rejects.toMatchObject({ code: "StoreFailed" });
});
