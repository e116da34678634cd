import { EntryMemory } from "../ports/entry-memory.ts";
import type { Key } from "../ports/store.ts";
import { encodedPlace, recordPlace, uniqueKey } from "./layout.ts";
import type { Collection, Listed, ListOptions, Reader, Stored } from "./records.ts";

/** Reads for one call: everything once. Asking again gives the same answer, even before it has come. */
export interface CallRecords extends Reader {
  /** Begins to read what the same list read last time in this session. */
  readAhead(sessionId: string): void;
}

/** How to read something again, by what identifies it. */
type Reads = Map<string, (reader: Reader) => Promise<unknown>>;

/** The memory for what calls have read: thousands of short lists, or some hundred long ones. */
const mostBytes = 2 ** 23;

/** Creates readers for calls: each for one call, with what that lists. `null`: it has no use for what it read last time. */
export function createCallRecords(reader: Reader): (list: string | null) => CallRecords {
  const remembered = new EntryMemory<string, Reads>(mostBytes);
  return (list) => {
    const begun = new Map<string, Promise<unknown>>();
    const reads: Reads = new Map();
    let name: string | null = null;
    let listed = 0;

    function once<T>(place: string, read: (reader: Reader) => Promise<T>): Promise<T> {
      reads.set(place, read);
      const reading = begun.get(place) ?? read(reader);
      begun.set(place, reading);
      return reading as Promise<T>;
    }

    function remember(items: number): void {
      listed += items;
      if (name !== null) remembered.keep(name, reads, 0, reads.size + listed);
    }

    return {
      ...reader,
      readAhead(sessionId) {
        if (list === null) return;
        name = `${sessionId} ${list}`;
        const last = remembered.get(name) ?? [];
        // What nobody asks for this time isn't read the next time.
        remembered.forget(name);
        for (const [place, read] of last) {
          const reading = read(reader);
          reading.catch(() => {});
          begun.set(place, reading);
        }
      },
      get: (collection, key) => once(recordPlace(collection, key).encoded, (through) => through.get(collection, key)),
      getMany: (collection, keys) =>
        once(keys.map((key) => recordPlace(collection, key).encoded).join(), (through) =>
          through.getMany(collection, keys),
        ),
      find<T extends object, U extends string>(collection: Collection<T, string, U>, unique: U, key: Key) {
        const { encoded } = encodedPlace(uniqueKey(collection, unique, key));
        return once<Stored<T> | null>(encoded, (through) => through.find(collection, unique, key));
      },
      async keys(collection, index, prefix) {
        const place = JSON.stringify(["keys", collection.name, index, prefix]);
        const keys = await once(place, (through) => through.keys(collection, index, prefix));
        remember(0);
        return keys;
      },
      async list<T extends object, I extends string>(collection: Collection<T, I, string>, options?: ListOptions<I>) {
        const { signal: _, ...range } = options ?? {};
        const place = JSON.stringify([collection.name, range]);
        const found = await once<readonly Listed<T>[]>(place, (through) => through.list(collection, options));
        const along = found.map(({ record }) => collection.key(record));
        reads.set(place, (through) => through.list(collection, { ...range, along }));
        remember(along.length);
        return found;
      },
    };
  };
}
