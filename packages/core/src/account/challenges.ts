import { toBase64Url, toHex, utf8 } from "../encoding.ts";
import { LiveplaneError } from "../errors.ts";
import type { Settings } from "../host.ts";
import type { Runtime } from "../ports/runtime.ts";
import { collection } from "../records/collection.ts";
import type { Change, Records, Stored } from "../records/records.ts";

/** What a challenge is for. */
export type ChallengeKind = "activation" | "reset" | "email";

/** A challenge as it is stored: a digest of its secret, never the secret. */
export interface ChallengeRecord {
  readonly handle: string;
  readonly accountId: string;
  readonly kind: ChallengeKind;
  readonly digest: string;
  /** The address that a challenge of kind `email` proves. */
  readonly email: string | null;
  readonly tries: number;
  readonly expiresAt: number;
}

const challenges = collection<ChallengeRecord>()("challenge", { key: ({ handle }) => [handle] });
/** The pending challenge of each kind: a new one ends the old. */
const pending = collection<{ accountId: string; kind: ChallengeKind; handle: string }>()("pending-challenge", {
  key: ({ accountId, kind }) => [accountId, kind],
});

/** What challenges need. */
export interface ChallengesDeps {
  readonly records: Records;
  readonly runtime: Runtime;
  readonly settings: Pick<Settings, "challengeSeconds">;
  /** A key of the installation, from which each challenge's secret is derived: a mail can be sent again without keeping it. */
  readonly secretKey: () => Promise<Uint8Array>;
}

/** Single-use proofs that somebody reads mails to an address. */
export interface Challenges {
  /** Begins one in a change, and ends the one before. Answers its handle. */
  begin(change: Change, accountId: string, kind: ChallengeKind, email?: string): Promise<string>;
  /** The whole bearer value of a pending challenge: `<handle>.<secret>`. */
  credential(handle: string): Promise<string>;
  /**
   * Finds the challenge that a bearer value opens. A right handle with a wrong secret costs one of five tries.
   * Throws `ChallengeInvalid`.
   */
  open(credential: string, kinds: readonly ChallengeKind[]): Promise<Stored<ChallengeRecord>>;
  /** Spends it in the change that it permits; throws `ChallengeInvalid` when somebody else just did. */
  spend(change: Change, challenge: ChallengeRecord): Promise<void>;
  /** Ends the pending one of a kind, if there is one. */
  end(change: Change, accountId: string, kind: ChallengeKind): Promise<void>;
}

const mostTries = 5;

/** Builds challenges over the records. */
export function createChallenges({ records, runtime, settings, secretKey }: ChallengesDeps): Challenges {
  const { crypto, clock } = runtime;
  const secretOf = async (handle: string) => toBase64Url(await crypto.hmac(await secretKey(), utf8(`challenge ${handle}`)));
  const digestOf = async (secret: string) => toHex(await crypto.digest(utf8(secret)));

  /** Counts the try in a commit before the secret is judged, so that many guesses at once have five tries together. */
  async function countTry(handle: string): Promise<Stored<ChallengeRecord> | null> {
    return records.change({ actor: "challenge", requestId: "challenge" }, async (change) => {
      const known = await change.get(challenges, [handle]);
      if (known === null || known.tries >= mostTries || known.expiresAt <= clock.now()) return null;
      return change.put(challenges, { ...known, tries: known.tries + 1 }, { expiresAt: known.expiresAt });
    });
  }

  /** A right secret was no try: it gives back what was counted for it. */
  async function uncountTry(handle: string): Promise<Stored<ChallengeRecord> | null> {
    return records.change({ actor: "challenge", requestId: "challenge" }, async (change) => {
      const known = await change.get(challenges, [handle]);
      return known === null ? null : change.put(challenges, { ...known, tries: known.tries - 1 }, { expiresAt: known.expiresAt });
    });
  }

  async function end(change: Change, accountId: string, kind: ChallengeKind): Promise<void> {
    const known = await change.get(pending, [accountId, kind]);
    if (known === null) return;
    change.delete(challenges, [known.handle]);
    change.delete(pending, [accountId, kind]);
  }

  return {
    end,
    async begin(change, accountId, kind, email) {
      await end(change, accountId, kind);
      const handle = runtime.newId();
      const expiresAt = clock.now() + settings.challengeSeconds * 1000;
      const digest = await digestOf(await secretOf(handle));
      change.put(challenges, { handle, accountId, kind, digest, email: email ?? null, tries: 0, expiresAt }, { expiresAt });
      change.put(pending, { accountId, kind, handle }, { expiresAt });
      return handle;
    },
    credential: async (handle) => `${handle}.${await secretOf(handle)}`,
    async open(credential, kinds) {
      const [handle = "", secret = ""] = credential.split(".");
      const digest = await digestOf(secret);
      const known = handle === "" ? null : await countTry(handle);
      const matches = crypto.equal(utf8(known?.digest ?? "0".repeat(64)), utf8(digest));
      const opened = known !== null && matches ? await uncountTry(handle) : null;
      if (opened === null || !kinds.includes(opened.kind)) throw new LiveplaneError("ChallengeInvalid");
      return opened;
    },
    async spend(change, { handle, accountId, kind }) {
      const known = await change.get(challenges, [handle]);
      if (known === null) throw new LiveplaneError("ChallengeInvalid");
      await end(change, accountId, kind);
    },
  };
}
