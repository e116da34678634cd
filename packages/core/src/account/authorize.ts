import type { Operation } from "../contract/row.ts";
import type { Actor, EnvironmentRef, Target } from "../contract/target.ts";
import { invalid, LiveplaneError, type Violation } from "../errors.ts";
import type { Settings } from "../host.ts";
import type { Runtime } from "../ports/runtime.ts";
import type { Access, AccessInput } from "./access.ts";
import { namedInBody, type Required, type RuleStored, requiredByBody, requiredByPath } from "./access-rules.ts";
import { effectOf, isWellFormed, type Owner, scopeOfOperation, scopeOfTarget, targetOf } from "./access-targets.ts";
import type { PrincipalDirectory } from "./account-directory.ts";
import {
  accountOf,
  hasScope,
  isOperator,
  isRoleActor,
  isSelf,
  principalOf,
  type RoleActor,
  sameEnvironment,
} from "./actors.ts";
import { isExpired } from "./plan-limits.ts";
import { organizationsOf, type Rights, type RightsDeps, type RightsOf } from "./rights.ts";
import { subscriptions } from "./subscription-record.ts";

/** What authorizing takes. */
export interface AccessDeps extends RightsDeps {
  readonly rights: RightsOf;
  readonly identify: Access["identify"];
  readonly principals: Pick<PrincipalDirectory, "ownerOf">;
  readonly runtime: Pick<Runtime, "clock">;
  readonly settings: Pick<Settings, "operators">;
}

const seesIt = ({ permissions }: Rights) => permissions.includes("View");

/** Builds the one place where every operation is authorized, from its row in the contract. */
export function createAccess(deps: AccessDeps): Access {
  const { records, graphs, scopes, settings, rights, identify, principals } = deps;
  const requireWritable = createWritable(deps);

  async function meet(actor: Actor, row: Operation, required: readonly Required[]): Promise<void> {
    const judged = await Promise.all(
      required.map(async (one) => ({ ...one, rights: await rights(actor, one.target) })),
    );
    const unseen = judged.filter((one) => !seesIt(one.rights));
    if (unseen.some((one) => one.unseen === undefined)) throw new LiveplaneError("NotFound");
    const refused = judged.some((one) =>
      one.unseen === "PermissionDenied" || seesIt(one.rights) ? !one.rights.permissions.includes(one.need) : false,
    );
    if (refused) throw new LiveplaneError("PermissionDenied");
    requireSeen(unseen);
    for (const { owner } of new Map(judged.map((one) => [one.rights.owner?.id, one.rights])).values())
      await requireWritable(owner, row);
  }

  /** The organization, as far as somebody sees anything of it. */
  async function requirePart(actor: Actor, params: AccessInput["params"]) {
    const found = await graphs.read(records, (params.organizationId ?? "").toLowerCase());
    const principalId = principalOf(actor) ?? "";
    if (found === null || found.authorization.status === "Deleted" || found.graph.scopesOf(principalId).length === 0)
      throw new LiveplaneError("NotFound");
    return { ...found, principalId };
  }

  /** Before the body names the team: whoever can change none of them, and make none, need not send one. */
  async function requireSomeTeam(actor: Actor, row: Operation, params: AccessInput["params"]): Promise<void> {
    const { graph, principalId } = await requirePart(actor, params);
    const places = [graph.organization, ...[...graph.teams.values()].map(graph.team)];
    const held = places.map((place) => graph.decide(principalId, place).permissions);
    if (!held.some((permissions) => permissions.includes("Edit")))
      throw new LiveplaneError(held[0]?.includes("View") ? "PermissionDenied" : "NotFound");
    await requireWritable({ type: "Organizational", id: graph.organizationId }, row);
  }

  async function exists(target: Target): Promise<boolean> {
    if (target.kind === "environment") return (await scopes.environment(target)) !== null;
    if (target.kind !== "team" && target.kind !== "group") return true;
    const found = await graphs.read(records, target.kind === "team" ? target.organizationId : target.ownerId);
    const name = target.shortName.toLowerCase();
    return (target.kind === "team" ? found?.graph.teams : found?.graph.groups)?.has(name) === true;
  }

  async function groupsThere(target: Target | null): Promise<readonly string[]> {
    const scope = target?.kind === "environment" ? await scopes.environment(target) : null;
    if (scope === null || scope.groups.length === 0) return [];
    if (scope.owner.type === "Personal") return scope.groups;
    const found = await graphs.read(records, scope.owner.id);
    return scope.groups.filter((name) => found?.graph.groups.has((name.split("/")[2] ?? "").toLowerCase()));
  }

  async function onTarget(actor: Actor, row: Operation, { params, query }: AccessInput): Promise<void> {
    if (!("on" in row.access)) return;
    const { on, rules = [] } = row.access;
    const target = rules.includes("inBody") ? null : targetOf(on, params);
    if (isRoleActor(actor)) await requireInEnvironment(actor, rules.includes("inBody") ? undefined : target);
    if (row.id === "environments.create" && params.type === "Unknown") return;
    if (rules.includes("reveals") && target !== null && (await rights(actor, target)).reveals) return;
    if (rules.includes("orOneself") && isAboutOneself(actor, query)) return void (await requirePart(actor, params));
    if (rules.includes("partly")) return void (await requirePart(actor, params));
    if (rules.includes("inBody") && rules.includes("creates")) return requireSomeTeam(actor, row, params);
    const wellFormed = effectOf(row) !== "writes" || isWellFormed(row.id, params);
    await meet(
      actor,
      row,
      requiredByPath(row, params, { exists: target !== null && (await exists(target)), wellFormed }),
    );
  }

  /** A role's token is good for its environment alone, and says so whether or not anything else is there. */
  async function requireInEnvironment(actor: RoleActor, target: Target | null | undefined): Promise<void> {
    if (target === undefined) return;
    const environment = target?.kind === "liveSystem" ? (await scopes.liveSystem(target.id))?.environment : target;
    if (!environment || !isEnvironment(environment) || !sameEnvironment(actor.environment, environment))
      throw insufficient("environments");
  }

  async function requireOperator(
    actor: Actor,
    row: Operation,
    { accountId, organizationId, subscriptionId }: AccessInput["params"],
  ): Promise<void> {
    if (isOperator(actor, settings)) return;
    if (actor.kind === "account" && settings.operators.includes(actor.accountId)) throw insufficient("operator");
    if (row.id === "accounts.delete" && isSelf(actor, (accountId ?? "").toLowerCase())) return;
    const target = organizationId
      ? targetOf("organization", { organizationId })
      : subscriptionId && targetOf("subscription", { subscriptionId });
    const sees = target ? seesIt(await rights(actor, target)) : accountId === undefined;
    throw new LiveplaneError(sees ? "PermissionDenied" : "NotFound");
  }

  async function requireAccount(actor: Actor, row: Operation): Promise<void> {
    const accountId = await accountOf(actor, records, principals);
    if (accountId === null) throw new LiveplaneError("PermissionDenied", "This is for accounts: sign in as a person.");
    if (row.id.startsWith("accounts.resourceGroups.")) await requireWritable({ type: "Personal", id: accountId }, row);
  }

  return {
    identify,
    async authorize(actor, row, input) {
      const who = "who" in row.access ? row.access.who : "principal";
      if (actor.kind === "system" || who === "anyone" || who === "challenge") return;
      if (principalOf(actor) === null) throw new LiveplaneError("Unauthenticated");
      if (isRoleActor(actor)) await requireRole(actor, row, deps);
      else if (who !== "operator") requireScope(actor, row);
      if (who === "operator") return requireOperator(actor, row, input.params);
      if (who === "account") return requireAccount(actor, row);
      return onTarget(actor, row, input);
    },
    async authorizeBody(actor, row, input) {
      if (actor.kind === "system" || !("on" in row.access)) return;
      const named = row.access.rules?.includes("inBody") ? namedInBody(row, input.params, input.body) : null;
      if (named !== null && isRoleActor(actor)) await requireInEnvironment(actor, named);
      const stored: RuleStored = {
        exists: named === null || named.kind === "environment" || (await exists(named)),
        groups: row.access.rules?.includes("environmentGroups")
          ? await groupsThere(targetOf(row.access.on, input.params))
          : [],
      };
      await meet(actor, row, requiredByBody(row, input, stored));
    },
    can: async (actor, target, need) => (await rights(actor, target)).permissions.includes(need),
    sees: async (actor, target) =>
      isOperator(actor, settings) ||
      (canFollow(actor, target) && seesIt(await rights(actor, target, { lasting: true }))),
    async reach(actor) {
      if (isRoleActor(actor)) return { everything: false, owners: [], environment: actor.environment };
      const principalId = principalOf(actor);
      if (principalId === null) return { everything: actor.kind === "system", owners: [], environment: null };
      const organizations = await organizationsOf(records, principalId);
      const own: Owner[] = actor.kind === "account" ? [{ type: "Personal", id: actor.accountId }] : [];
      return {
        everything: false,
        owners: [...own, ...organizations.map((id) => ({ type: "Organizational" as const, id }))],
        environment: null,
      };
    },
  };
}

/** Refuses writes in suspended organizations and under expired plans. */
function createWritable({ records, graphs, runtime }: Pick<AccessDeps, "records" | "graphs" | "runtime">) {
  return async (owner: Owner | null, row: Operation): Promise<void> => {
    const effect = effectOf(row);
    if (owner === null || effect === "reads") return;
    const organization =
      owner.type === "Organizational" ? (await graphs.read(records, owner.id))?.authorization : undefined;
    if (organization?.status === "Suspended" && row.id !== "organizations.delete") {
      throw new LiveplaneError(
        "AccountNotActive",
        "The organization is suspended: it can be read, and not be changed.",
      );
    }
    if (effect !== "writes") return;
    const id = organization?.subscriptionId ?? null;
    const subscription = organization
      ? id && (await records.get(subscriptions, [id]))
      : await records.find(subscriptions, "account", [owner.id]);
    if (subscription && isExpired(subscription, runtime.clock.now())) throw new LiveplaneError("SubscriptionExpired");
  };
}

/** A role's token lives as long as the role and its environment, and is for what lies in that environment. */
async function requireRole(actor: RoleActor, row: Operation, { scopes }: Pick<AccessDeps, "scopes">): Promise<void> {
  const role = await scopes.role(actor.environment, actor.principalId);
  if (role === null) throw new LiveplaneError("TokenRevoked");
  if (!role.active) throw new LiveplaneError("ServiceAccountDisabled");
  const scope = scopeOfOperation(row.id);
  if (scope !== null && scope !== "environments" && scope !== "livesystems") throw insufficient(scope);
  requireScope(actor, row);
}

function requireScope(actor: Actor, row: Operation): void {
  const scope = scopeOfOperation(row.id);
  if (scope !== null && !hasScope(actor, scope)) throw insufficient(scope);
}

function insufficient(scope: string): LiveplaneError {
  return new LiveplaneError("InsufficientScope", `The token's scope does not cover this: it takes ${scope}.`, {
    details: { scope },
  });
}

function requireSeen(unseen: readonly Required[]): void {
  const detail = "There is no such resource group here.";
  const [first, ...rest] = unseen.flatMap(({ unseen: at }): Violation[] =>
    typeof at === "object" ? [{ pointer: at.pointer, code: "Unknown", detail }] : [],
  );
  if (first !== undefined) throw invalid([first, ...rest]);
}

function isAboutOneself(actor: Actor, query: unknown): boolean {
  const { principalType, principalId } = query as { principalType?: unknown; principalId?: unknown };
  return (
    principalType === "Account" && typeof principalId === "string" && principalId.toLowerCase() === principalOf(actor)
  );
}

function isEnvironment(target: Target | EnvironmentRef): target is EnvironmentRef & Target {
  return !("kind" in target) || target.kind === "environment";
}

/** The scopes of a token narrow what it follows. A role's token is narrower than any scope. */
function canFollow(actor: Actor, target: Target): boolean {
  return isRoleActor(actor) || hasScope(actor, scopeOfTarget(target));
}
