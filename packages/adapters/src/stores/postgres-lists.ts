import { createHash } from "node:crypto";
import {
  type Bounds,
  type Entry,
  encodePrefix,
  mostRememberedAtOnce,
  parseFrozen,
  type Range,
} from "@liveplane/core/store";
import { entriesCounted, isNarrow, isSameRange } from "./kept-lists.ts";
import { frozen, live, type PostgresMemory, type PostgresQuery, type StoredRow, toEntry } from "./postgres-entries.ts";
import { decodeBytes, encodeBytes } from "./postgres-schema.ts";
import { together } from "./together.ts";

interface ListedRow extends StoredRow {
  readonly key: Buffer;
}

/** A row of the list at a place of the request, counted from 1. A list that has become empty has one row, without a key. */
interface RenewedRow extends Omit<ListedRow, "key"> {
  readonly at: number;
  readonly key: Buffer | null;
}

type Order = "ASC" | "DESC";

const listText = (order: Order, [lower, upper, most]: readonly [string, string, string]) =>
  `SELECT key, value, version, expires_at FROM liveplane_entry WHERE ${live} AND key > ${lower} AND key < ${upper} ORDER BY key ${order} LIMIT ${most}`;
/** Several lists. Says nothing of one that is as the reader knows it. */
const renewText = (order: Order) => `SELECT asked.at::integer AS at, key, value, version, expires_at
  FROM unnest($2::bytea[], $3::bytea[], $4::bigint[], $5::bytea[]) WITH ORDINALITY AS asked (lower, upper, most, known, at)
  CROSS JOIN LATERAL (
    WITH found AS MATERIALIZED (${listText(order, ["asked.lower", "asked.upper", "asked.most"])}),
    state AS (SELECT sha256(string_agg(int4send(length(key)) || key || int8send(version), NULL ORDER BY key)) AS digest FROM found)
    SELECT key, value, version, expires_at FROM state LEFT JOIN found ON true WHERE digest IS DISTINCT FROM asked.known
  ) AS listed ORDER BY at, key ${order}`;
const texts = {
  ASC: { list: listText("ASC", ["$2", "$3", "$4"]), renew: renewText("ASC") },
  DESC: { list: listText("DESC", ["$2", "$3", "$4"]), renew: renewText("DESC") },
};

/** The most lists of one statement, and the longest that is one of several. */
const mostAtOnce = 64;
const longest = 1000;

/** A list to remember, or to compare with the one remembered. */
interface Asked {
  readonly place: string;
  readonly bounds: Bounds;
  readonly known: { readonly entries: readonly Entry[]; readonly digest: Buffer | null } | undefined;
}

/** Lists. A narrow one is remembered by a digest of its keys and versions, and the database sends it only if that has changed. */
export function postgresLists({
  query,
  now,
  memory,
  readTogether,
}: {
  readonly query: PostgresQuery;
  readonly now: () => number;
  readonly memory: PostgresMemory | undefined;
  readonly readTogether: boolean;
}): (range: Range, bounds: Bounds) => Promise<readonly Entry[]> {
  async function listOnce({ lower, upper, limit, reverse }: Bounds): Promise<Entry[]> {
    const order = reverse ? "DESC" : "ASC";
    const values = [now(), encodeBytes(lower), toUpper(upper), limit];
    const { rows } = await query<ListedRow>(`liveplane-list-${order}`, texts[order].list, values);
    return rows.map((row) => toEntry(row, decodeBytes(row.key), JSON.parse));
  }

  const renewal = (order: Order) => async (lists: readonly Asked[]) => {
    const { rows } = await query<RenewedRow>(`liveplane-renew-${order}`, texts[order].renew, [
      now(),
      lists.map(({ bounds }) => encodeBytes(bounds.lower)),
      lists.map(({ bounds }) => toUpper(bounds.upper)),
      lists.map(({ bounds }) => bounds.limit),
      lists.map(({ known }) => (known === undefined ? unknown : known.digest)),
    ]);
    const changed = new Map<number, ListedRow[]>();
    for (const { at, key, ...row } of rows) {
      const listed = changed.get(at) ?? [];
      if (key !== null) listed.push({ ...row, key });
      changed.set(at, listed);
    }
    return lists.map((list, at) => {
      const listed = changed.get(at + 1);
      return listed === undefined ? (list.known?.entries ?? []) : keep(list, listed);
    });
  };

  function keep({ place, bounds }: Asked, rows: readonly ListedRow[]): readonly Entry[] {
    const listed = rows.map((row) => toEntry(row, decodeBytes(row.key), parseFrozen));
    if (listed.length > mostRememberedAtOnce) return listed;
    const entries = Object.freeze(listed.map(frozen));
    const letters = rows.reduce((sum, { value }) => sum + value.length, 0);
    memory?.lists.keep(
      place,
      { bounds, entries, digest: digestOf(rows, bounds) },
      letters,
      entriesCounted(rows.length),
    );
    return entries;
  }

  const renewals = { ASC: renewal("ASC"), DESC: renewal("DESC") };
  const renew = readTogether
    ? { ASC: together(renewals.ASC, mostAtOnce), DESC: together(renewals.DESC, mostAtOnce) }
    : renewals;
  return async (range, bounds) => {
    if (memory === undefined || !isNarrow(range.prefix) || bounds.limit > longest) return listOnce(bounds);
    const place = encodePrefix(range.prefix);
    const last = memory.lists.get(place);
    const known = last !== undefined && isSameRange(last.bounds, bounds) ? last : undefined;
    const [entries = []] = await renew[bounds.reverse ? "DESC" : "ASC"]([{ place, bounds, known }]);
    return entries;
  };
}

/** No digest is empty, and that of an empty list is null. */
const unknown = Buffer.alloc(0);

/** No key contains this byte, because it isn't UTF-8. */
const behindAll = Buffer.from([0xff]);

function toUpper(upper: string | null): Buffer {
  return upper === null ? behindAll : encodeBytes(upper);
}

/** The digest of a list as the database computes it: of its keys and versions, in the order of the keys. */
function digestOf(rows: readonly ListedRow[], { reverse }: Pick<Bounds, "reverse">): Buffer | null {
  if (rows.length === 0) return null;
  const hash = createHash("sha256");
  for (const { key, version } of reverse ? rows.toReversed() : rows) {
    const numbers = Buffer.alloc(12);
    numbers.writeInt32BE(key.length);
    numbers.writeBigInt64BE(BigInt(version), 4);
    hash.update(numbers.subarray(0, 4)).update(key).update(numbers.subarray(4));
  }
  return hash.digest();
}
