import type { Json } from "./store.ts";

/** Deeply frozen objects. A record that is written again consists mostly of these. */
const known = new WeakSet<object>();
/** Deeper objects recur with their parents: caching them costs more than walking them. */
const deepestKnown = 1;

/** Freezes a JSON value deeply, so nobody can change it afterwards. */
export function deepFrozen<T>(value: T): T {
  freeze(value, 0);
  return value;
}

function freeze(value: unknown, depth: number): void {
  if (typeof value !== "object" || value === null || known.has(value)) return;
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  for (const member of members) if (typeof member === "object") freeze(member, depth + 1);
  if (depth <= deepestKnown) known.add(value);
  Object.freeze(value);
}

/** Parses a value so that all readers can share it. */
export function parseFrozen(json: string): Json {
  return deepFrozen(JSON.parse(json) as Json);
}
