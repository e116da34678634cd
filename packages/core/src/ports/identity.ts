import type { CreatedPasskey, SignedPasskey } from "../contract/schemas/passkey-schemas.ts";
import type { CostlyWork } from "./costly-work.ts";

/**
 * Hashes passwords, slowly on purpose. Limits concurrent work, shares it fairly, and throws `Unavailable` with `retryAfterSeconds` for what
 * can't be started in time.
 */
export interface PasswordHasher {
  /** A self-describing hash: algorithm, parameters, salt. */
  hash(password: string, work?: CostlyWork): Promise<string>;
  /** Whether the password matches, in the same time either way; `outdated` if today's parameters are higher. */
  verify(
    hash: string,
    password: string,
    work?: CostlyWork,
  ): Promise<{ readonly matches: boolean; readonly outdated: boolean }>;
}

/** A public key in the format of RFC 7517. */
export type PublicJwk = Readonly<Record<string, string>>;

/** A signing key. `secret` is serialised by the signer that created it; the core stores it sealed. */
export interface SigningKey {
  readonly id: string;
  readonly publicJwk: PublicJwk;
  readonly secret: string;
}

/** The claims of an access token. No permissions: those are looked up for each request. */
export interface TokenClaims {
  readonly iss: string;
  readonly aud: string;
  readonly sub: string;
  /** In epoch seconds. */
  readonly iat: number;
  readonly exp: number;
  readonly jti: string;
  readonly sid: string;
  readonly scope: string;
  /** The kind of principal. */
  readonly pty: "account" | "serviceAccount";
}

/** Signs and verifies access tokens. It stores no keys: the core stores, rotates and publishes them. */
export interface TokenSigner {
  /** Creates a key pair with its own ID. */
  generateKey(): Promise<SigningKey>;
  /** Signs a token with `typ: at+jwt` and these claims. */
  sign(claims: TokenClaims, key: SigningKey): Promise<string>;
  /**
   * The claims of a token with `typ: at+jwt`, signed with EdDSA by one of the keys, for this issuer and audience, not expired. Throws
   * `TokenExpired` for one that only expired, otherwise `Unauthenticated`.
   */
  verify(token: string, expected: TokenExpectation): Promise<TokenClaims>;
}

/** The requirements on a token. */
export interface TokenExpectation {
  readonly keys: readonly PublicJwk[];
  readonly issuer: string;
  readonly audience: string;
  /** In epoch milliseconds. */
  readonly now: number;
}

/** Verifies tokens of another issuer, for a host with its own sign-in. */
export interface ExternalVerifier {
  /** The account of the token; `null` if the token isn't of this issuer. Throws `TokenExpired` or `Unauthenticated`. */
  verify(token: string): Promise<ExternalSignIn | null>;
}

/** Who signed in at another issuer. */
export interface ExternalSignIn {
  readonly accountId: string;
  /** @default all */
  readonly scopes?: readonly string[];
  /** Whether the issuer says that the person gave a second factor. @default false */
  readonly hasSecondFactor?: boolean;
}

/** The claims of a verified pipeline token. */
export interface PipelineClaims {
  /** Its `sub`: which pipeline runs and who owns it, in the issuer's words. */
  readonly subject: string;
  /** In epoch milliseconds: nobody accepts it afterwards. */
  readonly goodUntil: number;
}

/** An issuer that identifies pipelines: a CI that proves which of them runs. */
export interface PipelineIssuer {
  /** Its `iss`, exactly. */
  readonly issuer: string;
  /**
   * Verifies a token that claims to be of this issuer: its signature, audience and times. MUST throw `Unauthenticated` with a sentence for
   * whoever set up the pipeline, which says only what is wrong with the token, and `Unavailable` if its keys can't be loaded.
   */
  verify(token: string): Promise<PipelineClaims>;
}

/** What a passkey's answer must be made for. */
export interface PasskeyExpectation {
  /** In base64url. */
  readonly challenge: string;
  /** Of the page that asked for it, such as `https://liveplane.example`. */
  readonly origin: string;
  /** The domain that passkeys belong to, such as `liveplane.example`. */
  readonly relyingParty: string;
}

/** The public half of a passkey. */
export interface PasskeyKey {
  /** The public key in COSE format (RFC 9052), in base64url. */
  readonly publicKey: string;
  /** How often it has signed; always 0 if it doesn't count. */
  readonly counter: number;
}

/**
 * Verifies passkeys (W3C Web Authentication, sections 7.1 and 7.2). It stores nothing: the core keeps keys, counters and challenges. `null`
 * refuses an answer. MUST refuse another challenge, origin or relying party, an answer for the other purpose, and one without user
 * verification. Attestation isn't asked for, and MUST NOT be required.
 */
export interface PasskeyVerifier {
  /** The public half of a new passkey. `algorithms`: those that were offered, by their numbers in COSE. */
  verifyNew(
    created: CreatedPasskey,
    expected: PasskeyExpectation & { readonly algorithms: readonly number[] },
  ): Promise<PasskeyKey | null>;
  /** The counter of a passkey that signed, if this public key verifies the signature. The core judges the counter. */
  verify(
    signed: SignedPasskey,
    expected: PasskeyExpectation & Pick<PasskeyKey, "publicKey">,
  ): Promise<Pick<PasskeyKey, "counter"> | null>;
}

/** A mail. `challenge`, if present, is the whole bearer value, which the text contains too. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly challenge?: string;
}

/** Delivers mail. Whoever causes a mail MUST NOT learn that its delivery failed: the core logs the failure without the text. */
export interface Mailer {
  /** Hands over a mail for delivery; throws if that fails. */
  send(mail: Mail): Promise<void>;
}

/** A started device authorization (RFC 8628). */
export interface DeviceGrant {
  /** Secret; passed to `poll`. */
  readonly deviceCode: string;
  readonly userCode: string;
  /** An address. A simulated cloud may name a page in words. */
  readonly verificationUri: string;
  readonly message: string;
  readonly expiresInSeconds: number;
  readonly intervalSeconds: number;
}

/** The result of a poll. A completed one contains the delegated credential, which is secret. */
export type DeviceOutcome =
  | { readonly status: "Pending"; readonly slowDown: boolean }
  | { readonly status: "Completed"; readonly credential: string; readonly expiresAt: number }
  | { readonly status: "Denied" | "Expired" };

/** Asks a cloud's identity service for authorization by a person on another device. */
export interface DeviceAuthorizer {
  /** `tenantId`: a uuid or `common`. */
  begin(tenantId: string, options?: { readonly signal?: AbortSignal }): Promise<DeviceGrant>;
  /** Polls once. The caller waits `intervalSeconds` between polls, and five more after each `slowDown`. */
  poll(tenantId: string, deviceCode: string, options?: { readonly signal?: AbortSignal }): Promise<DeviceOutcome>;
}

/** The secrets of one sign-in at an issuer. Whoever starts it creates them, and passes the same ones to complete it. */
export interface IssuerRequest {
  /** Where the issuer sends the browser back to. */
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  /** 43 characters or more of base64url (RFC 7636); its SHA-256 goes out first. */
  readonly codeVerifier: string;
  /** Whether the person must sign in at the issuer again, even if they are still signed in there (`prompt=login`). */
  readonly asksAgain: boolean;
  /** How old the sign-in at the issuer may be. To ask for it makes the issuer say when it was (`max_age`). */
  readonly maxAgeSeconds: number;
}

/** An authenticated identity at an issuer. */
export interface ProvenIdentity {
  readonly issuer: string;
  readonly subject: string;
  /** Whether the issuer said, in words that the host accepts, that the person gave a second factor there. */
  readonly hasSecondFactor: boolean;
  /** When the person signed in at the issuer, in epoch milliseconds (`auth_time`); `null` if it doesn't say. */
  readonly authenticatedAt: number | null;
  /** Asks the issuer for the person's profile. Throws `Unavailable` if it can't be asked. */
  profile(options?: { readonly signal?: AbortSignal }): Promise<IdentityProfile>;
}

/** A person's profile at an issuer. */
export interface IdentityProfile {
  readonly email: string | null;
  /** Whether the issuer explicitly says that it has verified the address. */
  readonly isEmailVerified: boolean;
  readonly name: string | null;
  readonly surname: string | null;
}

/** Signs people in at one OpenID provider, by authorization code with PKCE. Stores nothing about a sign-in: any process may complete it. */
export interface SignInIssuer {
  /** The `iss` of its tokens, exactly. */
  readonly issuer: string;
  /** Where the browser goes to sign in. Throws `Unavailable` if the provider can't be asked. */
  begin(request: IssuerRequest, options?: { readonly signal?: AbortSignal }): Promise<string>;
  /**
   * Identifies who came back. MUST refuse with `SignInInvalid` what the issuer refused, an answer or token of another issuer, another
   * `state` or `nonce`, a used code, and a token that the issuer's published keys don't verify; `Unavailable` if it can't be asked.
   *
   * @param query the query that the browser came back with
   */
  complete(
    request: IssuerRequest,
    query: URLSearchParams,
    options?: { readonly signal?: AbortSignal },
  ): Promise<ProvenIdentity>;
  /** Where the browser goes to sign out there too, before it returns; `null` if the provider has no such page. */
  signOut(returnTo: string, options?: { readonly signal?: AbortSignal }): Promise<string | null>;
}
