import type { Entry } from "./store.ts";

/** Memory of an entry besides its text: its key twice, the objects around it, its slot in the cache. */
const bytesBeside = 512;
/** Memory per character: text, parsed value, and shown forms. An estimate, not a measurement. */
const bytesPerLetter = 10;
/** Reads of more keys than this aren't cached. The largest page fits; a pass over everything would evict what callers use. */
export const mostRememberedAtOnce = 256;

interface Remembered {
  readonly entry: Entry;
  readonly bytes: number;
}

/**
 * Caches entries as they were read, frozen, within a bound in bytes; those used recently stay longest. Whoever stores rows under `Place`
 * must forget a place when its row changes.
 */
export class EntryMemory<Place> {
  readonly #mostBytes: number;
  /** Two halves: when the newer one is full, whatever wasn't used since it was started is dropped. */
  #newer = new Map<Place, Remembered>();
  #older = new Map<Place, Remembered>();
  #newerBytes = 0;
  #olderBytes = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** The estimated memory of everything cached, from the lengths of texts. */
  get bytes(): number {
    return this.#newerBytes + this.#olderBytes;
  }

  /** The cached entry of a place, if any. */
  get(place: Place): Entry | undefined {
    const newer = this.#newer.get(place);
    if (newer !== undefined) return newer.entry;
    const older = this.#older.get(place);
    if (older === undefined) return undefined;
    this.#older.delete(place);
    this.#olderBytes -= older.bytes;
    this.#add(place, older);
    return older.entry;
  }

  /** Caches a frozen entry with this length of JSON. One that would use much of the space isn't cached. */
  keep(place: Place, entry: Entry, letters: number): void {
    this.forget(place);
    const bytes = bytesBeside + bytesPerLetter * letters;
    if (bytes * 16 <= this.#mostBytes) this.#add(place, { entry, bytes });
  }

  /** Must be called before every change at a place. */
  forget(place: Place): void {
    this.#newerBytes -= taken(this.#newer, place);
    this.#olderBytes -= taken(this.#older, place);
  }

  clear(): void {
    this.#newer = new Map();
    this.#older = new Map();
    this.#newerBytes = 0;
    this.#olderBytes = 0;
  }

  #add(place: Place, remembered: Remembered): void {
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

/** Removes a place's entry and returns the memory it frees. */
function taken<Place>(half: Map<Place, Remembered>, place: Place): number {
  const bytes = half.get(place)?.bytes ?? 0;
  if (bytes > 0) half.delete(place);
  return bytes;
}
