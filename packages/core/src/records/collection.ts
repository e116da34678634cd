import type { Key } from "../ports/store.ts";
import type { Collection } from "./records.ts";

/** Declares a kind of record. */
export function collection<T extends object>() {
  return <Index extends string = never, Unique extends string = never>(
    name: string,
    options: {
      readonly key: (record: T) => Key;
      readonly indexes?: { readonly [name in Index]: (record: T) => readonly Key[] };
      readonly uniques?: { readonly [name in Unique]: (record: T) => readonly Key[] };
    },
  ): Collection<T, Index, Unique> => ({
    name,
    key: options.key,
    indexes: options.indexes ?? ({} as { readonly [name in Index]: never }),
    uniques: options.uniques ?? ({} as { readonly [name in Unique]: never }),
  });
}
