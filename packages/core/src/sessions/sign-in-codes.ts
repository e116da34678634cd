import { toBase64Url, toHex, utf8 } from "../encoding.ts";
import { LiveplaneError } from "../errors.ts";
import type { Runtime } from "../ports/runtime.ts";
import { collection } from "../records/collection.ts";
import type { Change } from "../records/records.ts";
import type { LinkingSession, OfferedIdentity, SignInEnd } from "./sign-in-transactions.ts";

/** What a code is for: signing in to an account, or linking an identity to it. */
export type CodeGrant =
  | {
      readonly kind: "session";
      readonly accountId: string;
      readonly identityId: string;
      readonly hasSecondFactor: boolean;
      readonly authenticatedAt: number | null;
      /** SHA-256 of the secret that its holder keeps, in base64url (RFC 7636). */
      readonly codeChallenge: string;
    }
  /** For a program, from a session that its person has approved. */
  | ({ readonly kind: "program"; readonly codeChallenge: string } & LinkingSession)
  | ({ readonly kind: "link" } & OfferedIdentity & LinkingSession);

interface CodeRecord {
  /** SHA-256: 256 random bits can't be guessed. */
  readonly digest: string;
  readonly grant: CodeGrant;
}

const codes = collection<CodeRecord>()("sign-in-code", { key: ({ digest }) => [digest] });

/** A program is waiting, so it takes only moments. */
const momentsMs = 60_000;
/** A person has to copy it first. */
const whileMs = 600_000;

/** Single-use codes that end a sign-in at an issuer. A code may appear in an address, a token may not. */
export interface SignInCodes {
  /** Creates a code in the change that permits it, for whoever waits at that end. */
  give(change: Change, grant: CodeGrant, end: SignInEnd["kind"]): Promise<string>;
  /** Spends a code and returns what it is for; `null` if it is invalid. */
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

/** The same refusal for a used, an expired and an unknown code. */
export function codeInvalid(): LiveplaneError {
  return new LiveplaneError("SignInInvalid", "The code is invalid, has expired or was already used. Start again.");
}
