import type { Handlers } from "../contract/handler.ts";
import type { Session } from "../contract/schemas/account-schemas.ts";
import { type Actor, actorName } from "../contract/target.ts";
import { LiveplaneError } from "../errors.ts";
import { accounts } from "../identity/account-record.ts";
import type { Pages } from "../records/pages.ts";
import type { Change, Records } from "../records/records.ts";
import { endSession, isOfItsAccount, type SessionRecord, sessions } from "./session-record.ts";

/** What listing and ending one's own sessions takes. */
export interface OwnSessionsDeps {
  readonly records: Records;
  readonly pages: Pages;
}

/** Creates the operations by which somebody sees and ends the sessions that are their own. */
export function createOwnSessions({
  records,
  pages,
}: OwnSessionsDeps): Pick<Handlers<"sessions">, "sessions.list" | "sessions.delete"> {
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

/** Before their password is changed, people may end the session they are in and no other. */
async function requireOnlyOwn(change: Change, actor: Actor, sessionId: string): Promise<void> {
  if (actor.kind !== "account" || actor.sessionId === sessionId) return;
  const account = await change.get(accounts, [actor.accountId]);
  if (account?.forcePasswordChange === true && actor.sessionId !== undefined) {
    throw new LiveplaneError("PasswordChangeRequired");
  }
}

function toSession({ id, createdAt, lastUsedAt, userAgent }: SessionRecord, actor: Actor): Session {
  return { id, createdAt, lastUsedAt, userAgent, current: "sessionId" in actor && actor.sessionId === id };
}
