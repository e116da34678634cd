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
 * Handles of people's sessions: what a browser keeps in a cookie that no script reads, to get access tokens by. A handle stays the same
 * while its session lasts, so that tabs that ask at once don't end each other; the session has its digest alone.
 */
export interface SessionHandles {
  /** Gives a session its handle. Its refresh token, and a handle from before, are good for nothing from then on. `null`: it has ended. */
  open(cause: Cause, sessionId: string): Promise<string | null>;
  /** Gives another access token, and lets the session idle again. `null`: the handle is good for nothing. */
  renew(cause: Cause, handle: string): Promise<RenewedAccess | null>;
  /** Ends the session of a handle; does nothing for anything else. */
  end(cause: Cause, handle: string): Promise<void>;
}

/** Builds handles over the sessions: `<session id>.<secret>`, of 256 random bits. */
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
