import type { CostlyWork } from "./costly-work.ts";

/**
 * Hashes passwords slowly, on purpose. Bounds by itself how many are under way at once, shares that out fairly, and throws
 * `Unavailable` with `retryAfterSeconds` for what can't be begun in time.
 */
export interface PasswordHasher {
  /** A self-describing hash: algorithm, parameters, salt. */
  hash(password: string, work?: CostlyWork): Promise<string>;
  /** Whether the password fits, in the same time whether it does or not; `outdated` when today's parameters are higher. */
  verify(
    hash: string,
    password: string,
    work?: CostlyWork,
  ): Promise<{ readonly matches: boolean; readonly outdated: boolean }>;
}

/** A public key as RFC 7517 writes it. */
export type PublicJwk = Readonly<Record<string, string>>;

/** A signing key. `secret` is serialised by the signer that made it; the core stores it sealed. */
export interface SigningKey {
  readonly id: string;
  readonly publicJwk: PublicJwk;
  readonly secret: string;
}

/** What an access token says. No permissions: they are looked up at each request. */
export interface TokenClaims {
  readonly iss: string;
  readonly aud: string;
  readonly sub: string;
  /** Seconds of the epoch. */
  readonly iat: number;
  readonly exp: number;
  readonly jti: string;
  readonly sid: string;
  readonly scope: string;
  /** The kind of principal. */
  readonly pty: "account" | "serviceAccount";
}

/** Signs and verifies access tokens. It keeps no keys: the core stores, rotates and publishes them. */
export interface TokenSigner {
  /** A new key pair, with its own id. */
  generateKey(): Promise<SigningKey>;
  /** A token with `typ: at+jwt` that says the claims, signed by the key. */
  sign(claims: TokenClaims, key: SigningKey): Promise<string>;
  /**
   * The claims of a token with `typ: at+jwt`, signed with EdDSA by one of the keys, of this issuer and audience, not expired.
   * Throws `TokenExpired` for one that is good but late, `Unauthenticated` for anything else.
   */
  verify(token: string, expected: TokenExpectation): Promise<TokenClaims>;
}

/** What a token must be. */
export interface TokenExpectation {
  readonly keys: readonly PublicJwk[];
  readonly issuer: string;
  readonly audience: string;
  /** Milliseconds of the epoch. */
  readonly now: number;
}

/** Judges tokens of somebody else's issuer, for a host that brings its own sign-in. */
export interface ExternalVerifier {
  /** The account that the token stands for; `null` when the token isn't of this issuer. Throws `TokenExpired` or `Unauthenticated`. */
  verify(token: string): Promise<{ readonly accountId: string; readonly scopes?: readonly string[] } | null>;
}

/** What the token of a pipeline says, once it was judged. */
export interface PipelineClaims {
  /** Its `sub`: which pipeline of whom runs, in the issuer's words. */
  readonly subject: string;
  /** Milliseconds of the epoch: from then on nobody takes it. */
  readonly goodUntil: number;
}

/** An issuer that vouches for pipelines: a CI that proves by itself which of them runs. */
export interface PipelineIssuer {
  /** Its `iss`, exactly. */
  readonly issuer: string;
  /**
   * Judges a token that claims to be of this issuer: its signature, its audience, its times. MUST throw `Unauthenticated` with a sentence
   * for anyone who set the pipeline up, which says nothing of the token but what is wrong, and `Unavailable` where its keys can't be had.
   */
  verify(token: string): Promise<PipelineClaims>;
}

/** A mail. `challenge`, where there is one, is the whole bearer value that also is in the text. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly challenge?: string;
}

/** Delivers mail. A failure to deliver MUST NOT show to anyone who caused the mail: the core logs it without the text. */
export interface Mailer {
  /** Hands a mail over for delivery; throws when that failed. */
  send(mail: Mail): Promise<void>;
}

/** A device authorization (RFC 8628) that was begun. */
export interface DeviceGrant {
  /** Secret: what `poll` takes. */
  readonly deviceCode: string;
  readonly userCode: string;
  readonly verificationUri: string;
  readonly message: string;
  readonly expiresInSeconds: number;
  readonly intervalSeconds: number;
}

/** What a poll found. A completed one carries the delegated credential, secret. */
export type DeviceOutcome =
  | { readonly status: "Pending"; readonly slowDown: boolean }
  | { readonly status: "Completed"; readonly credential: string; readonly expiresAt: number }
  | { readonly status: "Denied" | "Expired" };

/** Asks a cloud's identity service to authorize by a person with another device. */
export interface DeviceAuthorizer {
  /** `tenantId`: a uuid or `common`. */
  begin(tenantId: string, options?: { readonly signal?: AbortSignal }): Promise<DeviceGrant>;
  /** Asks once. The caller waits `intervalSeconds` between polls, and five more after each `slowDown`. */
  poll(tenantId: string, deviceCode: string, options?: { readonly signal?: AbortSignal }): Promise<DeviceOutcome>;
}

/** The secrets of one sign-in at an issuer: anyone who begins it makes them, and hands over the same ones to complete it. */
export interface IssuerRequest {
  /** Where the issuer sends the browser back to. */
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  /** 43 characters or more of base64url (RFC 7636); its SHA-256 goes out first. */
  readonly codeVerifier: string;
}

/** Who somebody is to an issuer. */
export interface ProvenIdentity {
  readonly issuer: string;
  readonly subject: string;
  /** Asks what the issuer says of the person. Throws `Unavailable` when it can't be asked. */
  profile(options?: { readonly signal?: AbortSignal }): Promise<IdentityProfile>;
}

/** What an issuer says of a person. */
export interface IdentityProfile {
  readonly email: string | null;
  /** Whether the issuer says, in so many words, that it has made sure of the address. */
  readonly isEmailVerified: boolean;
  readonly name: string | null;
  readonly surname: string | null;
}

/** Signs people in at one OpenID provider, by authorization code with PKCE. Keeps nothing of a sign-in: any process may complete it. */
export interface SignInIssuer {
  /** The `iss` of its tokens, exactly. */
  readonly issuer: string;
  /** Where the browser goes to sign in. Throws `Unavailable` when the provider can't be asked. */
  begin(request: IssuerRequest, options?: { readonly signal?: AbortSignal }): Promise<string>;
  /**
   * Who came back. MUST refuse with `SignInInvalid` what the issuer refused, an answer or a token of another issuer, another `state` or
   * `nonce`, a code that was used before, and a token that the issuer's published keys don't verify; `Unavailable` when it can't be asked.
   *
   * @param query the query that the browser came back with
   */
  complete(
    request: IssuerRequest,
    query: URLSearchParams,
    options?: { readonly signal?: AbortSignal },
  ): Promise<ProvenIdentity>;
  /** Where the browser goes to sign out there as well, and comes back from; `null`: the provider has no such place. */
  signOut(returnTo: string, options?: { readonly signal?: AbortSignal }): Promise<string | null>;
}
