import type { TokenRequest, TokenResponse } from "../contract/account-schemas.ts";
import type { Call, Handlers } from "../contract/handler.ts";
import type { EnvironmentRef, Scope } from "../contract/target.ts";
import { LiveplaneError } from "../errors.ts";
import type { Settings } from "../host.ts";
import type { TokenSigner } from "../ports/identity.ts";
import type { Runtime } from "../ports/runtime.ts";
import type { Records } from "../records/records.ts";
import { accounts } from "./account-record.ts";
import type { ServiceAccountCredentials, ServiceIdentity } from "./service-accounts.ts";
import { type GivenTokens, personScopes, type Sessions } from "./sessions.ts";
import type { SigningKeys } from "./signing-keys.ts";

/** What tokens need. */
export interface TokensDeps {
  readonly records: Records;
  readonly runtime: Runtime;
  readonly settings: Pick<Settings, "issuer" | "audience" | "accessTokenSeconds">;
  readonly signer: TokenSigner;
  readonly keys: SigningKeys;
  readonly sessions: Pick<Sessions, "begin" | "refresh" | "revoke">;
  readonly credentials: Pick<ServiceAccountCredentials, "judge" | "use">;
  /** The role of a service account in an environment, and whether it may act. */
  readonly role: (environment: EnvironmentRef, principalId: string) => Promise<{ readonly active: boolean } | null>;
  /** Whether an organization is live and not suspended. */
  readonly organizationActs: (organizationId: string) => Promise<boolean>;
}

const roleScopes: readonly Scope[] = ["environments", "livesystems"];

/** Creates the service of tokens, in the words of RFC 6749 and RFC 7009. */
export function createTokens(deps: TokensDeps): { readonly handlers: Handlers<"tokens"> } {
  const { records, sessions, settings, credentials, keys } = deps;

  async function clientCredentials({ body, cause, from }: Call<"tokens.create">): Promise<GivenTokens> {
    const identity = await credentials.judge(body.client_id?.toLowerCase() ?? "", body.client_secret ?? "");
    if (identity === null) throw new LiveplaneError("InvalidCredentials", "The client's id or secret is wrong.", { details: { error: "invalid_client" } });
    await requireActing(identity);
    const scopes = narrowed(identity.environment === null ? personScopes : roleScopes, body.scope);
    return records.change({ ...cause, actor: identity.principalId }, async (change) => {
      if (!(await credentials.use(change, identity))) throw new LiveplaneError("InvalidCredentials", undefined, { details: { error: "invalid_client" } });
      const { principalId, environment, secretId } = identity;
      return sessions.begin(change, from, { principalId, kind: "serviceAccount", environment, secretId, scopes, epoch: 0 });
    });
  }

  async function requireActing({ principalId, environment, owner }: ServiceIdentity): Promise<void> {
    const acts = environment !== null ? (await deps.role(environment, principalId))?.active === true : await ownerActs(owner);
    if (!acts) throw new LiveplaneError("ServiceAccountDisabled", undefined, { details: { error: "unauthorized_client" } });
  }

  async function ownerActs({ type, id }: ServiceIdentity["owner"]): Promise<boolean> {
    return type === "Account" ? (await records.get(accounts, [id]))?.status === "Active" : deps.organizationActs(id);
  }

  function narrowed(all: readonly Scope[], asked: string | undefined): readonly Scope[] {
    if (asked === undefined || asked.trim() === "") return all;
    const wanted = asked.trim().split(/\s+/);
    if (wanted.every((scope) => all.includes(scope as Scope))) return wanted as Scope[];
    throw refusedGrant("invalid_scope", "A scope was asked for that can't be given.");
  }

  async function refresh({ body, cause }: Call<"tokens.create">): Promise<GivenTokens> {
    if (body.refresh_token === undefined) throw refusedGrant("invalid_request", "refresh_token is required.");
    return sessions.refresh(cause, body.refresh_token);
  }

  async function sessionOf(token: string): Promise<string | null> {
    if (token.split(".").length === 2) return token.split(".")[0] ?? null;
    const { issuer, audience } = settings;
    try {
      const claims = await deps.signer.verify(token, { keys: await keys.published(), issuer, audience, now: 0 });
      return claims.sid;
    } catch {
      return null;
    }
  }

  return {
    handlers: {
      async "tokens.create"(call) {
        const grant: Record<TokenRequest["grant_type"], () => Promise<GivenTokens>> = {
          refresh_token: () => refresh(call),
          client_credentials: () => clientCredentials(call),
        };
        const { accessToken, refreshToken, scopes } = await grant[call.body.grant_type]();
        const value: TokenResponse = {
          access_token: accessToken,
          token_type: "Bearer",
          expires_in: settings.accessTokenSeconds,
          scope: scopes.join(" "),
          ...(refreshToken !== null && { refresh_token: refreshToken }),
        };
        return { value };
      },
      async "tokens.revoke"({ body, cause }) {
        const sessionId = await sessionOf(body.token);
        if (sessionId !== null) await sessions.revoke(cause, sessionId);
        return { value: true };
      },
      async "tokens.keys"() {
        return { value: { keys: (await keys.published()).map((key) => ({ ...key })) } };
      },
    },
  };
}

function refusedGrant(error: string, detail: string): LiveplaneError {
  return new LiveplaneError("InvalidCredentials", detail, { status: 400, details: { error } });
}
