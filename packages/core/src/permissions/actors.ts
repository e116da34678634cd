import { type Actor, type EnvironmentRef, environmentName } from "../contract/target.ts";
import { LiveplaneError } from "../errors.ts";
import type { Reader } from "../records/records.ts";
import type { Settings } from "../settings.ts";
import type { PrincipalDirectory } from "./account-directory.ts";
import type { Authorization } from "./grants.ts";

/** A service account whose token is for a role in an environment. */
export type RoleActor = Extract<Actor, { kind: "serviceAccount" }> & { readonly environment: EnvironmentRef };

export function isRoleActor(actor: Actor): actor is RoleActor {
  return actor.kind === "serviceAccount" && actor.environment !== undefined;
}

/** The ID by which grants name an actor; `null` if none can. */
export function principalOf(actor: Actor): string | null {
  if (actor.kind === "account") return actor.accountId;
  return actor.kind === "serviceAccount" ? actor.principalId : null;
}

export function hasScope(actor: Actor, scope: string): boolean {
  if (actor.kind !== "account" && actor.kind !== "serviceAccount") return true;
  return actor.scopes === undefined || (actor.scopes as readonly string[]).includes(scope);
}

/** Whether an account is the actor's own. A service account isn't its owner here. */
export function isSelf(actor: Actor, accountId: string): boolean {
  return actor.kind === "account" && actor.accountId === accountId;
}

/** Whether an actor is a person who signed in without a second factor where one is required. */
export function lacksFactor(
  actor: Actor,
  { requiresSecondFactor }: Pick<Authorization, "requiresSecondFactor">,
): boolean {
  return requiresSecondFactor && actor.kind === "account" && actor.hasSecondFactor === false;
}

/** The refusal of a person who lacks a second factor. */
export function factorMissing(): LiveplaneError {
  return new LiveplaneError(
    "OrganizationRequiresSecondFactor",
    "The organization requires a second factor, and you signed in without one. Add a passkey or an authenticator app to your account, then sign in with it.",
  );
}

/** Whether an actor operates the installation, with a credential that allows it. */
export function isOperator(actor: Actor, settings: Pick<Settings, "operators">): boolean {
  return actor.kind === "system" || (isOperatorAccount(actor, settings) && hasScope(actor, "operator"));
}

/** Whether an actor is an operator's account, whatever its credential allows. */
export function isOperatorAccount(actor: Actor, { operators }: Pick<Settings, "operators">): boolean {
  return actor.kind === "account" && operators.includes(actor.accountId);
}

/** The account behind an actor, which may be its service account; `null` if there is none. */
export async function accountOf(
  actor: Actor,
  reader: Reader,
  principals: Pick<PrincipalDirectory, "ownerOf">,
): Promise<string | null> {
  if (actor.kind === "account") return actor.accountId;
  const owner = actor.kind === "serviceAccount" ? await principals.ownerOf(reader, actor.principalId) : null;
  return owner?.type === "Account" ? owner.id : null;
}

export function sameEnvironment(a: EnvironmentRef, b: EnvironmentRef): boolean {
  return environmentName(a).toLowerCase() === environmentName(b).toLowerCase();
}
