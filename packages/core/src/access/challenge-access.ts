import type { ChallengeKind, Operation } from "../contract/row.ts";
import type { Actor } from "../contract/target.ts";
import { LiveplaneError } from "../errors.ts";
import { challengeOf } from "../identity/passwords.ts";
import { isOperator } from "../permissions/actors.ts";
import type { Services } from "../services.ts";
import { turnedOff } from "../turned-off.ts";
import type { AccessInput } from "./access.ts";

/** Authorizes, before the body is read, callers without an account: those with a mailed challenge, and those who register. */
export type RequireChallengeAccess = (actor: Actor, row: Operation, params: AccessInput["params"]) => Promise<void>;

/** Runs behind the rate limit, because a wrong challenge counts with the other challenges of its address. */
export function createChallengeAccess({
  challenges,
  settings,
}: Pick<Services, "settings" | "challenges">): RequireChallengeAccess {
  /** A correct challenge uses up no attempt, so it can be checked here and again where it is spent. */
  async function requireChallenge(
    actor: Actor,
    opens: readonly ChallengeKind[],
    { accountId }: AccessInput["params"],
  ): Promise<void> {
    const challenge = await challenges.open(challengeOf(actor), opens);
    const named = accountId?.toLowerCase() ?? challenge.accountId;
    if (named !== challenge.accountId) throw new LiveplaneError("NotFound");
  }

  function requireRegistrar(actor: Actor): void {
    if (settings.openRegistration || isOperator(actor, settings)) return;
    if (actor.kind === "anonymous") throw new LiveplaneError("Unauthenticated", "Send an operator's bearer token.");
    throw turnedOff(
      "Registration isn't open on this server. Ask an operator for an account.",
      "openRegistration",
      "PermissionDenied",
    );
  }

  return async (actor, { access }, params) => {
    if ("opens" in access) await requireChallenge(actor, access.opens, params);
    if ("registers" in access) requireRegistrar(actor);
  };
}
