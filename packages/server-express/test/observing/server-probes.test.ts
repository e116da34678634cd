import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { staticKeyRing } from "@liveplane/adapters/key-rings";
import { nodeDefaults } from "@liveplane/adapters/node";
import { postgresStore } from "@liveplane/adapters/postgres-store";
import { sqliteStore } from "@liveplane/adapters/sqlite-store";
import { createLiveplane, webRuntime } from "@liveplane/core";
import type { Store } from "@liveplane/core/store";
import pg from "pg";
import { describe, expect, onTestFinished, type TestContext, test } from "vitest";
import { cuttingProxy } from "../../../adapters/test/cutting-proxy.ts";
import { emptyFolder } from "../../../adapters/test/empty-folder.ts";
import { sharedPostgres, startPostgres } from "../../../adapters/test/postgres.ts";
import { readConfig } from "../../src/configuration/config.ts";
import { openPorts } from "../../src/ports.ts";
import { createReferenceServer } from "../../src/reference.ts";
import { createServer } from "../../src/server.ts";
import { send } from "../raw-http.ts";
import { runServer } from "../running-server.ts";

/** A file system that is soon full. */
function smallDisk(context: TestContext, size: string): string {
  const disk = emptyFolder();
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", disk]);
  if (mounted.status !== 0) context.skip("a small file system can't be mounted here");
  onTestFinished(() => void spawnSync("umount", ["-l", disk]));
  return disk;
}

/** A schema whose tables are on that disk, and nothing else of Postgres. */
async function postgresOn(disk: string): Promise<string> {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.end());
  const connectionString = await postgres.freshSchema();
  const tablespace = join(disk, "tables");
  mkdirSync(tablespace);
  spawnSync("chmod", ["755", disk]);
  spawnSync("chown", ["postgres", tablespace]);
  const client = new pg.Client(connectionString);
  await client.connect();
  await client.query(`CREATE TABLESPACE small LOCATION '${tablespace}'`);
  await client.end();
  return `${connectionString}%20-c%20default_tablespace%3Dsmall`;
}

describe("probes", () => {
  test("a server lives and is ready, part by part", async () => {
    const server = await runServer();
    expect(await send(server.url, { path: "/healthz" })).toMatchObject({ status: 200, json: { status: "ok" } });
    expect(await send(server.url, { path: "/readyz" })).toMatchObject({
      status: 200,
      json: { store: true, keys: true, clouds: true, agent: true },
    });
    expect(await send(server.url, { method: "HEAD", path: "/healthz" })).toMatchObject({ status: 200, text: "" });
  });

  test("without its store a server lives, isn't ready, and refuses calls without a word of why", async () => {
    const ports = await openPorts(readConfig({ environment: { LIVEPLANE_DATA: emptyFolder() } }));
    const liveplane = createLiveplane(ports);
    const server = createServer({ liveplane, needsAgent: false });
    const url = await server.listen(0);
    onTestFinished(() => server.close());
    expect((await send(url, { path: "/readyz" })).status).toBe(200);

    await ports.store.close();
    expect((await send(url, { path: "/healthz" })).status).toBe(200);
    expect(await send(url, { path: "/readyz" })).toMatchObject({ status: 503, json: { store: false } });
    const signIn = { username: "ada", password: "correct horse battery" };
    const answer = await send(url, { method: "POST", path: "/auth/sessions", json: signIn });
    expect([500, 503]).toContain(answer.status);
    expect(answer.headers["content-type"]).toBe("application/problem+json; charset=utf-8");
    expect(answer.text).not.toMatch(/sqlite|database|stack|\.ts|horse/i);
  });

  /** A server without an agent over a store, and how long its probe takes to say what. */
  async function probed(store: Store) {
    const options = {
      dataDir: emptyFolder(),
      store,
      keyRing: staticKeyRing({ keys: [randomBytes(32).toString("base64")] }),
    };
    const { clock } = webRuntime();
    let movedMs = 0;
    const moved = { ...clock, monotonic: () => clock.monotonic() + movedMs };
    const ports = await nodeDefaults(options);
    const liveplane = createLiveplane({ ...ports, runtime: { ...ports.runtime, clock: moved } });
    const server = createServer({ liveplane, needsAgent: false });
    const url = await server.listen(0);
    onTestFinished(() => server.close());
    return async () => {
      // What was found holds for a second.
      movedMs += 1000;
      const begun = performance.now();
      const { status, json } = await send(url, { path: "/readyz" });
      return { status, json, ms: performance.now() - begun };
    };
  }

  test("over a full disk a server isn't ready, though it can be read, and is again when there is room", async (context) => {
    const full = smallDisk(context, "1m");
    const store = await sqliteStore({ file: join(full, "full.db") });
    onTestFinished(() => store.close());
    const probe = await probed(store);
    expect(await probe()).toMatchObject({ status: 200, json: { store: true } });
    for (const size of [20_000, 1]) {
      let isFull = false;
      for (let at = 0; !isFull; at++)
        await store.commit({ sets: [{ key: [`${size} ${at}`], value: "x".repeat(size) }] }).catch(() => {
          isFull = true;
        });
    }
    expect(await probe()).toMatchObject({ status: 503, json: { store: false, keys: true } });
    expect(await store.get([["20000 0"]])).toMatchObject([{ value: expect.any(String) }]);
    spawnSync("mount", ["-o", "remount,size=8m", full]);
    expect(await probe()).toMatchObject({ status: 200, json: { store: true } });
  });

  test.for(["SQLite", "Postgres"])(
    "a server whose writes to %s fail on a full disk isn't ready until there is room again",
    { timeout: 60_000 },
    async (database, context) => {
      const disk = smallDisk(context, "6m");
      const LIVEPLANE_MASTER_KEY = randomBytes(32).toString("base64");
      const settings =
        database === "SQLite"
          ? { LIVEPLANE_DATA: disk }
          : { DATABASE_URL: await postgresOn(disk), LIVEPLANE_MASTER_KEY };
      const server = await runServer(settings);
      const ada = await server.person("ada");
      const isReady = async () => (await send(server.url, { path: "/readyz" })).status;
      const filler = join(disk, "filler");
      const { bavail, bsize } = statfsSync(disk);
      writeFileSync(filler, Buffer.alloc(bavail * bsize - 200_000));

      const seen: { write: number; ready: number }[] = [];
      for (let at = 0; at < 200; at++) {
        const json = { name: "x".repeat(100) };
        const path = `/environments/Personal/${ada.id}/room-${at}`;
        const { status: write } = await send(server.url, { method: "POST", path, json, token: ada.token });
        seen.push({ write, ready: await isReady() });
      }
      const refused = seen.filter(({ write }) => write === 503);
      expect(refused.length).toBeGreaterThan(50);
      expect(refused.filter(({ ready }) => ready !== 503)).toEqual([]);
      rmSync(filler);
      await expect.poll(isReady, { timeout: 5_000 }).toBe(200);
    },
  );

  test("a server that met a damaged page isn't ready", async () => {
    const file = join(emptyFolder(), "damaged.db");
    const whole = await sqliteStore({ file });
    const sets = Array.from({ length: 900 }, (_, at) => ({ key: [`k${1000 + at}`], value: "x".repeat(1000) }));
    await whole.commit({ sets });
    await whole.close();
    const bytes = readFileSync(file);
    writeFileSync(
      file,
      bytes.fill(0xa5, Math.floor(bytes.length / 8192) * 4096, Math.floor(bytes.length / 8192) * 4096 + 4096),
    );
    const store = await sqliteStore({ file, checkUpToBytes: 0 });
    onTestFinished(() => store.close());
    const probe = await probed(store);
    await expect(store.list({ prefix: [], limit: 10_000 })).rejects.toMatchObject({ code: "StoreFailed" });
    expect(await probe()).toMatchObject({ status: 503, json: { store: false } });
  });

  test("a server whose Postgres hangs says so within a second", { timeout: 60_000 }, async () => {
    const postgres = await sharedPostgres();
    const line = await cuttingProxy(await postgres.freshSchema());
    const store = await postgresStore({ connectionString: line.connectionString });
    onTestFinished(async () => {
      await line.end();
      await store.close();
    });
    const probe = await probed(store);
    expect(await probe()).toMatchObject({ status: 200, json: { store: true, keys: true } });
    line.silence();
    for (let round = 0; round < 2; round++) {
      const { status, json, ms } = await probe();
      expect({ status, json }).toMatchObject({ status: 503, json: { store: false, keys: true } });
      expect(ms).toBeLessThan(2000);
    }
  });

  test("a process that runs the agent alone answers probes and metrics, and nothing else", async () => {
    const environment = {
      PORT: "0",
      LIVEPLANE_DATA: emptyFolder(),
      LIVEPLANE_METRICS: "machine",
      LIVEPLANE_LOG: "silent",
    };
    const server = await createReferenceServer(readConfig({ environment }), "agent");
    const url = await server.start();
    onTestFinished(() => server.stop());
    expect(await send(url, { path: "/healthz" })).toMatchObject({ status: 200, json: { status: "ok" } });
    expect(await send(url, { path: "/readyz" })).toMatchObject({ status: 200, json: { store: true, agent: true } });
    expect((await send(url, { path: "/metrics" })).text).toContain('role="agent"} 1');
    for (const path of ["/accounts/me", "/auth/sessions", "/docs", "/openapi.json", "/simulator", "/"])
      expect([path, (await send(url, { path })).json?.code]).toEqual([path, "NotFound"]);
  });

  test("a server that needs an agent isn't ready without one", async () => {
    const ports = await openPorts(readConfig({ environment: { LIVEPLANE_DATA: emptyFolder() } }));
    const server = createServer({ liveplane: createLiveplane(ports) });
    const url = await server.listen(0);
    onTestFinished(async () => {
      await server.close();
      await ports.store.close();
    });
    expect(await send(url, { path: "/readyz" })).toMatchObject({ status: 503, json: { store: true, agent: false } });
  });
});

describe("/metrics", () => {
  test("is for operators, and for nobody by where they are unless the host says so", async () => {
    const server = await runServer({ LIVEPLANE_METRICS: "operators" });
    const ada = await server.person("ada");
    const { accessToken } = await server.operator.sessions.create({
      username: "operator",
      password: "a long enough secret",
    });
    expect((await send(server.url, { path: "/metrics" })).status).toBe(401);
    expect((await send(server.url, { path: "/metrics", token: ada.token })).status).toBe(403);
    const answer = await send(server.url, { path: "/metrics", token: accessToken });
    expect(answer.status).toBe(200);
    expect(answer.headers["content-type"]).toMatch(/^text\/plain/);
  });

  test("is for this machine where the host says so, and not for what a proxy on it passes on", async () => {
    const server = await runServer({ LIVEPLANE_METRICS: "machine" });
    const { port } = new URL(server.url);
    const statusWith = async (headers: Readonly<Record<string, string>>) =>
      (await send(server.url, { path: "/metrics", headers })).status;
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, "LOCALHOST", `[::1]:${port}`])
      expect(await statusWith({ host })).toBe(200);
    for (const host of ["api.example", "127.0.0.1.example", "localhost.example", "127.0.0.1@api.example"])
      expect([host, await statusWith({ host })]).toEqual([host, 401]);
    for (const name of ["X-Forwarded-For", "X-Forwarded-Host", "Forwarded", "Via", "X-Real-IP", "CF-Connecting-IP"])
      expect([name, await statusWith({ [name]: "127.0.0.1" })]).toEqual([name, 401]);
    const proxied = await runServer({ LIVEPLANE_METRICS: "machine", LIVEPLANE_TRUST_PROXY: "1" });
    expect((await send(proxied.url, { path: "/metrics" })).status).toBe(401);
  });

  test("is for whoever has the scrapers' token, which opens nothing else", async () => {
    const token = "a-token-of-the-scraper";
    const server = await runServer({ LIVEPLANE_METRICS: "operators", LIVEPLANE_METRICS_TOKEN: token });
    expect(await send(server.url, { path: "/metrics", token })).toMatchObject({ status: 200 });
    for (const wrong of [`${token}.`, token.slice(1), token.toUpperCase()])
      expect(await send(server.url, { path: "/metrics", token: wrong })).toMatchObject({ status: 401 });
    expect(await send(server.url, { path: "/metrics" })).toMatchObject({ status: 401 });
    expect(await send(server.url, { path: "/accounts/me", token })).toMatchObject({ status: 401 });
    expect(await send(server.url, { path: "/simulator/provider-a/resources", token })).toMatchObject({ status: 401 });
  });

  test("tells which version runs here, and what of it", async () => {
    const server = await runServer();
    const { text } = await send(server.url, { path: "/metrics" });
    expect(text).toMatch(
      new RegExp(`^liveplane_build_info\\{version="[\\d.]+",node="${process.version}",role="all"\\} 1$`, "m"),
    );
  });

  test("tells answers by operation and status, and no path, name or id", async () => {
    const server = await runServer();
    const ada = await server.person("ada-of-the-canary");
    await send(server.url, { path: "/accounts/me", token: ada.token });
    await send(server.url, { path: "/a-canary-path" });
    const { text } = await send(server.url, { path: "/metrics" });
    expect(text).toMatch(/liveplane_http_request_seconds_count\{operation="accounts.me",status="200"\} 1/);
    expect(text).toMatch(/operation="unknown",status="404"/);
    expect(text).not.toContain("canary");
    expect(text).not.toContain(ada.id);
  });
});
