import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import pg from "pg";

/** An environment as the hand-made server stores it. */
export interface Row {
  readonly ownerId: string;
  readonly shortName: string;
  readonly version: number;
  readonly json: string;
}

/** What a write tells the log of events in the same transaction. */
export interface ToldEvent {
  readonly type: string;
  readonly subject: string;
  readonly actor: string;
  readonly time: string;
  readonly data: string;
}

type Soon<T> = T | Promise<T>;

/** The statements of the hand-made server. SQLite answers at once, Postgres later. */
export interface Rows {
  /** The active person of a session. */
  callerOf(sessionId: string): Soon<string | undefined>;
  find(ownerId: string, shortName: string): Soon<string | undefined>;
  list(ownerId: string, limit: number): Soon<readonly string[]>;
  organizationsOf(personId: string): Soon<readonly string[]>;
  count(ownerId: string): Soon<number>;
  put(row: Row, event: ToldEvent): Soon<unknown>;
  remove(row: Pick<Row, "ownerId" | "shortName">, event: ToldEvent): Soon<unknown>;
  addPerson(id: string, sessionId: string): Soon<unknown>;
  addPermission(personId: string, organizationId: string): Soon<unknown>;
}

const schema = (serial: string) => `
  CREATE TABLE environment ("ownerId" TEXT, "shortName" TEXT, version INTEGER, json TEXT, PRIMARY KEY ("ownerId", "shortName"));
  CREATE TABLE person (id TEXT PRIMARY KEY, status TEXT);
  CREATE TABLE login (id TEXT PRIMARY KEY, "personId" TEXT);
  CREATE TABLE permission ("principalId" TEXT, "organizationId" TEXT, permission TEXT, PRIMARY KEY ("principalId", "organizationId", permission));
  CREATE TABLE event (id ${serial} PRIMARY KEY, type TEXT, subject TEXT, actor TEXT, time TEXT, data TEXT);
`;

/** A SQLite file: of its own, or in a folder that is there already. */
export function sqliteRows(folder?: string): Rows {
  const directory = folder ?? mkdtempSync(join(tmpdir(), "liveplane-bench-"));
  if (folder === undefined) process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
  const database = new Database(join(directory, "app.db"));
  for (const pragma of ["journal_mode = WAL", "synchronous = FULL", "locking_mode = EXCLUSIVE"])
    database.pragma(pragma);
  database.exec(
    schema("INTEGER").replaceAll("));", ")) WITHOUT ROWID;").replaceAll("CREATE TABLE", "CREATE TABLE IF NOT EXISTS"),
  );
  const callerOf = database
    .prepare<[string], string>(
      `SELECT person.id FROM login JOIN person ON person.id = login."personId" WHERE login.id = ? AND status = 'Active'`,
    )
    .pluck();
  const find = database
    .prepare<[string, string], string>(`SELECT json FROM environment WHERE "ownerId" = ? AND "shortName" = ?`)
    .pluck();
  const list = database
    .prepare<[string, number], string>(`SELECT json FROM environment WHERE "ownerId" = ? ORDER BY "shortName" LIMIT ?`)
    .pluck();
  const organizationsOf = database
    .prepare<[string], string>(`SELECT DISTINCT "organizationId" FROM permission WHERE "principalId" = ?`)
    .pluck();
  const count = database.prepare<[string], number>(`SELECT count(*) FROM environment WHERE "ownerId" = ?`).pluck();
  const put = database.prepare<Row>(
    "INSERT OR REPLACE INTO environment VALUES (@ownerId, @shortName, @version, @json)",
  );
  const remove = database.prepare<Pick<Row, "ownerId" | "shortName">>(
    `DELETE FROM environment WHERE "ownerId" = @ownerId AND "shortName" = @shortName`,
  );
  const tell = database.prepare<ToldEvent>(
    "INSERT INTO event (type, subject, actor, time, data) VALUES (@type, @subject, @actor, @time, @data)",
  );
  return {
    callerOf: (sessionId) => callerOf.get(sessionId),
    find: (ownerId, shortName) => find.get(ownerId, shortName),
    list: (ownerId, limit) => list.all(ownerId, limit),
    organizationsOf: (personId) => organizationsOf.all(personId),
    count: (ownerId) => count.get(ownerId) ?? 0,
    put: database.transaction((row, event) => {
      put.run(row);
      tell.run(event);
    }),
    remove: database.transaction((row, event) => {
      remove.run(row);
      tell.run(event);
    }),
    addPerson(id, sessionId) {
      database.prepare("INSERT INTO person VALUES (?, 'Active')").run(id);
      database.prepare("INSERT INTO login VALUES (?, ?)").run(sessionId, id);
    },
    addPermission: (personId, organizationId) =>
      database.prepare("INSERT INTO permission VALUES (?, ?, 'View')").run(personId, organizationId),
  };
}

const event = `event_told AS (INSERT INTO event (type, subject, actor, time, data) VALUES ($1, $2, $3, $4, $5))`;

/** A schema of Postgres, by prepared statements over ten connections; a change and its event are one statement. */
export async function postgresRows(connectionString: string): Promise<Rows> {
  const pool = new pg.Pool({ connectionString, max: 10 });
  await pool.query(schema("BIGINT GENERATED ALWAYS AS IDENTITY"));
  const values = async <T>(name: string, text: string, given: readonly unknown[]) => {
    const { rows } = await pool.query<{ value: T }>({ name, text, values: [...given] });
    return rows.map(({ value }) => value);
  };
  const one = async <T>(name: string, text: string, given: readonly unknown[]) =>
    (await values<T>(name, text, given))[0];
  const told = ({ type, subject, actor, time, data }: ToldEvent) => [type, subject, actor, time, data];
  return {
    callerOf: (sessionId) =>
      one<string>(
        "caller",
        `SELECT person.id AS value FROM login JOIN person ON person.id = login."personId" WHERE login.id = $1 AND status = 'Active'`,
        [sessionId],
      ),
    find: (ownerId, shortName) =>
      one<string>("find", `SELECT json AS value FROM environment WHERE "ownerId" = $1 AND "shortName" = $2`, [
        ownerId,
        shortName,
      ]),
    list: (ownerId, limit) =>
      values<string>(
        "list",
        `SELECT json AS value FROM environment WHERE "ownerId" = $1 ORDER BY "shortName" LIMIT $2`,
        [ownerId, limit],
      ),
    organizationsOf: (personId) =>
      values<string>(
        "organizations",
        `SELECT DISTINCT "organizationId" AS value FROM permission WHERE "principalId" = $1`,
        [personId],
      ),
    count: async (ownerId) =>
      (await one<number>("count", `SELECT count(*)::int AS value FROM environment WHERE "ownerId" = $1`, [ownerId])) ??
      0,
    put: (row, of) =>
      values(
        "put",
        `WITH ${event} INSERT INTO environment VALUES ($6, $7, $8, $9) ON CONFLICT ("ownerId", "shortName") DO UPDATE SET version = $8, json = $9`,
        [...told(of), row.ownerId, row.shortName, row.version, row.json],
      ),
    remove: (row, of) =>
      values("remove", `WITH ${event} DELETE FROM environment WHERE "ownerId" = $6 AND "shortName" = $7`, [
        ...told(of),
        row.ownerId,
        row.shortName,
      ]),
    async addPerson(id, sessionId) {
      await pool.query("INSERT INTO person VALUES ($1, 'Active')", [id]);
      await pool.query("INSERT INTO login VALUES ($1, $2)", [sessionId, id]);
    },
    addPermission: (personId, organizationId) =>
      pool.query("INSERT INTO permission VALUES ($1, $2, 'View')", [personId, organizationId]),
  };
}
