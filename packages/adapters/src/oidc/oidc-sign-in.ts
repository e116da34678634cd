import type { IdentityProfile, IssuerRequest, ProvenIdentity, SignInIssuer } from "@liveplane/core";
import { isLiveplaneError, LiveplaneError } from "@liveplane/core/errors";
import type { JWTVerifyGetKey } from "jose";
import type { Configuration, IDToken, TokenEndpointResponse } from "openid-client";
import { issuerUrl, loadClient, oidcConfigurations } from "./oidc-client.ts";
import { failureCode, isServerError, isTimeout, reasonOf, whileWanted } from "./oidc-failures.ts";

/** Options of sign-in at an OpenID provider. */
export interface OidcSignInOptions {
  /** The provider's issuer, exactly as the provider writes it. */
  readonly issuer: string;
  readonly clientId: string;
  /** Without one, the client is public and protected only by PKCE. */
  readonly clientSecret?: string;
  /** The requested scope. @default "openid email profile" */
  readonly scope?: string;
  /** Values of `acr` that prove a second factor. The provider is asked for them, in this order. @default none */
  readonly acrValues?: readonly string[];
  /** Values of `amr` that prove a second factor, such as `mfa`. @default none */
  readonly amrValues?: readonly string[];
  /** How long each request may take. @default 10000 */
  readonly timeoutMs?: number;
  /** What the time is. @default Date.now */
  readonly now?: () => number;
}

/** Only asymmetric ones: otherwise anyone who knows the client's secret could sign. */
const algorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];

/**
 * Signs people in at an OpenID provider by authorization code with PKCE, using openid-client; every ID token is verified with the
 * provider's published keys, using jose. The provider is first contacted when somebody signs in, so nothing else depends on it.
 *
 * @throws {ConfigurationInvalid} if the issuer isn't an https URL (or on this machine). {CapabilityMissing} if a package is missing.
 */
export async function oidcSignIn(options: OidcSignInOptions): Promise<SignInIssuer> {
  const {
    issuer,
    clientId,
    clientSecret,
    scope = "openid email profile",
    acrValues = [],
    amrValues = [],
    timeoutMs = 10_000,
    now = Date.now,
  } = options;
  issuerUrl(issuer, "issuer");
  const [client, jose] = [await loadClient(), await loadJose()];
  const secret = clientSecret === undefined ? {} : { clientSecret };
  const configurations = oidcConfigurations("issuer", { clientId, timeoutMs, ...secret });
  const keys = new WeakMap<Configuration, JWTVerifyGetKey>();

  /** Keys are fetched again for an unknown key, because a provider may sign with a new one at once. */
  function keysOf(configuration: Configuration): JWTVerifyGetKey {
    const { jwks_uri } = configuration.serverMetadata();
    if (jwks_uri === undefined) throw unavailable("The provider publishes no keys.", {});
    const found = keys.get(configuration);
    if (found !== undefined) return found;
    const made = jose.createRemoteJWKSet(new URL(jwks_uri), { timeoutDuration: timeoutMs, cooldownDuration: 0 });
    keys.set(configuration, made);
    return made;
  }

  async function verify(configuration: Configuration, token: string): Promise<void> {
    const { issuer: signer } = configuration.serverMetadata();
    const expected = { issuer: signer, audience: clientId, algorithms, currentDate: new Date(now()) };
    await jose.jwtVerify(token, keysOf(configuration), expected);
  }

  async function identityOf(configuration: Configuration, tokens: TokenEndpointResponse, claims: IDToken) {
    const { iss, sub } = claims;
    const asked = async () => {
      if (claims.email !== undefined || configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
      return client.fetchUserInfo(configuration, tokens.access_token, sub);
    };
    return {
      issuer: iss,
      subject: sub,
      hasSecondFactor: provesFactor(claims, { acrValues, amrValues }),
      authenticatedAt: typeof claims.auth_time === "number" ? claims.auth_time * 1000 : null,
      profile: ({ signal } = {}) => translated(client, jose, signal, async () => toProfile(await asked())),
    } satisfies ProvenIdentity;
  }

  return {
    issuer,
    begin: ({ redirectUri, state, nonce, codeVerifier, asksAgain, maxAgeSeconds }, { signal } = {}) =>
      translated(client, jose, signal, async () => {
        const configuration = await configurations.of(issuer);
        const url = client.buildAuthorizationUrl(configuration, {
          redirect_uri: redirectUri,
          scope,
          state,
          nonce,
          code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
          code_challenge_method: "S256",
          max_age: String(maxAgeSeconds),
          ...(asksAgain && { prompt: "login" }),
          ...(acrValues.length > 0 && { acr_values: acrValues.join(" ") }),
        });
        return url.href;
      }),
    complete: (request, query, { signal } = {}) =>
      translated(client, jose, signal, async () => {
        const configuration = await configurations.of(issuer);
        const tokens = await client.authorizationCodeGrant(configuration, cameBack(request, query), {
          pkceCodeVerifier: request.codeVerifier,
          expectedState: request.state,
          expectedNonce: request.nonce,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (claims === undefined || tokens.id_token === undefined) throw invalid("no_id_token");
        await verify(configuration, tokens.id_token);
        return identityOf(configuration, tokens, claims);
      }),
    signOut: (returnTo, { signal } = {}) =>
      translated(client, jose, signal, async () => {
        const configuration = await configurations.of(issuer);
        if (configuration.serverMetadata().end_session_endpoint === undefined) return null;
        return client.buildEndSessionUrl(configuration, { post_logout_redirect_uri: returnTo }).href;
      }),
  };
}

/** Whether a verified ID token contains one of these values. It must be exactly so: `acr` is a text, `amr` a list of texts. */
function provesFactor(
  { acr, amr }: Readonly<Record<string, unknown>>,
  { acrValues, amrValues }: { readonly acrValues: readonly string[]; readonly amrValues: readonly string[] },
): boolean {
  const methods: readonly unknown[] = Array.isArray(amr) ? amr : [];
  return acrValues.some((value) => value === acr) || amrValues.some((value) => methods.includes(value));
}

/** The URL that the browser returned to, as registered with the provider. */
function cameBack({ redirectUri }: IssuerRequest, query: URLSearchParams): URL {
  const url = new URL(redirectUri);
  url.search = query.toString();
  return url;
}

function toProfile(claims: Readonly<Record<string, unknown>>): IdentityProfile {
  const textOf = (name: string) => (typeof claims[name] === "string" ? claims[name] : null);
  return {
    email: textOf("email"),
    isEmailVerified: claims.email_verified === true,
    name: textOf("given_name"),
    surname: textOf("family_name"),
  };
}

/**
 * Turns failures into coded errors: a refusal or a foreign answer isn't a sign-in; an unavailable provider can be retried. The libraries'
 * own errors contain codes and tokens, and are not passed on.
 */
async function translated<T>(
  client: typeof import("openid-client"),
  jose: typeof import("jose"),
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await whileWanted(signal, work());
  } catch (error) {
    if (isLiveplaneError(error)) throw error;
    const why = reasonOf(error);
    if (error instanceof client.AuthorizationResponseError) throw invalid(why.reason);
    if (error instanceof client.ResponseBodyError)
      throw error.error === "invalid_grant"
        ? invalid(why.reason)
        : unavailable("The provider rejected this server, not you. Contact an operator of this server.", why);
    if (isTimeout(error)) throw unavailable("The provider did not answer in time. Try again.", why);
    const isAnswered = error instanceof jose.errors.JOSEError || failureCode(error)?.startsWith("OAUTH_") === true;
    if (isAnswered && !isServerError(error) && !unanswering.has(failureCode(error) ?? "")) throw invalid(why.reason);
    throw unavailable("The provider can't be reached or sent an invalid response. Try again.", why);
  }
}

/** Answers of a provider that is unavailable or misconfigured: an error page, other metadata, no keys. */
const unanswering: ReadonlySet<string> = new Set([
  "OAUTH_RESPONSE_IS_NOT_CONFORM",
  "OAUTH_RESPONSE_IS_NOT_JSON",
  "OAUTH_PARSE_ERROR",
  "OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED",
  "OAUTH_INVALID_SERVER_METADATA",
  "OAUTH_MISSING_SERVER_METADATA",
  "OAUTH_HTTP_REQUEST_FORBIDDEN",
  "OAUTH_WWW_AUTHENTICATE_CHALLENGE",
  "ERR_JOSE_GENERIC",
  "ERR_JWKS_TIMEOUT",
  "ERR_JWKS_INVALID",
]);

function invalid(reason: string | undefined): LiveplaneError {
  const said =
    reason === "access_denied" ? "You declined the sign-in at the provider." : "The provider's answer is not valid.";
  return new LiveplaneError("SignInInvalid", `${said} Start again.`, {
    details: reason === undefined ? {} : { reason },
  });
}

function unavailable(detail: string, details: { reason?: string }): LiveplaneError {
  return new LiveplaneError("Unavailable", detail, { details });
}

async function loadJose(): Promise<typeof import("jose")> {
  try {
    return await import("jose");
  } catch (cause) {
    const detail = "Signing in at an OpenID provider needs the package jose: npm install jose@6";
    throw new LiveplaneError("CapabilityMissing", detail, { cause });
  }
}
