import type { CallerFacts, Handlers } from "../contract/handler.ts";
import type { SecondFactor, Session } from "../contract/schemas/account-schemas.ts";
import { type Actor, actorName } from "../contract/target.ts";
import { toInstant } from "../encoding.ts";
import { LiveplaneError } from "../errors.ts";
import { accounts } from "../identity/account-record.ts";
import type { Cause, Change, Stored } from "../records/records.ts";
import type { Services } from "../services.ts";
import { createPasskeySignIn } from "./passkey-sign-in.ts";
import { createRefreshTokens, sessionIdOf } from "./refresh-tokens.ts";
import { createSecondFactor } from "./second-factor.ts";
import { createSessionHandles, type SessionHandles } from "./session-handles.ts";
import {
  type BeginSession,
  emitSession,
  endSession,
  type GivenTokens,
  isOfItsAccount,
  type NewSession,
  type SessionRecord,
  sessions,
} from "./session-record.ts";
import { createSignIn } from "./sign-in.ts";

/** Sessions of people and of service accounts. */
export interface Sessions {
  readonly handlers: Pick<
    Handlers<"sessions">,
    `sessions.${"create" | "beginByPasskey" | "createByPasskey" | "createByFactor" | "list" | "delete"}`
  >;
  readonly begin: BeginSession;
  readonly handles: SessionHandles;
  /** Rotates a refresh token; a used one ends the family. `null`: it is invalid. */
  refresh(cause: Cause, refreshToken: string): Promise<GivenTokens | null>;
  revoke(cause: Cause, sessionId: string): Promise<void>;
  /** Ends the session of a refresh token, even a used one; ignores anything else. */
  revokeByRefreshToken(cause: Cause, refreshToken: string): Promise<void>;
  /** Moves a session to its account's new epoch. */
  keep(change: Change, sessionId: string, state: { readonly epoch: number }): Promise<void>;
}

/** How long a session waits for its second factor. */
const waitMs = 600_000;

export function createSessions(
  deps: Pick<
    Services,
    | "records"
    | "pages"
    | "runtime"
    | "settings"
    | "hasher"
    | "signer"
    | "keys"
    | "lockout"
    | "sealer"
    | "mail"
    | "passkeys"
    | "tickets"
  >,
): Sessions {
  const { records, runtime, settings, signer, keys } = deps;
  const { clock } = runtime;
  const refreshTokens = createRefreshTokens(runtime.crypto);

  /** A session outlives its last refresh by an access token's lifetime. */
  function put(change: Change, session: SessionRecord): Stored<SessionRecord> {
    return change.put(sessions, session, { expiresAt: session.idleUntil + settings.accessTokenSeconds * 1000 });
  }

  async function accessToken({ id, principalId, kind, scopes, secondFactor }: SessionRecord): Promise<string> {
    const iat = Math.floor(clock.now() / 1000);
    const { issuer: iss, audience: aud, accessTokenSeconds } = settings;
    const times = { iat, exp: iat + accessTokenSeconds };
    // Others who verify the token must not take it for a completed sign-in.
    const scope = secondFactor === "needed" ? "" : scopes.join(" ");
    const own = { sub: principalId, jti: runtime.newId(), sid: id, scope, pty: kind };
    return signer.sign({ iss, aud, ...times, ...own }, await keys.current());
  }

  async function begin(change: Change, { userAgent }: CallerFacts, wanted: NewSession): Promise<GivenTokens> {
    const now = clock.now();
    const id = runtime.newId();
    const made = wanted.kind === "account" ? await refreshTokens.make(id) : null;
    const session: SessionRecord = {
      authenticatedAt: now,
      ...wanted,
      id,
      refresh: made?.digests ?? null,
      userAgent: userAgent === null ? null : [...userAgent].slice(0, 256).join(""),
      createdAt: toInstant(now),
      lastUsedAt: toInstant(now),
      ...(made === null ? { idleUntil: now, absoluteUntil: now } : lifeOf(wanted.secondFactor)),
    };
    put(change, session);
    emitSession(change, "session.started", session);
    return given(session, { accessToken: await accessToken(session), refreshToken: made?.token ?? null });
  }

  /** How long a person's session lasts. One that needs a second factor only waits for it. */
  function lifeOf(secondFactor: SecondFactor | undefined): Pick<SessionRecord, "idleUntil" | "absoluteUntil"> {
    const now = clock.now();
    const absoluteUntil = now + (secondFactor === "needed" ? waitMs : settings.refreshAbsoluteSeconds * 1000);
    return { idleUntil: Math.min(absoluteUntil, now + settings.refreshIdleSeconds * 1000), absoluteUntil };
  }

  async function rotate(change: Change, session: SessionRecord, used: string): Promise<GivenTokens> {
    const now = clock.now();
    const { token, digests } = await refreshTokens.next(used);
    const idleUntil = Math.min(session.absoluteUntil, now + settings.refreshIdleSeconds * 1000);
    const next = put(change, { ...session, refresh: digests, lastUsedAt: toInstant(now), idleUntil });
    return given(next, { accessToken: await accessToken(next), refreshToken: token });
  }

  return {
    handlers: {
      ...createSignIn({ ...deps, begin }),
      ...createPasskeySignIn({ ...deps, begin }),
      ...createSecondFactor({ ...deps, begin }),
      ...ownSessions(deps),
    },
    begin,
    handles: createSessionHandles({ ...deps, put, accessToken }),
    async refresh(cause, refreshToken) {
      return records.change(cause, async (change) => {
        const session = await change.get(sessions, [sessionIdOf(refreshToken)]);
        if (session === null || session.refresh === null || session.idleUntil <= clock.now()) return null;
        const verdict = await refreshTokens.judge(session.refresh, refreshToken);
        if (verdict === "used") endSession(change, session, "session.reuse_detected");
        if (verdict !== "good" || !(await isOfItsAccount(change, session))) return null;
        return rotate(change, session, refreshToken);
      });
    },
    async revoke(cause, sessionId) {
      await records.change(cause, async (change) => {
        const session = await change.get(sessions, [sessionId]);
        if (session !== null) endSession(change, session, "session.revoked");
      });
    },
    async revokeByRefreshToken(cause, refreshToken) {
      await records.change(cause, async (change) => {
        const session = await change.get(sessions, [sessionIdOf(refreshToken)]);
        if (session === null || session.refresh === null) return;
        const verdict = await refreshTokens.judge(session.refresh, refreshToken);
        if (verdict !== "foreign") endSession(change, session, "session.revoked");
      });
    },
    async keep(change, sessionId, { epoch }) {
      const session = await change.get(sessions, [sessionId]);
      if (session !== null) put(change, { ...session, epoch });
    },
  };
}

function given(
  { id: sessionId, scopes, secondFactor }: SessionRecord,
  tokens: Pick<GivenTokens, "accessToken" | "refreshToken">,
): GivenTokens {
  return { sessionId, scopes, secondFactor: secondFactor ?? null, ...tokens };
}

/** How callers list and end their own sessions. */
function ownSessions({
  records,
  pages,
}: Pick<Services, "records" | "pages">): Pick<Handlers<"sessions">, "sessions.list" | "sessions.delete"> {
  return {
    "sessions.list": async ({ actor, query }) => {
      const own = actorName(actor);
      const epoch = actor.kind === "account" ? (await records.get(accounts, [own]))?.sessionEpoch : undefined;
      const page = await pages.page(
        (range) => records.list(sessions, { index: "byPrincipal", prefix: [own], ...range }),
        { ...query, bind: [own, "sessions.list"] },
        (session) => epoch === undefined || session.epoch === epoch,
      );
      return { value: { ...page, items: page.items.map((session) => toSession(session, actor)) } };
    },
    "sessions.delete": async ({ actor, params, cause }) => {
      await records.change(cause, async (change) => {
        await requireOnlyOwn(change, actor, params.sessionId);
        const session = await change.get(sessions, [params.sessionId]);
        const own = session !== null && session.principalId === actorName(actor);
        if (!own || !(await isOfItsAccount(change, session))) throw new LiveplaneError("NotFound");
        endSession(change, session, "session.revoked");
      });
      return { value: true };
    },
  };
}

/** Before changing a required password, people may end only their current session. */
async function requireOnlyOwn(change: Change, actor: Actor, sessionId: string): Promise<void> {
  if (actor.kind !== "account" || actor.sessionId === sessionId) return;
  const account = await change.get(accounts, [actor.accountId]);
  if (account?.forcePasswordChange === true && actor.sessionId !== undefined) {
    throw new LiveplaneError("PasswordChangeRequired");
  }
}

function toSession(session: SessionRecord, actor: Actor): Session {
  const { id, createdAt, lastUsedAt, userAgent, signedInBy } = session;
  const secondFactor = session.secondFactor ?? null;
  const current = "sessionId" in actor && actor.sessionId === id;
  return { id, createdAt, lastUsedAt, userAgent, signedInBy, secondFactor, current };
}
