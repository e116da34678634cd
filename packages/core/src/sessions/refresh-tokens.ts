import { toBase64Url, toHex, utf8 } from "../encoding.ts";
import type { Crypto } from "../ports/runtime.ts";

/**
 * What a session keeps of its refresh tokens. Every token of a session holds the same family secret and its own secret:
 * a used token is told from a forged one by the family, so that knowing a session's id is not enough to end it.
 */
export interface RefreshDigests {
  /** SHA-256 of 256 random bits: what can't be guessed needs no slow hash. */
  readonly family: string;
  /** Of the one token that is good now. */
  readonly token: string;
}

/** What a refresh token is to a session: good now, used before, or none of its own. */
export type RefreshVerdict = "good" | "used" | "foreign";

/** Makes and judges refresh tokens: `<session id>.<family><own>`, both secrets of 43 characters. */
export interface RefreshTokens {
  make(sessionId: string): Promise<{ readonly token: string; readonly digests: RefreshDigests }>;
  /** The successor of a good token. */
  next(token: string): Promise<{ readonly token: string; readonly digests: RefreshDigests }>;
  judge(digests: RefreshDigests, token: string): Promise<RefreshVerdict>;
}

const secretLength = 43;

export function sessionIdOf(token: string): string {
  return token.split(".")[0] ?? "";
}

/** Builds refresh tokens on a source of chance. */
export function createRefreshTokens(crypto: Crypto): RefreshTokens {
  const secret = () => toBase64Url(crypto.random(32));
  const digest = async (text: string) => toHex(await crypto.digest(utf8(text)));
  const equal = async (known: string, text: string) => crypto.equal(utf8(known), utf8(await digest(text)));

  async function of(sessionId: string, family: string) {
    const token = `${sessionId}.${family}${secret()}`;
    return { token, digests: { family: await digest(family), token: await digest(token) } };
  }

  return {
    make: (sessionId) => of(sessionId, secret()),
    next: (token) => of(sessionIdOf(token), familyOf(token)),
    async judge(digests, token) {
      if (await equal(digests.token, token)) return "good";
      return (await equal(digests.family, familyOf(token))) ? "used" : "foreign";
    },
  };
}

function familyOf(token: string): string {
  return (token.split(".")[1] ?? "").slice(0, secretLength);
}
