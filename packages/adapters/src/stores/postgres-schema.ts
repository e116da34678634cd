import { LiveplaneError } from "@liveplane/core/errors";
import { decodeKey } from "@liveplane/core/store";

/** Runs a statement on one connection. */
export type PostgresRun = <Row>(text: string, values?: unknown[]) => Promise<{ readonly rows: Row[] }>;

/** An encoded key as bytes, for Postgres's order. */
export function encodeBytes(encoded: string): Buffer {
  return Buffer.from(encoded, "utf8");
}

/** The key for these bytes. */
export function decodeBytes(bytes: Buffer): string[] {
  return decodeKey(bytes.toString("utf8"));
}

/**
 * To be run on each connection. Plans are made once and kept: those made while the table is small would read all of it, and go on doing so
 * until the server analyzes it. Every statement names keys or a range of them.
 */
export const byKeysText = "SET enable_seqscan = off";

const schemaVersion = 1;
/** Two processes that start at once create the schema one after the other. */
const schemaLock = 7_164_221;

/** The server's or role's settings that commits depend on. */
interface ServerSettings {
  readonly isolation: string;
  readonly synchronous: string;
  readonly fsync: string;
}

const settingsText = `SELECT current_setting('default_transaction_isolation') AS isolation,
  current_setting('synchronous_commit') AS synchronous, current_setting('fsync') AS fsync`;

/** Creates the schema, or refuses one written by a newer version. Returns whether the server keeps acknowledged commits. */
export async function prepareSchema(run: PostgresRun): Promise<{ readonly durable: boolean }> {
  const { rows: found } = await run<ServerSettings>(settingsText);
  if (found[0]?.isolation !== "read committed")
    throw new LiveplaneError(
      "ConfigurationInvalid",
      "Commits need default_transaction_isolation = 'read committed', the default of Postgres. Restore that setting.",
    );
  await makeSchema(run);
  return { durable: found[0].synchronous !== "off" && found[0].fsync === "on" };
}

async function makeSchema(run: PostgresRun): Promise<void> {
  try {
    await run("BEGIN");
    await run("SELECT pg_advisory_xact_lock($1)", [schemaLock]);
    await requireLocks(run);
    await run("CREATE TABLE IF NOT EXISTS liveplane_schema (version integer NOT NULL)");
    const { rows } = await run<{ version: number }>("SELECT version FROM liveplane_schema");
    const found = rows[0]?.version ?? 0;
    if (found > schemaVersion)
      throw new LiveplaneError("ConfigurationInvalid", "The database was written by a newer version of liveplane.");
    if (found < schemaVersion) {
      for (const statement of schema) await run(statement);
      await run("DELETE FROM liveplane_schema");
      await run("INSERT INTO liveplane_schema VALUES ($1)", [schemaVersion]);
    }
    await run("COMMIT");
  } catch (error) {
    await run("ROLLBACK").catch(() => {});
    throw error;
  }
}

/**
 * Commits depend on advisory locks. A server that resembles Postgres may have the functions without locking anything; then the lock that
 * was just taken isn't listed.
 */
async function requireLocks(run: PostgresRun): Promise<void> {
  const { rows } = await run(
    "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid() AND granted",
  );
  if (rows.length === 0)
    throw new LiveplaneError(
      "ConfigurationInvalid",
      "This database doesn't support advisory locks, so processes would overwrite each other's changes (CockroachDB, for example). Use PostgreSQL.",
    );
}

/** The advisory locks of a commit: one that very large commits take alone and others share, and then those of its keys, by number. */
export const commitLocks = { all: 716_423, keys: 716_422, numberOf: "hashtextextended(encode(key, 'hex'), 0) % 65536" };

/**
 * Values are text: `jsonb` reorders members and refuses NUL, and nothing here looks inside. Under READ COMMITTED each statement of the
 * function sees earlier commits, so checks after the locks are current. A commit of very many keys would exhaust the server's lock table,
 * so it takes one lock for all of them.
 */
const schema = [
  "CREATE TABLE liveplane_entry (key bytea PRIMARY KEY, value text NOT NULL, version bigint NOT NULL, expires_at bigint)",
  "CREATE INDEX liveplane_entry_expiry ON liveplane_entry (expires_at) WHERE expires_at IS NOT NULL",
  "CREATE SEQUENCE liveplane_version",
  `
CREATE FUNCTION liveplane_commit(
  check_keys bytea[], check_versions bigint[], set_keys bytea[], set_values text[], set_expiries bigint[],
  delete_keys bytea[], append_prefixes bytea[], append_values text[], now_ms bigint
) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  made bigint;
  bucket record;
BEGIN
  IF cardinality(check_keys) + cardinality(set_keys) + cardinality(delete_keys) > 1000 THEN
    PERFORM pg_advisory_xact_lock(${commitLocks.all}, 0);
  ELSE
    PERFORM pg_advisory_xact_lock_shared(${commitLocks.all}, 0);
    FOR bucket IN
      SELECT ${commitLocks.numberOf} AS id, bool_or(writes) AS writes
      FROM (SELECT unnest(check_keys) AS key, false AS writes UNION ALL SELECT unnest(set_keys || delete_keys), true) AS touched
      GROUP BY 1 ORDER BY 1
    LOOP
      IF bucket.writes THEN PERFORM pg_advisory_xact_lock(${commitLocks.keys}, bucket.id::integer);
      ELSE PERFORM pg_advisory_xact_lock_shared(${commitLocks.keys}, bucket.id::integer);
      END IF;
    END LOOP;
  END IF;

  IF EXISTS (
    SELECT 1 FROM unnest(check_keys, check_versions) AS wanted (key, version)
    LEFT JOIN liveplane_entry AS entry ON entry.key = wanted.key AND (entry.expires_at IS NULL OR entry.expires_at > now_ms)
    WHERE entry.version IS DISTINCT FROM wanted.version
  ) THEN RETURN NULL;
  END IF;

  made := nextval('liveplane_version');
  DELETE FROM liveplane_entry WHERE key = ANY (delete_keys);
  INSERT INTO liveplane_entry (key, value, version, expires_at)
    SELECT key, value, made, expires_at FROM unnest(set_keys, set_values, set_expiries) AS written (key, value, expires_at)
    ON CONFLICT (key) DO UPDATE SET value = excluded.value, version = excluded.version, expires_at = excluded.expires_at;
  INSERT INTO liveplane_entry (key, value, version)
    SELECT prefix || convert_to(lpad(made::text, 16, '0'), 'UTF8') || '\\x00'::bytea || convert_to(lpad((place - 1)::text, 6, '0'), 'UTF8') || '\\x00'::bytea, value, made
    FROM unnest(append_prefixes, append_values) WITH ORDINALITY AS appended (prefix, value, place);
  RETURN made;
END $$`,
];
