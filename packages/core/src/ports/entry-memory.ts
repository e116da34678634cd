import type { Entry } from "./store.ts";

/** Memory of an entry besides its text: its key twice, the objects around it, its slot in the cache. */
const bytesBeside = 512;
/** Memory per character: text, parsed value, and shown forms. An estimate, not a measurement. */
const bytesPerLetter = 10;
/** Reads of more keys than this aren't cached. The largest page fits; a pass over everything would evict what callers use. */
export const mostRememberedAtOnce = 256;

interface Remembered<Value> {
  readonly value: Value;
  readonly bytes: number;
}

/**
 * Remembers entries, or lists of them, as they were read, frozen, within a bound in bytes, those that were used lately the longest. What is remembered
 * is as good as what it was made of: anyone who keeps rows under `Place` forgets a place when the row there changes.
 */
export class EntryMemory<Place, Value = Entry> {
  readonly #mostBytes: number;
  /** Two halves: when the newer one is full, what of the older one hasn't been used since it was begun is dropped. */
  #newer = new Map<Place, Remembered<Value>>();
  #older = new Map<Place, Remembered<Value>>();
  #newerBytes = 0;
  #olderBytes = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** The estimated memory of everything cached, from the lengths of texts. */
  get bytes(): number {
    return this.#newerBytes + this.#olderBytes;
  }

  /** What was kept last for a place, if it is still remembered. */
  get(place: Place): Value | undefined {
    const newer = this.#newer.get(place);
    if (newer !== undefined) return newer.value;
    const older = this.#older.get(place);
    if (older === undefined) return undefined;
    this.#older.delete(place);
    this.#olderBytes -= older.bytes;
    this.#add(place, older);
    return older.value;
  }

  /** Remembers a frozen value: so many entries, of so many letters of JSON. One that would take much of the room isn't kept. */
  keep(place: Place, value: Value, letters: number, entries = 1): void {
    this.forget(place);
    const bytes = bytesBeside * entries + bytesPerLetter * letters;
    if (bytes * 16 <= this.#mostBytes) this.#add(place, { value, bytes });
  }

  /** Must be called before every change at a place. */
  forget(place: Place): void {
    this.#newerBytes -= taken(this.#newer, place);
    this.#olderBytes -= taken(this.#older, place);
  }

  /** Drops every cached entry. */
  clear(): void {
    this.#newer = new Map();
    this.#older = new Map();
    this.#newerBytes = 0;
    this.#olderBytes = 0;
  }

  #add(place: Place, remembered: Remembered<Value>): void {
    if (this.#newerBytes + remembered.bytes > this.#mostBytes / 2) {
      this.#older = this.#newer;
      this.#olderBytes = this.#newerBytes;
      this.#newer = new Map();
      this.#newerBytes = 0;
    }
    this.#newer.set(place, remembered);
    this.#newerBytes += remembered.bytes;
  }
}

/** Takes what is at a place away, and answers how much room that gives. */
function taken<Place>(half: Map<Place, { readonly bytes: number }>, place: Place): number {
  const bytes = half.get(place)?.bytes ?? 0;
  if (bytes > 0) half.delete(place);
  return bytes;
}
