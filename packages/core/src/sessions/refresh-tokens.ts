import { toBase64Url, toHex, utf8 } from "../encoding.ts";
import type { Crypto } from "../ports/runtime.ts";

/**
 * What a session stores about its refresh tokens. Every token of a session contains the same family secret and its own secret. The family
 * secret tells a used token from a forged one, so knowing a session's ID isn't enough to end it.
 */
export interface RefreshDigests {
  /** SHA-256 of 256 random bits, which can't be guessed and need no slow hash. */
  readonly family: string;
  /** Of the one currently valid token. */
  readonly token: string;
}

/** What a refresh token is to a session: valid, already used, or not its own. */
export type RefreshVerdict = "good" | "used" | "foreign";

/** Creates and checks refresh tokens: `<session id>.<family><own>`, both secrets of 43 characters. */
export interface RefreshTokens {
  make(sessionId: string): Promise<{ readonly token: string; readonly digests: RefreshDigests }>;
  /** The successor of a valid token. */
  next(token: string): Promise<{ readonly token: string; readonly digests: RefreshDigests }>;
  judge(digests: RefreshDigests, token: string): Promise<RefreshVerdict>;
}

const secretLength = 43;

export function sessionIdOf(token: string): string {
  return token.split(".")[0] ?? "";
}

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
