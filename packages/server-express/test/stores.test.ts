import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { emptyFolder } from "../../adapters/test/empty-folder.ts";
import { readConfig } from "../src/configuration/config.ts";
import { createReferenceServer } from "../src/reference.ts";
import { openStore } from "../src/stores.ts";
import { backUpTo, exportTo, importFrom, restoreFrom } from "../src/verbs.ts";
import { operatorPassword, startServer } from "./running-server.ts";
import { startProcess } from "./server-process.ts";

const hasRedis = spawnSync("redis-server", ["--version"]).status === 0;
const folder = emptyFolder(afterAll);
const port = 20_000 + Math.floor(Math.random() * 20_000);
let redis: ChildProcess | undefined;

beforeAll(async () => {
  if (!hasRedis) return;
  const quiet = ["--port", `${port}`, "--save", "", "--dir", folder, "--pidfile", join(folder, "redis.pid")];
  redis = spawn("redis-server", [...quiet, "--daemonize", "no"], { stdio: "ignore" });
  await vi.waitUntil(() => spawnSync("redis-cli", ["-p", `${port}`, "ping"]).status === 0, 10_000);
});
afterAll(() => void redis?.kill("SIGKILL"));

const configOf = (store: string, more: Readonly<Record<string, string>> = {}) =>
  readConfig({
    environment: { LIVEPLANE_DATA: emptyFolder(), LIVEPLANE_STORE: store, LIVEPLANE_LOG: "silent", ...more },
  });

/** Where nothing names a place, PGlite's is tried by the export below: it takes seconds to start. */
const lasting = [
  ["sqlite:", "liveplane.db"],
  [`node-sqlite:${join(folder, "elsewhere.db")}`, null],
  [`pglite:${join(folder, "lite")}`, null],
  [`keyv:sqlite://${join(folder, "keyv.db")}`, null],
] as const;

describe("LIVEPLANE_STORE", () => {
  test.each([...lasting, ...(hasRedis ? [[`keyv:redis://127.0.0.1:${port}`, null] as const] : [])])(
    "%s serves, and has everything after a restart",
    { timeout: 120_000 },
    async (address, inDataFolder) => {
      const settings = { LIVEPLANE_DATA: emptyFolder(), LIVEPLANE_STORE: address };
      const first = await startServer(settings);
      const ada = await first.person("ada");
      const dev = { type: "Personal", ownerId: ada.id, shortName: "dev" } as const;
      await ada.api.environments.create(dev, { name: "Development" });
      await ada.api.environments.secrets.create(dev, { shortName: "db", value: "s3cret" });
      await first.end();
      if (inDataFolder !== null) expect(existsSync(join(settings.LIVEPLANE_DATA, inDataFolder))).toBe(true);
      const second = await startServer(settings);
      onTestFinished(second.end);
      const again = second.liveplane.as({ kind: "account", accountId: ada.id });
      expect((await again.environments.get(dev)).name).toBe("Development");
      expect(await again.environments.secrets.reveal({ ...dev, secretShortName: "db" })).toMatchObject({
        value: "s3cret",
      });
    },
  );

  test("memory: serves, and has nothing after a restart", async () => {
    const settings = { LIVEPLANE_DATA: emptyFolder(), LIVEPLANE_STORE: "memory:" };
    for (let start = 0; start < 2; start++) {
      const server = await startServer(settings);
      await server.person("ada");
      await server.end();
    }
    expect(existsSync(join(settings.LIVEPLANE_DATA, "liveplane.db"))).toBe(false);
  });

  test.each([
    ["memory:", "Everything is lost when this process ends."],
    [`keyv:sqlite://${join(folder, "told.db")}`, "Keyv has no conditional write"],
    ["pglite:", "PGlite doesn't wait for the disk."],
    ["sqlite:", null],
  ])("%s says at the start what it can't promise", { timeout: 60_000 }, async (address, warning) => {
    const started = await startProcess(emptyFolder(), { LIVEPLANE_STORE: address });
    onTestFinished(() => void started.child.kill("SIGKILL"));
    await vi.waitUntil(() => started.log().includes("/openapi.json"));
    if (warning === null) expect(started.log()).not.toMatch(/Keyv|PGlite|in memory/);
    else expect(started.log()).toContain(warning);
  });

  test.each(["keyv:redis://127.0.0.1:1", "memory:"])("%s is refused with a role of its own", async (address) => {
    for (const role of ["api", "agent"] as const)
      await expect(createReferenceServer(configOf(address), role)).rejects.toMatchObject({
        code: "ConfigurationInvalid",
        message: expect.stringContaining(`--role ${role} needs a store that several processes can share`),
      });
  });

  test("a backend that nobody answers for is named without who signs in", async () => {
    const refused = await openStore(configOf("keyv:redis://somebody:s3cret@127.0.0.1:1")).catch(
      (error: unknown) => error,
    );
    expect(refused).toMatchObject({ code: "StoreFailed" });
    expect(String(refused)).toMatch(/The redis of Keyv, 127\.0\.0\.1:1, can't be used/);
    expect(String(refused)).not.toMatch(/somebody|s3cret/);
  });

  test("a backend without its package says what to install", async () => {
    await expect(openStore(configOf("keyv:etcd://127.0.0.1:1"))).rejects.toMatchObject({
      code: "ConfigurationInvalid",
      message: "LIVEPLANE_STORE needs the packages keyv and @keyv/etcd: npm install keyv @keyv/etcd",
    });
  });

  test("stores without backups name export and import, which move the data to another store", {
    timeout: 60_000,
  }, async () => {
    const settings = { LIVEPLANE_DATA: emptyFolder(), LIVEPLANE_STORE: "pglite:" };
    const server = await startServer(settings);
    const ada = await server.person("ada");
    await server.end();
    expect(existsSync(join(settings.LIVEPLANE_DATA, "pglite"))).toBe(true);
    const config = readConfig({ environment: settings });
    const file = join(settings.LIVEPLANE_DATA, "all.jsonl");
    await expect(backUpTo(config, file)).rejects.toMatchObject({ message: expect.stringContaining("Use export.") });
    await expect(restoreFrom(config, file)).rejects.toMatchObject({ message: expect.stringContaining("Use import.") });
    await exportTo(config, file);
    const before = readFileSync(file);
    await expect(exportTo(config, file)).rejects.toMatchObject({
      code: "ConfigurationInvalid",
      message: `${file} already exists. Nothing was written.`,
    });
    expect(readFileSync(file)).toEqual(before);
    expect(existsSync(`${file}.part`)).toBe(false);
    const moved = { ...settings, LIVEPLANE_STORE: `sqlite:${join(settings.LIVEPLANE_DATA, "moved.db")}` };
    await importFrom(readConfig({ environment: moved }), file);
    const next = await startServer({ ...moved, LIVEPLANE_OPERATOR_PASSWORD: operatorPassword });
    onTestFinished(next.end);
    expect((await next.liveplane.as({ kind: "account", accountId: ada.id }).accounts.me()).username).toBe("ada");
  });
});
