import type { Handlers } from "../contract/handler.ts";
import type { GivenFactor } from "../contract/schemas/factor-schemas.ts";
import type { Actor } from "../contract/target.ts";
import { LiveplaneError } from "../errors.ts";
import { accounts } from "../identity/account-record.ts";
import { type JudgedFactor, judgeCode, spendFactor } from "../identity/factor-codes.ts";
import { putFactor } from "../identity/factor-record.ts";
import type { Change } from "../records/records.ts";
import type { Services } from "../services.ts";
import { type BegunSession, beginPerson, tokenSetOf } from "./person-session.ts";
import { type SessionRecord, sessions } from "./session-record.ts";
import { emitFailure } from "./sign-in.ts";

/** Creates the second step of a sign-in: the code of an authenticator app, a recovery code, or a passkey. */
export function createSecondFactor(
  deps: Pick<Services, "records" | "runtime" | "settings" | "sealer" | "begin" | "lockout" | "mail" | FactorParts>,
): Pick<Handlers<"sessions">, "sessions.createByFactor"> {
  const { records, settings, mail } = deps;
  return {
    "sessions.createByFactor": async ({ actor, body, cause, from }) => {
      const { accountId, sessionId } = signedInPartly(actor);
      const judged = await judgeFactor(deps, body, { accountId, sessionId });
      const opened = await records.change(
        cause,
        async (change): Promise<BegunSession | null> => {
          const account = await change.get(accounts, [accountId]);
          const session = await waitingSession(change, sessionId);
          const spent = await spendFactor(deps, change, { accountId, judged });
          const isAdmitted = await admit(deps, change, { accountId, judged, matches: spent !== null, given: body });
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
      // The same answer for a wrong factor, a used one and a lock.
      if (opened === null)
        throw new LiveplaneError(
          "InvalidCredentials",
          body.credential === undefined
            ? "The code is wrong, or was already used. Wait for the next one."
            : "This passkey can't complete the sign-in. Start again, or use another factor.",
        );
      return { value: tokenSetOf(opened, settings), made: true };
    },
  };
}

type FactorParts = "passkeys" | "tickets";

async function judgeFactor(
  deps: Pick<Services, "records" | "runtime" | "sealer" | "passkeys">,
  { code = "", credential }: GivenFactor,
  session: { readonly accountId: string; readonly sessionId: string },
): Promise<JudgedFactor | null> {
  const { accountId } = session;
  if (credential === undefined) return judgeCode(deps, deps.records, { accountId, code });
  return deps.passkeys.judge(deps.records, credential, { accountId, session });
}

interface Admission {
  readonly accountId: string;
  readonly judged: JudgedFactor | null;
  readonly matches: boolean;
  readonly given: GivenFactor;
}

/**
 * Whether a factor counts. Codes can be guessed, so their failures lock them, apart from passwords: a right password must not clear them.
 * Nobody can guess a passkey, and a stranger's wrong codes must not lock it.
 */
async function admit(
  { lockout, tickets }: Pick<Services, "lockout" | "tickets">,
  change: Change,
  { accountId, judged, matches, given }: Admission,
): Promise<boolean> {
  if (given.credential === undefined) return lockout.admit(change, `${accountId} factor`, { matches });
  return matches && judged?.kind === "passkey" && tickets.spend(change, judged.ticket);
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
