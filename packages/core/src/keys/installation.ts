import { LiveplaneError } from "../errors.ts";
import type { Sealed, SealedStock, Unopened } from "../ports/secrets.ts";
import type { Entry, Json, Key } from "../ports/store.ts";
import type { Services } from "../services.ts";
import { unlessUnopened } from "./rotation.ts";

const place: Key = ["installation", "key"];

/** A sealed key. `until`: it was replaced, and everything made with it has expired by then. */
interface StoredKey {
  readonly id: string;
  readonly sealed: Sealed;
  readonly until: number | null;
}

interface StoredKeys {
  readonly keys: readonly StoredKey[];
  readonly current: string;
  readonly digests: string;
}

/** The keys of an installation: random, created once, sealed in its store. */
export interface InstallationKeys {
  /** Signs cursors and derives challenges. Replaced whenever the key-encryption key is. */
  current(): Promise<Uint8Array>;
  /** Replaced keys, while things made with them may still be valid. */
  former(): Promise<readonly Uint8Array[]>;
  /** Digests values that must not be stored. Digests are compared for years, so this key stays. */
  digests(): Promise<Uint8Array>;
  /** Replaces the current key when its key-encryption key has changed, and rewraps the others. */
  readonly sealed: SealedStock;
}

interface Opened {
  readonly version: number;
  readonly stored: StoredKeys;
  readonly keys: ReadonlyMap<string, Uint8Array>;
}

/** How long a read is cached; another process may have replaced a key. */
const rememberedMs = 5000;
const placeOf = (id: string) => ["installation-key", id];

export function installationKeys(
  deps: Pick<Services, "store" | "runtime" | "sealer"> & { readonly formerMs: number },
): InstallationKeys {
  const { store, runtime, sealer, formerMs } = deps;
  const { clock } = runtime;
  let known: Opened | null = null;
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<Opened> | null = null;

  async function made(): Promise<StoredKey> {
    const id = runtime.newId();
    return { id, sealed: await sealer.seal(runtime.crypto.random(32), placeOf(id)), until: null };
  }

  async function write(entry: Entry | null, stored: StoredKeys): Promise<boolean> {
    const sets = [{ key: place, value: stored as unknown as Json }];
    return (await store.commit({ checks: [{ key: place, version: entry?.version ?? null }], sets })) !== null;
  }

  async function read(): Promise<Opened> {
    for (;;) {
      const [entry = null] = await store.get([place]);
      if (entry === null) {
        const first = await made();
        await write(null, { keys: [first], current: first.id, digests: first.id });
        continue;
      }
      if (known?.version === entry.version) return known;
      const stored = entry.value as unknown as StoredKeys;
      const keys = new Map<string, Uint8Array>();
      for (const { id, sealed } of stored.keys) keys.set(id, await sealer.open(sealed, placeOf(id)));
      return { version: entry.version, stored, keys };
    }
  }

  async function opened(): Promise<Opened> {
    if (known !== null && clock.monotonic() - readAt < rememberedMs) return known;
    reading ??= read().finally(() => {
      reading = null;
    });
    known = await reading;
    readAt = clock.monotonic();
    return known;
  }

  const keyOf = ({ keys }: Opened, id: string) => {
    const key = keys.get(id);
    if (key === undefined) throw damaged();
    return key;
  };

  /** The keys still needed, rewrapped, with a new current one. */
  async function replaced(stored: StoredKeys): Promise<StoredKeys> {
    const next = await made();
    const kept = stored.keys.filter(({ id, until }) => until === null || until > clock.now() || id === stored.digests);
    const keys: StoredKey[] = [next];
    for (const key of kept) {
      const sealed = (await sealer.rewrap(key.sealed, placeOf(key.id))) ?? key.sealed;
      keys.push({ ...key, sealed, until: key.id === stored.current ? clock.now() + formerMs : key.until });
    }
    return { ...stored, keys, current: next.id };
  }

  return {
    current: async () => {
      const now = await opened();
      return keyOf(now, now.stored.current);
    },
    async former() {
      const now = await opened();
      const alive = now.stored.keys.filter(({ until }) => until !== null && until > clock.now());
      return alive.map(({ id }) => keyOf(now, id));
    },
    async digests() {
      const now = await opened();
      return keyOf(now, now.stored.digests);
    },
    sealed: {
      name: "installation-key",
      async rewrap() {
        const [entry = null] = await store.get([place]);
        const nothing = { rewrapped: 0, failed: 0, after: null };
        if (entry === null) return nothing;
        const stored = entry.value as unknown as StoredKeys;
        const keyId = await sealer.currentKeyId();
        const older = stored.keys.filter(({ sealed }) => sealed.keyId !== keyId);
        if (older.length === 0) return nothing;
        const unopened = await unopenedOf(stored.keys);
        if (unopened.length > 0) return { ...nothing, failed: unopened.length, unopened };
        return { ...nothing, rewrapped: (await write(entry, await replaced(stored))) ? older.length : 0 };
      },
    },
  };

  async function unopenedOf(keys: readonly StoredKey[]): Promise<Unopened[]> {
    const unopened: Unopened[] = [];
    for (const { id, sealed } of keys) {
      const named = { place: placeOf(id), unopened };
      await unlessUnopened(sealed, named, () => sealer.open(sealed, named.place));
    }
    return unopened;
  }
}

function damaged(): LiveplaneError {
  return new LiveplaneError("StoreFailed", "The key of the installation is damaged.");
}
