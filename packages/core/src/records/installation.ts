import { fromBase64Url, toBase64Url } from "../encoding.ts";
import { LiveplaneError } from "../errors.ts";
import type { Runtime } from "../ports/runtime.ts";
import type { Key, Store } from "../ports/store.ts";

const place: Key = ["installation", "key"];

/**
 * The key of an installation: random, made once, kept in its store. It signs cursors, digests what must not be kept, and
 * derives challenges; whoever reads the store could read what these protect as well.
 */
export function installationKey({
  store,
  runtime,
}: {
  readonly store: Store;
  readonly runtime: Runtime;
}): () => Promise<Uint8Array> {
  let known: Promise<Uint8Array> | undefined;

  async function readOrMake(): Promise<Uint8Array> {
    const [entry] = await store.get([place]);
    if (entry) return parsed(entry.value);
    const made = toBase64Url(runtime.crypto.random(32));
    const version = await store.commit({
      checks: [{ key: place, version: null }],
      sets: [{ key: place, value: made }],
    });
    return version === null ? readOrMake() : parsed(made);
  }

  return () => {
    known ??= readOrMake().catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  };
}

function parsed(value: unknown): Uint8Array {
  const key = typeof value === "string" ? fromBase64Url(value) : null;
  if (key === null) throw new LiveplaneError("StoreFailed", "The key of the installation is damaged.");
  return key;
}
