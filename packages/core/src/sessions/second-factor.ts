import type { Handlers } from "../contract/handler.ts";
import type { Actor } from "../contract/target.ts";
import { LiveplaneError } from "../errors.ts";
import { accounts } from "../identity/account-record.ts";
import { judgeCode, spendCode } from "../identity/factor-codes.ts";
import { putFactor } from "../identity/factor-record.ts";
import type { Change } from "../records/records.ts";
import type { Services } from "../services.ts";
import { type BegunSession, beginPerson, tokenSetOf } from "./person-session.ts";
import { type SessionRecord, sessions } from "./session-record.ts";
import { emitFailure } from "./sign-in.ts";

/** Creates the second step of a sign-in: the code of an authenticator app, or a recovery code. */
export function createSecondFactor(
  deps: Pick<Services, "records" | "runtime" | "settings" | "sealer" | "begin" | "lockout" | "mail">,
): Pick<Handlers<"sessions">, "sessions.createByFactor"> {
  const { records, settings, lockout, mail } = deps;
  return {
    "sessions.createByFactor": async ({ actor, body: { code }, cause, from }) => {
      const { accountId, sessionId } = signedInPartly(actor);
      const judged = await judgeCode(deps, records, { accountId, code });
      const opened = await records.change(
        cause,
        async (change): Promise<BegunSession | null> => {
          const account = await change.get(accounts, [accountId]);
          const session = await waitingSession(change, sessionId);
          const spent = await spendCode(deps, change, { accountId, judged });
          // Counted apart from passwords: a right password must not clear the failures of the codes.
          const isAdmitted = await lockout.admit(change, `${accountId} factor`, { matches: spent !== null });
          if (account === null || spent === null || !isAdmitted) {
            emitFailure(change, accountId);
            return null;
          }
          putFactor(change, accountId, spent);
          change.delete(sessions, [sessionId]);
          if (spent.changed.kind === "recoveryCodes" && account.email !== null)
            mail.queue(change, { to: account.email, kind: "recoveryCodeUsed" });
          const { signedInBy, identityId } = session;
          const how = { signedInBy, ...(identityId && { identityId }), secondFactor: spent.changed.kind };
          return beginPerson(deps, change, { ...how, account, from });
        },
        { attempts: 100 },
      );
      void mail.deliver();
      // The same answer for a wrong code, a used one and a lock.
      if (opened === null)
        throw new LiveplaneError(
          "InvalidCredentials",
          "The code is wrong, or was already used. Wait for the next one.",
        );
      return { value: tokenSetOf(opened, settings), made: true };
    },
  };
}

function signedInPartly(actor: Actor): { readonly accountId: string; readonly sessionId: string } {
  if (actor.kind !== "account" || actor.sessionId === undefined) throw nothingWaits();
  return { accountId: actor.accountId, sessionId: actor.sessionId };
}

async function waitingSession(change: Change, sessionId: string): Promise<SessionRecord> {
  const session = await change.get(sessions, [sessionId]);
  if (session?.secondFactor !== "needed") throw nothingWaits();
  return session;
}

function nothingWaits(): LiveplaneError {
  return new LiveplaneError("InvalidState", "This session doesn't wait for a second factor.");
}
