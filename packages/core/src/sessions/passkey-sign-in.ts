import type { Handlers } from "../contract/handler.ts";
import { LiveplaneError } from "../errors.ts";
import { accounts } from "../identity/account-record.ts";
import { type JudgedFactor, spendFactor } from "../identity/factor-codes.ts";
import { putFactor } from "../identity/factor-record.ts";
import { accountOfPasskey } from "../identity/passkeys.ts";
import type { Cause, Change } from "../records/records.ts";
import type { Services } from "../services.ts";
import { type BegunSession, beginPerson, tokenSetOf } from "./person-session.ts";
import { sessions } from "./session-record.ts";
import { emitFailure } from "./sign-in.ts";

type PasskeyServices = Pick<Services, "records" | "runtime" | "settings" | "begin" | "passkeys" | "tickets">;

/** Creates the sign-in by a passkey alone, and what a browser needs for it and for a passkey as the second factor. */
export function createPasskeySignIn(
  deps: PasskeyServices,
): Pick<Handlers<"sessions">, "sessions.beginByPasskey" | "sessions.createByPasskey"> {
  const { records, passkeys, settings } = deps;
  return {
    "sessions.beginByPasskey": async ({ actor }) => {
      const { accountId, sessionId } = actor.kind === "account" ? actor : {};
      const session = sessionId === undefined ? null : await records.get(sessions, [sessionId]);
      const isWaiting = session?.secondFactor === "needed";
      const whose = isWaiting && accountId !== undefined ? { accountId, sessionId: session.id } : null;
      return { value: await passkeys.request(records, whose), made: true };
    },

    "sessions.createByPasskey": async ({ body: { credential }, cause, from }) => {
      const accountId = accountOfPasskey(credential) ?? "";
      const judged = await passkeys.judge(records, credential, { accountId, session: null });
      const account = await records.get(accounts, [accountId]);
      const own: Cause = account === null ? cause : { ...cause, actor: account.id };
      const opened = await records.change(own, (change) => open(deps, change, { accountId, judged, from }), {
        attempts: 100,
      });
      // The same answer for an unknown passkey, a removed one, a used challenge and an account that isn't active yet.
      if (opened === null)
        throw new LiveplaneError(
          "InvalidCredentials",
          "This passkey can't sign in here. Start again, or sign in another way.",
        );
      return { value: tokenSetOf(opened, settings), made: true };
    },
  };
}

interface Signing {
  readonly accountId: string;
  readonly judged: JudgedFactor | null;
  readonly from: Parameters<typeof beginPerson>[2]["from"];
}

/** Begins the session of a judged passkey. `null`: it is refused. */
async function open(
  deps: PasskeyServices,
  change: Change,
  { accountId, judged, from }: Signing,
): Promise<BegunSession | null> {
  const account = await change.get(accounts, [accountId]);
  const isOpen = account?.status === "Active" || account?.status === "Suspended";
  const spent = await spendFactor(deps, change, { accountId, judged });
  const isFirst = judged?.kind === "passkey" && spent !== null && (await deps.tickets.spend(change, judged.ticket));
  if (!isOpen || !isFirst) {
    emitFailure(change, account?.id ?? null);
    return null;
  }
  if (account.status === "Suspended") throw new LiveplaneError("AccountNotActive", "The account is suspended.");
  putFactor(change, accountId, spent);
  return beginPerson(deps, change, { account, from, signedInBy: "passkey", secondFactor: "passkey" });
}
