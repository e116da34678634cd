import type { Call, Handlers } from "../contract/handler.ts";
import { invalid } from "../contract/invalid.ts";
import type { TokenRequest, TokenResponse } from "../contract/schemas/account-schemas.ts";
import type { TokenScope } from "../contract/target.ts";
import { LiveplaneError } from "../errors.ts";
import { accounts } from "../identity/account-record.ts";
import type { Cause } from "../records/records.ts";
import type { Services } from "../services.ts";
import { personScopes } from "./person-session.ts";
import type { ServiceIdentity } from "./service-accounts.ts";
import type { GivenTokens } from "./session-record.ts";
import type { Sessions } from "./sessions.ts";

/** The names in RFC 8693 for a token exchange and the exchanged token. */
const exchange = "urn:ietf:params:oauth:grant-type:token-exchange";
const tokenType = "urn:ietf:params:oauth:token-type:";

const roleScopes: readonly TokenScope[] = ["environments", "livesystems"];

/** Creates the token handlers, in terms of RFC 6749 and RFC 7009. */
export function createTokens(
  deps: Pick<
    Services,
    "records" | "settings" | "signer" | "keys" | "credentials" | "identities" | "organizationActs" | "scopes"
  > & {
    readonly sessions: Pick<Sessions, "begin" | "refresh" | "revoke" | "revokeByRefreshToken">;
  },
): Handlers<"tokens"> {
  const { records, sessions, settings, credentials, identities, keys, signer } = deps;

  async function clientCredentials({ body, cause, from }: Call<"tokens.create">): Promise<GivenTokens> {
    const identity = await credentials.judge(body.client_id?.toLowerCase() ?? "", body.client_secret ?? "");
    if (identity === null) throw wrongClient();
    await requireActing(identity);
    const { principalId, environment, secretId } = identity;
    const scopes = narrowed(environment === null ? personScopes : roleScopes, body.scope);
    return records.change({ ...cause, actor: principalId }, async (change) => {
      if (!(await credentials.use(change, identity))) throw wrongClient();
      const session = { principalId, kind: "serviceAccount", environment, secretId, scopes, epoch: 0 } as const;
      return sessions.begin(change, from, { ...session, signedInBy: "secret" });
    });
  }

  /** Exchanges a pipeline's token for one of the service account that trusts it (RFC 8693). */
  async function exchanged({ body, cause, from }: Call<"tokens.create">): Promise<GivenTokens> {
    const { subject_token: token, client_id: clientId, environment } = body;
    if (token === undefined) throw missing("subject_token");
    if (clientId === undefined) throw missing("client_id");
    if (body.subject_token_type === undefined) throw missing("subject_token_type");
    const identity = await identities.judge({ principalId: clientId.toLowerCase(), environment, token });
    await requireActing(identity);
    const { principalId, environment: place, secretId } = identity;
    const scopes = narrowed(roleScopes, body.scope);
    return records.change({ ...cause, actor: principalId }, async (change) => {
      await identities.use(change, identity);
      const session = { principalId, kind: "serviceAccount", environment: place, secretId, scopes, epoch: 0 } as const;
      return sessions.begin(change, from, { ...session, signedInBy: "pipeline" });
    });
  }

  async function requireActing({ principalId, environment, owner }: ServiceIdentity): Promise<void> {
    const inRole = environment === null || (await deps.scopes.role(environment, principalId))?.active === true;
    const acts = inRole && (await ownerActs(owner));
    if (acts) return;
    const detail = "The service account is disabled.";
    throw new LiveplaneError("ServiceAccountDisabled", detail, { details: { error: "unauthorized_client" } });
  }

  async function ownerActs({ type, id }: ServiceIdentity["owner"]): Promise<boolean> {
    if (type === "Account") return (await records.get(accounts, [id]))?.status === "Active";
    return deps.organizationActs(id);
  }

  async function refreshed({ body, cause }: Call<"tokens.create">): Promise<GivenTokens> {
    if (body.refresh_token === undefined) throw missing("refresh_token");
    const given = await sessions.refresh(cause, body.refresh_token);
    if (given !== null) return given;
    const detail = "The refresh token is invalid. Sign in again.";
    throw new LiveplaneError("InvalidCredentials", detail, { status: 400, details: { error: "invalid_grant" } });
  }

  function grant(call: Call<"tokens.create">): Promise<GivenTokens> {
    const type: TokenRequest["grant_type"] = call.body.grant_type;
    switch (type) {
      case "refresh_token":
        return refreshed(call);
      case "client_credentials":
        return clientCredentials(call);
      case exchange:
        return exchanged(call);
    }
  }

  /** Ends the session of an access token, even of an expired one, whose holder may still want to end it. */
  async function revokeByAccessToken(cause: Cause, token: string): Promise<void> {
    const { issuer, audience } = settings;
    const expected = { keys: await keys.published(), issuer, audience, now: 0 };
    const claims = await signer.verify(token, expected).catch(() => null);
    if (claims !== null) await sessions.revoke(cause, claims.sid);
  }

  return {
    "tokens.create": async (call) => {
      const { accessToken, refreshToken, scopes } = await grant(call);
      const value: TokenResponse = {
        access_token: accessToken,
        token_type: "Bearer",
        expires_in: settings.accessTokenSeconds,
        scope: scopes.join(" "),
        ...(refreshToken !== null && { refresh_token: refreshToken }),
        ...(call.body.grant_type === exchange && { issued_token_type: `${tokenType}access_token` as const }),
      };
      return { value };
    },
    "tokens.revoke": async ({ body: { token }, cause }) => {
      const isAccessToken = token.split(".").length === 3;
      await (isAccessToken ? revokeByAccessToken(cause, token) : sessions.revokeByRefreshToken(cause, token));
      return { value: true };
    },
    "tokens.keys": async () => {
      return { value: { keys: (await keys.published()).map((key) => ({ ...key })) } };
    },
  };
}

function narrowed(all: readonly TokenScope[], asked = ""): readonly TokenScope[] {
  const wanted = asked.split(" ").filter(Boolean);
  if (wanted.length === 0) return all;
  const given = all.filter((scope) => wanted.includes(scope));
  if (wanted.every((scope) => given.some((one) => one === scope))) return given;
  const detail = "The requested scope can't be granted to this client.";
  const errors = [{ pointer: "#/scope", code: "Enum", detail }] as const;
  throw new LiveplaneError("ValidationFailed", detail, { details: { errors, error: "invalid_scope" } });
}

function missing(member: string): LiveplaneError {
  return invalid([{ pointer: `#/${member}`, code: "Required", detail: "This grant type requires it." }]);
}

function wrongClient(): LiveplaneError {
  const detail = "The client ID or secret is wrong.";
  return new LiveplaneError("InvalidCredentials", detail, { details: { error: "invalid_client" } });
}
