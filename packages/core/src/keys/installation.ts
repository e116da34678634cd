import { fromBase64Url } from "../encoding.ts";
import { isLiveplaneError, LiveplaneError } from "../errors.ts";
import type { Sealed, SealedStock, Unopened } from "../ports/secrets.ts";
import type { Entry, Json, Key } from "../ports/store.ts";
import type { Services } from "../services.ts";

const place: Key = ["installation", "key"];

/** A key under seal. `until`: it was replaced, and what was made with it has ended by then. */
interface StoredKey {
  readonly id: string;
  readonly sealed: Sealed;
  readonly until: number | null;
}

/** The keys as they are stored. The first build kept one, as base64url in the clear. */
interface StoredKeys {
  readonly keys: readonly StoredKey[];
  readonly current: string;
  readonly digests: string;
}

/** The keys of an installation: random, made once, kept under seal in its store. */
export interface InstallationKeys {
  /** Signs cursors and derives challenges. Replaced whenever the key-encryption key is. */
  current(): Promise<Uint8Array>;
  /** Those that were replaced, while something that was made with them may still come. */
  former(): Promise<readonly Uint8Array[]>;
  /** Digests what must not be kept. Digests are compared for years, so it stays. */
  digests(): Promise<Uint8Array>;
  /** Replaces the current one when its key-encryption key has changed, beside re-wrapping the others. */
  readonly sealed: SealedStock;
}

/** The keys, opened. */
interface Opened {
  readonly version: number;
  readonly stored: StoredKeys;
  readonly keys: ReadonlyMap<string, Uint8Array>;
}

/** What was read is remembered so long: another process may have replaced a key. */
const rememberedMs = 5000;
const placeOf = (id: string) => ["installation-key", id];

/** Keeps the keys of an installation. */
export function installationKeys(
  deps: Pick<Services, "store" | "runtime" | "sealer"> & { readonly formerMs: number },
): InstallationKeys {
  const { store, runtime, sealer, formerMs } = deps;
  const { clock } = runtime;
  let known: Opened | null = null;
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<Opened> | null = null;

  async function made(bytes = runtime.crypto.random(32), until: number | null = null): Promise<StoredKey> {
    const id = runtime.newId();
    return { id, sealed: await sealer.seal(bytes, placeOf(id)), until };
  }

  /** Of an empty store, or of one of the first build. That one's key lay in the clear: it derives nothing new. */
  async function begun(clear: string | null): Promise<StoredKeys> {
    const current = await made();
    if (clear === null) return { keys: [current], current: current.id, digests: current.id };
    const exposed = await made(parsed(clear), clock.now() + formerMs);
    return { keys: [current, exposed], current: current.id, digests: exposed.id };
  }

  async function write(entry: Entry | null, stored: StoredKeys): Promise<boolean> {
    const sets = [{ key: place, value: stored as unknown as Json }];
    return (await store.commit({ checks: [{ key: place, version: entry?.version ?? null }], sets })) !== null;
  }

  async function read(): Promise<Opened> {
    for (;;) {
      const [entry = null] = await store.get([place]);
      if (entry === null || typeof entry.value === "string") {
        await write(entry, await begun(entry === null ? null : String(entry.value)));
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

  /** Those still needed under the current key-encryption key, with another current one. */
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
        if (entry === null || typeof entry.value === "string") return nothing;
        const stored = entry.value as unknown as StoredKeys;
        const keyId = await sealer.currentKeyId();
        const older = stored.keys.filter(({ sealed }) => sealed.keyId !== keyId);
        if (older.length === 0) return nothing;
        const unopened = (await opening(stored.keys)).unopened;
        if (unopened.length > 0) return { ...nothing, failed: unopened.length, unopened };
        return { ...nothing, rewrapped: (await write(entry, await replaced(stored))) ? older.length : 0 };
      },
      async open() {
        const [entry = null] = await store.get([place]);
        const isSealed = entry !== null && typeof entry.value !== "string";
        return { ...(await opening(isSealed ? (entry.value as unknown as StoredKeys).keys : [])), after: null };
      },
    },
  };

  async function opening(keys: readonly StoredKey[]): Promise<{ opened: string[]; unopened: Unopened[] }> {
    const [opened, unopened]: [string[], Unopened[]] = [[], []];
    for (const { id, sealed } of keys) {
      try {
        await sealer.open(sealed, placeOf(id));
        opened.push(sealed.keyId);
      } catch (error) {
        if (!isLiveplaneError(error, "InternalError")) throw error;
        unopened.push({ keyId: sealed.keyId, place: placeOf(id) });
      }
    }
    return { opened, unopened };
  }
}

function parsed(value: string): Uint8Array {
  const key = fromBase64Url(value);
  if (key === null) throw damaged();
  return key;
}

function damaged(): LiveplaneError {
  return new LiveplaneError("StoreFailed", "The key of the installation is damaged.");
}
