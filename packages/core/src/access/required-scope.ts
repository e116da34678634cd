import type { Operation } from "../contract/row.ts";
import { type Actor, environmentName, type Target } from "../contract/target.ts";
import { LiveplaneError } from "../errors.ts";
import { hasScope, type RoleActor, sameEnvironment } from "../permissions/actors.ts";
import type { ScopeResolvers } from "./access.ts";
import { scopeOfOperation } from "./access-targets.ts";

interface Scoped {
  readonly scopes: ScopeResolvers;
}

/** A role's token is valid as long as the role and its environment exist, and only for that environment. */
export async function requireRole({ scopes }: Scoped, actor: RoleActor, row: Operation): Promise<void> {
  const role = await scopes.role(actor.environment, actor.principalId);
  if (role === null) throw new LiveplaneError("TokenRevoked");
  if (!role.active) throw new LiveplaneError("ServiceAccountDisabled");
  const scope = scopeOfOperation(row);
  if (scope !== null && scope !== "environments" && scope !== "livesystems") throw insufficient(scope);
  requireScope(actor, row);
}

/** The refusal is the same whether or not the target exists. */
export async function requireInEnvironment({ scopes }: Scoped, actor: RoleActor, target: Target | null): Promise<void> {
  const environment = target?.kind === "liveSystem" ? (await scopes.liveSystem(target.id))?.environment : target;
  const isOwn =
    environment &&
    "shortName" in environment &&
    "type" in environment &&
    sameEnvironment(actor.environment, environment);
  if (isOwn) return;
  const detail = `This token is only for the environment ${environmentName(actor.environment)}.`;
  throw new LiveplaneError("InsufficientScope", detail, { details: { scope: "environments" } });
}

/** A token is valid only for its scopes. */
export function requireScope(actor: Actor, row: Operation): void {
  const scope = scopeOfOperation(row);
  if (scope !== null && !hasScope(actor, scope)) throw insufficient(scope);
}

/** The refusal of a token without the scope. */
export function insufficient(scope: string): LiveplaneError {
  return new LiveplaneError(
    "InsufficientScope",
    `The token's scope doesn't cover this call. It needs the scope ${scope}.`,
    {
      details: { scope },
    },
  );
}
