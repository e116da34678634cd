/** An own member of a value from another program. */
export function ownMember(value: unknown, name: string): unknown {
  const isThere = typeof value === "object" && value !== null && Object.hasOwn(value, name);
  return isThere ? Reflect.get(value, name) : undefined;
}

/** The items of a list; empty if the value isn't one. */
export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
