/** Judges items once for each key. To be made for each page, so that no verdict outlives the request that asked for it. */
export function verdictsBy<T>(
  keyOf: (item: T) => string,
  judge: (item: T) => Promise<boolean>,
): (item: T) => boolean | Promise<boolean> {
  const verdicts = new Map<string, boolean>();
  return (item) => {
    const key = keyOf(item);
    const known = verdicts.get(key);
    if (known !== undefined) return known;
    return judge(item).then((verdict) => {
      verdicts.set(key, verdict);
      return verdict;
    });
  };
}
