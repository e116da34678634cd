import type { ChallengeKind } from "../contract/row.ts";
import { toBase64Url, toHex, utf8 } from "../encoding.ts";
import { LiveplaneError } from "../errors.ts";
import { longestWaitMs } from "../mail/mail-rests.ts";
import { collection } from "../records/collection.ts";
import type { Change, Reader, Stored } from "../records/records.ts";
import type { Services } from "../services.ts";

const challengeKinds: readonly ChallengeKind[] = ["activation", "reset", "email"];

/** A challenge as stored: a digest of its secret, never the secret. */
export interface ChallengeRecord {
  readonly handle: string;
  readonly accountId: string;
  readonly kind: ChallengeKind;
  /** SHA-256: a random 256-bit secret can't be guessed, so a slow hash would add nothing. */
  readonly digest: string;
  /** The address that a challenge of kind `email` verifies. */
  readonly email: string | null;
  /** How often a wrong secret was sent with the right handle. */
  readonly tries: number;
  readonly expiresAt: number;
}

const challenges = collection<ChallengeRecord>()("challenge", { key: ({ handle }) => [handle] });
/** The pending challenge of each kind; a new one replaces the old. */
const pending = collection<{ accountId: string; kind: ChallengeKind; handle: string }>()("pending-challenge", {
  key: ({ accountId, kind }) => [accountId, kind],
});

/** Single-use proofs that a person receives mail at an address. */
export interface Challenges {
  /** Starts one in a change, and ends the previous one. */
  begin(
    change: Change,
    accountId: string,
    kind: ChallengeKind,
    email?: string,
  ): Promise<Pick<ChallengeRecord, "handle" | "expiresAt">>;
  /** The handle of the pending one; `null` if there is none. */
  pending(reader: Reader, accountId: string, kind: ChallengeKind): Promise<string | null>;
  /**
   * Whether a mail with it is still useful: a challenge that ended or failed too often isn't sent. If the mail is late, its lifetime starts
   * again.
   */
  prepare(change: Change, handle: string, mail: { readonly isLate: boolean }): Promise<boolean>;
  /** The whole bearer value of a challenge: `<handle>.<secret>`. */
  credential(handle: string): Promise<string>;
  /** Finds the challenge for a bearer value. A right handle with a wrong secret uses one of five attempts. Throws `ChallengeInvalid`. */
  open(credential: string, kinds: readonly ChallengeKind[]): Promise<Stored<ChallengeRecord>>;
  /** Spends it in the change that it permits; throws `ChallengeInvalid` if somebody else just did. */
  spend(change: Change, challenge: ChallengeRecord): Promise<void>;
  end(change: Change, accountId: string, kind: ChallengeKind): Promise<void>;
  /** Ends all pending ones: whoever had one mailed can't use it once the account is secured. */
  endAll(change: Change, accountId: string): Promise<void>;
}

const mostTries = 5;
const cause = { actor: "system", requestId: "challenge" };

export function createChallenges(
  deps: Pick<Services, "records" | "runtime" | "settings" | "secretKey" | "formerKeys">,
): Challenges {
  const { records, runtime, settings, secretKey, formerKeys = async () => [] } = deps;
  const { crypto, clock } = runtime;
  const derived = async (key: Uint8Array, handle: string) =>
    toBase64Url(await crypto.hmac(key, utf8(`challenge ${handle}`)));
  const secretOf = async (handle: string) => derived(await secretKey(), handle);
  const digestOf = async (secret: string) => toHex(await crypto.digest(utf8(secret)));
  const lifeFromNow = () => clock.now() + settings.challengeSeconds * 1000;
  const isUsable = ({ tries, expiresAt }: ChallengeRecord) => tries < mostTries && expiresAt > clock.now();

  /** Kept for as long as a mail with it may wait. */
  function put(change: Change, challenge: ChallengeRecord): void {
    const { accountId, kind, handle, expiresAt } = challenge;
    const kept = { expiresAt: expiresAt + longestWaitMs };
    change.put(challenges, challenge, kept);
    change.put(pending, { accountId, kind, handle }, kept);
  }

  async function end(change: Change, accountId: string, kind: ChallengeKind): Promise<void> {
    const known = await change.get(pending, [accountId, kind]);
    if (known === null) return;
    change.delete(challenges, [known.handle]);
    change.delete(pending, [accountId, kind]);
  }

  /** A wrong guess is answered only after it is counted, in a commit that checks the count: concurrent guesses can't exceed the limit. */
  async function judge(handle: string, digest: string): Promise<Stored<ChallengeRecord> | null> {
    const work = async (change: Change) => {
      const known = await change.get(challenges, [handle]);
      if (known === null || !isUsable(known)) return null;
      if (crypto.equal(utf8(known.digest), utf8(digest))) return known;
      put(change, { ...known, tries: known.tries + 1 });
      return null;
    };
    return records.change(cause, work, { attempts: 100 });
  }

  return {
    end,
    async endAll(change, accountId) {
      for (const kind of challengeKinds) await end(change, accountId, kind);
    },
    async begin(change, accountId, kind, email) {
      await end(change, accountId, kind);
      const handle = runtime.newId();
      const expiresAt = lifeFromNow();
      const digest = await digestOf(await secretOf(handle));
      put(change, { handle, accountId, kind, digest, email: email ?? null, tries: 0, expiresAt });
      return { handle, expiresAt };
    },
    async prepare(change, handle, { isLate }) {
      const known = await change.get(challenges, [handle]);
      if (known === null || known.tries >= mostTries) return false;
      if (isLate) put(change, { ...known, expiresAt: lifeFromNow() });
      return isLate || isUsable(known);
    },
    async pending(reader, accountId, kind) {
      const known = await reader.get(pending, [accountId, kind]);
      const challenge = known === null ? null : await reader.get(challenges, [known.handle]);
      return challenge !== null && isUsable(challenge) ? challenge.handle : null;
    },
    async credential(handle) {
      const former = await formerKeys();
      const digest = former.length === 0 ? undefined : (await records.get(challenges, [handle]))?.digest;
      for (const key of former) {
        const secret = await derived(key, handle);
        if (digest === (await digestOf(secret))) return `${handle}.${secret}`;
      }
      return `${handle}.${await secretOf(handle)}`;
    },
    async open(credential, kinds) {
      const [handle = "", secret = "", ...rest] = credential.split(".");
      const opened = handle === "" || rest.length > 0 ? null : await judge(handle, await digestOf(secret));
      if (opened === null || !kinds.includes(opened.kind)) throw new LiveplaneError("ChallengeInvalid");
      return opened;
    },
    async spend(change, { handle, accountId, kind }) {
      const known = await change.get(challenges, [handle]);
      if (known === null || !isUsable(known)) throw new LiveplaneError("ChallengeInvalid");
      await end(change, accountId, kind);
    },
  };
}
