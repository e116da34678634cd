import type { Key } from "../ports/store.ts";
import type { PageSource } from "./pages.ts";

/** Lets a list that was computed be cut into pages like one that is stored. */
export function listedItems<T extends object>(items: readonly T[]): PageSource<T> {
  return async ({ after, limit }: { readonly after?: Key; readonly limit: number }) => {
    const from = after === undefined ? 0 : Number(after[0]) + 1;
    const cut = items.slice(from, from + limit);
    return cut.map((item, at) => ({ record: { ...item, version: "" }, position: [String(from + at)] }));
  };
}
