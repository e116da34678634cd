import { postgresStore } from "@liveplane/adapters/postgres-store";
import type { Commit, Key } from "@liveplane/core/store";
import pg from "pg";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { webRuntime } from "../../../core/src/ports/web-runtime.ts";
import { identityWorld } from "../../../core/test/builders/identity.ts";
import { type SharedPostgres, sharedPostgres } from "../postgres.ts";
import { keyOf } from "./remembered.ts";

let postgres: SharedPostgres;
let sent: string[] = [];
let refused: unknown[] = [];
const { query } = pg.Client.prototype;

beforeAll(async () => {
  postgres = await sharedPostgres();
  pg.Client.prototype.query = function counting(this: pg.Client, ...given: unknown[]) {
    const name: unknown = Reflect.get(Object(given[0]), "name");
    if (typeof name === "string") sent.push(name);
    const answer = Reflect.apply(query, this, given) as unknown;
    if (answer instanceof Promise) answer.catch((error: { code?: unknown }) => refused.push(error.code));
    return answer;
  } as typeof query;
  return () => {
    pg.Client.prototype.query = query;
  };
});
afterEach(() => {
  sent = [];
  refused = [];
});

/** The statements that some work sends. */
async function statementsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  sent = [];
  await work();
  return sent;
}

const times = <T>(count: number, work: (at: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, at) => work(at)));

describe("reads of one turn", () => {
  const opened = async () => postgresStore({ connectionString: await postgres.freshSchema() });
  const nameOf = (at: number): Key => keyOf(`entry ${at}`);

  test("share a statement, and each gets its own entries in its own order", async () => {
    const store = await opened();
    await store.commit({ sets: Array.from({ length: 60 }, (_, at) => ({ key: nameOf(at), value: at })) });
    const read = (at: number) => store.get([nameOf(at), nameOf(1000 + at), nameOf((at + 1) % 60), nameOf(at)]);
    for (let time = 0; time < 2; time++) {
      let found: Awaited<ReturnType<typeof read>>[] = [];
      const statements = await statementsOf(async () => {
        found = await times(60, read);
      });
      expect(statements).toEqual(["liveplane-get"]);
      const values = found.map((entries) => entries.map((entry) => entry?.value ?? null));
      expect(values).toEqual(Array.from({ length: 60 }, (_, at) => [at, null, (at + 1) % 60, at]));
    }
    await store.close();
  });

  test("share statements of at most 1,024 keys, and a read of more than 256 has its own", async () => {
    const store = await opened();
    const reads = (sizes: readonly number[]) => () =>
      Promise.all(sizes.map((size) => store.get(Array.from({ length: size }, (_, at) => nameOf(at)))));
    expect(await statementsOf(reads([256, 256, 256, 256, 1]))).toHaveLength(2);
    expect(await statementsOf(reads([256, 256, 256, 256]))).toHaveLength(1);
    expect(await statementsOf(reads([1, 257, 1]))).toHaveLength(2);
    await store.close();
  });

  test("share a statement if they are lists, known or not, and each gets its own", async () => {
    const store = await opened();
    const folderOf = (at: number): Key => [...keyOf(`folder ${at}`)];
    const sets = Array.from({ length: 60 }, (_, at) => ({
      key: [...folderOf(at % 20), String(at).padStart(2, "0")],
      value: at,
    }));
    await store.commit({ sets });
    for (let time = 0; time < 2; time++) {
      let found: Awaited<ReturnType<typeof store.list>>[] = [];
      const statements = await statementsOf(async () => {
        found = await times(25, (at) => store.list({ prefix: folderOf(at), limit: 1 + (at % 3) }));
      });
      expect(statements).toEqual(["liveplane-renew-ASC"]);
      const values = found.map((entries) => entries.map(({ value }) => value));
      const expected = (at: number) => (at < 20 ? [at, at + 20, at + 40].slice(0, 1 + (at % 3)) : []);
      expect(values).toEqual(Array.from({ length: 25 }, (_, at) => expected(at)));
    }
    await store.close();
  });

  test("are all answered if the store closes in the same turn", async () => {
    const store = await opened();
    await store.commit({ sets: [{ key: nameOf(0), value: "kept" }] });
    const reading = times(3, () => store.get([nameOf(0)]));
    const closing = store.close();
    expect((await reading).map(([entry]) => entry?.value)).toEqual(["kept", "kept", "kept"]);
    await closing;
    await expect(store.get([nameOf(0)])).rejects.toMatchObject({ code: "StoreFailed" });
  });

  test("fail for their own callers: one that gives up leaves the others alone", async () => {
    const store = await opened();
    const gone = new AbortController();
    const [given, kept] = [store.get([nameOf(0)], { signal: gone.signal }), store.get([nameOf(0)])];
    gone.abort();
    await expect(given).rejects.toMatchObject({ code: "Aborted" });
    expect(await kept).toEqual([null]);
    await store.close();
  });
});

describe("commits of one turn", () => {
  test("share a statement, and each is made by itself", async () => {
    const store = await postgresStore({ connectionString: await postgres.freshSchema() });
    const [key, log] = [keyOf("a"), keyOf("log")];
    const old = await store.commit({ sets: [{ key, value: "old" }] });
    const commits: readonly Commit[] = [
      { checks: [{ key, version: -1 }], deletes: [key], appends: [{ prefix: log, value: "never" }] },
      { checks: [{ key, version: old }], sets: [{ key, value: "new" }], appends: [{ prefix: log, value: 1 }] },
      { checks: [{ key, version: old }], sets: [{ key, value: "late" }] },
      {},
      {
        sets: [{ key: keyOf("b"), value: 1, expiresAt: 1 }, ...["c", "d"].map((at) => ({ key: keyOf(at), value: at }))],
      },
      { deletes: [keyOf("c")], appends: [2, 3].map((value) => ({ prefix: log, value })) },
    ];
    let versions: readonly (number | null)[] = [];
    const statements = await statementsOf(async () => {
      versions = await Promise.all(commits.map((commit) => store.commit(commit)));
    });
    expect(statements).toEqual(["liveplane-commits"]);
    const [first = 0] = versions.filter((version) => version !== null);
    expect(versions).toEqual([null, first, null, first + 1, first + 2, first + 3]);
    const found = await store.get(["a", "b", "c", "d"].map(keyOf));
    expect(found.map((entry) => entry && [entry.value, entry.version])).toEqual([
      ["new", first],
      null,
      null,
      ["d", first + 2],
    ]);
    expect((await store.list({ prefix: log })).map(({ value, version }) => [value, version])).toEqual([
      [1, first],
      [2, first + 3],
      [3, first + 3],
    ]);
    await store.close();
  });

  test("share none with one of many keys or of much text", async () => {
    const store = await postgresStore({ connectionString: await postgres.freshSchema() });
    const small = (at: number) => store.commit({ sets: [{ key: keyOf(`${at}`), value: at }] });
    const wide = () => store.commit({ deletes: Array.from({ length: 31 }, (_, at) => keyOf(`gone ${at}`)) });
    const long = () => store.commit({ sets: [{ key: keyOf("long"), value: "x".repeat(70_000) }] });
    const statements = await statementsOf(() => Promise.all([small(1), wide(), long(), small(2)]));
    expect(statements.toSorted()).toEqual(["liveplane-commit", "liveplane-commit", "liveplane-commits"]);
    await store.close();
  });

  test("of two processes never wait for each other, whatever their order", async () => {
    const connectionString = await postgres.freshSchema();
    const stores = await Promise.all([1, 2].map(() => postgresStore({ connectionString })));
    const order = [1, 2, 3, 4, 5, 6, 7, 8];
    for (let round = 0; round < 40; round++)
      await Promise.all(
        stores.flatMap((store, at) =>
          (at === 0 ? order : order.toReversed()).map((name) =>
            store.commit({ sets: [{ key: keyOf(`${name}`), value: round }] }),
          ),
        ),
      );
    expect(refused).toEqual([]);
    await Promise.all(stores.map((store) => store.close()));
  });
});

test("what is read and written is found by its key, however the table has grown since the first statements", async () => {
  const connectionString = await postgres.freshSchema();
  const client = new pg.Client({ connectionString });
  await client.connect();
  const named = new URL(connectionString);
  named.searchParams.set("application_name", "scanned");
  /** How often the whole table was read. A connection says what it has counted when it ends. */
  const scans = async () => {
    const connected = "SELECT 1 FROM pg_stat_activity WHERE application_name = 'scanned'";
    await expect.poll(async () => (await client.query(connected)).rows).toEqual([]);
    const { rows } = await client.query<{ scans: string }>(
      "SELECT seq_scan AS scans FROM pg_stat_user_tables WHERE relid = 'liveplane_entry'::regclass",
    );
    return Number(rows[0]?.scans);
  };
  await (await postgresStore({ connectionString: named.href })).close();
  const before = await scans();
  const store = await postgresStore({ connectionString: named.href, connections: 1 });
  const key = (at: number): Key => keyOf(`entry ${at}`);
  for (let at = 0; at < 20; at++) {
    const version = await store.commit({
      checks: [{ key: key(at), version: null }],
      sets: [{ key: key(at), value: at }],
    });
    await store.commit({ checks: [{ key: key(at), version }], sets: [{ key: key(at), value: -at }] });
    await times(2, (each) => store.commit({ deletes: [key(100 + each)] }));
    await store.get([key(at), key(at + 1)]);
    await store.list({ prefix: keyOf("list") });
    await store.list({ prefix: keyOf("list"), reverse: true });
  }
  await store.close();
  expect(await scans()).toBe(before);
  await client.end();
});

test("a known caller's GET takes one statement, alone or with fifty at once, and a known list or a change two", async () => {
  const store = await postgresStore({ connectionString: await postgres.freshSchema() });
  const { liveplane, person } = await identityWorld({}, undefined, { store, runtime: webRuntime() });
  const { account, api } = await person("ada");
  const at = (each: number) => ({ type: "Personal" as const, ownerId: account.id, shortName: `env-${each % 20}` });
  await times(20, (each) => api.environments.create(at(each), { name: `${each}` }));
  const get = (each = 0) => api.environments.get(at(each));
  // The events of earlier changes are numbered in the background, which only adds statements.
  const fewestOf = async (work: () => Promise<unknown>) => {
    const counts: number[] = [];
    for (let round = 0; round < 12; round++) {
      await liveplane.log.sequence();
      counts.push((await statementsOf(work)).length);
    }
    return Math.min(...counts);
  };
  expect(await fewestOf(get)).toBe(1);
  expect(await fewestOf(() => times(50, get))).toBe(1);
  expect(await fewestOf(() => api.environments.list({ limit: 20 }))).toBe(2);
  const { id: ownerId } = await api.organizations.create({ name: "Shared" });
  const shared = { type: "Organizational" as const, ownerId, shortName: "shared" };
  await api.environments.create(shared, {});
  expect(await fewestOf(() => api.environments.get(shared))).toBe(1);
  let name = 0;
  expect(await fewestOf(() => api.environments.update(at(0), { name: `${++name}` }))).toBe(2);
  expect(await fewestOf(() => api.environments.create({ ...at(0), shortName: `new-${++name}` }, {}))).toBe(3);
  expect(await fewestOf(() => api.environments.delete(at(++name % 20)))).toBe(9);
  await store.close();
});

test("what one process revoked, another refuses at once, however often it has answered", async () => {
  const connectionString = await postgres.freshSchema();
  const stores = await Promise.all([1, 2].map(() => postgresStore({ connectionString })));
  const [one, other] = await Promise.all(
    stores.map((store) => identityWorld({}, undefined, { store, runtime: webRuntime() })),
  );
  if (one === undefined || other === undefined) throw new Error("No two processes.");
  const [ada, bob] = [await one.person("ada"), await one.person("bob")];
  const { id: ownerId } = await ada.api.organizations.create({ name: "Shared" });
  const shared = { type: "Organizational" as const, ownerId, shortName: "shared" };
  await ada.api.environments.create(shared, {});
  const grant = { principalType: "Account", principalId: bob.account.id, permissionType: "View" } as const;
  const there = other.bearer(bob.tokens.accessToken);
  for (let round = 0; round < 3; round++) {
    await ada.api.organizations.permissions.grant({ organizationId: ownerId }, grant);
    for (let time = 0; time < 2; time++) {
      expect((await there.environments.get(shared)).id).toEqual(shared);
      expect((await there.environments.list({ limit: 20 })).items).toMatchObject([{ id: shared }]);
    }
    await ada.api.organizations.permissions.revoke({ organizationId: ownerId }, grant);
    await expect(there.environments.get(shared)).rejects.toMatchObject({ code: "NotFound" });
    expect((await there.environments.list({ limit: 20 })).items).toEqual([]);
  }
  await ada.api.organizations.permissions.grant({ organizationId: ownerId }, grant);
  expect((await there.environments.get(shared)).id).toEqual(shared);
  await bob.api.tokens.revoke({ token: bob.tokens.accessToken });
  await expect(there.environments.get(shared)).rejects.toMatchObject({ code: "TokenRevoked" });
  await Promise.all(stores.map((store) => store.close()));
});
