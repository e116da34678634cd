import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { emptyFolder } from "../../adapters/test/empty-folder.ts";
import { readConfig } from "../src/configuration/config.ts";
import { drillWith } from "../src/drill.ts";
import { openStore } from "../src/stores.ts";
import { backUpTo, exportTo, raiseStore, restoreFrom } from "../src/verbs.ts";
import { startServer } from "./running-server.ts";

const folder = emptyFolder(afterAll);
const dataDir = join(folder, "data");
const [backup, exported] = [join(folder, "backup.db"), join(folder, "all.jsonl")];
const configOf = (data: string) => readConfig({ environment: { LIVEPLANE_DATA: data, LIVEPLANE_LOG: "silent" } });

let saidByExport = "";

beforeAll(async () => {
  const server = await startServer({ LIVEPLANE_DATA: dataDir });
  const ada = await server.person("ada");
  const dev = { type: "Personal", ownerId: ada.id, shortName: "dev" } as const;
  await ada.api.environments.create(dev, {});
  await ada.api.environments.secrets.create(dev, { shortName: "db", value: "s3cret" });
  // While the server runs.
  await backUpTo(configOf(dataDir), backup);
  const told = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  await exportTo(configOf(dataDir), exported);
  saidByExport = told.mock.calls.join("");
  told.mockRestore();
  await server.end();
});

/** What a drill prints. Its copy is gone by then, so nothing may ask to do something there. */
async function said(file: string, data = dataDir): Promise<string> {
  const written = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const told = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  try {
    await drillWith(configOf(data), file);
    expect(told.mock.calls.join("")).not.toContain("liveplane-drill-");
    return written.mock.calls.map(([text]) => String(text)).join("");
  } finally {
    written.mockRestore();
    told.mockRestore();
  }
}

const copies = () => readdirSync(tmpdir()).filter((name) => name.startsWith("liveplane-drill-"));

test("an export says that a server on its data needs the key ring", () => {
  expect(saidByExport).toMatch(
    /The key ring isn't in the file\. Keep .* too: a server on the imported data needs it\./,
  );
});

test("a backup and an export are restored, verified, continued and removed", { timeout: 60_000 }, async () => {
  const before = [copies(), readFileSync(backup)];
  for (const file of [backup, exported])
    expect(await said(file)).toMatch(
      /^It can be restored\. Its keys fit, [1-9]\d* events are unbroken, the newest is of 2\d{3}-.*Z,/,
    );
  expect([copies(), readFileSync(backup)]).toEqual(before);
});

test("keys that don't fit, a changed event and a missing file are refused, and nothing stays", async () => {
  const before = copies();
  await expect(said(backup, emptyFolder())).rejects.toMatchObject({
    message: expect.stringContaining("key ring is missing"),
  });
  const changed = join(folder, "changed.jsonl");
  const text = readFileSync(exported, "utf8");
  writeFileSync(changed, text.replace(/"secret\.created"/, '"secret.deleted"'));
  expect(readFileSync(changed, "utf8")).not.toBe(text);
  await expect(said(changed)).rejects.toMatchObject({ message: expect.stringMatching(/broken at event \d+\./) });
  await expect(said("/nowhere/x.db")).rejects.toMatchObject({
    message: "The file /nowhere/x.db can't be read (ENOENT).",
  });
  expect(copies()).toEqual(before);
});

test("a store of release 0.1.0 is exported, drilled and raised, and an export of a newer release is refused", {
  timeout: 60_000,
}, async () => {
  const older = emptyFolder();
  const store = await openStore(configOf(older));
  await store.commit({ sets: [{ key: ["installation", "format"], value: 5 }] });
  await store.close();
  copyFileSync(join(dataDir, "key-ring"), join(older, "key-ring"));
  const server = await startServer({ LIVEPLANE_DATA: older });
  await server.person("ada");
  await server.end();
  const file = join(folder, "older.jsonl");
  await exportTo(configOf(older), file);
  const text = readFileSync(file, "utf8");
  expect(text).toMatch(/^{"liveplane":"export","format":1,"store":5}\n/);
  expect(text).toContain('"specversion"');
  expect(await said(file, older)).toContain("It can be restored.");
  writeFileSync(file, text.replace('"store":5', '"store":99'));
  await expect(said(file, older)).rejects.toThrow("too old: the export has format 99");

  const told = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  for (const what of ["had format 5 and has format 6 now", "has format 6 already"]) {
    await raiseStore(configOf(older));
    expect(told).toHaveBeenLastCalledWith(`The store ${what}.\n`);
  }
  told.mockRestore();
  const raised = join(folder, "raised.jsonl");
  await exportTo(configOf(older), raised);
  expect(await said(raised, older)).toContain("It can be restored.");
});

test("a backup restored into an empty place goes on where it was", { timeout: 60_000 }, async () => {
  const other = emptyFolder();
  await restoreFrom(configOf(other), backup);
  copyFileSync(join(dataDir, "key-ring"), join(other, "key-ring"));
  const server = await startServer({ LIVEPLANE_DATA: other });
  const before = await server.liveplane.log.verify();
  const ada = await server.person("grace");
  await ada.api.accounts.me();
  await server.liveplane.log.sequence();
  const after = await server.liveplane.log.verify();
  await server.end();
  expect([before.broken, after.broken]).toEqual([null, null]);
  expect(after.verified).toBeGreaterThan(before.verified);
  expect(existsSync(join(other, "liveplane.db"))).toBe(true);
});
