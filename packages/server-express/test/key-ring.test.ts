import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sqliteStore } from "@liveplane/adapters/sqlite-store";
import { expect, onTestFinished, test, vi } from "vitest";
import { emptyFolder } from "../../adapters/test/empty-folder.ts";
import { readConfig } from "../src/configuration/config.ts";
import { createReferenceServer, type Role } from "../src/reference.ts";
import { exportTo, importFrom, renewOperator } from "../src/verbs.ts";
import { operatorPassword, startServer } from "./running-server.ts";

const newKey = () => randomBytes(32).toString("base64");

/** A data folder that somebody has used, with a secret in it. */
async function usedFolder() {
  const dataDir = emptyFolder();
  const server = await startServer({ LIVEPLANE_DATA: dataDir });
  const ada = await server.person("ada");
  const dev = { type: "Personal", ownerId: ada.id, shortName: "dev" } as const;
  await ada.api.environments.create(dev, {});
  await ada.api.environments.secrets.create(dev, { shortName: "db", value: "one" });
  await server.end();
  const ring = join(dataDir, "key-ring");
  return { dataDir, ring, database: join(dataDir, "liveplane.db") };
}

async function entriesIn(file: string) {
  const store = await sqliteStore({ file, readOnly: true });
  const entries = await store.list({ prefix: [], limit: 1e6 });
  await store.close();
  return entries;
}

const configOf = (dataDir: string, more: Readonly<Record<string, string>> = {}) =>
  readConfig({
    environment: { LIVEPLANE_DATA: dataDir, LIVEPLANE_LOG: "silent", PORT: "0", ...more },
  });

async function refusal(dataDir: string, more: Readonly<Record<string, string>> = {}, role?: Role): Promise<unknown> {
  try {
    await (await createReferenceServer(configOf(dataDir, more), role)).stop();
    return "started";
  } catch (error) {
    return error;
  }
}

test("a server whose key ring is lost doesn't start, makes no other, and starts when it is back", async () => {
  const { dataDir, ring, database } = await usedFolder();
  const [keys, before] = [readFileSync(ring), await entriesIn(database)];
  rmSync(ring);
  for (const role of ["all", "api", "agent"] as const) {
    const refused = await refusal(dataDir, {}, role);
    expect(refused).toMatchObject({ code: "ConfigurationInvalid" });
    expect(String(refused)).toContain("The key ring is missing");
  }
  await expect(renewOperator(configOf(dataDir))).rejects.toMatchObject({ code: "ConfigurationInvalid" });
  expect(existsSync(ring)).toBe(false);
  expect(await entriesIn(database)).toEqual(before);
  writeFileSync(ring, keys);
  expect(await refusal(dataDir)).toBe("started");
});

test("a server with another key ring doesn't start, and seals nothing", async () => {
  const { dataDir, ring } = await usedFolder();
  const keys = readFileSync(ring, "utf8").trim();
  for (const role of ["all", "api", "agent"] as const) {
    const refused = await refusal(dataDir, { LIVEPLANE_MASTER_KEY: newKey() }, role);
    expect(refused).toMatchObject({ code: "ConfigurationInvalid" });
    expect(String(refused)).toContain("Start with the keys that the store was written with");
    expect(String(refused)).not.toContain(keys);
  }
  writeFileSync(ring, `${newKey()}\n`);
  expect(await refusal(dataDir)).toMatchObject({ code: "ConfigurationInvalid" });
  expect(await refusal(dataDir, { LIVEPLANE_MASTER_KEY: `${newKey()},${keys}` })).toBe("started");
  expect(await refusal(dataDir, { LIVEPLANE_MASTER_KEY: keys })).toMatchObject({ code: "ConfigurationInvalid" });
});

test.each([
  [99, "This build of liveplane is too old"],
  [null, "begin with an empty store"],
])("a server over a store of format %s doesn't start, and writes nothing", async (format, said) => {
  const { dataDir, database } = await usedFolder();
  const place = ["installation", "format"];
  const setFormat = async (value: number | null) => {
    const store = await sqliteStore({ file: database });
    await store.commit(value === null ? { deletes: [place] } : { sets: [{ key: place, value }] });
    await store.close();
  };
  await setFormat(format);
  const before = await entriesIn(database);
  for (const role of ["all", "api", "agent"] as const) {
    const refused = await refusal(dataDir, {}, role);
    expect(refused).toMatchObject({ code: "ConfigurationInvalid" });
    expect(String(refused)).toContain(said);
  }
  expect(await entriesIn(database)).toEqual(before);
  await setFormat(6);
  expect(await refusal(dataDir)).toBe("started");
});

test("what is imported needs the key ring that it came from: none is made for it", async () => {
  const { dataDir, ring } = await usedFolder();
  const [file, to] = [join(dataDir, "export.jsonl"), emptyFolder()];
  await exportTo(configOf(dataDir), file);
  const said = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  onTestFinished(() => said.mockRestore());
  const lastSaid = () => String(said.mock.lastCall?.[0]);
  await importFrom(configOf(to), file);
  expect(lastSaid()).toMatch(/^Before you start the server, copy the key ring of the original one to .*key-ring\.\n$/);
  expect(readdirSync(to)).not.toContain("key-ring");
  expect(await refusal(to)).toMatchObject({ code: "ConfigurationInvalid" });
  const second = emptyFolder();
  for (const folder of [to, second]) writeFileSync(join(folder, "key-ring"), readFileSync(ring));
  expect(await refusal(to)).toBe("started");
  await importFrom(configOf(second), file);
  expect(lastSaid()).toBe(`The key ring is there already: ${join(second, "key-ring")}.\n`);
});

test("what a server writes is its owner's alone, also where an earlier one left it open to all", async () => {
  const dataDir = emptyFolder();
  const settings = { LIVEPLANE_DATA: join(dataDir, "data"), LIVEPLANE_MAIL: `dir:${join(dataDir, "data", "mails")}` };
  const loose = process.umask(0);
  onTestFinished(() => void process.umask(loose));
  const modes = () => {
    const paths = readdirSync(join(dataDir, "data"), { recursive: true }).map(String);
    return Object.fromEntries(
      ["", ...paths].map((path) => [path, (statSync(join(dataDir, "data", path)).mode & 0o777).toString(8)]),
    );
  };
  for (const round of [1, 2]) {
    const server = await startServer({ ...settings, LIVEPLANE_OPERATOR_PASSWORD: operatorPassword });
    await server.operator.accounts.createWithEmail({ email: `eve${round}@example.com` });
    await expect.poll(() => readdirSync(join(dataDir, "data", "mails")).length).toBe(round);
    const found = modes();
    for (const [path, mode] of Object.entries(found))
      expect([path, mode]).toEqual([path, path === "" || path === "mails" ? "700" : "600"]);
    expect(Object.keys(found)).toEqual(expect.arrayContaining(["liveplane.db", "liveplane.db-wal", "key-ring"]));
    await server.end();
    for (const path of Object.keys(modes()).filter((name) => !name.includes("eve")))
      chmodSync(join(dataDir, "data", path), /^(mails)?$/.test(path) ? 0o755 : 0o644);
    for (const name of readdirSync(join(dataDir, "data", "mails")))
      chmodSync(join(dataDir, "data", "mails", name), 0o600);
  }
});
