const mostNear = 3;

/** The names that somebody may have meant, nearest first. The caller decides how names are compared. */
export function nearNames(name: string, known: readonly string[], comparable: (name: string) => string): string[] {
  const words = comparable(name.slice(0, 120));
  return known
    .map((own) => ({ own, distance: distanceOf(comparable(own), words) }))
    .filter(({ own, distance }) => distance <= Math.max(2, comparable(own).length / 3))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, mostNear)
    .map(({ own }) => own);
}

/** A sentence with similar names; empty if there are none. */
export function nearIt(near: readonly string[]): string {
  return near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`;
}

/** The number of letters to change, remove or insert (Levenshtein). */
function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + same));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
