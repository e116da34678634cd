import { encodePrefix, type prepare } from "@liveplane/core/store";
import { commitLocks, encodeBytes } from "./postgres-schema.ts";

const sweepEveryMs = 60_000;
const sweptAtOnce = 5000;
const sweepText = `DELETE FROM liveplane_entry WHERE key IN (
  SELECT key FROM liveplane_entry WHERE expires_at <= $1 LIMIT ${sweptAtOnce} FOR UPDATE SKIP LOCKED)`;

/** Expired entries count as absent. Returns what deletes some of them, at most once a minute, by a function that says how many. */
export function sweeper(now: () => number, remove: (text: string, values: unknown[]) => Promise<number>): () => void {
  let swept = now();
  return () => {
    if (Math.abs(now() - swept) < sweepEveryMs) return;
    swept = now();
    // There may be more: the next commit continues.
    const goOn = (removed: number) => {
      if (removed === sweptAtOnce) swept = Number.NEGATIVE_INFINITY;
    };
    remove(sweepText, [swept]).then(goOn, () => {});
  };
}

/** The part of an array that belongs to the commit `at`. */
const part = (array: string, begins: string) =>
  `(${array})[(${begins}::integer[])[at]:(${begins}::integer[])[at + 1] - 1]`;

/** Makes a commit, or answers null. */
const oneText =
  "SELECT 1 AS at, liveplane_commit($1::bytea[], $2::bigint[], $3::bytea[], $4::text[], $5::bigint[], $6::bytea[], $7::bytea[], $8::text[], $9::bigint) AS version";
/**
 * Makes several commits, each by itself, in one transaction. The locks of all are taken first, in the function's order, so that two
 * statements never wait for each other.
 */
const severalText = `SELECT at, CASE WHEN taken > 0 THEN liveplane_commit(
    ${part("$1::bytea[]", "$10")}, ${part("$2::bigint[]", "$10")},
    ${part("$3::bytea[]", "$11")}, ${part("$4::text[]", "$11")}, ${part("$5::bigint[]", "$11")},
    ${part("$6::bytea[]", "$12")}, ${part("$7::bytea[]", "$13")}, ${part("$8::text[]", "$13")}, $9::bigint
  ) END AS version
  FROM (
    SELECT count(CASE WHEN writes THEN pg_advisory_xact_lock(kind, id) ELSE pg_advisory_xact_lock_shared(kind, id) END::text) AS taken
    FROM (
      SELECT ${commitLocks.all} AS kind, 0 AS id, false AS writes
      UNION ALL SELECT ${commitLocks.keys}, (${commitLocks.numberOf})::integer, bool_or(writes)
      FROM (SELECT unnest($1::bytea[]) AS key, false AS writes UNION ALL SELECT unnest($3::bytea[] || $6::bytea[]), true) AS touched
      GROUP BY 2
      ORDER BY kind DESC, id
    ) AS locks
  ) AS locked, generate_series(1, cardinality($10::integer[]) - 1) AS at`;

/** A commit that was checked and encoded. */
export type Prepared = ReturnType<typeof prepare>;

/** The most commits of one statement, and the most keys of each: together fewer than the function locks one by one. */
export const mostCommits = 32;
const mostKeys = 30;
const mostLetters = 65_536;

/** Whether a commit may share a statement with others. */
export function isSmall({ checks, sets, deletes, appends }: Prepared): boolean {
  const letters = [...sets, ...appends].reduce((sum, { json }) => sum + json.length, 0);
  return checks.length + sets.length + deletes.length <= mostKeys && letters <= mostLetters;
}

/** The statement that makes some commits. It answers with the version of each, by its place among them, counted from 1. */
export function commitQuery(commits: readonly Prepared[], now: number) {
  const checks = joined(commits.map((commit) => commit.checks));
  const sets = joined(commits.map((commit) => commit.sets));
  const deletes = joined(commits.map((commit) => commit.deletes));
  const appends = joined(commits.map((commit) => commit.appends));
  const values: unknown[] = [
    checks.all.map(({ key }) => encodeBytes(key)),
    checks.all.map(({ version }) => version),
    sets.all.map(({ key }) => encodeBytes(key)),
    sets.all.map(({ json }) => json),
    sets.all.map(({ expiresAt }) => expiresAt ?? null),
    deletes.all.map(encodeBytes),
    appends.all.map(({ prefix }) => encodeBytes(encodePrefix(prefix))),
    appends.all.map(({ json }) => json),
    now,
  ];
  if (commits.length === 1) return { name: "liveplane-commit", text: oneText, values };
  values.push(checks.begins, sets.begins, deletes.begins, appends.begins);
  return { name: "liveplane-commits", text: severalText, values };
}

/** Lists after each other, and where each begins, counted from 1; at last, where another would. */
function joined<T>(lists: readonly (readonly T[])[]): {
  readonly all: readonly T[];
  readonly begins: readonly number[];
} {
  const begins = [1];
  for (const list of lists) begins.push((begins.at(-1) ?? 1) + list.length);
  return { all: lists.flat(), begins };
}
