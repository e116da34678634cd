/** The members that describe a record's last change. */
interface Stamped {
  readonly updatedAt: string;
  readonly updatedBy: string;
}

/** Whether a record's content is unchanged, so that nothing needs to be written or reported. */
export function isSameRecord<T extends Stamped>(before: T, after: T): boolean {
  const { updatedAt, updatedBy } = before;
  return isSame(before, { ...after, updatedAt, updatedBy });
}

function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [Object.entries(a), new Map(Object.entries(b))];
  return left.length === right.size && left.every(([name, value]) => right.has(name) && isSame(value, right.get(name)));
}
