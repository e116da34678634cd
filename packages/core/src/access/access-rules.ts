import type { AccessRule, Operation, Permission } from "../contract/row.ts";
import { type Actor, type EnvironmentRef, parseGroupName, type Target } from "../contract/target.ts";
import { principalOf } from "../permissions/actors.ts";
import { containerOf, targetOf } from "./access-targets.ts";

/** A right that an operation takes. */
export interface Required {
  readonly target: Target;
  readonly need: Permission;
  /** What is answered where the target isn't there, or isn't the caller's to see. @default 404 */
  readonly unseen?: { readonly pointer: string } | "PermissionDenied";
}

/** What is called with, as far as rules look at it. */
export interface RuleInput {
  readonly params: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** What is there before the operation. */
export interface RuleStored {
  /** The target that the path or the body names. */
  readonly exists: boolean;
  /** The groups that the environment lists (`Type/ownerId/shortName`), and whether each is still there. */
  readonly groups: readonly { readonly name: string; readonly isThere: boolean }[];
}

/** The rights that a row takes by its path alone. A name that can't be one is judged by what it would be in. */
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

/** The rights that a row takes by its body. */
export function requiredByBody(row: Operation, { params, body }: RuleInput, stored: RuleStored): Required[] {
  if (!("on" in row.access)) return [];
  const { need } = row.access;
  const named = rulesOf(row).has("inBody") ? namedInBody(row, params, body) : null;
  if (named !== null) return [{ target: stored.exists ? named : (containerOf(named) ?? named), need }];
  const rules = rulesOf(row);
  return [
    ...(rules.has("resourceScopes") ? settingScopes(row, params, body) : []),
    ...(rules.has("environmentGroups") ? changedGroups(body, stored.groups) : []),
  ];
}

/** Whether rights are asked for on things that a row's body names. */
export function asksOfBody(row: Operation): boolean {
  const rules = rulesOf(row);
  return rules.has("inBody") || rules.has("environmentGroups") || rules.has("resourceScopes");
}

/** The target that a body names; `null`: it names none, which validation or the operation refuses. */
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

/** Whether a question is about who asks it. */
export function isAboutOneself(actor: Actor, query: unknown): boolean {
  const { principalType, principalId } = query as { principalType?: unknown; principalId?: unknown };
  return (
    principalType === "Account" && typeof principalId === "string" && principalId.toLowerCase() === principalOf(actor)
  );
}
