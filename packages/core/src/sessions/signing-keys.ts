import { fromUtf8, utf8 } from "../encoding.ts";
import { LiveplaneError } from "../errors.ts";
import type { SealedRecords } from "../keys/rotation.ts";
import type { PublicJwk, SigningKey } from "../ports/identity.ts";
import type { Sealed } from "../ports/secrets.ts";
import { collection } from "../records/collection.ts";
import type { Change } from "../records/records.ts";
import type { Services } from "../services.ts";

/** A signing key as stored, with its secret sealed. */
export interface SigningKeyRecord {
  readonly id: string;
  readonly publicJwk: PublicJwk;
  readonly sealed: Sealed;
  /** In epoch milliseconds. */
  readonly createdAt: number;
}

/** The newest key: one record, so that two processes don't both create one. */
interface Newest {
  readonly name: "newest";
  readonly id: string;
  readonly since: number;
}

const keys = collection<SigningKeyRecord>()("signing-key", { key: ({ id }) => [id] });
const newest = collection<Newest>()("newest-signing-key", { key: ({ name }) => [name] });
const placeOf = (id: string) => ["signing-key", id];

export const sealedSigningKeys: SealedRecords<SigningKeyRecord> = {
  collection: keys,
  rewrapped: async (record, rewrap) => ({ ...record, sealed: await rewrap(record.sealed, placeOf(record.id)) }),
};

/** The keys that sign access tokens. They are rotated; old ones stay published while a token of theirs may be valid. */
export interface SigningKeys {
  current(): Promise<SigningKey>;
  /** The public keys to publish and verify with, newest first. */
  published(): Promise<readonly PublicJwk[]>;
}

/** How long a read is cached, by the monotonic clock. */
const rememberedMs = 5000;
/** A new key is published this long before it signs, so that every process knows it despite its cache. */
const leadMs = 4 * rememberedMs;
const cause = { actor: "system", requestId: "signing-keys" };

export function createSigningKeys({
  records,
  runtime,
  sealer,
  signer,
  settings,
}: Pick<Services, "records" | "runtime" | "settings" | "sealer" | "signer">): SigningKeys {
  const { clock } = runtime;
  let remembered: { readonly living: readonly SigningKeyRecord[]; readonly until: number } | null = null;
  let opened: SigningKey | null = null;
  const isFresh = (holder: Newest | null) =>
    holder !== null && clock.now() - holder.since < settings.signingKeySeconds * 1000;

  async function rotate(): Promise<void> {
    const made = await signer.generateKey();
    const sealed = await sealer.seal(utf8(made.secret), placeOf(made.id));
    await records.change(cause, async (change: Change) => {
      if (isFresh(await change.get(newest, ["newest"]))) return;
      const now = clock.now();
      change.put(keys, { id: made.id, publicJwk: made.publicJwk, sealed, createdAt: now });
      change.put(newest, { name: "newest", id: made.id, since: now });
    });
  }

  /** A key is needed until its successor has signed for longer than a token's lifetime. */
  function isLiving(successor: SigningKeyRecord | undefined): boolean {
    const overlapMs = leadMs + rememberedMs + settings.accessTokenSeconds * 1000;
    return successor === undefined || clock.now() - successor.createdAt <= overlapMs;
  }

  async function living(): Promise<readonly SigningKeyRecord[]> {
    if (remembered !== null && remembered.until > clock.monotonic()) return remembered.living;
    if (!isFresh(await records.get(newest, ["newest"]))) await rotate();
    const all = (await records.list(keys)).map(({ record }) => record).sort((a, b) => b.createdAt - a.createdAt);
    const found = all.filter((_, at) => isLiving(all[at - 1]));
    await forget(all.slice(found.length));
    remembered = { living: found, until: clock.monotonic() + rememberedMs };
    return found;
  }

  async function forget(outlived: readonly SigningKeyRecord[]): Promise<void> {
    if (outlived.length === 0) return;
    await records.change(cause, (change) => {
      for (const { id } of outlived) change.delete(keys, [id]);
    });
  }

  return {
    async current() {
      const found = await living();
      const now = clock.now();
      // The very first key signs at once, because nobody can have cached an earlier set.
      const record = found.find(({ createdAt }) => now - createdAt >= leadMs) ?? found.at(-1);
      if (record === undefined) throw new LiveplaneError("InternalError", "The store contains no signing key.");
      if (opened?.id !== record.id) {
        const secret = fromUtf8(await sealer.open(record.sealed, placeOf(record.id)));
        opened = { id: record.id, publicJwk: record.publicJwk, secret };
      }
      return opened;
    },
    published: async () => (await living()).map(({ publicJwk }) => publicJwk),
  };
}
