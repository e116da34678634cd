import { isCanonical, pathParameter } from "../contract/path-parameters.ts";
import { type OperationId, parseRoute } from "../contract/routes.ts";
import type { CallEffect, Operation, TargetKind } from "../contract/row.ts";
import type { Target, TokenScope } from "../contract/target.ts";

/** The owner of things: a person or an organization. */
export interface Owner {
  readonly type: "Personal" | "Organizational";
  readonly id: string;
}

type Params = Readonly<Record<string, string>>;

/** The target on which a row requires its permission, as the path names it. `null` if nothing could have that name. */
export function targetOf(on: TargetKind, params: Params): Target | null {
  const { type, shortName = "" } = params;
  const idAt = (name: string) => (params[name] ?? "").toLowerCase();
  switch (on) {
    case "environment":
      return type === "Personal" || type === "Organizational"
        ? { kind: "environment", type, ownerId: idAt("ownerId"), shortName }
        : null;
    case "liveSystem":
      return { kind: "liveSystem", id: idAt("id") };
    case "organization":
      return { kind: "organization", organizationId: idAt("organizationId") };
    case "team":
      return { kind: "team", organizationId: idAt("organizationId"), shortName };
    case "organizationGroup":
      return { kind: "group", type: "Organizational", ownerId: idAt("organizationId"), shortName };
    case "personalGroup":
      return null;
    case "subscription":
      return { kind: "subscription", id: idAt("subscriptionId") };
  }
}

/** The container of a target; `null` if it has none. */
export function containerOf(target: Target): Target | null {
  switch (target.kind) {
    case "team":
      return { kind: "organization", organizationId: target.organizationId };
    case "group":
      return ownerTarget({ type: target.type, id: target.ownerId });
    case "environment":
      return target.type === "Unknown" ? null : ownerTarget({ type: target.type, id: target.ownerId });
    default:
      return null;
  }
}

function ownerTarget({ type, id }: Owner): Target {
  return type === "Personal" ? { kind: "account", accountId: id } : { kind: "organization", organizationId: id };
}

/** Whether every name in the path is well formed. */
export function isWellFormed(id: OperationId, params: Params): boolean {
  return (
    isCanonical(id, params) ||
    parseRoute(id).params.every((name) => pathParameter(id, name).safeParse(params[name]).success)
  );
}

const scopeByArea: Readonly<Record<string, TokenScope>> = {
  accounts: "accounts",
  sessions: "accounts",
  organizations: "organizations",
  permissions: "organizations",
  subscriptions: "subscriptions",
  environments: "environments",
  liveSystems: "livesystems",
  overrides: "livesystems",
};

/** The scope that a token needs for an operation; `null` if none. */
export function scopeOfOperation({ id, tokenScope }: Operation): TokenScope | null {
  return tokenScope ?? scopeByArea[id.slice(0, id.indexOf("."))] ?? null;
}

const scopeByTarget: Readonly<Record<Target["kind"], TokenScope>> = {
  installation: "operator",
  account: "accounts",
  organization: "organizations",
  team: "organizations",
  group: "organizations",
  environment: "environments",
  liveSystem: "livesystems",
  subscription: "subscriptions",
};

/** The scope that a token needs to see a target. */
export function scopeOfTarget(target: Target): TokenScope {
  return target.kind === "group" && target.type === "Personal" ? "accounts" : scopeByTarget[target.kind];
}

const effects = new WeakMap<Operation, CallEffect>();

/** The effect of an operation on existing things. */
export function effectOf(row: Operation): CallEffect {
  const known = effects.get(row) ?? row.effect ?? effectByMethod(row);
  effects.set(row, known);
  return known;
}

function effectByMethod({ id, access }: Operation): CallEffect {
  const { methods } = parseRoute(id);
  if (methods[0] === "GET" || ("need" in access && access.need === "View")) return "reads";
  return methods[0] === "DELETE" ? "ends" : "writes";
}
