import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { postgresStore } from "@liveplane/adapters/postgres-store";
import { sqliteStore } from "@liveplane/adapters/sqlite-store";
import { isLiveplaneError } from "@liveplane/core/errors";
import type { Store } from "@liveplane/core/store";
import pg from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { webRuntime } from "../../../core/src/ports/web-runtime.ts";
import { createRecords } from "../../../core/src/records/create-records.ts";
import { type Cut, cuttingProxy } from "../cutting-proxy.ts";
import { emptyFolder } from "../empty-folder.ts";
import { type RunningPostgres, startPostgres } from "../postgres.ts";
import { halves, recordsOver } from "./crash-stores.ts";

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

let postgres: RunningPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.end());

test("Postgres stopped and started under load: coded errors meanwhile, and nothing that was acknowledged is lost", async () => {
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

/** A store whose line to Postgres can be cut, and another one beside it whose line can't. */
async function withCuttingLine(statementTimeoutMs?: number) {
  const connectionString = await postgres.freshSchema();
  const line = await cuttingProxy(connectionString);
  onTestFinished(() => line.end());
  const timeout = statementTimeoutMs === undefined ? {} : { statementTimeoutMs };
  const store = await postgresStore({ connectionString: line.connectionString, connections: 4, ...timeout });
  const beside = await postgresStore({ connectionString });
  onTestFinished(async () => {
    await store.close();
    await beside.close();
  });
  return { line, store, beside };
}

test.for<[Cut, boolean]>([
  ["before its answer", true],
  ["before it arrives", false],
])("a commit whose line is cut %s has an unknown outcome, and is not sent again", async ([cut, made]) => {
  const { line, store, beside } = await withCuttingLine();
  line.cutNext(cut);
  const commit = store.commit({ sets: [{ key: ["a"], value: 1 }], appends: [{ prefix: ["log"], value: 1 }] });
  await expect(commit).rejects.toMatchObject({ code: "CommitOutcomeUnknown" });
  expect(await beside.list({ prefix: ["log"] })).toHaveLength(made ? 1 : 0);
  expect((await beside.get([["a"]]))[0]?.value ?? null).toBe(made ? 1 : null);
  expect(await store.commit({ sets: [{ key: ["b"], value: 1 }] })).not.toBeNull();
});

test("answers of commits lost under load: what was acknowledged is there, once, and nothing that failed is", async () => {
  const { line, store, beside } = await withCuttingLine();
  const told: Told = new Map();
  let stopped = false;
  const writers = ["a", "b", "c", "d"].map((name) => write(store, name, told, () => !stopped));
  for (let round = 1; round <= 60; round++) {
    line.cutNext(round % 3 === 0 ? "before it arrives" : "before its answer");
    await until(() => line.cuts() === round);
  }
  stopped = true;
  await Promise.all(writers);
  const unknown = [...told].filter(([, answer]) => answer === "CommitOutcomeUnknown");
  expect(unknown.length).toBeGreaterThanOrEqual(60);
  const there = new Set((await beside.list({ prefix: [], limit: 1e6 })).map(({ key }) => key[0]));
  expect(unknown.filter(([key]) => there.has(key)).length).toBeGreaterThan(20);
  expect(unknown.filter(([key]) => !there.has(key)).length).toBeGreaterThan(10);
  await holdsTo(told, beside);
});

test("a change of records whose answer is lost is told as unknown, and its events keep their one sequence", async () => {
  const { line, store, beside } = await withCuttingLine();
  const records = createRecords({ store, runtime: webRuntime() });
  const { log, records: recordsBeside } = recordsOver(beside);
  const cause = { actor: "somebody", requestId: "request" };
  const made: string[] = [];
  for (let round = 0; round < 12; round++) {
    if (round % 2 === 0) line.cutNext(round % 4 === 0 ? "before its answer" : "before it arrives");
    const id = `half ${round}`;
    const change = records.change(cause, async (change) => {
      change.put(halves, { id, side: "left", state: "new" });
      change.emit({ type: "environment.updated", subject: id, about: { kind: "installation" }, data: { changed: [] } });
    });
    if (round % 2 === 0) await expect(change).rejects.toMatchObject({ code: "CommitOutcomeUnknown" });
    else await change;
    if (round % 4 !== 2) made.push(id);
  }
  await log.sequence();
  expect((await log.read(0, 100)).map(({ subject }) => subject)).toEqual(made);
  expect(await log.verify()).toEqual({ verified: made.length, broken: null, waiting: 0 });
  expect((await recordsBeside.list(halves)).map(({ record }) => record.id).sort()).toEqual(made.sort());
});

test("a line that falls silent is given up after a while: the commit is of unknown outcome, the store goes on", async () => {
  const { line, store, beside } = await withCuttingLine(300);
  line.cutNext("silence");
  await expect(store.commit({ sets: [{ key: ["a"], value: 1 }] })).rejects.toMatchObject({
    code: "CommitOutcomeUnknown",
  });
  expect((await beside.get([["a"]]))[0]?.value).toBe(1);
  expect(await store.commit({ sets: [{ key: ["b"], value: 1 }] })).not.toBeNull();
});

test("a database that only reads after a failover accepts commits again once new connections can write", async () => {
  const connectionString = await postgres.freshSchema();
  const store = await postgresStore({ connectionString, connections: 1 });
  onTestFinished(() => store.close());
  const administrator = new pg.Client(`${connectionString}%20-c%20default_transaction_read_only%3Doff`);
  await administrator.connect();
  onTestFinished(() => administrator.end());
  const sets = [{ key: ["one"], value: 1 }];
  await store.commit({ sets });

  await administrator.query("ALTER DATABASE postgres SET default_transaction_read_only = on");
  await administrator.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()");
  await expect.poll(() => store.get([["one"]])).toMatchObject([{ value: 1 }]);
  await expect(store.commit({ sets })).rejects.toMatchObject({ code: "StoreFailed" });

  await administrator.query("ALTER DATABASE postgres RESET default_transaction_read_only");
  expect(await store.commit({ sets })).toBeGreaterThan(0);
});

test("a full disk fails commits with a coded error, loses nothing, and is over when there is room again", async (context) => {
  const folder = emptyFolder();
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
  for (let refused = 0; refused < 2; refused++)
    expect(await store.commit({ checks: [{ key: ["k0"], version: null }] })).toBeNull();
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
