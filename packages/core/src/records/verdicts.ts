import { memoized } from "./memoized.ts";
import type { Keep } from "./pages.ts";
import type { Listed, Stored } from "./records.ts";

/**
 * Keeps items by verdicts, one for each key. What it returns is to be called for each page, so that no verdict outlives the request that
 * asked for it.
 */
export function verdictsBy<T extends object>(
  keyOf: (item: T) => string,
): (judge: (item: Stored<T>) => Promise<boolean>) => Keep<T> {
  const onePerKey = memoized((found: readonly Listed<T>[]) => [
    ...new Map(found.map(({ record }) => [keyOf(record), record])).values(),
  ]);
  return (judge) => {
    const verdicts = new Map<string, boolean>();
    const keep = (item: Stored<T>) => {
      const key = keyOf(item);
      const known = verdicts.get(key);
      if (known !== undefined) return known;
      return judge(item).then((verdict) => {
        verdicts.set(key, verdict);
        return verdict;
      });
    };
    const all = async (found: readonly Listed<T>[]) => {
      for (const item of onePerKey(found)) if (!(await keep(item))) return false;
      return true;
    };
    return Object.assign(keep, { all });
  };
}
