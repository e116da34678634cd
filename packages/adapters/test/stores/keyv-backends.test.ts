import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import KeyvRedis from "@keyv/redis";
import KeyvSqlite from "@keyv/sqlite";
import { keyvStore } from "@liveplane/adapters/keyv-store";
import { storeConformance } from "@liveplane/core/testing";
import Keyv from "keyv";
import Keyv5 from "keyv-5";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { KeyvLike } from "../../src/stores/keyv-journal.ts";
import { programs } from "./model-programs.ts";

const folder = mkdtempSync(join(tmpdir(), "liveplane-keyv-"));
const closing: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
  rmSync(folder, { recursive: true, force: true });
});

let places = 0;

/** Holds the store to its laws over a backend, each law in a place of its own. */
function lawsOver(register: typeof test | typeof test.skip, keyv: () => KeyvLike): void {
  storeConformance(
    (title, run) => register(title, { timeout: 120_000 }, run),
    ({ now }) => keyvStore({ keyv: keyv(), prefix: `place-${places++}`, snapshotEvery: 20, now }),
    {
      programs: Math.ceil(programs / 5),
      place({ now }) {
        const prefix = `place-${places++}`;
        return () => keyvStore({ keyv: keyv(), prefix, snapshotEvery: 2, now });
      },
    },
  );
}

describe("over SQLite", () => {
  const backend = new KeyvSqlite(`sqlite://${join(folder, "keyv.db")}`);
  closing.push(() => backend.disconnect());
  lawsOver(test, () => new Keyv({ store: backend }));
});

describe("over Keyv 5", () => {
  const backend = new Map();
  lawsOver(test, () => new Keyv5({ store: backend, throwOnErrors: true }));
});

const hasRedis = spawnSync("redis-server", ["--version"]).status === 0;

describe(`over Redis${hasRedis ? "" : ": there is no redis-server here"}`, () => {
  const path = join(folder, "redis.sock");
  let backend: KeyvRedis<string>;
  let server: ReturnType<typeof spawn>;

  beforeAll(async () => {
    if (!hasRedis) return;
    const only = ["--port", "0", "--unixsocket", path, "--save", "", "--dir", folder];
    server = spawn("redis-server", only, { stdio: "ignore" });
    await vi.waitUntil(() => existsSync(path), 10_000);
    backend = new KeyvRedis({ socket: { path, reconnectStrategy: false } }, { throwOnErrors: true });
    // A broken connection must not reach the Keyv, which would throw it where nobody can catch it.
    backend.client.removeAllListeners("error").on("error", () => {});
  });
  afterAll(() => void server?.kill("SIGKILL"));

  lawsOver(test.skipIf(!hasRedis), () => new Keyv({ store: backend }));

  test.skipIf(!hasRedis)("a Redis that is gone is a failure, and never an empty journal", async () => {
    const open = () => keyvStore({ keyv: new Keyv({ store: backend }), prefix: "gone" });
    const store = await open();
    await store.commit({ sets: [{ key: ["a"], value: 1 }] });
    server.kill("SIGKILL");
    await once(server, "exit");
    await expect(store.commit({ sets: [{ key: ["a"], value: 2 }] })).rejects.toMatchObject({
      code: "CommitOutcomeUnknown",
    });
    await expect(open()).rejects.toMatchObject({ code: expect.stringMatching(/StoreFailed|ConfigurationInvalid/) });
    await store.close();
  });
});
