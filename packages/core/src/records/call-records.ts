import type { Key } from "../ports/store.ts";
import { encodedPlace, recordPlace, uniqueKey } from "./layout.ts";
import type { Collection, Reader, Stored } from "./records.ts";

/** Reads for one call. `get` and `find` read each record once: asking again gives the same answer, even before it has come. */
export function readOnce(reader: Reader): Reader {
  const begun = new Map<string, Promise<Stored<object> | null>>();
  function once<T extends object>(place: string, read: () => Promise<Stored<T> | null>): Promise<Stored<T> | null> {
    const reading = begun.get(place) ?? read();
    begun.set(place, reading);
    return reading as Promise<Stored<T> | null>;
  }
  return {
    ...reader,
    get: (collection, key) => once(recordPlace(collection, key).encoded, () => reader.get(collection, key)),
    find<T extends object, U extends string>(collection: Collection<T, string, U>, unique: U, key: Key) {
      const { encoded } = encodedPlace(uniqueKey(collection, unique, key));
      return once(encoded, () => reader.find(collection, unique, key));
    },
  };
}
