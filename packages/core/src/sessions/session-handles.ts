import { toBase64Url, toHex, toInstant, utf8 } from "../encoding.ts";
import type { Cause, Change, Stored } from "../records/records.ts";
import type { Services } from "../services.ts";
import { sessionIdOf } from "./refresh-tokens.ts";
import { endSession, isOfItsAccount, type SessionRecord, sessions } from "./session-record.ts";

export interface RenewedAccess {
  readonly accessToken: string;
  readonly expiresIn: number;
}

/**
 * Handles of people's sessions: a browser keeps one in a cookie that no script can read, and gets access tokens for it. A handle stays the
 * same for its session's lifetime, so that concurrent tabs don't invalidate each other's; the session stores only its digest.
 */
export interface SessionHandles {
  /** Gives a session its handle. Its refresh token and any earlier handle become invalid. `null`: the session has ended. */
  open(cause: Cause, sessionId: string): Promise<string | null>;
  /** Issues another access token and extends the session's idle time. `null`: the handle is invalid. */
  renew(cause: Cause, handle: string): Promise<RenewedAccess | null>;
  /** Ends the session of a handle; ignores anything else. */
  end(cause: Cause, handle: string): Promise<void>;
}

export function createSessionHandles(
  deps: Pick<Services, "records" | "runtime" | "settings"> & {
    readonly put: (change: Change, session: SessionRecord) => Stored<SessionRecord>;
    readonly accessToken: (session: SessionRecord) => Promise<string>;
  },
): SessionHandles {
  const { records, settings, put, accessToken } = deps;
  const { clock, crypto } = deps.runtime;
  const digest = async (handle: string) => toHex(await crypto.digest(utf8(handle)));

  async function opened(change: Change, handle: string): Promise<Stored<SessionRecord> | null> {
    const session = await change.get(sessions, [sessionIdOf(handle)]);
    if (session?.handle === undefined || session.idleUntil <= clock.now()) return null;
    return crypto.equal(utf8(session.handle), utf8(await digest(handle))) ? session : null;
  }

  return {
    async open(cause, sessionId) {
      const handle = `${sessionId}.${toBase64Url(crypto.random(32))}`;
      const kept = await digest(handle);
      return records.change(cause, async (change) => {
        const session = await change.get(sessions, [sessionId]);
        if (session?.kind !== "account" || !(await isOfItsAccount(change, session))) return null;
        put(change, { ...session, refresh: null, handle: kept });
        return handle;
      });
    },
    async renew(cause, handle) {
      const session = await records.change(cause, async (change) => {
        const known = await opened(change, handle);
        if (known === null || !(await isOfItsAccount(change, known))) return null;
        const now = clock.now();
        const idleUntil = Math.min(known.absoluteUntil, now + settings.refreshIdleSeconds * 1000);
        return put(change, { ...known, lastUsedAt: toInstant(now), idleUntil });
      });
      return session && { accessToken: await accessToken(session), expiresIn: settings.accessTokenSeconds };
    },
    async end(cause, handle) {
      await records.change(cause, async (change) => {
        const session = await opened(change, handle);
        if (session !== null) endSession(change, session, "session.revoked");
      });
    },
  };
}
