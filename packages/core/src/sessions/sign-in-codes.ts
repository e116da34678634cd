import { toBase64Url, toHex, utf8 } from "../encoding.ts";
import { LiveplaneError } from "../errors.ts";
import type { Runtime } from "../ports/runtime.ts";
import { collection } from "../records/collection.ts";
import type { Change } from "../records/records.ts";
import type { LinkingSession, OfferedIdentity, SignInEnd } from "./sign-in-transactions.ts";

/** What a code was given for: to sign in to an account, or to link an identity to it. */
export type CodeGrant =
  | {
      readonly kind: "session";
      readonly accountId: string;
      readonly identityId: string;
      /** SHA-256 of what its holder has kept back, in base64url (RFC 7636). */
      readonly codeChallenge: string;
    }
  | ({ readonly kind: "link" } & OfferedIdentity & LinkingSession);

interface CodeRecord {
  /** SHA-256: 256 random bits can't be guessed. */
  readonly digest: string;
  readonly grant: CodeGrant;
}

const codes = collection<CodeRecord>()("sign-in-code", { key: ({ digest }) => [digest] });

/** A program waits at the browser's other end: it takes moments. */
const momentsMs = 60_000;
/** A person looks at it first. */
const whileMs = 600_000;

/** Codes that a sign-in at an issuer ends with, good once: an address may hold one, and no token. */
export interface SignInCodes {
  /** A new code in the change that permits it, for anyone who waits at that end. */
  give(change: Change, grant: CodeGrant, end: SignInEnd["kind"]): Promise<string>;
  /** What it was given for, and ends it; `null`: it is good for nothing. */
  take<Kind extends CodeGrant["kind"]>(
    change: Change,
    kind: Kind,
    code: string,
  ): Promise<Extract<CodeGrant, { kind: Kind }> | null>;
  isMadeOf(challenge: string, verifier: string): Promise<boolean>;
}

export function createSignInCodes({ crypto, clock }: Pick<Runtime, "crypto" | "clock">): SignInCodes {
  const digestOf = async (code: string) => toHex(await crypto.digest(utf8(code)));
  return {
    async give(change, grant, end) {
      const code = toBase64Url(crypto.random(32));
      const lifeMs = end === "loopback" ? momentsMs : whileMs;
      change.put(codes, { digest: await digestOf(code), grant }, { expiresAt: clock.now() + lifeMs });
      return code;
    },
    async take(change, kind, code) {
      const digest = await digestOf(code);
      const grant = (await change.get(codes, [digest]))?.grant;
      if (grant?.kind !== kind) return null;
      change.delete(codes, [digest]);
      return grant as Extract<CodeGrant, { kind: typeof kind }>;
    },
    async isMadeOf(challenge, verifier) {
      return crypto.equal(utf8(challenge), utf8(toBase64Url(await crypto.digest(utf8(verifier)))));
    },
  };
}

/** One refusal of a code that was used, is late, or was never given. */
export function codeInvalid(): LiveplaneError {
  return new LiveplaneError("SignInInvalid", "The code is invalid, has expired or was already used. Start again.");
}
