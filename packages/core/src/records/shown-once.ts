import { deepFrozen } from "../ports/frozen.ts";
import type { Stored } from "./records.ts";

/** The JSON of shown values, once somebody has asked for it. */
const texts = new WeakMap<object, { json?: string }>();

/**
 * Shows records by a function of only the record. For a record that its store returns repeatedly, the shown value and its JSON are made
 * once and frozen, and live as long as the record is in memory.
 */
export function shownOnce<T extends object, S extends object>(
  show: (record: Stored<T>) => S,
): (record: Stored<T>) => S {
  const known = new WeakMap<Stored<T>, S>();
  return (record) => {
    const found = known.get(record);
    if (found !== undefined) return found;
    if (!Object.isFrozen(record)) return show(record);
    const shown = deepFrozen(show(record));
    known.set(record, shown);
    texts.set(shown, {});
    return shown;
  };
}

/** The JSON of an answer. A page is joined from the cached texts of its items. */
export function jsonOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const kept = texts.get(value);
  if (kept !== undefined) {
    kept.json ??= JSON.stringify(value);
    return kept.json;
  }
  if (!("items" in value && Array.isArray(value.items))) return JSON.stringify(value);
  const { items, ...rest } = value;
  const members = Object.keys(rest).length === 0 ? "" : `,${JSON.stringify(rest).slice(1, -1)}`;
  return `{"items":[${items.map(jsonOf).join(",")}]${members}}`;
}

/** A copy of an answer that the caller may change. */
export function ownCopy<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(ownCopy) as T;
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, ownCopy(member)])) as T;
}
