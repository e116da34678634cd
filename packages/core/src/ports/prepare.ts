import { LiveplaneError } from "../errors.ts";
import { compareEncoded, encodeKey, encodePrefix } from "./key.ts";
import type { Commit, Json, Key, Range } from "./store.ts";

/** The key parts that a commit's version and a place in it become, so that appended entries stand in commit order. */
export function appendedKey(version: number, place: number): Key {
  return [String(version).padStart(16, "0"), String(place).padStart(6, "0")];
}

/** Checks and encodes all of a commit before anything of it is done. */
export function prepare({ checks = [], sets = [], deletes = [], appends = [] }: Commit) {
  const seen = new Set<string>();
  const once = (key: Key) => {
    const encoded = encodeKey(key);
    if (seen.has(encoded)) throw new LiveplaneError("ValidationFailed", "A key occurs twice in one commit.");
    seen.add(encoded);
    return encoded;
  };
  return {
    checks: checks.map(({ key, version }) => ({ key: encodeKey(key), version })),
    sets: sets.map(({ key, value, expiresAt }) => ({ key: once(key), json: toJson(value), expiresAt })),
    deletes: deletes.map(once),
    appends: appends.map(({ prefix, value }) => ({ prefix: wellFormed(prefix), json: toJson(value) })),
  };
}

/** Refuses a prefix that can't be encoded before anything of its commit is done. */
function wellFormed(prefix: Key): Key {
  encodePrefix(prefix);
  return prefix;
}

/** Serialises a value, or refuses what JSON can't carry as it is. */
export function toJson(value: Json): string {
  refuseOdd(value);
  return JSON.stringify(value);
}

/** A walk of its own: `JSON.stringify` with a replacer takes several times as long. */
function refuseOdd(value: unknown): void {
  switch (typeof value) {
    case "object":
      if (value === null) return;
      if (!Array.isArray(value) && !isPlain(value)) throw odd();
      for (const member of Array.isArray(value) ? value : Object.values(value)) refuseOdd(member);
      return;
    case "number":
      if (!Number.isFinite(value)) throw odd();
      return;
    case "string":
    case "boolean":
      return;
    default:
      throw odd();
  }
}

/** A `Date` or a `Map` would come back as something else. Objects of another realm have a prototype of their own. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

function odd(): LiveplaneError {
  return new LiveplaneError("ValidationFailed", "A stored value holds what JSON can't carry.");
}

/** A range as encoded bounds, both exclusive. Without an upper one it ends with the store. */
export interface Bounds {
  readonly lower: string;
  readonly upper: string | null;
  readonly limit: number;
  readonly reverse: boolean;
}

/** Encodes a range. Where it would begin or end outside of its prefix, the prefix is its bound. */
export function boundsOf({ prefix, after, until, limit = 1000, reverse = false }: Range): Bounds {
  const encoded = encodePrefix(prefix);
  // Every key under the prefix begins with it, so none reaches it with its last byte, 0x00, raised by one.
  const end = encoded === "" ? null : `${encoded.slice(0, -1)}\u0001`;
  const [low, high] = reverse ? [until, after] : [after, until];
  return {
    lower: low === undefined ? encoded : later(encoded, encodeKey(low)),
    upper: high === undefined ? end : earlier(end, encodeKey(high)),
    limit: Math.max(0, Math.floor(limit)),
    reverse,
  };
}

function later(a: string, b: string): string {
  return compareEncoded(a, b) > 0 ? a : b;
}

function earlier(a: string | null, b: string): string {
  return a !== null && compareEncoded(a, b) < 0 ? a : b;
}
