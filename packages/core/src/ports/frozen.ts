import type { Json } from "./store.ts";

/** What was frozen here, all the way down. A record that is written again is mostly made of such. */
const known = new WeakSet<object>();

/** Freezes what JSON can carry, all the way down: nobody changes it from here on. */
export function deepFrozen<T>(value: T): T {
  if (typeof value !== "object" || value === null || known.has(value)) return value;
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  for (const member of members) if (typeof member === "object") deepFrozen(member);
  known.add(value);
  return Object.freeze(value);
}

/** Parses a value so that all who read it can have the same one. */
export function parseFrozen(json: string): Json {
  return deepFrozen(JSON.parse(json) as Json);
}
