import { postgresStore } from "@liveplane/adapters/postgres-store";
import type { Store } from "@liveplane/core/store";
import fc from "fast-check";
import pg from "pg";
import { afterEach, beforeAll, expect, test } from "vitest";
import { type SharedPostgres, sharedPostgres } from "../postgres.ts";
import { commitsBy, keyOf, keys, prefix, rememberedIsThere, timePasses, write } from "./remembered.ts";

let postgres: SharedPostgres;
beforeAll(async () => {
  postgres = await sharedPostgres();
});

/** How the next commit is lost: its connection ends before the database has it, or after. */
let lost: "before" | "after" | null = null;
const { query } = pg.Client.prototype;
beforeAll(() => {
  pg.Client.prototype.query = async function losing(this: pg.Client, ...given: unknown[]) {
    const ask = () => Reflect.apply(query, this, given) as Promise<unknown>;
    const when = lost;
    if (when === null || !/^liveplane-commits?$/.test(Reflect.get(Object(given[0]), "name"))) return ask();
    lost = null;
    if (when === "after") await ask();
    throw Object.assign(new Error("the line fell silent"), { code: "ECONNRESET" });
  } as typeof query;
  return () => {
    pg.Client.prototype.query = query;
  };
});
afterEach(() => {
  lost = null;
});

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("commits" as const), by: fc.nat({ max: 1 }), write }) },
  fc.record({ kind: fc.constant("races" as const), writes: fc.tuple(write, write) }),
  fc.record({
    kind: fc.constant("is lost" as const),
    write,
    when: fc.constantFrom("before" as const, "after" as const),
  }),
  timePasses,
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Two processes that remember, and one that reads the database alone. */
async function opened(rememberBytes: number) {
  const connectionString = await postgres.freshSchema();
  let time = 1_000_000;
  const open = (bytes: number) =>
    postgresStore({ connectionString, connections: 2, now: () => time, rememberBytes: bytes });
  const [first, second, bare] = await Promise.all([open(rememberBytes), open(rememberBytes), open(0)]);
  const commitOf = commitsBy(bare, () => time);

  const steps: { readonly [kind in Step["kind"]]: (step: Extract<Step, { kind: kind }>) => Promise<unknown> } = {
    commits: async ({ by, write: what }) => [first, second][by]?.commit(await commitOf(what)),
    async races({ writes: [one, other] }) {
      const commits = [await commitOf(one), await commitOf(other)] as const;
      await Promise.all([first.commit(commits[0]), second.commit(commits[1]), first.get(keys)]);
    },
    async "is lost"({ write: what, when }) {
      const commit = await commitOf(what);
      lost = when;
      await expect(first.commit(commit)).rejects.toMatchObject({ code: "CommitOutcomeUnknown" });
    },
    async "time passes"({ ms }) {
      time += ms;
    },
  };
  return {
    stores: [first, second],
    bare,
    take: (one: Step) => steps[one.kind](one as never),
    close: () => Promise.all([first, second, bare].map((store) => store.close())),
  };
}

test.each([2 ** 26, 40_000])(
  "what is remembered within %d bytes is what is in the database, whatever became of commits, time and others",
  { timeout: 120_000 },
  (rememberBytes) => rememberedIsThere(step, () => opened(rememberBytes), { numRuns: 8 }),
);

test.each([
  { when: "before", left: [null, null] },
  { when: "after", left: ["new", "new"] },
] as const)(
  "a connection that is lost $when a statement of two commits leaves both unknown",
  async ({ when, left }) => {
    const { stores, close } = await opened(2 ** 26);
    const [store] = stores as [Store, Store];
    const two = [keyOf("a"), keyOf("b")];
    await store.get(two);
    lost = when;
    const commits = await Promise.allSettled(two.map((key) => store.commit({ sets: [{ key, value: "new" }] })));
    expect(lost).toBeNull();
    expect(commits).toMatchObject(two.map(() => ({ reason: { code: "CommitOutcomeUnknown" } })));
    expect((await store.get(two)).map((entry) => entry?.value ?? null)).toEqual(left);
    await close();
  },
);

test("a value that is known by its version is given again as it is, and another one is not", async () => {
  const { stores, close } = await opened(2 ** 26);
  const [store, other] = stores as [Store, Store];
  await store.commit({ sets: keys.map((key) => ({ key, value: { in: key } })) });
  const [first] = await store.get([keyOf("a")]);
  expect((await store.get([keyOf("b"), keyOf("a")]))[1]).toBe(first);
  // One commit, so one version: what is known of one key says nothing of another.
  await other.commit({ sets: [keyOf("a"), keyOf("b")].map((key) => ({ key, value: { now: key } })) });
  await store.get([keyOf("b")]);
  const both = await store.get([keyOf("a"), keyOf("b")]);
  expect(both.map((entry) => entry?.value)).toEqual([{ now: keyOf("a") }, { now: keyOf("b") }]);
  expect(both.every((entry) => Object.isFrozen(entry))).toBe(true);
  await close();
});

test.each([false, true])(
  "a list whose keys and versions are known is given again as it is, and another one is not (reversed: %s)",
  async (reverse) => {
    const { stores, close } = await opened(2 ** 26);
    const [store, other] = stores as [Store, Store];
    const listed = () => store.list({ prefix, reverse });
    await store.commit({ sets: keys.map((key) => ({ key, value: { in: key } })) });
    const first = await listed();
    expect((await listed())[0]).toBe(first[0]);
    // One commit, so the versions stay the same: another key stands where this one did.
    await other.commit({ deletes: [keyOf("b")] });
    expect((await listed()).map(({ key }) => key.at(-1))).toEqual(reverse ? ["d", "c", "a"] : ["a", "c", "d"]);
    await other.commit({ deletes: keys });
    expect(await listed()).toEqual([]);
    expect(await listed()).toEqual([]);
    await other.commit({ sets: [{ key: keyOf("a"), value: "back" }] });
    expect((await listed()).map(({ value }) => value)).toEqual(["back"]);
    await close();
  },
);
