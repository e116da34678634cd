import { compareEncoded, encodeKey } from "../ports/key.ts";
import type { Key } from "../ports/store.ts";
import { memoized } from "./memoized.ts";
import type { PageSource } from "./pages.ts";
import type { Collection, Listed, Reader } from "./records.ts";

/** A part of an index: the key after the prefix is an item's position. */
export interface ListPlace<Index extends string> {
  readonly index: Index;
  readonly prefix: Key;
}

/**
 * Lists several places without common items as one list. Positions exclude the prefixes, so a cursor continues wherever the same items are
 * listed from other places.
 */
export function listTogether<T extends object, Index extends string>(
  reader: Pick<Reader, "list">,
  collection: Collection<T, Index, string>,
  places: readonly ListPlace<Index>[],
): PageSource<T> {
  return async ({ after, limit }) => {
    const lists = await Promise.all(places.map((place) => listPlace(reader, collection, place, { after, limit })));
    return lists.length === 1 ? (lists[0] ?? []) : inOrder(lists.flat()).slice(0, limit);
  };
}

async function listPlace<T extends object, Index extends string>(
  reader: Pick<Reader, "list">,
  collection: Collection<T, Index, string>,
  { index, prefix }: ListPlace<Index>,
  { after, limit }: { readonly after: Key | undefined; readonly limit: number },
): Promise<readonly Listed<T>[]> {
  const behind = after && { after: [...prefix, ...after] };
  const listed = await reader.list(collection, { index, prefix, limit, ...behind });
  return behindPrefix(listed, prefix.length) as readonly unknown[] as readonly Listed<T>[];
}

const behindPrefix = memoized((listed: readonly Listed<object>[], parts: number) =>
  Object.freeze(listed.map(({ record, position }) => ({ record, position: position.slice(parts) }))),
);

function inOrder<T>(items: readonly Listed<T>[]): Listed<T>[] {
  return items
    .map((item) => ({ item, at: encodeKey(item.position) }))
    .sort((a, b) => compareEncoded(a.at, b.at))
    .map(({ item }) => item);
}
