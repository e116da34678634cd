import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { postgresStore } from "@liveplane/adapters/postgres-store";
import { sqliteStore } from "@liveplane/adapters/sqlite-store";
import { isLiveplaneError } from "@liveplane/core/errors";
import type { Store } from "@liveplane/core/store";
import { expect, onTestFinished, test } from "vitest";
import { type RunningPostgres, startPostgres } from "./postgres.ts";

/** What a writer was told about each of its keys: a version, or the code of a failure. */
type Told = Map<string, number | string>;

/** Commits one key after the other until told to stop. Everything but coded errors fails the test. */
async function write(store: Store, name: string, told: Told, goesOn: () => boolean): Promise<void> {
  for (let at = 0; goesOn(); at++) {
    const key = [`${name}.${at}`];
    try {
      told.set(
        key[0] ?? "",
        (await store.commit({ checks: [{ key, version: null }], sets: [{ key, value: at }] })) ?? "lost",
      );
    } catch (error) {
      if (!isLiveplaneError(error)) throw error;
      told.set(key[0] ?? "", error.code);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

/** What was acknowledged is there, what failed is not, and of the unknown anything may be. */
async function holdsTo(told: Told, store: Store): Promise<void> {
  const there = new Map((await store.list({ prefix: [], limit: 1e6 })).map(({ key, version }) => [key[0], version]));
  for (const [key, answer] of told) {
    if (typeof answer === "number") expect(there.get(key), key).toBe(answer);
    else if (answer !== "CommitOutcomeUnknown") expect(there.has(key), `${key}: ${answer}`).toBe(false);
  }
}

async function withPostgres(): Promise<RunningPostgres> {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.end());
  return postgres;
}

test("Postgres stopped and started under load: coded errors meanwhile, and nothing that was acknowledged is lost", async () => {
  const postgres = await withPostgres();
  const store = await postgresStore({ connectionString: await postgres.freshSchema(), connections: 4 });
  const told: Told = new Map();
  let stopped = false;
  const writers = ["a", "b", "c", "d"].map((name) => write(store, name, told, () => !stopped));
  const answers = (wanted: (answer: number | string) => boolean) => [...told.values()].filter(wanted).length;
  for (let round = 1; round <= 3; round++) {
    const before = answers((answer) => typeof answer === "number");
    await until(() => answers((answer) => typeof answer === "number") > before + 50);
    const failures = answers((answer) => typeof answer === "string");
    await postgres.stop();
    await until(() => answers((answer) => typeof answer === "string") > failures + 5);
    await expect(store.get([["a.0"]])).rejects.toMatchObject({ code: "StoreFailed", retryable: true });
    await postgres.start();
  }
  const before = answers((answer) => typeof answer === "number");
  await until(() => answers((answer) => typeof answer === "number") > before + 50);
  stopped = true;
  await Promise.all(writers);
  const codes = new Set([...told.values()].filter((answer) => typeof answer === "string"));
  expect([...codes].filter((code) => code !== "StoreFailed" && code !== "CommitOutcomeUnknown")).toEqual([]);
  await holdsTo(told, store);
  await store.close();
}, 60_000);

test("a full disk fails commits with a coded error, loses nothing, and is over when there is room again", async (context) => {
  const folder = await mkdtemp(join(tmpdir(), "liveplane-full-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", folder]);
  if (mounted.status !== 0) return context.skip("a small file system can't be mounted here");
  onTestFinished(() => void spawnSync("umount", [folder]));

  const store = await sqliteStore({ file: join(folder, "full.db") });
  const told = new Map<string, number>();
  const large = "x".repeat(50_000);
  let failure: unknown = null;
  for (let at = 0; failure === null; at++) {
    const version = await store.commit({ sets: [{ key: [`k${at}`], value: large }] }).catch((error: unknown) => {
      failure = error;
      return null;
    });
    if (version !== null) told.set(`k${at}`, version);
  }
  expect(failure).toMatchObject({ code: "StoreFailed" });
  expect(String(failure)).toContain("the disk is full");
  expect(told.size).toBeGreaterThan(5);
  expect(await store.list({ prefix: [] })).toHaveLength(told.size);
  spawnSync("mount", ["-o", "remount,size=8m", folder]);
  expect(await store.commit({ sets: [{ key: ["after"], value: large }] })).not.toBeNull();
  await store.close();

  const again = await sqliteStore({ file: join(folder, "full.db") });
  const there = await again.list({ prefix: [] });
  expect(there.map(({ key }) => key[0]).sort()).toEqual([...told.keys(), "after"].sort());
  await again.close();
});

async function until(done: () => boolean): Promise<void> {
  while (!done()) await new Promise((resolve) => setTimeout(resolve, 5));
}
