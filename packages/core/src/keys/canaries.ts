import { utf8 } from "../encoding.ts";
import { isLiveplaneError, LiveplaneError } from "../errors.ts";
import type { Sealed, Sealer } from "../ports/secrets.ts";
import type { Entry, Json, Key } from "../ports/store.ts";
import type { Services } from "../services.ts";

/**
 * One sealed value for each key-encryption key in use. A process that can open none of them has the wrong key ring for this store and must
 * not write to it.
 */
export interface Canaries {
  /**
   * Resolves once this build reads the store's format and the key ring fits. Creates the canary of a new key.
   *
   * @throws {ConfigurationInvalid} otherwise.
   */
  judge(): Promise<void>;
  /** Nothing is sealed under any other key now, so the other canaries are removed. */
  keepOnly(keyId: string): Promise<void>;
}

const place: Key = ["installation", "canary"];
const placeOf = (keyId: string) => ["canary", keyId];
const song = utf8("Whoever opens this has the key.");

type Known = Readonly<Record<string, Sealed>>;

/** Stores the canaries in one entry: if two processes start with different rings on an empty store, one is refused. */
export function createCanaries({
  store,
  sealer,
  requireFormat,
}: Pick<Services, "store" | "sealer"> & { readonly requireFormat: () => Promise<unknown> }): Canaries {
  let judged: Promise<void> | null = null;

  async function write(before: Entry | null, known: Known): Promise<boolean> {
    const sets = [{ key: place, value: known as unknown as Json }];
    return (await store.commit({ checks: [{ key: place, version: before?.version ?? null }], sets })) !== null;
  }

  const sealed = (keyId: string) => sealer.seal(song, placeOf(keyId));

  async function requireOpen(known: Known): Promise<void> {
    for (const [keyId, canary] of Object.entries(known)) {
      try {
        await sealer.open(canary, placeOf(keyId));
      } catch (cause) {
        throw isLiveplaneError(cause, "InternalError") ? foreign(keyId, cause) : cause;
      }
    }
  }

  async function judgeOnce(): Promise<void> {
    await requireFormat();
    for (;;) {
      const [entry = null] = await store.get([place]);
      const known = (entry?.value ?? {}) as unknown as Known;
      const keyId = await sealer.currentKeyId();
      await requireOpen(known);
      if (Object.hasOwn(known, keyId)) return;
      if (await write(entry, { ...known, [keyId]: await sealed(keyId) })) return;
    }
  }

  return {
    judge() {
      judged ??= judgeOnce().catch((error: unknown) => {
        judged = null;
        throw error;
      });
      return judged;
    },
    async keepOnly(keyId) {
      for (;;) {
        const [entry = null] = await store.get([place]);
        const { [keyId]: own, ...others } = (entry?.value ?? {}) as unknown as Known;
        if (own !== undefined && Object.keys(others).length === 0) return;
        if (await write(entry, { [keyId]: own ?? (await sealed(keyId)) })) return;
      }
    },
  };
}

/** A sealer that seals nothing until the key ring is known to fit the store. */
export function guardedSealer(sealer: Sealer, canaries: () => Pick<Canaries, "judge">): Sealer {
  return {
    ...sealer,
    async seal(plaintext, place) {
      await canaries().judge();
      return sealer.seal(plaintext, place);
    },
  };
}

function foreign(keyId: string, cause?: unknown): LiveplaneError {
  const message =
    `The key ring can't open this store: its key ${keyId} is missing or different. Start with the keys that the ` +
    "store was written with (the file key-ring in the data folder, or the master key), including older ones.";
  return new LiveplaneError("ConfigurationInvalid", message, { cause });
}
