import type { CallerFacts, Handlers } from "../contract/handler.ts";
import { accounts } from "../identity/account-record.ts";
import { identities } from "../identity/identity-record.ts";
import type { Change } from "../records/records.ts";
import type { Services } from "../services.ts";
import { requireSession } from "./identity-linking.ts";
import { beginSession } from "./issuer-sign-in.ts";
import { type BegunSession, beginPerson, tokenSetOf } from "./person-session.ts";
import { isOfItsAccount, sessions } from "./session-record.ts";
import { type CodeGrant, codeInvalid } from "./sign-in-codes.ts";

type CodeServices = Pick<Services, "records" | "runtime" | "settings" | "begin" | "codes">;

/** Creates the handlers by which a program gets the session of somebody who signed in in a browser, at an issuer or here. */
export function createSignInByCode(
  deps: CodeServices & Pick<Services, "passkeys"> & { readonly hasIssuer: boolean },
): Pick<Handlers<"sessions">, "sessions.createByCode" | "sessions.authorize" | "sessions.methods"> {
  const { records, codes, settings } = deps;
  return {
    "sessions.createByCode": async ({ body: { code, codeVerifier }, cause, from }) => {
      const opened = await records.change(cause, async (change) => {
        // Spent by the first attempt: after a wrong verifier, nobody else may use it.
        const grant = (await codes.take(change, "session", code)) ?? (await codes.take(change, "program", code));
        if (grant === null || !(await codes.isMadeOf(grant.codeChallenge, codeVerifier))) return null;
        return grant.kind === "program"
          ? openFrom(deps, change, { grant, from })
          : openAt(deps, change, { grant, from });
      });
      if (opened === null) throw codeInvalid();
      return { value: tokenSetOf(opened, settings), made: true };
    },
    "sessions.authorize": async ({ actor, body: { codeChallenge }, cause }) => {
      const code = await records.change(cause, async (change) => {
        const { account, session } = await requireSession(change, actor);
        const whose = { accountId: account.id, sessionId: session.id };
        // The person may have to copy it.
        return codes.give(change, { kind: "program", ...whose, codeChallenge }, "person");
      });
      return { value: { code }, made: true };
    },
    "sessions.methods": async () => ({
      value: {
        password: true,
        openId: deps.hasIssuer,
        passkey: deps.passkeys.isOffered,
        consoleUrl: settings.consoleUrl || null,
        revealSecrets: settings.revealOverHttp,
      },
    }),
  };
}

interface Opening<Kind extends CodeGrant["kind"]> {
  readonly grant: Extract<CodeGrant, { kind: Kind }>;
  readonly from: CallerFacts;
}

/** Begins the session of a person who signed in at the issuer. `null`: they may no longer. */
async function openAt(
  deps: CodeServices,
  change: Change,
  { grant, from }: Opening<"session">,
): Promise<BegunSession | null> {
  const account = await change.get(accounts, [grant.accountId]);
  const identity = await change.get(identities, [grant.identityId]);
  if (account?.status !== "Active" || identity === null) return null;
  const { hasSecondFactor, authenticatedAt } = grant;
  return beginSession(deps, change, { account, identity, hasSecondFactor, authenticatedAt, from });
}

/** Begins a session that is as strong and as old as the one it was approved in. `null`: that one has ended. */
async function openFrom(
  deps: CodeServices,
  change: Change,
  { grant, from }: Opening<"program">,
): Promise<BegunSession | null> {
  const account = await change.get(accounts, [grant.accountId]);
  const session = await change.get(sessions, [grant.sessionId]);
  if (account === null || session === null || !(await isOfItsAccount(change, session))) return null;
  const { signedInBy, identityId, secondFactor, authenticatedAt } = session;
  const how = { signedInBy, authenticatedAt, ...(identityId && { identityId }), ...(secondFactor && { secondFactor }) };
  return beginPerson(deps, change, { account, from, ...how });
}
