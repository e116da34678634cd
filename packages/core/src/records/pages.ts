import type { Page } from "../contract/api.ts";
import { fromBase64Url, fromUtf8, toBase64Url, utf8 } from "../encoding.ts";
import { LiveplaneError } from "../errors.ts";
import type { Runtime } from "../ports/runtime.ts";
import type { Key } from "../ports/store.ts";
import { memoized } from "./memoized.ts";
import type { Listed, PageRequest, Stored } from "./records.ts";

/** Returns up to this many items after a position, in order. Fewer means that there are no more. */
export type PageSource<T> = (range: { readonly after?: Key; readonly limit: number }) => Promise<readonly Listed<T>[]>;

/** One page of a list that its source cuts into pages; `next` belongs to the source. */
export type ForeignPage<T> = (range: {
  readonly after: string | null;
  readonly limit: number;
}) => Promise<{ readonly items: readonly T[]; readonly next: string | null; readonly warnings?: readonly string[] }>;

/** Which items belong to a page. */
export interface Keep<T> {
  (item: Stored<T>): boolean | Promise<boolean>;
  /** Whether all of them do, if that can be told without looking at each. */
  readonly all?: (found: readonly Listed<T>[]) => Promise<boolean>;
}

/** Cuts lists into pages. */
export interface Pages {
  /** One page of the items that `keep` accepts; reads on until the page is full or the list ends. */
  page<T>(source: PageSource<T>, request: PageRequest, keep?: Keep<T>): Promise<Page<Stored<T>>>;
  /** One page as its source cuts it, which may be shorter than requested although more follows. */
  foreign<T>(source: ForeignPage<T>, request: PageRequest): Promise<Page<T>>;
}

const defaultLimit = 50;
const highestLimit = 200;

/** Pagination by cursors, signed with an installation key and bound to principal, route and filter. */
export function createPages({
  runtime,
  key,
}: {
  readonly runtime: Runtime;
  readonly key: () => Promise<Uint8Array>;
}): Pages {
  async function sign(position: string, bind: readonly string[]): Promise<Uint8Array> {
    return runtime.crypto.hmac(await key(), utf8(JSON.stringify([position, ...bind])));
  }

  async function open(cursor: string, bind: readonly string[]): Promise<Key> {
    const [position = "", signature = "", ...rest] = cursor.split(".");
    const bytes = fromBase64Url(position);
    const given = fromBase64Url(signature);
    if (rest.length > 0 || bytes === null || given === null || !runtime.crypto.equal(given, await sign(position, bind)))
      throw invalidCursor();
    return JSON.parse(fromUtf8(bytes)) as string[];
  }

  async function cursorTo(place: Key, bind: readonly string[]): Promise<string> {
    const position = toBase64Url(utf8(JSON.stringify(place)));
    return `${position}.${toBase64Url(await sign(position, bind))}`;
  }

  return {
    async foreign(source, { cursor, limit = defaultLimit, bind }) {
      const [after = null] = cursor === undefined ? [] : await open(cursor, bind);
      const { items, next, warnings = [] } = await source({ after, limit: Math.min(limit, highestLimit) });
      const nextCursor = next === null ? null : await cursorTo([next], bind);
      return { items: [...items], nextCursor, ...(warnings.length > 0 && { warnings: [...warnings] }) };
    },
    async page(source, { cursor, limit = defaultLimit, bind }, keep) {
      const size = Math.min(limit, highestLimit);
      let after = cursor === undefined ? undefined : await open(cursor, bind);
      let items: readonly Listed<unknown>[] = [];
      for (let more = true; more && items.length <= size; ) {
        const wanted = size + 1;
        const found = await source({ ...(after && { after }), limit: wanted });
        const kept = await keptOf(found, keep as Keep<unknown> | undefined, wanted - items.length);
        items = items.length === 0 ? kept : [...items, ...kept];
        after = found.at(-1)?.position;
        more = found.length === wanted;
      }
      const last = items.length > size ? items[size - 1] : undefined;
      const nextCursor = last === undefined ? null : await cursorTo(last.position, bind);
      return { items: recordsOf(items, size) as never, nextCursor };
    },
  };
}

/** As many items as are wanted; `found` itself if that is all of it. */
async function keptOf(
  found: readonly Listed<unknown>[],
  keep: Keep<unknown> | undefined,
  wanted: number,
): Promise<readonly Listed<unknown>[]> {
  if (found.length <= wanted && (keep === undefined || (await keep.all?.(found)))) return found;
  const items: Listed<unknown>[] = [];
  for (const listed of found) {
    if (items.length === wanted) break;
    const kept = keep === undefined || keep(listed.record);
    if (kept === true || (await kept)) items.push(listed);
  }
  return items;
}

/** The records of the first so many items. */
const recordsOf = memoized((items: readonly Listed<unknown>[], size: number) =>
  Object.freeze(items.slice(0, size).map(({ record }) => record)),
);

function invalidCursor(): LiveplaneError {
  const detail = "The cursor does not belong to this list. Start again without a cursor.";
  return new LiveplaneError("InvalidCursor", detail, {
    details: { errors: [{ parameter: "cursor", code: "InvalidCursor", detail }] },
  });
}
