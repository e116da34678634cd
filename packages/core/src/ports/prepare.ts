import { utf8 } from "../encoding.ts";
import type { LiveplaneError } from "../errors.ts";
import { deepFrozen } from "./frozen.ts";
import { compareEncoded, encodeKey, encodePrefix, refused } from "./key.ts";
import type { Append, Commit, Json, Key, Range } from "./store.ts";

/** The key parts for a commit's version and the position in it, so that appended entries sort in commit order. */
export function appendedKey(version: number, place: number): Key {
  return [String(version).padStart(16, "0"), String(place).padStart(6, "0")];
}

/** The longest encoded key to write, in UTF-8 bytes: the limit of a Postgres index, with room for its own data. */
const longestKey = 2560;
/** A position in a commit has six digits. */
const mostAppends = 1_000_000;
/** The deepest nesting of arrays and objects in a value. A cyclic value is deeper. */
const deepestValue = 500;

/** Checks and encodes a whole commit before any of it is done. */
export function prepare(commit: Commit) {
  return prepareAs(commit, toJson);
}

/** The same, with values in the store's own form. `kept` refuses what JSON can't represent. */
export function prepareAs<Kept>(commit: Commit, kept: (value: Json) => Kept) {
  if (!isObject(commit)) throw refused("A commit must be an object.");
  const { checks, sets, deletes, appends } = commit;
  const seen = new Set<string>();
  const once = (key: Key) => {
    const encoded = encodeKey(key);
    if (seen.has(encoded)) throw refused("A key occurs twice in one commit.");
    seen.add(encoded);
    return encoded;
  };
  return {
    checks: members(checks).map(({ key, version }) => ({ key: encodeKey(key), version: versionOf(version) })),
    sets: members(sets).map(({ key, value, expiresAt }) => ({
      key: short(once(key)),
      json: kept(value),
      expiresAt: instantOf(expiresAt),
    })),
    deletes: members(deletes).map(once),
    appends: prepareAppends(members(appends), kept),
  };
}

function prepareAppends<Kept>(appends: readonly Append[], kept: (value: Json) => Kept) {
  if (appends.length > mostAppends) throw refused("A commit has too many appends.");
  return appends.map(({ prefix, value }) => {
    short(encodePrefix([...encodable(prefix), ...appendedKey(0, 0)]));
    return { prefix: [...prefix], json: kept(value) };
  });
}

function encodable(prefix: Key): Key {
  encodePrefix(prefix);
  return prefix;
}

/** The copied members of a commit. Callers in plain JavaScript are checked against the types too. */
function members<T extends object>(list: readonly T[] | undefined): T[] {
  if (list === undefined) return [];
  const copied = Array.isArray(list) ? [...(list as readonly T[])] : null;
  if (copied?.every(isObject)) return copied;
  throw refused("A commit's checks, sets, deletes and appends must be lists.");
}

function versionOf(version: number | null): number | null {
  if (version === null || Number.isSafeInteger(version)) return version;
  throw refused("A check must contain a version, or null.");
}

function instantOf(expiresAt: number | undefined): number | undefined {
  if (expiresAt === undefined || Number.isSafeInteger(expiresAt)) return expiresAt;
  throw refused("The expiry of an entry must be a whole number of milliseconds.");
}

function short(encoded: string): string {
  if (encoded.length * 3 > longestKey && utf8(encoded).length > longestKey)
    throw refused(`A key must have at most ${longestKey} bytes.`);
  return encoded;
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

/** Serialises a value, or refuses what JSON can't represent exactly. */
export function toJson(value: Json): string {
  try {
    refuseOdd(value, 0);
    return JSON.stringify(value);
  } catch {
    // A throwing getter, or a text too long for the engine, isn't a failure of the store.
    throw odd();
  }
}

/** A value that neither its writer nor its readers can change. Refuses what JSON can't represent. */
export function toFrozen(value: Json): Json {
  try {
    refuseOdd(value, 0);
    // Not for a string, which has as many "values" as characters.
    const members: readonly unknown[] = typeof value === "object" && value !== null ? Object.values(value) : [];
    for (const member of members) {
      if (typeof member !== "object" || member === null || heights.has(member)) continue;
      heights.set(member, refuseOdd(member, 0));
      deepFrozen(member);
    }
    return Object.freeze(value);
  } catch {
    throw odd();
  }
}

/** The depth of values that were checked and frozen. A record written again mostly contains the same members. */
const heights = new WeakMap<object, number>();

/** A separate walk, because `JSON.stringify` with a replacer takes several times as long. Returns the depth. */
function refuseOdd(value: unknown, depth: number): number {
  switch (typeof value) {
    case "object": {
      if (value === null) return 0;
      const known = heights.get(value);
      if (depth + (known ?? 1) > deepestValue) throw odd();
      if (known !== undefined) return known;
      if (!Array.isArray(value) && !isPlain(value)) throw odd();
      let height = 0;
      for (const member of Array.isArray(value) ? value : Object.values(value))
        height = Math.max(height, refuseOdd(member, depth + 1));
      return height + 1;
    }
    case "number":
      if (!Number.isFinite(value)) throw odd();
      return 0;
    case "string":
    case "boolean":
      return 0;
    default:
      throw odd();
  }
}

/** A `Date` or a `Map` would be read back as something else. Objects of another realm have their own prototype. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

function odd(): LiveplaneError {
  return refused("A stored value must be representable as JSON.");
}

/** A range as encoded bounds, both exclusive. Without an upper bound it ends with the store. */
export interface Bounds {
  readonly lower: string;
  readonly upper: string | null;
  readonly limit: number;
  readonly reverse: boolean;
}

/** Encodes a range. If it would begin or end outside its prefix, the prefix is the bound. */
export function boundsOf(range: Range): Bounds {
  if (!isObject(range)) throw refused("A range must be an object.");
  const { prefix, after, until, limit = 1000, reverse = false } = range;
  if (!Number.isSafeInteger(limit) || limit < 0) throw refused("A limit must be a whole number.");
  if (typeof reverse !== "boolean") throw refused("reverse of a range must be true or false.");
  const encoded = encodePrefix(prefix);
  // No key under the prefix reaches this end, because each begins with the prefix and the last byte, 0x00, is raised by one.
  const end = encoded === "" ? null : `${encoded.slice(0, -1)}\u0001`;
  const [low, high] = reverse ? [until, after] : [after, until];
  return {
    lower: low === undefined ? encoded : later(encoded, encodeKey(low)),
    upper: high === undefined ? end : earlier(end, encodeKey(high)),
    limit,
    reverse,
  };
}

function later(a: string, b: string): string {
  return compareEncoded(a, b) > 0 ? a : b;
}

function earlier(a: string | null, b: string): string {
  return a !== null && compareEncoded(a, b) < 0 ? a : b;
}
