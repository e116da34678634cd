import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { keyvStore } from "@liveplane/adapters/keyv-store";
import { postgresStore } from "@liveplane/adapters/postgres-store";
import { sqliteStore } from "@liveplane/adapters/sqlite-store";
import { encodeKey, memoryStore, type Store } from "@liveplane/core/store";
import Sqlite from "better-sqlite3";
import Keyv from "keyv";
import pg from "pg";
import { startPostgres } from "../packages/adapters/test/postgres.ts";
import type { Bench, BenchContext, Ratio } from "./harness.ts";

/** Each store against its bare driver with the same statements, keys and values. */
export const bench: Bench = {
  name: "stores",
  async run(context) {
    const folder = await mkdtemp(join(tmpdir(), "liveplane-bench-"));
    try {
      return [
        ...(await sqlite(context, folder)),
        ...(await postgres(context)),
        ...(await keyv(context)),
        ...(await memory(context)),
      ];
    } finally {
      await rm(folder, { recursive: true });
    }
  },
};

const listed = 100;
const batched = 500;
/** An upsert that changes nothing writes nothing, so every value is different. */
let counter = 0;
const value = () => ({ id: ++counter, name: "a component", status: "Active", text: "x".repeat(200) });
const key = (at: number) => ["record", "component", String(at).padStart(6, "0")];
const [prefix, behind] = [
  encodeKey(["record", "component"]),
  `${encodeKey(["record", "component"]).slice(0, -1)}\u0001`,
];

/** A bare driver's code for each measured operation. */
interface Bare {
  readonly name: string;
  write(at: number): unknown;
  upsert?(at: number): unknown;
  get(at: number): unknown;
  list(): unknown;
  /** The same with parsed values, which a caller would need. */
  parsedList?(): unknown;
  batch(): unknown;
}

interface Goals {
  readonly write?: number;
  readonly many?: number;
  readonly get?: number;
  readonly list?: number;
  readonly batch?: number;
}

interface Contest {
  readonly store: Store;
  readonly bare: Bare;
  readonly goals: Goals;
  /** The number of sequential writes in a round. */
  readonly writes: number;
  readonly concurrent: boolean;
}

async function contest({ quick, compare }: BenchContext, { store, bare, goals, writes, concurrent }: Contest) {
  await store.commit({ sets: Array.from({ length: 1000 }, (_, at) => ({ key: key(at), value: value() })) });
  const ratios: Ratio[] = [];
  const race = async (
    what: string,
    count: number,
    ours: Work,
    theirs: readonly (readonly [string, Work])[],
    goal?: number,
  ) => {
    const rounds = quick ? 2 : 15;
    const [first, ...others] = theirs.map(([name, work]) => ({ name, work, count }));
    if (first === undefined) return;
    const peers = [{ ...first, ...(goal !== undefined && { goal }) }, ...others];
    ratios.push(...(await compare({ what, ours: { name: "liveplane", work: ours, count }, peers, rounds })));
  };
  const times = async (count: number, work: (at: number) => unknown) => {
    for (let at = 0; at < count; at++) await work(at);
  };
  const commit = (at: number) => store.commit({ sets: [{ key: key(at), value: value() }] });
  const name = bare.name;
  const upsert = bare.upsert?.bind(bare);
  await race(
    `${name}: durable write`,
    writes,
    () => times(writes, commit),
    [
      [`bare ${name}, same statements`, () => times(writes, bare.write)],
      ...(upsert ? [[`bare ${name}, an upsert alone`, () => times(writes, upsert)] as const] : []),
    ],
    goals.write,
  );
  if (concurrent) {
    const together = (work: (at: number) => unknown) => () =>
      Promise.all(Array.from({ length: 32 }, (_, lane) => times(writes / 32, (at) => work(lane * 32 + at))));
    const theirs = [[`bare ${name}, same statements`, together(bare.write)]] as const;
    await race(`${name}: durable write, 32 in flight`, writes, together(commit), theirs, goals.many);
  }
  const gets = writes * 4;
  const get = (at: number) => store.get([key(at % 1000)]);
  await race(`${name}: get`, gets, () => times(gets, get), [[`bare ${name}`, () => times(gets, bare.get)]], goals.get);
  const list = () => store.list({ prefix: ["record", "component"], limit: listed });
  const lists = Math.ceil(writes / 8);
  const parsed = bare.parsedList?.bind(bare);
  const listThem: (readonly [string, Work])[] = [[`bare ${name}`, () => times(lists, bare.list)]];
  if (parsed) listThem.push([`bare ${name}, values parsed`, () => times(lists, parsed)]);
  await race(`${name}: list of ${listed}`, lists, () => times(lists, list), listThem, goals.list);
  const many = () =>
    store.commit({ sets: Array.from({ length: batched }, (_, at) => ({ key: key(at), value: value() })) });
  const batchThem = [[`bare ${name}, same statements`, () => times(3, bare.batch)]] as const;
  await race(`${name}: batch of ${batched}`, 3 * batched, () => times(3, many), batchThem, goals.batch);
  return ratios;
}

type Work = () => unknown;

async function sqlite(context: BenchContext, folder: string): Promise<Ratio[]> {
  const store = await sqliteStore({ file: join(folder, "ours.db") });
  const database = new Sqlite(join(folder, "bare.db"));
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE entry (key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL, version INTEGER NOT NULL, expires_at INTEGER) WITHOUT ROWID;
    CREATE INDEX entry_expiry ON entry (expires_at) WHERE expires_at IS NOT NULL;
    CREATE TABLE head (id INTEGER PRIMARY KEY CHECK (id = 1), version INTEGER NOT NULL);
    INSERT INTO head VALUES (1, 0);`);
  const [begin, end] = [database.prepare("BEGIN IMMEDIATE"), database.prepare("COMMIT")];
  const raise = database.prepare("UPDATE head SET version = ?");
  const live = "(expires_at IS NULL OR expires_at > ?)";
  const columns = "key, value, version, expires_at";
  const get = database.prepare(`SELECT ${columns} FROM entry WHERE key = ? AND ${live}`);
  const list = database.prepare<unknown[], { value: string }>(
    `SELECT ${columns} FROM entry WHERE key > ? AND key < ? AND ${live} ORDER BY key LIMIT ?`,
  );
  const set = database.prepare(
    "INSERT INTO entry VALUES (?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value, version = excluded.version, expires_at = excluded.expires_at",
  );
  const keys = Array.from({ length: 1024 }, (_, at) => encodeKey(key(at)));
  const transaction = (from: number, count: number) => {
    begin.run();
    const version = ++counter;
    raise.run(version);
    for (let at = from; at < from + count; at++) set.run(keys[at % 1024], JSON.stringify(value()), version, null);
    end.run();
  };
  transaction(0, 1000);
  const bare: Bare = {
    name: "SQLite",
    write: (at) => transaction(at, 1),
    upsert: (at) => set.run(keys[at % 1024], JSON.stringify(value()), ++counter, null),
    get: (at) => get.get(keys[at % 1000], Date.now()),
    list: () => list.all(prefix, behind, Date.now(), listed),
    parsedList: () => list.all(prefix, behind, Date.now(), listed).map((row) => JSON.parse(row.value)),
    batch: () => transaction(0, batched),
  };
  const goals = { write: 0.85, get: 0.35, list: 0.5, batch: 0.7 };
  const ratios = await contest(context, { store, bare, goals, writes: context.quick ? 32 : 256, concurrent: true });
  await store.close();
  database.close();
  return ratios;
}

async function postgres(context: BenchContext): Promise<Ratio[]> {
  const server = await startPostgres({ durable: true });
  try {
    const connectionString = await server.freshSchema();
    const store = await postgresStore({ connectionString });
    // The store's own limits: a statement timeout costs the server something for each statement.
    const pool = new pg.Pool({ connectionString, max: 10, statement_timeout: 15_000, query_timeout: 17_000 });
    pool.on("error", () => {}).on("connect", (client) => client.on("error", () => {}));
    const commitText =
      "SELECT liveplane_commit($1::bytea[], $2::bigint[], $3::bytea[], $4::text[], $5::bigint[], $6::bytea[], $7::bytea[], $8::text[], $9::bigint) AS version";
    const live = "(expires_at IS NULL OR expires_at > $1)";
    const columns = "key, value, version, expires_at";
    const getText = `SELECT ${columns} FROM liveplane_entry WHERE ${live} AND key = ANY($2)`;
    const listText = `SELECT ${columns} FROM liveplane_entry WHERE ${live} AND key > $2 AND key < $3 ORDER BY key ASC LIMIT $4`;
    const upsertText =
      "INSERT INTO liveplane_entry VALUES ($1, $2, $3, NULL) ON CONFLICT (key) DO UPDATE SET value = excluded.value, version = excluded.version";
    const keys = Array.from({ length: 1024 }, (_, at) => Buffer.from(encodeKey(key(at))));
    const write = (from: number, count: number) => {
      const written = Array.from({ length: count }, (_, at) => keys[(from + at) % 1024]);
      const texts = written.map(() => JSON.stringify(value()));
      const values = [[], [], written, texts, texts.map(() => null), [], [], [], Date.now()];
      return pool.query({ name: "commit", text: commitText, values });
    };
    const list = () => {
      const values = [Date.now(), Buffer.from(prefix), Buffer.from(behind), listed];
      return pool.query<{ value: string }>({ name: "list", text: listText, values });
    };
    const bare: Bare = {
      name: "Postgres",
      write: (at) => write(at, 1),
      upsert: (at) =>
        pool.query({ name: "upsert", text: upsertText, values: [keys[at % 1024], JSON.stringify(value()), ++counter] }),
      get: (at) => pool.query({ name: "get", text: getText, values: [Date.now(), [keys[at % 1000]]] }),
      list,
      parsedList: async () => (await list()).rows.map((row) => JSON.parse(row.value)),
      batch: () => write(0, batched),
    };
    const goals = { write: 0.9, many: 0.85, get: 0.9, list: 0.5, batch: 0.9 };
    const ratios = await contest(context, { store, bare, goals, writes: context.quick ? 32 : 256, concurrent: true });
    ratios.push(...(await remembered(context, store, await postgresStore({ connectionString, rememberBytes: 0 }))));
    await store.close();
    await pool.end();
    return ratios;
  } finally {
    await server.end();
  }
}

/** The benefit of not sending and parsing a value again while its version is the same. */
async function remembered({ quick, compare }: BenchContext, ours: Store, forgetful: Store): Promise<Ratio[]> {
  const large = { components: Array.from({ length: 40 }, value) };
  await ours.commit({ sets: Array.from({ length: 10 }, (_, at) => ({ key: ["large", `${at}`], value: large })) });
  const count = quick ? 32 : 1024;
  const lanes = (store: Store) => () =>
    Promise.all(
      Array.from({ length: 32 }, async (_, lane) => {
        for (let at = 0; at < count / 32; at++) await store.get([["large", `${(lane + at) % 10}`]]);
      }),
    );
  const kib = Math.round(JSON.stringify(large).length / 1024);
  const lines = await compare({
    what: `Postgres: get of ${kib} KiB that were read before, 32 in flight`,
    ours: { name: "liveplane", work: lanes(ours), count },
    peers: [{ name: "the same, nothing remembered", work: lanes(forgetful), count }],
  });
  await forgetful.close();
  return lines;
}

/** Keyv has neither lists nor atomic batches: its figures are only for the order of magnitude. */
async function keyv({ quick, compare }: BenchContext): Promise<Ratio[]> {
  const store = await keyvStore({ keyv: new Keyv({ store: new Map() }) });
  const bare = new Keyv({ store: new Map() });
  const count = quick ? 32 : 2000;
  const rounds = async (work: (at: number) => unknown) => {
    for (let at = 0; at < count; at++) await work(at);
  };
  const write = {
    ours: () => rounds((at) => store.commit({ sets: [{ key: key(at % 1000), value: value() }] })),
    theirs: () => rounds((at) => bare.set(String(at % 1000), value())),
  };
  const get = {
    ours: () => rounds((at) => store.get([key(at % 1000)])),
    theirs: () => rounds((at) => bare.get(String(at % 1000))),
  };
  const ratios = [];
  for (const [what, { ours, theirs }] of Object.entries({ write, get })) {
    const peers = [{ name: "Keyv's own Map, no transactions", work: theirs, count }];
    ratios.push(
      ...(await compare({ what: `Keyv over a Map: ${what}`, ours: { name: "liveplane", work: ours, count }, peers })),
    );
  }
  await store.close();
  return ratios;
}

async function memory(context: BenchContext): Promise<Ratio[]> {
  const store = memoryStore();
  const map = new Map<string, string>();
  const keys = Array.from({ length: 1024 }, (_, at) => encodeKey(key(at)));
  const write = async (at: number) => map.set(keys[at % 1024] ?? "", JSON.stringify(value()));
  for (let at = 0; at < 1000; at++) await write(at);
  const bare: Bare = {
    name: "memory",
    write,
    get: async (at) => JSON.parse(map.get(keys[at % 1000] ?? "") ?? "null"),
    list: async () => keys.slice(0, listed).map((at) => JSON.parse(map.get(at) ?? "null")),
    batch: async () => {
      for (let at = 0; at < batched; at++) await write(at);
    },
  };
  return contest(context, { store, bare, goals: {}, writes: context.quick ? 32 : 4096, concurrent: false });
}
