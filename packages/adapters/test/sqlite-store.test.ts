import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sqliteStore } from "@liveplane/adapters/sqlite-store";
import { exportStore } from "@liveplane/core/store";
import { storeConformance } from "@liveplane/core/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { programs } from "./model-programs.ts";

let folder: string;
let files = 0;
const freshFile = () => join(folder, `${++files}.db`);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "liveplane-sqlite-"));
});
afterAll(() => rm(folder, { recursive: true }));

storeConformance(
  (title, run) => test(title, { timeout: 120_000 }, run),
  ({ now }) => sqliteStore({ file: freshFile(), now }),
  {
    programs,
    place({ now }) {
      const file = freshFile();
      return () => sqliteStore({ file, now });
    },
  },
);

test("is held by one at a time, and free again afterwards", async () => {
  const file = freshFile();
  const store = await sqliteStore({ file });
  await expect(sqliteStore({ file })).rejects.toMatchObject({ code: "StoreFailed" });
  await store.close();
  await (await sqliteStore({ file })).close();
});

test("takes away all that has expired, also after the time has jumped back", async () => {
  const file = freshFile();
  let time = 10 * 86_400_000;
  const store = await sqliteStore({ file, now: () => time });
  const expiring = (name: string, count: number) =>
    store.commit({
      sets: Array.from({ length: count }, (_, at) => ({ key: [name, `${at}`], value: at, expiresAt: time + 1000 })),
    });
  const kept = async () => {
    const early = await sqliteStore({ file, readOnly: true, now: () => 0 });
    const entries = await early.list({ prefix: [], limit: 100_000 });
    await early.close();
    return entries.length;
  };
  await expiring("many", 12_000);
  time -= 86_400_000;
  await expiring("few", 10);
  time += 61_000;
  await store.commit({});
  expect(await kept()).toBe(12_000);
  time += 2 * 86_400_000;
  for (let commits = 0; commits < 3; commits++) await store.commit({});
  expect(await kept()).toBe(0);
  await store.close();
});

test("can be read, and exported, beside the process that holds it", async () => {
  const file = freshFile();
  const store = await sqliteStore({ file });
  await store.commit({ sets: [{ key: ["a"], value: 1 }] });
  const beside = await sqliteStore({ file, readOnly: true });
  expect(await beside.get([["a"]])).toMatchObject([{ value: 1 }]);
  await expect(beside.commit({ sets: [{ key: ["b"], value: 1 }] })).rejects.toMatchObject({ code: "StoreFailed" });
  const lines: string[] = [];
  for await (const line of exportStore(beside)) lines.push(line);
  expect(lines).toHaveLength(3);
  await beside.close();
  await store.close();
  await expect(sqliteStore({ file: freshFile(), readOnly: true })).rejects.toMatchObject({ code: "StoreFailed" });
});

test("says that the store failed when the file can't be opened, and leaves no lock", async () => {
  await expect(sqliteStore({ file: join(folder, "no", "such.db") })).rejects.toMatchObject({ code: "StoreFailed" });
  const file = freshFile();
  const { writeFile } = await import("node:fs/promises");
  await writeFile(file, "this is no database, and long enough to be looked at".repeat(40));
  await expect(sqliteStore({ file })).rejects.toMatchObject({ code: "StoreFailed" });
  await rm(file);
  await (await sqliteStore({ file })).close();
});

test("refuses to read a database that is none of its own", async () => {
  const { default: Sqlite } = await import("better-sqlite3");
  const file = freshFile();
  new Sqlite(file).exec("CREATE TABLE other (id)").close();
  await expect(sqliteStore({ file, readOnly: true })).rejects.toMatchObject({ code: "StoreFailed" });
});

test("makes what waits before it closes", async () => {
  const file = freshFile();
  const store = await sqliteStore({ file });
  const waiting = Array.from({ length: 200 }, (_, at) => store.commit({ sets: [{ key: [`k${at}`], value: at }] }));
  await store.close();
  expect(new Set(await Promise.all(waiting)).size).toBe(200);
  const again = await sqliteStore({ file });
  expect(await again.list({ prefix: [] })).toHaveLength(200);
  await again.close();
});

test("takes expired entries away in time", async () => {
  const file = freshFile();
  let time = 0;
  const store = await sqliteStore({ file, now: () => time });
  await store.commit({ sets: [{ key: ["short"], value: 1, expiresAt: 1000 }] });
  time = 100_000;
  await store.commit({ sets: [{ key: ["long"], value: 1 }] });
  await store.close();
  const again = await sqliteStore({ file, now: () => 0 });
  expect((await again.list({ prefix: [] })).map(({ key }) => key)).toEqual([["long"]]);
  await again.close();
});
