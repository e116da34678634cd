import { type EncodedKey, encodedList } from "../ports/key.ts";
import type { Entry, Key, SetEntry, Store } from "../ports/store.ts";

/** The entry that a write leaves under its key; `null` for none. */
export type WrittenEntry = Omit<SetEntry, "key"> | null;

/** What one attempt at a change has read, and what it will write. */
export class Draft {
  readonly #store: Pick<Store, "get" | "recall">;
  readonly #recalls: boolean;
  readonly #reads = new Map<string, { readonly key: Key; readonly entry: Entry | null }>();
  readonly #writes = new Map<string, { readonly key: Key; readonly set: WrittenEntry }>();
  /** Places assumed to be empty without a read. */
  readonly assumed: EncodedKey[] = [];

  /** What was recalled instead of read: only the commit shows whether it is still so. */
  readonly recalled: Entry[] = [];

  constructor(store: Pick<Store, "get" | "recall">, { recalls }: { readonly recalls: boolean }) {
    this.#store = store;
    this.#recalls = recalls;
  }

  get isEmpty(): boolean {
    return this.#writes.size === 0;
  }

  /** Reads: each place is read from the store once, and the draft's own writes are visible. */
  async get(places: readonly EncodedKey[]): Promise<(Entry | null)[]> {
    if (this.#recalls) this.#recall(places.filter((place) => !this.#knows(place)));
    const unknown = places.filter((place) => !this.#knows(place));
    if (unknown.length > 0) {
      const entries = await this.#store.get(encodedList(unknown));
      unknown.forEach(({ key, encoded }, at) => {
        this.#reads.set(encoded, { key, entry: entries[at] ?? null });
      });
      if (unknown.length === places.length && this.isEmpty) return entries;
    }
    return places.map((place) => {
      const write = this.#writes.get(place.encoded);
      if (write === undefined) return this.found(place);
      return write.set && { key: write.key, value: structuredClone(write.set.value), version: 0 };
    });
  }

  #recall(places: readonly EncodedKey[]): void {
    const recalled = places.length === 0 ? [] : (this.#store.recall?.(encodedList(places)) ?? []);
    places.forEach(({ key, encoded }, at) => {
      const entry = recalled[at];
      if (entry === undefined) return;
      this.#reads.set(encoded, { key, entry });
      this.recalled.push(entry);
    });
  }

  write({ key, encoded }: EncodedKey, set: WrittenEntry): void {
    this.#writes.set(encoded, { key, set });
  }

  /** Whether a place was read, or will be written. */
  #knows({ encoded }: EncodedKey): boolean {
    return this.#reads.has(encoded) || this.#writes.has(encoded);
  }

  /** Whether the draft deletes a place. */
  removes({ encoded }: EncodedKey): boolean {
    return this.#writes.get(encoded)?.set === null;
  }

  /** The entry found at a place, if it was read. */
  found({ encoded }: EncodedKey): Entry | null {
    return this.#reads.get(encoded)?.entry ?? null;
  }

  /** What is at a place as far as the draft knows. One that it knows nothing of is taken to be empty, which the commit checks. */
  known(place: EncodedKey): Pick<Entry, "value" | "expiresAt"> | null {
    const write = this.#writes.get(place.encoded);
    if (write !== undefined) return write.set;
    this.assumeEmpty(place);
    return this.found(place);
  }

  /** Assumes that an unknown place is empty. */
  assumeEmpty(place: EncodedKey): void {
    if (this.#knows(place)) return;
    this.#reads.set(place.encoded, { key: place.key, entry: null });
    this.assumed.push(place);
  }

  /** Everything that was read, with the versions it had. */
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
