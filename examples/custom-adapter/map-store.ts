// A store over a Map: the smallest one that keeps every law of the port, to read beside it. The difficult parts (keys that sort like their
// tuples, checks of a commit) come from @liveplane/core/store. The conformance suite tests it.
import { LiveplaneError } from "@liveplane/core/errors";
import type { Entry, Key, Store, StoreOptions } from "@liveplane/core/store";
import {
  appendedKey,
  boundsOf,
  compareEncoded,
  decodeKey,
  encodeKey,
  encodeKeys,
  parseFrozen,
  prepare,
} from "@liveplane/core/store";

type Row = { json: string; version: number; expiresAt?: number | undefined };

/** A store over a Map: the smallest one that keeps every law. */
export function mapStore({ now = Date.now }: { readonly now?: () => number } = {}): Store {
  const rows = new Map<string, Row>();
  let [version, closed] = [0, false];

  const enter = ({ signal }: StoreOptions = {}) => {
    if (signal?.aborted) throw new LiveplaneError("Aborted", undefined, { cause: signal.reason });
    if (closed) throw new LiveplaneError("StoreFailed", "The store is closed.");
  };
  const read = (key: string): Entry | null => {
    const row = rows.get(key);
    if (row === undefined || (row.expiresAt ?? Number.POSITIVE_INFINITY) <= now()) return null;
    const entry = { key: decodeKey(key), value: parseFrozen(row.json), version: row.version };
    return row.expiresAt === undefined ? entry : { ...entry, expiresAt: row.expiresAt };
  };
  const write = (key: Key, json: string) => rows.set(encodeKey(key), { json, version });

  return {
    capabilities: { sharedByProcesses: false, durable: false, snapshot: false },
    async get(keys, options) {
      enter(options);
      return encodeKeys(keys).map(read);
    },
    async list(range, options) {
      enter(options);
      const { lower, upper, limit, reverse } = boundsOf(range);
      const inside = (key: string) =>
        compareEncoded(key, lower) > 0 && (upper === null || compareEncoded(key, upper) < 0);
      const keys = [...rows.keys()].filter((key) => inside(key) && read(key) !== null).sort(compareEncoded);
      return (reverse ? keys.reverse() : keys).slice(0, limit).map((key) => read(key) as Entry);
    },
    async commit(commit, options) {
      const { checks, sets, deletes, appends } = prepare(commit);
      enter(options);
      if (checks.some((check) => (read(check.key)?.version ?? null) !== check.version)) return null;
      version += 1;
      for (const key of deletes) rows.delete(key);
      for (const { key, json, expiresAt } of sets) rows.set(key, { json, version, expiresAt });
      for (const [at, { prefix, json }] of appends.entries()) write([...prefix, ...appendedKey(version, at)], json);
      return version;
    },
    async close() {
      closed = true;
    },
  };
}
