import { LiveplaneError } from "../errors.ts";
import type { Key } from "./store.ts";

const end = "\u0000";
const mark = "\u0001";

/**
 * Encodes a key tuple as text whose UTF-8 bytes sort like the tuples. Each part ends with 0x00; within a part 0x00 and 0x01 become 0x01
 * 0x01 and 0x01 0x02, so no part can fake a boundary.
 */
export function encodeKey(key: Key): string {
  const encoded = encodePrefix(key);
  if (encoded === "") throw refused("A key must have at least one part.");
  return encoded;
}

/** Where a list of keys holds its encoding. A separate map would cost more than encoding again. */
const encodedTo = Symbol("encodedTo");

interface EncodedList extends ReadonlyArray<Key> {
  [encodedTo]?: readonly string[];
}

export interface EncodedKey {
  readonly key: Key;
  readonly encoded: string;
}

/** A list of keys that the caller has already encoded, so no store does it again. */
export function encodedList(places: readonly EncodedKey[]): readonly Key[] {
  const keys: EncodedList = places.map(({ key }) => key);
  keys[encodedTo] = places.map(({ encoded }) => encoded);
  return keys;
}

/** Encodes requested keys. */
export function encodeKeys(keys: readonly Key[]): readonly string[] {
  if (!Array.isArray(keys)) throw refused("Keys must be a list.");
  const known = (keys as EncodedList)[encodedTo];
  if (known !== undefined) return known;
  const encoded: string[] = [];
  for (const key of keys) encoded.push(encodeKey(key));
  return encoded;
}

/** Encodes a prefix, which may be empty: every key under it begins with this. */
export function encodePrefix(prefix: Key): string {
  if (!Array.isArray(prefix)) throw refused("A key must be a list of strings.");
  let text = "";
  for (const part of prefix as readonly unknown[]) {
    if (typeof part !== "string") throw refused("A key part must be a string.");
    if (!part.isWellFormed()) throw refused("A key part must not contain a lone surrogate.");
    text += escaped(part) + end;
  }
  return text;
}

/** The refusal of what a store can't hold. It quotes nothing, because keys and values may hold secrets. */
export function refused(because: string): LiveplaneError {
  return new LiveplaneError("ValidationFailed", because);
}

function escaped(part: string): string {
  if (!part.includes(end) && !part.includes(mark)) return part;
  return part.replaceAll(mark, `${mark}\u0002`).replaceAll(end, mark + mark);
}

/** Decodes an encoded key. */
export function decodeKey(encoded: string): string[] {
  // Several times as fast as `split`, and used for every listed entry.
  const parts: string[] = [];
  for (let from = 0; from < encoded.length; ) {
    const to = encoded.indexOf(end, from);
    parts.push(encoded.slice(from, to));
    from = to + 1;
  }
  return encoded.includes(mark) ? parts.map(unescaped) : parts;
}

/** An escape character is followed by what it stands for, so pairs are read from the left. */
function unescaped(part: string): string {
  let text = "";
  for (let at = 0; at < part.length; at++) {
    if (part[at] === mark) text += part[++at] === mark ? end : mark;
    else text += part[at];
  }
  return text;
}

/** Compares two encoded keys by their UTF-8 bytes. UTF-16 order differs from U+E000 on. */
export function compareEncoded(a: string, b: string): number {
  const shared = Math.min(a.length, b.length);
  for (let at = 0; at < shared; at++) {
    const [x, y] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (x !== y) return rank(x) - rank(y);
  }
  return a.length - b.length;
}

/** Surrogates represent code points above all single units. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
