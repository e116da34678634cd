import type { AccessRule, Operation, Permission } from "../contract/row.ts";
import { type Actor, type EnvironmentRef, parseGroupName, type Target } from "../contract/target.ts";
import { principalOf } from "../permissions/actors.ts";
import { containerOf, targetOf } from "./access-targets.ts";

/** A permission that an operation requires on a target. */
export interface Required {
  readonly target: Target;
  readonly need: Permission;
  /** The error when the target doesn't exist, or the caller can't see it. @default 404 */
  readonly unseen?: { readonly pointer: string } | "PermissionDenied";
}

/** The parts of a call that the rules look at. */
export interface RuleInput {
  readonly params: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** What the store holds before the operation runs. */
export interface RuleStored {
  /** The target named by the path or the body. */
  readonly exists: boolean;
  /** The groups that the environment lists (`Type/ownerId/shortName`), and whether each still exists. */
  readonly groups: readonly { readonly name: string; readonly isThere: boolean }[];
}

/** The permissions that a row requires by its path alone. A malformed name is judged by its container. */
export function requiredByPath(
  row: Operation,
  params: RuleInput["params"],
  { exists, wellFormed }: { readonly exists: boolean; readonly wellFormed: boolean },
): Required[] {
  if (!("on" in row.access) || rulesOf(row).has("inBody")) return [];
  const { on, need } = row.access;
  const target = targetOf(on, params);
  if (target === null) return [{ target: nowhere, need }];
  const container = containerOf(target);
  if (container === null) return [{ target, need }];
  if (rulesOf(row).has("createsNew"))
    return [
      ...(exists ? [{ target, need: "View" as const }] : []),
      { target: container, need, ...(exists && { unseen: "PermissionDenied" as const }) },
    ];
  const makesIt = !exists && rulesOf(row).has("creates");
  return [{ target: makesIt || !wellFormed ? container : target, need }];
}

/** The permissions that a row requires by its body. */
export function requiredByBody(row: Operation, { params, body }: RuleInput, stored: RuleStored): Required[] {
  if (!("on" in row.access)) return [];
  const need = sends(body, row.adminMembers) ? "Admin" : row.access.need;
  const named = rulesOf(row).has("inBody") ? namedInBody(row, params, body) : null;
  if (named !== null) return [{ target: stored.exists ? named : (containerOf(named) ?? named), need }];
  const rules = rulesOf(row);
  return [
    ...(rules.has("resourceScopes") ? settingScopes(row, params, body) : []),
    ...(rules.has("environmentGroups") ? changedGroups(body, stored.groups) : []),
  ];
}

/** Whether a body has one of these members. */
export function sends(body: unknown, members: readonly string[] = []): boolean {
  return typeof body === "object" && body !== null && members.some((member) => member in body);
}

/** Whether the body names things that need permissions too. */
export function asksOfBody(row: Operation): boolean {
  const rules = rulesOf(row);
  return rules.has("inBody") || rules.has("environmentGroups") || rules.has("resourceScopes");
}

/** The target that the body names. `null` if it names none; validation or the operation then refuses. */
export function namedInBody(row: Operation, params: RuleInput["params"], body: unknown): Target | null {
  const { organizationId, shortName, environmentId } = body as {
    organizationId?: string;
    shortName?: string | null;
    environmentId?: EnvironmentRef;
  };
  switch ("on" in row.access ? row.access.on : null) {
    case "organization":
      return { kind: "organization", organizationId: organizationId ?? "" };
    case "team":
      return shortName
        ? { kind: "team", organizationId: (params.organizationId ?? "").toLowerCase(), shortName }
        : null;
    default:
      return environmentId ? { kind: "environment", ...environmentId } : null;
  }
}

/** Whoever decides where an environment's resources may be is its Admin; of a new environment, its owner's. */
function settingScopes(row: Operation, params: RuleInput["params"], body: unknown): Required[] {
  const target = "on" in row.access ? targetOf(row.access.on, params) : null;
  if (target === null || (body as { resourceScopes?: unknown }).resourceScopes === undefined) return [];
  const container = rulesOf(row).has("createsNew") ? containerOf(target) : null;
  return [{ target: container ?? target, need: "Admin" }];
}

/** Edit on every group that is added to an environment or taken away from it. One that was deleted may stay or go. */
function changedGroups(body: unknown, before: RuleStored["groups"]): Required[] {
  const { resourceGroups } = body as { resourceGroups?: readonly string[] | null };
  if (resourceGroups === undefined) return [];
  const after = resourceGroups ?? [];
  const among = (names: readonly string[]) => {
    const known = new Set(names.map((name) => name.toLowerCase()));
    return (name: string) => known.has(name.toLowerCase());
  };
  const [was, will] = [among(before.map(({ name }) => name)), among(after)];
  const added = after.flatMap((name, at) =>
    was(name)
      ? []
      : [
          {
            target: groupNamed(name),
            need: "Edit" as const,
            unseen: { pointer: `#/resourceGroups/${at}` },
          },
        ],
  );
  const taken = before
    .filter(({ name, isThere }) => isThere && !will(name))
    .map(({ name }) => ({
      target: groupNamed(name),
      need: "Edit" as const,
      unseen: "PermissionDenied" as const,
    }));
  return [...added, ...taken];
}

const groupNamed = (name: string): Target => ({ kind: "group", ...parseGroupName(name) });

const nowhere: Target = { kind: "liveSystem", id: "" };

const rulesByRow = new WeakMap<Operation, ReadonlySet<AccessRule>>();

export function rulesOf(row: Operation): ReadonlySet<AccessRule> {
  const known = rulesByRow.get(row);
  if (known !== undefined) return known;
  const rules = new Set("on" in row.access ? row.access.rules : []);
  rulesByRow.set(row, rules);
  return rules;
}

/** Whether callers ask about themselves. */
export function isAboutOneself(actor: Actor, query: unknown): boolean {
  const { principalType, principalId } = query as { principalType?: unknown; principalId?: unknown };
  return (
    principalType === "Account" && typeof principalId === "string" && principalId.toLowerCase() === principalOf(actor)
  );
}
