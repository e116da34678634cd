import { expect, test } from "vitest";
import { createEventLog } from "../../src/events/event-log.ts";
import { memoryStore } from "../../src/ports/memory-store.ts";
import type { Store } from "../../src/ports/store.ts";
import { createRecords } from "../../src/records/create-records.ts";
import { exportStore, importStore } from "../../src/records/transfer.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";

const contents = async (store: Store) =>
  (await store.list({ prefix: [], limit: 10_000 })).map(({ version: _version, ...entry }) => entry);

async function filled(entries: number): Promise<Store> {
  const store = memoryStore({ now: () => 0 });
  for (let at = 0; at < entries; at++)
    await store.commit({ sets: [{ key: ["k", `${at}\u0000é\u{10ffff}`], value: { at, text: "line\nbreak" } }] });
  await store.commit({ sets: [{ key: ["short"], value: null, expiresAt: 5000 }] });
  return store;
}

async function collected(lines: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const line of lines) text += line;
  return text;
}

test("moves everything to another store, expiry included", async () => {
  const source = await filled(1200);
  const target = memoryStore({ now: () => 0 });
  const progress: number[] = [];
  const entries = await importStore(target, exportStore(source), { onProgress: (count) => progress.push(count) });
  expect(entries).toBe(1201);
  expect(progress).toEqual([500, 1000, 1201]);
  expect(await contents(target)).toEqual(await contents(source));
});

test("exports one instant of a store in use", async () => {
  const source = await filled(1000);
  const lines: string[] = [];
  for await (const line of exportStore(source)) {
    if (lines.push(line) % 100 === 0)
      await source.commit({
        deletes: [["k", `${1000 - lines.length}\u0000é\u{10ffff}`]],
        sets: [{ key: ["z"], value: 1 }],
      });
  }
  expect(lines).toHaveLength(1003);
});

test("lets others run after each page, though the store answers within the turn", async () => {
  const [source, target] = [await filled(1200), memoryStore({ now: () => 0 })];
  const seen = { exporting: new Set<number>(), importing: new Set<number>() };
  let entries = 0;
  const onProgress = (count: number) => {
    entries = count;
  };
  const beside = setInterval(() => seen.exporting.add(entries), 0);
  const text = await collected(exportStore(source, { onProgress }));
  clearInterval(beside);
  const besideImport = setInterval(() => seen.importing.add(entries), 0);
  await importStore(target, [text], { onProgress });
  clearInterval(besideImport);
  expect([...seen.exporting]).toEqual([200, 400, 600, 800, 1000, 1200, 1201]);
  expect([...seen.importing]).toEqual([500, 1000, 1201]);
});

test("takes text in pieces of any size", async () => {
  const text = await collected(exportStore(await filled(3)));
  const target = memoryStore({ now: () => 0 });
  expect(await importStore(target, text)).toBe(4);
});

test("keeps the order of events that still wait for their place", async () => {
  const runtime = fakeRuntime();
  const [source, target] = [memoryStore({ now: runtime.clock.now }), memoryStore({ now: runtime.clock.now })];
  const emit = (store: Store, subject: string) =>
    createRecords({ store, runtime }).change({ actor: "a", requestId: "r" }, (change) =>
      change.emit({ type: "environment.updated", subject, about: { kind: "installation" }, data: { changed: [] } }),
    );
  for (let at = 0; at < 20; at++) await emit(source, `s${at}`);
  await importStore(target, exportStore(source));
  await emit(target, "s20");
  const log = createEventLog({ store: target, runtime });
  await log.sequence();
  const subjects = (await log.read(0, 100)).map(({ subject }) => subject);
  expect(subjects).toEqual(Array.from({ length: 21 }, (_, at) => `s${at}`));
});

test("refuses a store without snapshots unless it is at rest", async () => {
  const { snapshot: _snapshot, ...store } = await filled(2);
  await expect(collected(exportStore(store))).rejects.toMatchObject({ code: "CapabilityMissing" });
  expect((await collected(exportStore(store, { atRest: true }))).split("\n")).toHaveLength(6);
});

test("refuses to import over something, and what isn't a whole export", async () => {
  const source = await filled(2);
  const text = await collected(exportStore(source));
  await expect(importStore(source, [text])).rejects.toMatchObject({ code: "InvalidState" });
  const lines = text.trimEnd().split("\n");
  const broken = [
    lines.slice(1),
    lines.slice(0, -1),
    lines.with(2, '{"key":["a'),
    lines.toSpliced(2, 1),
    [...lines, "{}"],
  ];
  for (const part of [...broken.map((part) => part.join("\n")), "", '{"liveplane":"export","format":9}'])
    await expect(importStore(memoryStore(), [part])).rejects.toMatchObject({ code: "ValidationFailed" });
});
