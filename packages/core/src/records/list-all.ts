import type { Key } from "../ports/store.ts";
import type { Collection, ListOptions, Reader, Stored } from "./records.ts";

const batch = 1000;

/** Everything under a prefix, in order, read in batches. Concurrent changes may or may not be included. */
export async function listAll<T extends object, I extends string>(
  reader: Reader,
  collection: Collection<T, I, string>,
  options: Pick<ListOptions<I>, "index" | "prefix"> = {},
): Promise<Stored<T>[]> {
  const records: Stored<T>[] = [];
  let after: Key | undefined;
  for (let more = true; more; ) {
    const listed = await reader.list(collection, { ...options, limit: batch, ...(after && { after }) });
    for (const { record } of listed) records.push(record);
    after = listed.at(-1)?.position;
    more = listed.length === batch;
  }
  return records;
}
