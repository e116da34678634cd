import type { Json } from "./store.ts";

/** What was frozen here, all the way down. A record that is written again is mostly made of such. */
const known = new WeakSet<object>();
/** What stands deeper comes again with what it is in: to remember it costs more than to walk it. */
const deepestKnown = 1;

/** Freezes what JSON can carry, all the way down: nobody changes it from here on. */
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

/** Parses a value so that all who read it can have the same one. */
export function parseFrozen(json: string): Json {
  return deepFrozen(JSON.parse(json) as Json);
}
