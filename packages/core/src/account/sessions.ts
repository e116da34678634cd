import type { Session, TokenSet } from "../contract/account-schemas.ts";
import type { CallerFacts, Handlers } from "../contract/handler.ts";
import { type Actor, actorName, type EnvironmentRef, type Scope } from "../contract/target.ts";
import { toBase64Url, toHex, utf8 } from "../encoding.ts";
import { LiveplaneError } from "../errors.ts";
import type { Settings } from "../host.ts";
import type { PasswordHasher, TokenSigner } from "../ports/identity.ts";
import type { Runtime } from "../ports/runtime.ts";
import { collection } from "../records/collection.ts";
import type { Pages } from "../records/pages.ts";
import type { Cause, Change, Records, Stored } from "../records/records.ts";
import { type AccountRecord, accounts, findBySignIn } from "./account-record.ts";
import type { Lockout } from "./lockout.ts";
import { createVerifier, refusedSignIn } from "./passwords.ts";
import type { SigningKeys } from "./signing-keys.ts";

/** A session: a family of tokens that live and end together. */
export interface SessionRecord {
  readonly id: string;
  /** An account's id or a service account's. */
  readonly principalId: string;
  readonly kind: "account" | "serviceAccount";
  readonly environment: EnvironmentRef | null;
  readonly secretId: string | null;
  readonly scopes: readonly Scope[];
  readonly epoch: number;
  /** The digest of the one refresh token that is good now; `null`: there is none to refresh with. */
  readonly refreshDigest: string | null;
  readonly userAgent: string | null;
  readonly createdAt: string;
  readonly lastUsedAt: string;
  readonly idleUntil: number;
  readonly absoluteUntil: number;
}

/** All sessions that have not ended. */
export const sessions = collection<SessionRecord>()("session", {
  key: ({ id }) => [id],
  indexes: { byPrincipal: ({ principalId, createdAt }) => [[principalId, createdAt]] },
});

/** What sessions need. */
export interface SessionsDeps {
  readonly records: Records;
  readonly pages: Pages;
  readonly runtime: Runtime;
  readonly settings: Settings;
  readonly hasher: PasswordHasher;
  readonly signer: TokenSigner;
  readonly keys: SigningKeys;
  readonly lockout: Lockout;
}

/** What a session gives out. */
export interface GivenTokens {
  readonly accessToken: string;
  readonly refreshToken: string | null;
  readonly scopes: readonly Scope[];
}

/** Sessions of people and of service accounts. */
export interface Sessions {
  readonly handlers: Handlers<"sessions">;
  /** Begins one, and gives its tokens. */
  begin(change: Change, from: CallerFacts, session: Pick<SessionRecord, "principalId" | "kind" | "environment" | "secretId" | "scopes" | "epoch">): Promise<GivenTokens>;
  /** Rotates a refresh token; one that was used before ends the family. Throws `InvalidCredentials`. */
  refresh(cause: Cause, refreshToken: string): Promise<GivenTokens>;
  /** Ends the session that a token belongs to, if any. */
  revoke(cause: Cause, sessionId: string): Promise<void>;
  /** Moves a session into its account's new epoch. */
  keep(change: Change, sessionId: string, epoch: number): Promise<void>;
}

/** Everything a person's session may be used for; `operator` besides, for those who are. */
export const personScopes: readonly Scope[] = ["accounts", "environments", "livesystems", "organizations", "subscriptions"];

/** Builds sessions over the records. */
export function createSessions(deps: SessionsDeps): Sessions {
  const { records, pages, runtime, settings, signer, keys, lockout } = deps;
  const { clock, crypto } = runtime;
  const verify = createVerifier(deps.hasher);
  const digestOf = async (text: string) => toHex(await crypto.digest(utf8(text)));

  async function accessToken({ id, principalId, kind, scopes }: SessionRecord): Promise<string> {
    const iat = Math.floor(clock.now() / 1000);
    const { issuer: iss, audience: aud, accessTokenSeconds } = settings;
    const claims = { iss, aud, sub: principalId, iat, exp: iat + accessTokenSeconds, jti: runtime.newId(), sid: id, scope: scopes.join(" "), pty: kind };
    return signer.sign(claims, await keys.current());
  }

  function emit(change: Change, type: string, { principalId, kind, id, environment }: SessionRecord): void {
    const about = environment !== null ? ({ kind: "environment", ...environment } as const) : ({ kind: "account", accountId: principalId } as const);
    change.emit({ type, subject: principalId, about, data: { sessionId: id, principal: kind } });
  }

  async function begin(change: Change, { userAgent }: CallerFacts, given: Parameters<Sessions["begin"]>[2]): Promise<GivenTokens> {
    const now = clock.now();
    const refreshToken = given.kind === "account" ? `${runtime.newId()}.${toBase64Url(crypto.random(32))}` : null;
    const absoluteUntil = now + (refreshToken === null ? settings.accessTokenSeconds : settings.refreshAbsoluteSeconds) * 1000;
    const session: SessionRecord = {
      ...given,
      id: refreshToken?.split(".")[0] ?? runtime.newId(),
      refreshDigest: refreshToken === null ? null : await digestOf(refreshToken),
      userAgent: userAgent === null ? null : [...userAgent].slice(0, 256).join(""),
      createdAt: new Date(now).toISOString(),
      lastUsedAt: new Date(now).toISOString(),
      idleUntil: Math.min(absoluteUntil, now + settings.refreshIdleSeconds * 1000),
      absoluteUntil,
    };
    change.put(sessions, session, { expiresAt: session.idleUntil + settings.accessTokenSeconds * 1000 });
    emit(change, "session.started", session);
    return { accessToken: await accessToken(session), refreshToken, scopes: session.scopes };
  }

  function end(change: Change, session: SessionRecord, type: "session.revoked" | "session.reuse_detected"): void {
    change.delete(sessions, [session.id]);
    emit(change, type, session);
  }

  /** The account that a name and a password open, after the same work for every name. */
  async function signIn(cause: Cause, username: string, password: string): Promise<Stored<AccountRecord>> {
    const known = await findBySignIn(records, username);
    const free = await lockout.take(known?.id ?? `nobody ${await digestOf(username)}`);
    const { matches, outdated } = await verify(known?.passwordHash ?? null, password);
    const opened = known !== null && free && matches && known.status !== "Registered" && known.status !== "Deleted";
    if (!opened) {
      await records.change(cause, (change) => {
        const about = known === null ? ({ kind: "installation" } as const) : ({ kind: "account", accountId: known.id } as const);
        change.emit({ type: "session.failed", subject: known?.id ?? "unknown", about });
      });
      throw refusedSignIn();
    }
    if (known.status === "Suspended") throw new LiveplaneError("AccountNotActive", "The account is suspended.");
    return outdated ? rehash(cause, known, password) : known;
  }

  /** The parameters of the hash were raised: today is the day to use them. */
  async function rehash(cause: Cause, known: Stored<AccountRecord>, password: string): Promise<Stored<AccountRecord>> {
    const passwordHash = await deps.hasher.hash(password);
    return records.change(cause, async (change) => {
      const now = await change.get(accounts, [known.id]);
      return now === null || now.passwordHash !== known.passwordHash ? known : change.put(accounts, { ...now, passwordHash });
    });
  }

  const handlers: Sessions["handlers"] = {
    async "sessions.create"({ body, cause, from }) {
      const known = await signIn(cause, body.username, body.password);
      const tokens = await records.change({ ...cause, actor: known.id }, async (change) => {
        const account = await change.get(accounts, [known.id]);
        if (account?.status !== "Active" || account.sessionEpoch !== known.sessionEpoch) throw refusedSignIn();
        await lockout.reset(change, account.id);
        const scopes: Scope[] = settings.operators.includes(account.id) ? [...personScopes, "operator"] : [...personScopes];
        return begin(change, from, { principalId: account.id, kind: "account", environment: null, secretId: null, scopes, epoch: account.sessionEpoch });
      });
      const value: TokenSet = {
        accessToken: tokens.accessToken,
        tokenType: "Bearer",
        expiresIn: settings.accessTokenSeconds,
        refreshToken: tokens.refreshToken ?? "",
        forcePasswordChange: known.forcePasswordChange,
      };
      return { value, made: true };
    },

    async "sessions.list"({ actor, query }) {
      const epoch = actor.kind === "account" ? (await records.get(accounts, [actor.accountId]))?.sessionEpoch : undefined;
      const page = await pages.page(
        (range) => records.list(sessions, { index: "byPrincipal", prefix: [actorName(actor)], ...range }),
        { ...query, bind: [actorName(actor), "sessions.list"] },
        (session) => epoch === undefined || session.epoch === epoch,
      );
      return { value: { ...page, items: page.items.map((session) => toSession(session, actor)) } };
    },

    async "sessions.delete"({ actor, params, cause }) {
      await records.change(cause, async (change) => {
        const session = await change.get(sessions, [params.sessionId]);
        if (session === null || session.principalId !== actorName(actor)) throw new LiveplaneError("NotFound");
        end(change, session, "session.revoked");
      });
      return { value: true };
    },
  };

  return {
    handlers,
    begin,
    async refresh(cause, refreshToken) {
      const digest = utf8(await digestOf(refreshToken));
      const rotated = await records.change(cause, async (change) => {
        const session = await change.get(sessions, [refreshToken.split(".")[0] ?? ""]);
        if (session === null || session.refreshDigest === null || session.idleUntil <= clock.now()) return null;
        const account = await change.get(accounts, [session.principalId]);
        if (account?.status !== "Active" || account.sessionEpoch !== session.epoch) return null;
        if (!crypto.equal(utf8(session.refreshDigest), digest)) return void end(change, session, "session.reuse_detected");
        return rotate(change, session);
      });
      if (!rotated) throw new LiveplaneError("InvalidCredentials", "The refresh token is not valid.", { status: 400, details: { error: "invalid_grant" } });
      return rotated;
    },
    async revoke(cause, sessionId) {
      await records.change(cause, async (change) => {
        const session = await change.get(sessions, [sessionId]);
        if (session !== null) end(change, session, "session.revoked");
      });
    },
    async keep(change, sessionId, epoch) {
      const session = await change.get(sessions, [sessionId]);
      if (session !== null) change.put(sessions, { ...session, epoch }, { expiresAt: session.idleUntil + settings.accessTokenSeconds * 1000 });
    },
  };

  async function rotate(change: Change, session: SessionRecord): Promise<GivenTokens> {
    const now = clock.now();
    const refreshToken = `${session.id}.${toBase64Url(crypto.random(32))}`;
    const idleUntil = Math.min(session.absoluteUntil, now + settings.refreshIdleSeconds * 1000);
    const next = { ...session, refreshDigest: await digestOf(refreshToken), lastUsedAt: new Date(now).toISOString(), idleUntil };
    change.put(sessions, next, { expiresAt: idleUntil + settings.accessTokenSeconds * 1000 });
    return { accessToken: await accessToken(next), refreshToken, scopes: next.scopes };
  }
}

function toSession({ id, createdAt, lastUsedAt, userAgent }: SessionRecord, actor: Actor): Session {
  return { id, createdAt, lastUsedAt, userAgent, current: "sessionId" in actor && actor.sessionId === id };
}
