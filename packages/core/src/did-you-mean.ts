/** A suggestion to append to an error; empty if no known name is similar. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const nearest = nearestName(name, known);
  return nearest === null ? "" : `; did you mean ${nearest}?`;
}

/** The known name that was probably meant; `null` if none is similar. */
function nearestName(name: string, known: Iterable<string>): string | null {
  const sent = name.slice(0, 64).toLowerCase();
  let nearest: string | null = null;
  let least = Math.max(1, Math.floor(sent.length / 3)) + 1;
  for (const one of known) {
    const distance = distanceOf(sent, one.toLowerCase());
    if (distance >= least) continue;
    least = distance;
    nearest = one;
  }
  return nearest;
}

/** The number of letters to insert, delete, replace or swap with a neighbour. */
function distanceOf(one: string, other: string): number {
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let row = 1; row <= one.length; row++) {
    const next = [row];
    for (let at = 1; at <= other.length; at++) {
      const isSame = one[row - 1] === other[at - 1];
      const isSwapped = row > 1 && at > 1 && one[row - 1] === other[at - 2] && one[row - 2] === other[at - 1];
      const steps = [(last[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1, (last[at - 1] ?? 0) + (isSame ? 0 : 1)];
      if (isSwapped) steps.push((before[at - 2] ?? 0) + 1);
      next.push(Math.min(...steps));
    }
    before = last;
    last = next;
  }
  return last[other.length] ?? 0;
}
