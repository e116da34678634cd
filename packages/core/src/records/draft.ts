import { encodedList, encodeKey, encodeKeys } from "../ports/key.ts";
import type { Entry, Key, SetEntry, Store } from "../ports/store.ts";

/** What a write leaves under its key; `null`: nothing. */
export type WrittenEntry = Omit<SetEntry, "key"> | null;

/** What one attempt at a change has read, and what it will write. */
export class Draft {
  readonly #store: Pick<Store, "get">;
  readonly #reads = new Map<string, { readonly key: Key; readonly entry: Entry | null }>();
  readonly #writes = new Map<string, { readonly key: Key; readonly set: WrittenEntry }>();
  readonly #assumed: Key[] = [];

  constructor(store: Pick<Store, "get">) {
    this.#store = store;
  }

  /** Keys that were taken to be absent without having been read. */
  get assumed(): readonly Key[] {
    return this.#assumed;
  }

  get isEmpty(): boolean {
    return this.#writes.size === 0;
  }

  /** Reads keys: each goes to the store once, and what the draft will write is seen instead of what is there. */
  async get(keys: readonly Key[]): Promise<(Entry | null)[]> {
    const places = encodeKeys(keys);
    const unknown: Key[] = [];
    const unknownPlaces: string[] = [];
    for (let at = 0; at < keys.length; at++) {
      const [key, place] = [keys[at] as Key, places[at] as string];
      if (this.#reads.has(place) || this.#writes.has(place)) continue;
      unknown.push(key);
      unknownPlaces.push(place);
    }
    if (unknown.length > 0) {
      const entries = await this.#store.get(encodedList(unknown, unknownPlaces));
      for (const [at, key] of unknown.entries())
        this.#reads.set(unknownPlaces[at] ?? "", { key, entry: entries[at] ?? null });
    }
    return places.map((place) => {
      const write = this.#writes.get(place);
      if (write === undefined) return this.#reads.get(place)?.entry ?? null;
      return write.set && { key: write.key, value: structuredClone(write.set.value), version: 0 };
    });
  }

  write(key: Key, set: WrittenEntry): void {
    this.#writes.set(encodeKey(key), { key, set });
  }

  hasRead(key: Key): boolean {
    return this.#reads.has(encodeKey(key));
  }

  hasWritten(key: Key): boolean {
    return this.#writes.has(encodeKey(key));
  }

  /** Whether the draft takes away what is under a key. */
  removes(key: Key): boolean {
    return this.#writes.get(encodeKey(key))?.set === null;
  }

  /** What was found under a key, if it was read. */
  found(key: Key): Entry | null {
    return this.#reads.get(encodeKey(key))?.entry ?? null;
  }

  /** What is under a key as far as the draft knows. One that it knows nothing of is taken to be absent, which the commit checks. */
  known(key: Key): Pick<Entry, "value"> | null {
    const write = this.#writes.get(encodeKey(key));
    if (write !== undefined) return write.set;
    if (!this.hasRead(key)) this.assumeAbsent(key);
    return this.found(key);
  }

  assumeAbsent(key: Key): void {
    this.#reads.set(encodeKey(key), { key, entry: null });
    this.#assumed.push(key);
  }

  /** All that was read, at the versions that it had. */
  checks(): { key: Key; version: number | null }[] {
    return [...this.#reads.values()].map(({ key, entry }) => ({ key, version: entry?.version ?? null }));
  }

  sets(): SetEntry[] {
    return [...this.#writes.values()].flatMap(({ key, set }) => (set === null ? [] : [{ key, ...set }]));
  }

  deletes(): Key[] {
    return [...this.#writes.values()].flatMap(({ key, set }) => (set === null ? [key] : []));
  }
}
