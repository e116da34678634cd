import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { sqliteStore } from "@liveplane/adapters/sqlite-store";
import { exportStore } from "@liveplane/core/store";
import { storeConformance } from "@liveplane/core/testing";
import { afterAll, describe, expect, test } from "vitest";
import { emptyFolder } from "../empty-folder.ts";
import { programs } from "./model-programs.ts";

const folder = emptyFolder(afterAll);
let files = 0;
const freshFile = () => join(folder, `${++files}.db`);

describe.each(["better-sqlite3", "node:sqlite"] as const)("on %s", (driver) => {
  storeConformance(
    (title, run) => test(title, { timeout: 120_000 }, run),
    ({ now }) => sqliteStore({ driver, file: freshFile(), now }),
    {
      programs,
      place({ now }) {
        const file = freshFile();
        return () => sqliteStore({ driver, file, now });
      },
    },
  );

  test("is held by one at a time, and free again afterwards", async () => {
    const file = freshFile();
    const store = await sqliteStore({ driver, file });
    await expect(sqliteStore({ driver, file })).rejects.toMatchObject({ code: "StoreFailed" });
    await store.close();
    await (await sqliteStore({ driver, file })).close();
  });

  test("takes away all that has expired, also after the time has jumped back", async () => {
    const file = freshFile();
    let time = 10 * 86_400_000;
    const store = await sqliteStore({ driver, file, now: () => time });
    const expiring = (name: string, count: number) =>
      store.commit({
        sets: Array.from({ length: count }, (_, at) => ({ key: [name, `${at}`], value: at, expiresAt: time + 1000 })),
      });
    const kept = async () => {
      const early = await sqliteStore({ driver, file, readOnly: true, now: () => 0 });
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
    const store = await sqliteStore({ driver, file });
    await store.commit({ sets: [{ key: ["a"], value: 1 }] });
    const beside = await sqliteStore({ driver, file, readOnly: true });
    expect(await beside.get([["a"]])).toMatchObject([{ value: 1 }]);
    await expect(beside.commit({ sets: [{ key: ["b"], value: 1 }] })).rejects.toMatchObject({ code: "StoreFailed" });
    const lines: string[] = [];
    for await (const line of exportStore(beside)) lines.push(line);
    expect(lines).toHaveLength(3);
    await beside.close();
    await store.close();
    await expect(sqliteStore({ driver, file: freshFile(), readOnly: true })).rejects.toMatchObject({
      code: "StoreFailed",
    });
  });

  test("says that the store failed when the file can't be opened, and leaves no lock", async () => {
    await expect(sqliteStore({ driver, file: join(folder, "no", "such.db") })).rejects.toMatchObject({
      code: "StoreFailed",
    });
    const file = freshFile();
    const { writeFile } = await import("node:fs/promises");
    await writeFile(file, "this is no database, and long enough to be looked at".repeat(40));
    await expect(sqliteStore({ driver, file })).rejects.toMatchObject({ code: "StoreFailed" });
    await rm(file);
    await (await sqliteStore({ driver, file })).close();
  });

  test("refuses to read a database that is none of its own", async () => {
    const { default: Sqlite } = await import("better-sqlite3");
    const file = freshFile();
    new Sqlite(file).exec("CREATE TABLE other (id)").close();
    await expect(sqliteStore({ driver, file, readOnly: true })).rejects.toMatchObject({ code: "StoreFailed" });
  });

  test("makes what waits before it closes", async () => {
    const file = freshFile();
    const store = await sqliteStore({ driver, file });
    const waiting = Array.from({ length: 200 }, (_, at) => store.commit({ sets: [{ key: [`k${at}`], value: at }] }));
    await store.close();
    expect(new Set(await Promise.all(waiting)).size).toBe(200);
    const again = await sqliteStore({ driver, file });
    expect(await again.list({ prefix: [] })).toHaveLength(200);
    await again.close();
  });

  test("two on one file whose lock was deleted: one commits, the other is refused for good, and nothing is lost", async () => {
    const file = freshFile();
    const first = await sqliteStore({ driver, file });
    await first.commit({ sets: [{ key: ["before"], value: 0 }] });
    await rm(`${file}.lock`);
    const second = await sqliteStore({ driver, file });
    const told = new Map<string, number>();
    const codes = new Map<string, Set<string>>([
      ["first", new Set()],
      ["second", new Set()],
    ]);
    const write = async (name: string, store: typeof first) => {
      for (let at = 0; at < 50; at++) {
        const key = `${name} ${at}`;
        const commit = store.commit({ checks: [{ key: [key], version: null }], sets: [{ key: [key], value: at }] });
        const made = await commit.catch((error: { code: string }) => void codes.get(name)?.add(error.code));
        if (typeof made === "number") told.set(key, made);
      }
    };
    await Promise.all([write("first", first), write("second", second)]);
    expect([...codes.values()].map((of) => [...of]).sort()).toEqual([[], ["StoreFailed"]]);
    expect(told.size).toBe(50);
    expect(new Set(told.values()).size).toBe(50);
    const there = new Map((await first.list({ prefix: [] })).map(({ key, version }) => [key[0], version]));
    for (const [key, version] of told) expect(there.get(key)).toBe(version);
    expect(there.size).toBe(51);
    await first.close();
    await second.close();
  });

  test("the one that opened first goes on where the other has only read", async () => {
    const file = freshFile();
    const first = await sqliteStore({ driver, file });
    await rm(`${file}.lock`);
    const second = await sqliteStore({ driver, file });
    expect(await second.list({ prefix: [] })).toEqual([]);
    expect(await first.commit({ sets: [{ key: ["a"], value: 1 }] })).toBe(1);
    const late = second.commit({ sets: [{ key: ["a"], value: 2 }] });
    await expect(late).rejects.toThrow(/Another process wrote to this database.*lock file/);
    expect(await first.commit({ sets: [{ key: ["a"], value: 3 }] })).toBe(2);
    await second.close();
    await first.close();
  });

  test("a damaged page is found at open, and met later it ends all writing, not the reading of the rest", async () => {
    const file = freshFile();
    const store = await sqliteStore({ driver, file });
    const value = "x".repeat(1000);
    for (let at = 0; at < 40; at++)
      await store.commit({
        sets: Array.from({ length: 25 }, (_, of) => ({ key: [`k${1000 + at * 25 + of}`], value })),
      });
    await store.close();
    const handle = await open(file, "r+");
    const { size } = await handle.stat();
    await handle.write(Buffer.alloc(4096, 0xa5), 0, 4096, Math.floor(size / 8192) * 4096);
    await handle.close();
    await expect(sqliteStore({ driver, file })).rejects.toMatchObject({
      code: "StoreFailed",
      message: expect.stringMatching(/^The database is damaged .*Restore a backup\.$/),
    });
    const unchecked = await sqliteStore({ driver, file, checkUpToBytes: 0 });
    expect(await unchecked.commit({ sets: [{ key: ["k1000"], value: 1 }] })).not.toBeNull();
    await expect(unchecked.list({ prefix: [], limit: 10_000 })).rejects.toMatchObject({ code: "StoreFailed" });
    await expect(unchecked.commit({ sets: [{ key: ["k1000"], value: 2 }] })).rejects.toMatchObject({
      code: "StoreFailed",
      message: expect.stringContaining("SQLITE_CORRUPT"),
    });
    expect(await unchecked.get([["k1000"]])).toMatchObject([{ value: 1 }]);
    await unchecked.close();
  });
});
