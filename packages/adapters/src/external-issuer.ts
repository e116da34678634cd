import type { ExternalVerifier, PipelineIssuer } from "@liveplane/core";
import { LiveplaneError } from "@liveplane/core/errors";
import type { JWTPayload, JWTVerifyGetKey } from "jose";

/** Options of a verifier of another issuer's tokens. */
export interface ExternalIssuerOptions {
  /** The `iss` of its tokens, exactly. */
  readonly issuer: string;
  /** The `aud` that a token must have: this service's name at the issuer. */
  readonly audience: string;
  /** The URL of its keys. @default from its OpenID configuration */
  readonly jwksUrl?: string;
  /** The accepted algorithms. @default ["RS256", "PS256", "ES256", "EdDSA"] */
  readonly algorithms?: readonly string[];
  /** The `typ` of its access tokens; `null` accepts any, for issuers that set none. @default "at+jwt" */
  readonly type?: string | null;
  /** The account for a token's claims; `null` for none. @default the claim `sub` */
  readonly accountFor?: (claims: Readonly<Record<string, unknown>>) => string | null | Promise<string | null>;
  /** The scopes of the token. @default all */
  readonly scopesFor?: (claims: Readonly<Record<string, unknown>>) => readonly string[] | undefined;
  /** Whether the token proves that the person gave a second factor. @default it doesn't */
  readonly secondFactorFor?: (claims: Readonly<Record<string, unknown>>) => boolean;
  /** The timeout of each request for its keys. @default 5000 */
  readonly timeoutMs?: number;
  /** What the time is. @default Date.now */
  readonly now?: () => number;
}

const defaultAlgorithms = ["RS256", "PS256", "ES256", "EdDSA"];

/** Verifies access tokens of an OpenID provider by its published keys, which are cached, and fetched again for an unknown key. */
export async function externalIssuer(options: ExternalIssuerOptions): Promise<ExternalVerifier> {
  const { issuer, audience, algorithms = defaultAlgorithms, type = "at+jwt", now = Date.now } = options;
  const { accountFor = ({ sub }) => (typeof sub === "string" ? sub : null), scopesFor, secondFactorFor } = options;
  requireAsymmetric(algorithms);
  const jose = await loadJose();
  const keys = createKeys(jose, options);

  async function claimsOf(token: string): Promise<JWTPayload> {
    const currentDate = new Date(now());
    const expected = { issuer, audience, algorithms: [...algorithms], currentDate, requiredClaims: ["exp"] };
    try {
      const found = await jose.jwtVerify(token, keys, { ...expected, ...(type !== null && { typ: type }) });
      return found.payload;
    } catch (error) {
      if (error instanceof LiveplaneError) throw error;
      if (error instanceof jose.errors.JWTExpired) throw new LiveplaneError("TokenExpired");
      throw new LiveplaneError("Unauthenticated", "The token is not valid.");
    }
  }

  return {
    async verify(token) {
      if (claimedIssuer(jose, token) !== issuer) return null;
      const claims = await claimsOf(token);
      const accountId = await accountFor(claims);
      if (accountId === null) throw new LiveplaneError("Unauthenticated", "There is no account for this token.");
      const scopes = scopesFor?.(claims);
      const hasSecondFactor = secondFactorFor?.(claims) === true;
      return { accountId, hasSecondFactor, ...(scopes !== undefined && { scopes }) };
    },
  };
}

/** Options of an issuer of pipeline tokens. */
export interface PipelineIssuerOptions
  extends Pick<ExternalIssuerOptions, "issuer" | "audience" | "jwksUrl" | "algorithms" | "timeoutMs" | "now"> {}

/** A pipeline gets its token right before it uses it, so an older one was left lying around. */
const longestAgeSeconds = 3600;
/** The allowed difference between two machines' clocks. */
const toleranceSeconds = 30;

/** Verifies the OpenID tokens that a CI issues to its pipelines: only for this service, and at most an hour old. */
export async function pipelineIssuer(options: PipelineIssuerOptions): Promise<PipelineIssuer> {
  const { issuer, audience, algorithms = defaultAlgorithms, now = Date.now } = options;
  requireAsymmetric(algorithms);
  const jose = await loadJose();
  const keys = createKeys(jose, options);
  const expected = {
    ...{ issuer, audience, algorithms: [...algorithms], requiredClaims: ["exp", "iat", "sub"] },
    ...{ maxTokenAge: longestAgeSeconds, clockTolerance: toleranceSeconds },
  };

  async function claimsOf(token: string): Promise<JWTPayload> {
    try {
      return (await jose.jwtVerify(token, keys, { ...expected, currentDate: new Date(now()) })).payload;
    } catch (error) {
      if (error instanceof LiveplaneError) throw error;
      throw new LiveplaneError("Unauthenticated", faultOf(jose, error));
    }
  }

  return {
    issuer,
    async verify(token) {
      const { aud, sub, exp = 0, iat = 0 } = await claimsOf(token);
      if (typeof sub !== "string") throw new LiveplaneError("Unauthenticated", "The token's subject must be a string.");
      // A token with several audiences could be presented by any of them.
      if ([aud].flat().some((one) => one !== audience)) throw new LiveplaneError("Unauthenticated", wrongAudience);
      const last = Math.min(exp, iat + longestAgeSeconds) + toleranceSeconds;
      return { subject: sub, goodUntil: last * 1000 };
    },
  };
}

const wrongAudience = "The token was issued for another audience.";

/** What is wrong, for whoever set up the pipeline. */
function faultOf({ errors }: typeof import("jose"), error: unknown): string {
  if (error instanceof errors.JWTExpired) return "The token has expired. Get a new one.";
  if (error instanceof errors.JWTClaimValidationFailed && error.claim === "aud") return wrongAudience;
  return "The token is not valid.";
}

/** With a symmetric algorithm, anyone who knows the public key could sign. */
function requireAsymmetric(algorithms: readonly string[]): void {
  const wrong = algorithms.some((name) => name === "none" || name.startsWith("HS"));
  if (wrong || algorithms.length === 0) {
    throw new LiveplaneError("ConfigurationInvalid", "algorithms must be asymmetric, such as RS256 or EdDSA.");
  }
}

function claimedIssuer({ decodeJwt }: typeof import("jose"), token: string): unknown {
  try {
    return decodeJwt(token).iss;
  } catch {
    return null;
  }
}

/** The issuer's keys. A failure to fetch them says nothing about the token, so the caller may retry. */
function createKeys(
  jose: typeof import("jose"),
  { issuer, jwksUrl, timeoutMs = 5000 }: ExternalIssuerOptions,
): JWTVerifyGetKey {
  let set: Promise<JWTVerifyGetKey> | undefined;
  const find = async () => {
    const url = new URL(jwksUrl ?? (await discover(issuer, timeoutMs)));
    return jose.createRemoteJWKSet(url, { timeoutDuration: timeoutMs });
  };
  return async (header, input) => {
    try {
      set ??= find();
      return await (await set)(header, input);
    } catch (cause) {
      if (cause instanceof jose.errors.JWKSNoMatchingKey || cause instanceof jose.errors.JWKSMultipleMatchingKeys)
        throw cause;
      set = undefined;
      throw new LiveplaneError("Unavailable", "The keys of the token's issuer can't be fetched.", { cause });
    }
  };
}

async function discover(issuer: string, timeoutMs: number): Promise<string> {
  const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs), redirect: "error" });
  const found = response.ok ? ((await response.json()) as { issuer?: unknown; jwks_uri?: unknown }) : {};
  if (found.issuer === issuer && typeof found.jwks_uri === "string") return found.jwks_uri;
  throw new LiveplaneError("Unavailable", "The issuer's OpenID configuration is invalid.");
}

async function loadJose(): Promise<typeof import("jose")> {
  try {
    return await import("jose");
  } catch (cause) {
    throw new LiveplaneError("ConfigurationInvalid", "External tokens need the package jose: npm install jose@6", {
      cause,
    });
  }
}
