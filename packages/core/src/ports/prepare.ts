import { utf8 } from "../encoding.ts";
import type { LiveplaneError } from "../errors.ts";
import { deepFrozen } from "./frozen.ts";
import { compareEncoded, encodeKey, encodePrefix, refused } from "./key.ts";
import type { Append, Commit, Json, Key, Range } from "./store.ts";

/** The key parts that a commit's version and a place in it become, so that appended entries are in commit order. */
export function appendedKey(version: number, place: number): Key {
  return [String(version).padStart(16, "0"), String(place).padStart(6, "0")];
}

/** UTF-8 bytes of the longest encoded key that is written: what an index of Postgres takes, with room for its own. */
const longestKey = 2560;
/** A place in a commit has six digits. */
const mostAppends = 1_000_000;
/** Levels of arrays and objects in a value. What holds itself is deeper. */
const deepestValue = 500;

/** Checks and encodes all of a commit before anything of it is done. */
export function prepare(commit: Commit) {
  return prepareAs(commit, toJson);
}

/** The same, with values as the store keeps them. `kept` refuses what JSON can't carry. */
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

/** The members of a commit, copied. Callers in plain JavaScript are held to the types as well. */
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

/** Serialises a value, or refuses what JSON can't carry as it is. */
export function toJson(value: Json): string {
  try {
    refuseOdd(value, 0);
    return JSON.stringify(value);
  } catch {
    // Whatever a getter throws, or a text too long for the engine, isn't a failure of the store.
    throw odd();
  }
}

/** A value that nobody changes any more, from here on: neither who wrote it nor who reads it. Refuses what JSON can't carry. */
export function toFrozen(value: Json): Json {
  try {
    refuseOdd(value, 0);
    // Not of a text, which has as many "values" as characters.
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

/** How many levels there are in what was judged, and is frozen since: anyone who writes a record again mostly writes the same members. */
const heights = new WeakMap<object, number>();

/** Its own walk: `JSON.stringify` with a replacer takes several times as long. Answers how many levels there are. */
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

/** A `Date` or a `Map` would come back as something else. Objects of another realm have their own prototype. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

function odd(): LiveplaneError {
  return refused("A stored value must be representable as JSON.");
}

/** A range as encoded bounds, both exclusive. Without an upper one it ends with the store. */
export interface Bounds {
  readonly lower: string;
  readonly upper: string | null;
  readonly limit: number;
  readonly reverse: boolean;
}

/** Encodes a range. Where it would begin or end outside of its prefix, the prefix is its bound. */
export function boundsOf(range: Range): Bounds {
  if (!isObject(range)) throw refused("A range must be an object.");
  const { prefix, after, until, limit = 1000, reverse = false } = range;
  if (!Number.isSafeInteger(limit) || limit < 0) throw refused("A limit must be a whole number.");
  if (typeof reverse !== "boolean") throw refused("reverse of a range must be true or false.");
  const encoded = encodePrefix(prefix);
  // Every key under the prefix begins with it, so none reaches it with its last byte, 0x00, raised by one.
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
