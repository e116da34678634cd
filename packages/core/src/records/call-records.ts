import type { Key } from "../ports/store.ts";
import { encodedPlace, recordPlace, uniqueKey } from "./layout.ts";
import type { Collection, Listed, ListOptions, Reader, Stored } from "./records.ts";

/** Reads for one call: everything once. Asking again gives the same answer, even before it has come. */
export interface CallReader extends Reader {
  /** Begins to read what the same call read last time in this session, if it listed something. */
  readAhead(sessionId: string): void;
}

/** How to read something again, by what identifies it. */
type Reads = Map<string, (reader: Reader) => Promise<unknown>>;

/** The calls whose reads are remembered; the one made longest ago is forgotten first. */
const mostRemembered = 1000;

/** Creates readers for calls, each with the name of its call: what it asks for, and how. */
export function createCallReaders(reader: Reader): (call: string) => CallReader {
  const remembered = new Map<string, Reads>();
  return (call) => {
    const begun = new Map<string, Promise<unknown>>();
    const reads: Reads = new Map();
    let name: string | null = null;

    function once<T>(place: string, read: (reader: Reader) => Promise<T>): Promise<T> {
      reads.set(place, read);
      const reading = begun.get(place) ?? read(reader);
      begun.set(place, reading);
      return reading as Promise<T>;
    }

    /** Only lists are worth it: other reads follow from the path, and are seldom repeated. */
    function remember(): void {
      if (name === null) return;
      remembered.delete(name);
      remembered.set(name, reads);
      if (remembered.size > mostRemembered) remembered.delete(remembered.keys().next().value ?? "");
    }

    return {
      ...reader,
      readAhead(sessionId) {
        name = `${sessionId} ${call}`;
        for (const [place, read] of remembered.get(name) ?? []) {
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
      keys(collection, index, prefix) {
        remember();
        const place = JSON.stringify(["keys", collection.name, index, prefix]);
        return once(place, (through) => through.keys(collection, index, prefix));
      },
      async list<T extends object, I extends string>(collection: Collection<T, I, string>, options?: ListOptions<I>) {
        remember();
        const { signal: _, ...range } = options ?? {};
        const place = JSON.stringify([collection.name, range]);
        const listed = await once<Listed<T>[]>(place, (through) => through.list(collection, options));
        const along = listed.map(({ record }) => collection.key(record));
        reads.set(place, (through) => through.list(collection, { ...range, along }));
        return listed;
      },
    };
  };
}
