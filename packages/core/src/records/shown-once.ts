import { deepFrozen } from "../ports/frozen.ts";
import { memoized } from "./memoized.ts";
import type { Stored } from "./records.ts";

/** The JSON of shown values and lists of them, once somebody has asked for it. */
const texts = new WeakMap<object, { json?: string }>();

/**
 * Shows records by a function of only the record. For a record that its store returns repeatedly, the shown value and its JSON are made
 * once and frozen, and live as long as the record is in memory.
 */
export function shownOnce<T extends object, S extends object>(
  show: (record: Stored<T>) => S,
): (record: Stored<T>) => S {
  return memoized((record) => {
    const shown = show(record);
    return Object.isFrozen(record) ? kept(deepFrozen(shown)) : shown;
  });
}

/** Shows the records of a page. If they are the same as before, so is what it returns. */
export function shownListOnce<T extends object, S extends object>(
  show: (record: Stored<T>) => S,
): (records: Stored<T>[]) => S[] {
  return memoized((records) => {
    const shown = records.map(show);
    return Object.isFrozen(records) ? kept(Object.freeze(shown) as S[]) : shown;
  });
}

function kept<Shown extends object>(shown: Shown): Shown {
  texts.set(shown, {});
  return shown;
}

/** The JSON of an answer. A page is made of the text of its items. */
export function jsonOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const text = texts.get(value);
  if (text !== undefined) {
    text.json ??= Array.isArray(value) ? jsonOfItems(value) : JSON.stringify(value);
    return text.json;
  }
  if (!("items" in value && Array.isArray(value.items))) return JSON.stringify(value);
  const { items, ...rest } = value;
  const members = Object.keys(rest).length === 0 ? "" : `,${JSON.stringify(rest).slice(1, -1)}`;
  return `{"items":${texts.has(items) ? jsonOf(items) : jsonOfItems(items)}${members}}`;
}

function jsonOfItems(items: readonly unknown[]): string {
  return `[${items.map(jsonOf).join(",")}]`;
}

/** A copy of an answer that the caller may change. */
export function ownCopy<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(ownCopy) as T;
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, ownCopy(member)])) as T;
}
