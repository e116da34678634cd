/** What the digest needs about one overridden component. */
export interface DigestEntry {
  readonly componentId: string;
  readonly type: string;
  readonly since: string;
  /** The parameters with drift that isn't muted. */
  readonly parameters: readonly string[];
}

/** The same parameter changed on many components of a type, as one row. */
export interface DigestRow {
  readonly type: string;
  readonly parameter: string;
  readonly count: number;
  /** The first hundred, longest overridden first. */
  readonly componentIds: readonly string[];
  readonly oldestSince: string;
}

const namedAtMost = 100;

/** Groups the open overrides by what was changed, most frequent first. Expects the entries oldest first. */
export function digestOf(entries: Iterable<DigestEntry>): DigestRow[] {
  const rows = new Map<string, { row: DigestRow; componentIds: string[]; count: number }>();
  for (const { componentId, type, since, parameters } of entries) {
    for (const parameter of parameters) {
      const key = JSON.stringify([type, parameter]);
      const known = rows.get(key);
      if (known === undefined) {
        const componentIds = [componentId];
        rows.set(key, { row: { type, parameter, count: 1, componentIds, oldestSince: since }, componentIds, count: 1 });
      } else {
        known.count += 1;
        if (known.componentIds.length < namedAtMost) known.componentIds.push(componentId);
      }
    }
  }
  return [...rows.values()]
    .map(({ row, count }) => ({ ...row, count }))
    .sort((a, b) => b.count - a.count || compareText(a.type, b.type) || compareText(a.parameter, b.parameter));
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
