import type { Operation } from "../contract/row.ts";
import type { Actor, TokenScope } from "../contract/target.ts";
import { isLiveplaneError, LiveplaneError } from "../errors.ts";
import { type AccountRecord, accounts } from "../identity/account-record.ts";
import { isOperatorAccount, lacksFactor } from "../permissions/actors.ts";
import { authorizations } from "../permissions/grants.ts";
import type { ExternalVerifier, TokenClaims } from "../ports/identity.ts";
import type { Services } from "../services.ts";
import { freshMs, type SessionRecord, sessions } from "../sessions/session-record.ts";
import type { Settings } from "../settings.ts";
import { subscriptions } from "../tenancy/subscription-record.ts";
import type { Access, Caller } from "./access.ts";
import { effectOf, targetOf } from "./access-targets.ts";

/** Creates the function that turns a credential into an actor. */
export function createIdentify(
  deps: Pick<
    Services,
    | "records"
    | "runtime"
    | "settings"
    | "signer"
    | "keys"
    | "externalVerifier"
    | "credentials"
    | "organizationActs"
    | "scopes"
  >,
): Access["identify"] {
  const { records, settings, credentials, externalVerifier } = deps;
  const claimsOf = createTokenMemory(deps);

  async function fromToken(token: string, row: Operation, input: Foreseen): Promise<Actor> {
    const foreign = externalVerifier && (await externalVerifier.verify(token));
    if (foreign) return fromElsewhere(foreign);
    const { sid, sub } = claimsOf.known(token) ?? (await claimsOf.verified(token));
    foresee(deps, { row, input, sessionId: sid }).catch(() => {});
    const pair = await records.getPair([sessions, [sid]], [accounts, [sub]]);
    const session = pair[0];
    if (session === null || session.principalId !== sub) throw new LiveplaneError("TokenRevoked");
    return session.kind === "account"
      ? person(session, pair[1], { row, now: deps.runtime.clock.now() })
      : serviceAccount(session);
  }

  /** A sign-in at another issuer: local passwords and sessions don't apply. */
  async function fromElsewhere({
    accountId,
    scopes,
    hasSecondFactor = false,
  }: Exclude<Awaited<ReturnType<ExternalVerifier["verify"]>>, null>): Promise<Actor> {
    const account = await records.get(accounts, [accountId]);
    if (account?.status !== "Active") throw new LiveplaneError("TokenRevoked");
    return { kind: "account", accountId, hasSecondFactor, ...(scopes && { scopes: scopes as readonly TokenScope[] }) };
  }

  async function serviceAccount({ id, principalId, environment, secretId, scopes }: SessionRecord): Promise<Actor> {
    const alive = secretId !== null && (await credentials.isAlive(records, { principalId, environment, secretId }));
    if (!alive) throw new LiveplaneError("TokenRevoked");
    await requireOwner(principalId);
    const own = { kind: "serviceAccount", principalId, sessionId: id, scopes } as const;
    return environment === null ? own : { ...own, environment };
  }

  async function requireOwner(principalId: string): Promise<void> {
    const owner = await credentials.ownerOf(records, principalId);
    if (owner === null) throw new LiveplaneError("TokenRevoked");
    const account = owner.type === "Account" ? await records.get(accounts, [owner.id]) : null;
    const acts = owner.type === "Account" ? account?.status === "Active" : await deps.organizationActs(owner.id);
    if (!acts) throw new LiveplaneError("ServiceAccountDisabled");
  }

  /** Where anybody may call, an invalid credential counts as none. */
  async function fromOptionalToken(token: string, row: Operation, input: Foreseen): Promise<Actor> {
    try {
      return await fromToken(token, row, input);
    } catch (error) {
      const isRegistration = "registers" in row.access;
      const counts =
        isRegistration && (!settings.openRegistration || isLiveplaneError(error, "PasswordChangeRequired"));
      if (counts) throw error;
      return { kind: "anonymous" };
    }
  }

  function fromBearer(token: string, row: Operation, input: Foreseen): Promise<Actor> {
    const who = "who" in row.access ? row.access.who : "principal";
    if (who === "challenge") return Promise.resolve({ kind: "challenge", credential: token });
    return who === "anyone" ? fromOptionalToken(token, row, input) : fromToken(token, row, input);
  }

  function identified(caller: Caller, row: Operation, input: Foreseen): Promise<Actor> {
    if (caller.kind === "bearer") return fromBearer(caller.token, row, input);
    const isOpen = "who" in row.access && row.access.who === "anyone";
    if (caller.kind !== "anonymous" || isOpen) return Promise.resolve(caller);
    const detail =
      "This call needs a token. Give the client a token or credentials, or send the header Authorization: Bearer <token>.";
    return Promise.reject(new LiveplaneError("Unauthenticated", detail));
  }

  return async (caller, row, input) => {
    const actor = await identified(caller, row, input);
    if (row.beforeSecondFactor === true || row.withoutSecondFactor === true || !isShortOfFactor(actor, settings))
      return actor;
    if ("who" in row.access && row.access.who === "anyone") return { kind: "anonymous" };
    throw new LiveplaneError("SecondFactorRequired", addsOne);
  };
}

type Foreseen = Parameters<Access["identify"]>[2];

/**
 * Begins to read what decides about the environment in the path, and what the same call of this session has read last time, so that the store is
 * asked for it together with the session.
 */
async function foresee(
  { scopes }: Pick<Services, "scopes">,
  { row, input, sessionId }: { readonly row: Operation; readonly input: Foreseen; readonly sessionId: string },
): Promise<void> {
  input?.reader?.readAhead(sessionId);
  if (input?.reader === undefined || !("on" in row.access)) return;
  const { params, reader } = input;
  const target = targetOf(row.access.on, params);
  if (target?.kind !== "environment") return;
  const { type, ownerId } = target;
  await Promise.all([
    scopes.environment(target, reader),
    type === "Organizational" && reader.get(authorizations, [ownerId]),
    type === "Personal" && effectOf(row) === "writes" && reader.find(subscriptions, "account", [ownerId]),
  ]);
}

const addsOne =
  "This server requires a second factor, and you signed in without one. Add a passkey or an authenticator app to your account, then sign in with it.";

/** Whether the installation requires a second factor of a person who signed in without one. */
function isShortOfFactor(actor: Actor, settings: Pick<Settings, "requireSecondFactor" | "operators">): boolean {
  const requiresSecondFactor =
    settings.requireSecondFactor === "everybody" ||
    (settings.requireSecondFactor === "operators" && isOperatorAccount(actor, settings));
  return lacksFactor(actor, { requiresSecondFactor });
}

function person(
  session: SessionRecord,
  account: AccountRecord | null,
  { row, now }: { readonly row: Operation; readonly now: number },
): Actor {
  if (account?.status !== "Active" || session.epoch !== account.sessionEpoch) throw new LiveplaneError("TokenRevoked");
  if (session.secondFactor === "needed" && row.beforeSecondFactor !== true) throw secondFactorRequired();
  if (account.forcePasswordChange && row.beforePasswordChange !== true)
    throw new LiveplaneError("PasswordChangeRequired");
  // An unattended session must not become a permanent way in.
  if (row.fresh === true && !isFresh(session, now)) throw signInNotFresh();
  const { id: sessionId, scopes, secondFactor } = session;
  const hasSecondFactor = secondFactor !== undefined && secondFactor !== "needed";
  return { kind: "account", accountId: account.id, sessionId, scopes, hasSecondFactor };
}

/** A session that began at an issuer is as old as the sign-in there: without one that is known, it isn't fresh. */
function isFresh({ authenticatedAt }: SessionRecord, now: number): boolean {
  return authenticatedAt !== null && now - authenticatedAt <= freshMs;
}

function secondFactorRequired(): LiveplaneError {
  return new LiveplaneError(
    "SecondFactorRequired",
    "This sign-in isn't complete. Send a code of your authenticator app, or a recovery code, to POST /auth/sessions/second-factor.",
  );
}

function signInNotFresh(): LiveplaneError {
  return new LiveplaneError("SignInNotFresh", "You must have signed in within the last ten minutes. Sign in again.");
}

const mostRemembered = 10_000;

/**
 * Verifies tokens and remembers the valid ones until they expire, because verifying a signature costs more than the rest of a request. Only
 * a process that also holds the signing keys keeps them. They are found by their signature, which is cheaper than hashing the whole token.
 */
function createTokenMemory({
  runtime,
  settings,
  signer,
  keys,
}: Pick<Services, "runtime" | "settings" | "signer" | "keys">) {
  const verified = new Map<string, { readonly token: string; readonly claims: TokenClaims }>();
  return {
    known(token: string): TokenClaims | null {
      const found = verified.get(signatureOf(token));
      if (found === undefined || found.token !== token) return null;
      return found.claims.exp * 1000 > runtime.clock.now() ? found.claims : null;
    },
    async verified(token: string): Promise<TokenClaims> {
      const now = runtime.clock.now();
      const { issuer, audience } = settings;
      const claims = await signer.verify(token, { keys: await keys.published(), issuer, audience, now });
      const [oldest] = verified.keys();
      if (verified.size >= mostRemembered && oldest !== undefined) verified.delete(oldest);
      verified.set(signatureOf(token), { token, claims });
      return claims;
    },
  };
}

const signatureOf = (token: string) => token.slice(token.lastIndexOf(".") + 1);
