import { fromUtf8, utf8 } from "../encoding.ts";
import type { Settings } from "../host.ts";
import type { PublicJwk, SigningKey, TokenSigner } from "../ports/identity.ts";
import type { Runtime } from "../ports/runtime.ts";
import type { Sealed, Sealer } from "../ports/secrets.ts";
import { collection } from "../records/collection.ts";
import type { Records } from "../records/records.ts";

/** A signing key as it is stored: its secret sealed. */
interface SigningKeyRecord {
  readonly id: string;
  readonly publicJwk: PublicJwk;
  readonly sealed: Sealed;
  readonly createdAt: number;
}

/** The key that signs now: a name that only one can hold, so that two processes don't both make one. */
const current = collection<{ readonly name: "current"; readonly id: string; readonly since: number }>()("current-signing-key", { key: ({ name }) => [name] });
const keys = collection<SigningKeyRecord>()("signing-key", { key: ({ id }) => [id] });

/** What signing keys need. */
export interface SigningKeysDeps {
  readonly records: Records;
  readonly runtime: Runtime;
  readonly sealer: Sealer;
  readonly signer: TokenSigner;
  readonly settings: Pick<Settings, "signingKeySeconds" | "accessTokenSeconds">;
}

/** The keys that sign access tokens: rotated, with old ones published while a token of theirs may live. */
export interface SigningKeys {
  current(): Promise<SigningKey>;
  /** The public keys to publish and to verify with. */
  published(): Promise<readonly PublicJwk[]>;
}

const rememberedMs = 5000;
const cause = { actor: "system", requestId: "signing-keys" };

/** Builds the signing keys over the records. What was read is remembered for some seconds. */
export function createSigningKeys({ records, runtime, sealer, signer, settings }: SigningKeysDeps): SigningKeys {
  let signing: { readonly key: SigningKey; readonly until: number } | null = null;
  let known: { readonly keys: readonly PublicJwk[]; readonly until: number } | null = null;
  const place = (id: string) => ["signing-key", id];

  async function rotate(): Promise<string> {
    const made = await signer.generateKey();
    const sealed = await sealer.seal(utf8(made.secret), place(made.id));
    known = null;
    return records.change(cause, async (change) => {
      const now = runtime.clock.now();
      const holder = await change.get(current, ["current"]);
      if (holder !== null && now - holder.since < settings.signingKeySeconds * 1000) return holder.id;
      change.put(keys, { id: made.id, publicJwk: made.publicJwk, sealed, createdAt: now });
      change.put(current, { name: "current", id: made.id, since: now });
      return made.id;
    });
  }

  async function currentId(): Promise<string> {
    const holder = await records.get(current, ["current"]);
    const fresh = holder !== null && runtime.clock.now() - holder.since < settings.signingKeySeconds * 1000;
    return fresh ? holder.id : rotate();
  }

  /** A key may be forgotten once its successor is older than a token lives. */
  async function livingKeys(): Promise<readonly PublicJwk[]> {
    const all = (await records.list(keys)).map(({ record }) => record).sort((a, b) => b.createdAt - a.createdAt);
    const now = runtime.clock.now();
    return all.filter((_, at) => {
      const successor = all[at - 1];
      return successor === undefined || now - successor.createdAt <= settings.accessTokenSeconds * 1000 + 60_000;
    }).map(({ publicJwk }) => publicJwk);
  }

  return {
    async current() {
      const now = runtime.clock.now();
      if (signing !== null && signing.until > now) return signing.key;
      const id = await currentId();
      const record = await records.get(keys, [id]);
      if (record === null) return (await rotate(), this.current());
      const secret = fromUtf8(await sealer.open(record.sealed, place(id)));
      signing = { key: { id, publicJwk: record.publicJwk, secret }, until: now + rememberedMs };
      return signing.key;
    },
    async published() {
      const now = runtime.clock.now();
      if (known !== null && known.until > now) return known.keys;
      await currentId();
      known = { keys: await livingKeys(), until: now + rememberedMs };
      return known.keys;
    },
  };
}
