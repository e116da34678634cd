import { encodePrefix, type prepare } from "@liveplane/core/store";
import { encodeBytes } from "./postgres-schema.ts";

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

/** Makes a commit, or answers null. */
export const commitText =
  "SELECT liveplane_commit($1::bytea[], $2::bigint[], $3::bytea[], $4::text[], $5::bigint[], $6::bytea[], $7::bytea[], $8::text[], $9::bigint) AS version";

/** The arguments of a commit. */
export function commitValues({ checks, sets, deletes, appends }: ReturnType<typeof prepare>, now: number): unknown[] {
  return [
    checks.map(({ key }) => encodeBytes(key)),
    checks.map(({ version }) => version),
    sets.map(({ key }) => encodeBytes(key)),
    sets.map(({ json }) => json),
    sets.map(({ expiresAt }) => expiresAt ?? null),
    deletes.map(encodeBytes),
    appends.map(({ prefix }) => encodeBytes(encodePrefix(prefix))),
    appends.map(({ json }) => json),
    now,
  ];
}
