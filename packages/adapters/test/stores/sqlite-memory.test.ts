import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { sqliteStore } from "@liveplane/adapters/sqlite-store";
import { encodeKey } from "@liveplane/core/store";
import Sqlite from "better-sqlite3";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { emptyFolder } from "../empty-folder.ts";
import { commitsBy, keyOf, name, prefix, rememberedIsThere, timePasses, write } from "./remembered.ts";

const folder = emptyFolder(afterAll);
let files = 0;

/** How the driver's next statement of a kind fails: `before` it did anything, or `after` it did everything. */
type Fault = { readonly statement: RegExp; readonly when: "before" | "after" };
let fault: Fault | null = null;
const statement = Object.getPrototypeOf(new Sqlite(":memory:").prepare("SELECT 1")) as {
  run: (this: { source: string }, ...given: unknown[]) => unknown;
};
const { run } = statement;
beforeAll(() => {
  statement.run = function faulty(...given) {
    if (fault === null || !fault.statement.test(this.source)) return run.apply(this, given);
    const { when } = fault;
    fault = null;
    if (when === "after") run.apply(this, given);
    throw Object.assign(new Error("disk I/O error"), { code: "SQLITE_IOERR" });
  };
});
afterEach(() => {
  fault = null;
});
afterAll(() => {
  statement.run = run;
});

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("commits" as const), of: fc.array(write, { maxLength: 4 }) }) },
  fc.record({
    kind: fc.constant("fails" as const),
    of: fc.array(write, { minLength: 1, maxLength: 3 }),
    statement: fc.constantFrom(/^INSERT INTO entry/, /^DELETE FROM entry WHERE key = /, /^COMMIT/),
    when: fc.constantFrom("before" as const, "after" as const),
  }),
  timePasses,
  fc.record({ kind: fc.constant("somebody else writes" as const), at: name, removes: fc.boolean() }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A store that remembers, one beside it that reads the file alone, and somebody who took the lock away. */
async function opened(rememberBytes: number) {
  const file = join(folder, `${++files}.db`);
  let time = 1_000_000;
  const now = () => time;
  const store = await sqliteStore({ driver: "better-sqlite3", file, now, rememberBytes });
  const beside = await sqliteStore({ driver: "better-sqlite3", file, now, readOnly: true });
  const stranger = new Sqlite(file);
  const commitOf = commitsBy(beside, now);
  let strangersWrites = 0;

  const steps: { readonly [kind in Step["kind"]]: (step: Extract<Step, { kind: kind }>) => Promise<unknown> } = {
    async commits({ of }) {
      const commits = await Promise.all(of.map(commitOf));
      await Promise.all(commits.map((commit) => store.commit(commit)));
    },
    async fails({ of, statement: at, when }) {
      const commits = await Promise.all(of.map(commitOf));
      fault = { statement: at, when };
      await Promise.allSettled(commits.map((commit) => store.commit(commit)));
      fault = null;
    },
    async "time passes"({ ms }) {
      time += ms;
    },
    async "somebody else writes"({ at, removes }) {
      const key = encodeKey(keyOf(at));
      if (removes) stranger.prepare("DELETE FROM entry WHERE key = ?").run(key);
      else
        stranger
          .prepare("UPDATE entry SET value = ? WHERE key = ?")
          .run(`{"by":"a stranger","at":${++strangersWrites}}`, key);
      // What is read in the turn in which it was written may be what was there at its beginning.
      await turn();
    },
  };
  return {
    store,
    stores: [store],
    bare: beside,
    take: (one: Step) => steps[one.kind](one as never),
    async close() {
      stranger.close();
      await beside.close();
      await store.close();
    },
  };
}

test.each([2 ** 26, 40_000, 0])(
  "what is remembered within %d bytes is what is in the file, whatever became of commits, time and others",
  { timeout: 120_000 },
  (rememberBytes) => rememberedIsThere(step, () => opened(rememberBytes), { numRuns: 40 }),
);

test("a commit is judged by what is in the file, not by what was remembered", async () => {
  const { store, bare, take, close } = await opened(2 ** 26);
  const version = await store.commit({ sets: [{ key: keyOf("a"), value: 1 }] });
  await store.get([keyOf("a")]);
  fault = { statement: /^COMMIT/, when: "after" };
  await expect(store.commit({ sets: [{ key: keyOf("a"), value: 2 }] })).rejects.toMatchObject({
    code: "CommitOutcomeUnknown",
  });
  expect(
    await store.commit({ checks: [{ key: keyOf("a"), version }], sets: [{ key: keyOf("a"), value: 3 }] }),
  ).toBeNull();
  await take({ kind: "somebody else writes", at: "a", removes: true });
  const [current] = await bare.get([keyOf("a")]);
  expect(current).toBeNull();
  expect(
    await store.commit({ checks: [{ key: keyOf("a"), version: null }], sets: [{ key: keyOf("a"), value: 4 }] }),
  ).not.toBeNull();
  await close();
});

test("somebody else's write is seen by a commit of the same turn", async () => {
  const { store, take, close } = await opened(2 ** 26);
  const version = await store.commit({ sets: [{ key: keyOf("a"), value: 1 }] });
  await store.get([keyOf("a")]);
  const between = new Promise<void>((resolve) => {
    setImmediate(() => {
      void store.get([keyOf("a")]);
      void take({ kind: "somebody else writes", at: "a", removes: true });
      resolve();
    });
  });
  const commit = store.commit({ checks: [{ key: keyOf("a"), version }], sets: [{ key: keyOf("a"), value: 2 }] });
  await between;
  expect(await commit).toBeNull();
  await close();
});

test("what was swept out is gone, also when the clock is put back", async () => {
  const { store, take, close } = await opened(2 ** 26);
  const pass = (ms: number) => take({ kind: "time passes", ms });
  await take({
    kind: "commits",
    of: [{ set: ["a"], expiresIn: 1000, remove: undefined, append: false, check: "none" }],
  });
  expect(await store.get([keyOf("a")])).not.toEqual([null]);
  await pass(65_000);
  await store.commit({});
  await pass(-64_500);
  expect(await store.get([keyOf("a")])).toEqual([null]);
  await close();
});

test("the same entry is given to all who ask for few keys, and nothing of a list or of many is kept", async () => {
  const { store, close } = await opened(2 ** 26);
  const many = Array.from({ length: 300 }, (_, at) => [`k${at}`]);
  await store.commit({ sets: many.map((key) => ({ key, value: { key: [...key] } })) });
  await store.list({ prefix: [] });
  const [first] = await store.get(many);
  const [second] = await store.get(many.slice(0, 1));
  const [third] = await store.get(many);
  expect(second).toEqual(first);
  expect(second).not.toBe(first);
  expect(third).toBe(second);
  expect(await store.get(many.slice(0, 1))).toEqual([second]);
  await close();
});

test("a list loses what expires, and has it again when the clock is put back", async () => {
  const { store, take, close } = await opened(2 ** 26);
  const values = async () => (await store.list({ prefix })).map(({ value }) => value);
  await store.commit({ sets: [{ key: keyOf("a"), value: 1 }] });
  await store.commit({ sets: [{ key: keyOf("b"), value: 2, expiresAt: 1_000_100 }] });
  expect(await values()).toEqual([1, 2]);
  await take({ kind: "time passes", ms: 200 });
  expect(await values()).toEqual([1]);
  await take({ kind: "time passes", ms: -200 });
  expect(await values()).toEqual([1, 2]);
  await close();
});
