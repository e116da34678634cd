import { type CloudCall, type CloudCredentials, isObject } from "@liveplane/core/clouds";
import { LiveplaneError } from "@liveplane/core/errors";
import { ask, grantOf, type TokenRequestOptions, tokenMemory } from "../cloud-http/token-requests.ts";

/** The part of an auth client of `google-auth-library`, or of a `GoogleAuth`, that is used. */
export interface GoogleAuthClient {
  /** A currently valid token from the library's cache; empty if it has none. */
  getAccessToken(): Promise<string | null | undefined | { readonly token?: string | null }>;
}

export interface GoogleTokensOptions extends TokenRequestOptions {
  readonly tokenUrl: string;
  /** Where another identity provider's token is exchanged for one of Google's. */
  readonly exchangeUrl: string;
  /** Where an identity that may impersonate a service account gets its token. */
  readonly impersonationUrl: string;
  readonly now: () => number;
  readonly authClient?: GoogleAuthClient;
}

/** Gives access tokens for Google Cloud. */
export interface GoogleTokens {
  /** Throws `ProviderCredentialsRejected` if there is none. */
  tokenFor(call: CloudCall, refused?: string): Promise<string>;
}

const scope = "https://www.googleapis.com/auth/cloud-platform";
const grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const assertionSeconds = 3600;

/** Gets tokens for service account keys (RFC 7523) and caches them while they are valid. */
export function googleTokens(options: GoogleTokensOptions): GoogleTokens {
  const { tokenUrl, exchangeUrl, impersonationUrl, now, authClient } = options;
  const remembered = tokenMemory(now);

  async function granted(credentials: CloudCredentials, call: CloudCall) {
    const key = keyOf(credentials);
    const form = new URLSearchParams({ grant_type: grantType, assertion: await assertion(key, tokenUrl, now()) });
    return grantOf(await ask(options, tokenUrl, { method: "POST", body: form }, call));
  }

  /** RFC 8693. Google looks up the provider by name; it isn't an address that is called. */
  async function exchanged({ name, impersonates, secret }: CloudCredentials, call: CloudCall) {
    const form = new URLSearchParams({
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      audience: `//iam.googleapis.com/${name}`,
      scope,
      requested_token_type: "urn:ietf:params:oauth:token-type:access_token",
      subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
      subject_token: secret?.reveal() ?? "",
    });
    const own = await grantOf(await ask(options, exchangeUrl, { method: "POST", body: form }, call));
    return impersonates === undefined ? own : impersonated(own.token, impersonates, call);
  }

  /** Google's own URL issues the token, whatever the caller sent. */
  async function impersonated(token: string, email: string, call: CloudCall) {
    const url = `${impersonationUrl}/v1/projects/-/serviceAccounts/${encodeURIComponent(email)}:generateAccessToken`;
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const answer = await ask(options, url, { method: "POST", headers, body: JSON.stringify({ scope: [scope] }) }, call);
    if (answer.status === 403 || answer.status === 404)
      throw new LiveplaneError(
        "ProviderCredentialsRejected",
        "The federated identity may not act as this service account. Grant it roles/iam.workloadIdentityUser there.",
      );
    const { accessToken, expireTime } = (await answer
      .clone()
      .json()
      .catch(() => ({}))) as Impersonation;
    if (!answer.ok || typeof accessToken !== "string") return grantOf(answer);
    return { token: accessToken, expiresIn: (Date.parse(String(expireTime)) - now()) / 1000 };
  }

  return {
    async tokenFor(call, refused) {
      const { credentials } = call;
      const { kind, name, impersonates, secret } = credentials;
      if (call.signal?.aborted) throw new LiveplaneError("Aborted", undefined, { cause: call.signal.reason });
      if (kind === "delegated" && secret !== null) return secret.reveal();
      if (kind === "serviceAccountKey" && secret !== null)
        return remembered({ for: name ?? "", secret: secret.reveal() }, () => granted(credentials, call), refused);
      if (kind === "federatedToken" && secret !== null)
        return remembered(
          { for: `${name} ${impersonates}`, secret: secret.reveal() },
          () => exchanged(credentials, call),
          refused,
        );
      if (kind === "workload" && authClient !== undefined) return ownToken(authClient);
      throw new LiveplaneError(
        "ProviderCredentialsRejected",
        "Google accepts only a service account key, a federated token, a person's sign-in or a workload identity.",
      );
    },
  };
}

interface Impersonation {
  readonly accessToken?: unknown;
  readonly expireTime?: unknown;
}

/** The host's own identity. Its library's errors may quote the credential, and are not passed on. */
async function ownToken(client: GoogleAuthClient): Promise<string> {
  try {
    const answer = await client.getAccessToken();
    const token = typeof answer === "string" ? answer : answer?.token;
    if (typeof token === "string" && token !== "") return token;
  } catch {
    // Reported below.
  }
  throw new LiveplaneError("ProviderCredentialsRejected", "The host's own identity could not get a token for Google.");
}

interface ServiceAccountKey {
  readonly email: string;
  readonly privateKey: string;
  readonly keyId: string | null;
}

/** Parses a Google key file. Its URLs are ignored: a key must not decide where it is sent. */
function keyOf({ name, secret }: CloudCredentials): ServiceAccountKey {
  const key = parsed(secret?.reveal() ?? "");
  const { client_email: ownEmail, private_key: privateKey, private_key_id: keyId } = isObject(key) ? key : {};
  const email = name ?? ownEmail;
  if (typeof email !== "string" || typeof privateKey !== "string") throw notAKey();
  return { email, privateKey, keyId: typeof keyId === "string" ? keyId : null };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A parser's error may quote the key.
    return null;
  }
}

async function assertion(key: ServiceAccountKey, audience: string, now: number): Promise<string> {
  const jose = await loadJose();
  const issuedAt = Math.floor(now / 1000);
  const privateKey = await jose.importPKCS8(key.privateKey, "RS256").catch(() => {
    throw notAKey();
  });
  return new jose.SignJWT({ scope })
    .setProtectedHeader({ alg: "RS256", typ: "JWT", ...(key.keyId !== null && { kid: key.keyId }) })
    .setIssuer(key.email)
    .setSubject(key.email)
    .setAudience(audience)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + assertionSeconds)
    .sign(privateKey);
}

function notAKey(): LiveplaneError {
  return new LiveplaneError("ProviderCredentialsRejected", "This isn't a service account key as issued by Google.");
}

async function loadJose(): Promise<typeof import("jose")> {
  try {
    return await import("jose");
  } catch (cause) {
    throw new LiveplaneError("CapabilityMissing", "googleCloud needs the package jose: npm install jose@6", { cause });
  }
}
