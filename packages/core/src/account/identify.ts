import type { Operation } from "../contract/row.ts";
import type { Actor, Scope } from "../contract/target.ts";
import { toHex, utf8 } from "../encoding.ts";
import { LiveplaneError } from "../errors.ts";
import type { Settings } from "../host.ts";
import type { ExternalVerifier, TokenClaims, TokenSigner } from "../ports/identity.ts";
import type { Runtime } from "../ports/runtime.ts";
import type { Records } from "../records/records.ts";
import type { Access, Caller } from "./access.ts";
import { accounts } from "./account-record.ts";
import type { ServiceAccountCredentials } from "./service-accounts.ts";
import { type SessionRecord, sessions } from "./sessions.ts";
import type { SigningKeys } from "./signing-keys.ts";

/** What telling who calls takes. */
export interface IdentifyDeps {
  readonly records: Records;
  readonly runtime: Runtime;
  readonly settings: Pick<Settings, "issuer" | "audience">;
  readonly signer: TokenSigner;
  readonly keys: SigningKeys;
  readonly credentials: Pick<ServiceAccountCredentials, "isAlive" | "ownerOf">;
  readonly organizationActs: (organizationId: string) => Promise<boolean>;
  readonly externalVerifier?: ExternalVerifier;
}

/** What somebody whose password must change may still do. */
const beforePasswordChange: ReadonlySet<string> = new Set(["accounts.changePassword", "sessions.delete"]);
const mostRemembered = 10_000;

/** Builds the function that turns a credential into an actor. */
export function createIdentify(deps: IdentifyDeps): Access["identify"] {
  const { records, runtime, settings, signer, keys, credentials } = deps;
  /** Verified tokens by their digest: verifying a signature costs more than all the rest of a request. */
  const verified = new Map<string, TokenClaims>();

  async function claimsOf(token: string): Promise<TokenClaims> {
    const digest = toHex(await runtime.crypto.digest(utf8(token)));
    const now = runtime.clock.now();
    const known = verified.get(digest);
    if (known !== undefined && known.exp * 1000 > now) return known;
    const { issuer, audience } = settings;
    const claims = await signer.verify(token, { keys: await keys.published(), issuer, audience, now });
    if (verified.size >= mostRemembered) verified.clear();
    verified.set(digest, claims);
    return claims;
  }

  async function fromToken(token: string, row: Operation): Promise<Actor> {
    const foreign = await deps.externalVerifier?.verify(token);
    if (foreign) return person(foreign.accountId, { scopes: foreign.scopes as readonly Scope[] | undefined, row });
    const claims = await claimsOf(token);
    const session = await records.get(sessions, [claims.sid]);
    if (session === null || session.principalId !== claims.sub) throw new LiveplaneError("TokenRevoked");
    if (session.kind === "serviceAccount") return serviceAccount(session);
    return person(session.principalId, { session, scopes: session.scopes, row });
  }

  async function person(accountId: string, { session, scopes, row }: { session?: SessionRecord; scopes?: readonly Scope[] | undefined; row: Operation }): Promise<Actor> {
    const account = await records.get(accounts, [accountId]);
    if (account?.status !== "Active" || (session !== undefined && session.epoch !== account.sessionEpoch)) throw new LiveplaneError("TokenRevoked");
    if (account.forcePasswordChange && session !== undefined && !beforePasswordChange.has(row.id)) throw new LiveplaneError("PasswordChangeRequired");
    return { kind: "account", accountId, ...(session && { sessionId: session.id }), ...(scopes && { scopes }) };
  }

  async function serviceAccount({ id, principalId, environment, secretId, scopes }: SessionRecord): Promise<Actor> {
    if (secretId === null || !(await credentials.isAlive(records, { principalId, environment, secretId }))) throw new LiveplaneError("TokenRevoked");
    if (environment === null) await requireOwner(principalId);
    return { kind: "serviceAccount", principalId, sessionId: id, scopes, ...(environment !== null && { environment }) };
  }

  async function requireOwner(principalId: string): Promise<void> {
    const owner = await credentials.ownerOf(records, principalId);
    if (owner === null) throw new LiveplaneError("TokenRevoked");
    const acts = owner.type === "Account" ? (await records.get(accounts, [owner.id]))?.status === "Active" : await deps.organizationActs(owner.id);
    if (!acts) throw new LiveplaneError("ServiceAccountDisabled");
  }

  return async (caller: Caller, row: Operation): Promise<Actor> => {
    const who = "who" in row.access ? row.access.who : "principal";
    if (caller.kind !== "bearer") {
      const known = caller.kind !== "anonymous" || who === "anyone";
      if (!known) throw new LiveplaneError("Unauthenticated", "Send a bearer token.");
      return caller;
    }
    if (who === "challenge") return { kind: "challenge", credential: caller.token };
    if (who !== "anyone") return fromToken(caller.token, row);
    try {
      return await fromToken(caller.token, row);
    } catch (error) {
      if (row.id === "accounts.createWithCredentials") throw error;
      return { kind: "anonymous" };
    }
  };
}
