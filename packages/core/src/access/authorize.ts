import { invalid, noEnvironment } from "../contract/invalid.ts";
import type { Operation } from "../contract/row.ts";
import { type Actor, parseGroupName, type Target } from "../contract/target.ts";
import { LiveplaneError, type Violation } from "../errors.ts";
import {
  accountOf,
  factorMissing,
  hasScope,
  isOperator,
  isOperatorAccount,
  isRoleActor,
  isSelf,
  lacksFactor,
  principalOf,
  type RoleActor,
} from "../permissions/actors.ts";
import { type Authorization, authorizations, organizationsOf } from "../permissions/grants.ts";
import type { Reader } from "../records/records.ts";
import type { Services } from "../services.ts";
import { groupKey, resourceGroups } from "../tenancy/resource-group-record.ts";
import type { Access, AccessInput, AnsweredInput, Reach } from "./access.ts";
import {
  asksOfBody,
  isAboutOneself,
  namedInBody,
  type Required,
  type RuleStored,
  requiredByBody,
  requiredByPath,
  rulesOf,
  sends,
} from "./access-rules.ts";
import { effectOf, isWellFormed, scopeOfTarget, targetOf } from "./access-targets.ts";
import { answeredAbout } from "./answered-about.ts";
import type { RequireChallengeAccess } from "./challenge-access.ts";
import { seenAmong } from "./event-sight.ts";
import { createOwnerState, type RequireOwnerState } from "./owner-state.ts";
import { insufficient, requireInEnvironment, requireRole, requireScope } from "./required-scope.ts";
import { knowsTeam, type Rights, type RightsOf } from "./rights.ts";

interface Deciding extends Pick<Services, "records" | "runtime" | "settings" | "scopes" | "graphs" | "principals"> {
  readonly rights: RightsOf;
  readonly identify: Access["identify"];
  readonly requireChallengeAccess: RequireChallengeAccess;
  readonly requireOwnerState: RequireOwnerState;
}

/** Creates the access checks, which every operation passes. */
export function createAccess(
  options: Pick<Services, "records" | "runtime" | "settings" | "scopes" | "graphs" | "principals"> & {
    readonly rights: RightsOf;
    readonly identify: Access["identify"];
    readonly requireChallengeAccess: RequireChallengeAccess;
  },
): Access {
  const { records, settings, rights } = options;
  const deps: Deciding = { ...options, requireOwnerState: createOwnerState(options) };
  const access: Access = {
    identify: deps.identify,
    async authorize(actor, row, input) {
      const { access: rule } = row;
      const who = "who" in rule ? rule.who : "principal";
      if (actor.kind === "system") return undefined;
      if (who === "anyone" || who === "challenge")
        return void (await deps.requireChallengeAccess(actor, row, input.params));
      if (principalOf(actor) === null) throw new LiveplaneError("Unauthenticated");
      if (isRoleActor(actor)) await requireRole(deps, actor, row);
      else if (who !== "operator") requireScope(actor, row);
      if (who === "operator") return void (await requireOperator(deps, actor, row, input.params));
      if ("who" in rule && rule.who === "account") return void (await requireAccount(deps, actor, row, rule));
      return await requireByPath(deps, actor, row, input);
    },
    authorizeBody(actor, row, input) {
      if (actor.kind === "serviceAccount" && changesThePerson(row, input.body)) return Promise.reject(forThePerson());
      return actor.kind !== "system" && asksOfBody(row) ? requireByBody(deps, actor, row, input) : undefined;
    },
    authorizeAgain: (actor, row, answered) => requireAgain(deps, actor, row, answered),
    operates: (actor) => isOperator(actor, settings),
    can: async (actor, target, need, options) => (await rights(actor, target, options)).permissions.includes(need),
    async sees(actor, target) {
      if (isOperator(actor, settings)) return true;
      const inScope = isRoleActor(actor) || hasScope(actor, scopeOfTarget(target));
      const found = inScope ? await rights(actor, target, { lasting: true }) : null;
      // Events about an account belong to the account.
      return found !== null && sees(found) && !(found.standsIn && target.kind === "account");
    },
    seesEvents: (actor, events) =>
      seenAmong(events, actor, { sees: access.sees, knows: (one, team) => knowsTeam(options, one, team) }),
    async hears(actor) {
      if (isOperator(actor, settings)) return { everything: true, owners: [] };
      return isRoleActor(actor) ? { everything: false, owners: ownersOf(actor) } : access.reach(actor);
    },
    async closedTo(actor) {
      const ids = await organizationsOf(records, principalOf(actor) ?? "");
      const found = await records.getMany(
        authorizations,
        ids.map((id) => [id]),
      );
      const isClosed = (one: Authorization) => one.status !== "Deleted" && lacksFactor(actor, one);
      return found.flatMap((one) => (one !== null && isClosed(one) ? [one.organizationId] : []));
    },
    async reach(actor, reader = records) {
      const environment = isRoleActor(actor) ? actor.environment : null;
      const principalId = principalOf(actor);
      if (environment !== null || principalId === null)
        return { everything: actor.kind === "system", owners: [], environment };
      const organizations = (await organizationsOf(reader, principalId)).map((id) => ({
        type: "Organizational" as const,
        id,
      }));
      const accountId = await accountOf(actor, reader, options.principals);
      const own = accountId === null ? [] : [{ type: "Personal" as const, id: accountId }];
      return { everything: false, owners: [...own, ...organizations], environment };
    },
  };
  return access;
}

/** The owner of the environment that a role's token is for. */
function ownersOf({ environment: { type, ownerId } }: RoleActor): Reach["owners"] {
  return type === "Unknown" ? [] : [{ type, id: ownerId }];
}

type Params = AccessInput["params"];

const sees = ({ permissions }: Rights) => permissions.includes("View");

/** The same, in answer to a person: those who lack only a second factor are told so. */
function seesOrLearnsWhy(rights: Rights): boolean {
  if (rights.lacksFactor) throw factorMissing();
  return sees(rights);
}

/** Checks the permissions that the path requires, before the body is read. */
async function requireByPath(
  deps: Deciding,
  actor: Actor,
  row: Operation,
  { params, query, reader }: AccessInput,
): Promise<LiveplaneError | undefined> {
  if (!("on" in row.access)) return undefined;
  const rules = rulesOf(row);
  const target = rules.has("inBody") ? null : targetOf(row.access.on, params);
  if (isRoleActor(actor) && !rules.has("inBody")) await requireInEnvironment(deps, actor, target);
  if (rules.has("createsNew") && params.type === "Unknown") return undefined;
  if (rules.has("reveals") && target !== null && (await deps.rights(actor, target)).reveals) return undefined;
  if (rules.has("partly") || (rules.has("orOneself") && isAboutOneself(actor, query)))
    return void (await requirePart(deps, actor, params));
  if (rules.has("inBody") && rules.has("creates")) return requireSomeTeam(deps, actor, row, params);
  const wellFormed = effectOf(row) === "reads" || isWellFormed(row.id, params);
  const makes = rules.has("creates") || rules.has("createsNew");
  const exists = makes && target !== null && (await isThere(deps, target, reader));
  await meet(deps, actor, row, requiredByPath(row, params, { exists, wellFormed }), reader);
  return undefined;
}

/** Checks the permissions that the body requires. */
async function requireByBody(
  deps: Deciding,
  actor: Actor,
  row: Operation,
  { params, body }: Omit<AnsweredInput, "value">,
): Promise<void> {
  if (!("on" in row.access)) return;
  const rules = rulesOf(row);
  const named = rules.has("inBody") ? namedInBody(row, params, body) : null;
  if (named !== null && isRoleActor(actor)) await requireInEnvironment(deps, actor, named);
  const exists = named === null || named.kind === "environment" || (await isThere(deps, named));
  const namesGroups = rules.has("environmentGroups") && sends(body, ["resourceGroups"]);
  const groups = namesGroups ? await groupsListed(deps, targetOf(row.access.on, params)) : [];
  await meet(deps, actor, row, requiredByBody(row, { params, body }, { exists, groups }));
}

/** Checks the permissions for a repeated answer. Whoever deleted something can't View it now, and still gets the answer. */
async function requireAgain(deps: Deciding, actor: Actor, row: Operation, answered: AnsweredInput): Promise<void> {
  if (actor.kind === "system") return;
  const isForOperators = "who" in row.access && row.access.who === "operator";
  if (isForOperators) return requireOperator(deps, actor, row, answered.params);
  if (isRoleActor(actor)) await requireRole(deps, actor, row);
  else requireScope(actor, row);
  const effect = effectOf(row);
  if (effect === "ends" || effect === "closes") return;
  const target = answeredAbout(row, answered);
  if (target === null) return;
  if (!seesOrLearnsWhy(await deps.rights(actor, target))) throw new LiveplaneError("NotFound");
}

/** Checks several permissions, and what their owners' state forbids. */
async function meet(
  { rights, records, requireOwnerState }: Deciding,
  actor: Actor,
  row: Operation,
  required: readonly Required[],
  reader: Reader = records,
): Promise<void> {
  const [only] = required;
  const judged: Judged[] =
    required.length === 1 && only !== undefined
      ? [{ ...only, rights: await rights(actor, only.target, { reader }) }]
      : await Promise.all(
          required.map(async (one) => ({ ...one, rights: await rights(actor, one.target, { reader }) })),
        );
  judgeAll(row, judged);
  const effect = effectOf(row);
  if (effect === "reads") return;
  const seen = new Set<string>();
  for (const { owner, tenancy } of judged.map(({ rights: own }) => own)) {
    if (owner === null || seen.has(owner.id)) continue;
    seen.add(owner.id);
    await requireOwnerState(reader, { ...owner, tenancy }, effect);
  }
}

/** A required permission beside what the caller holds. */
interface Judged extends Required {
  readonly rights: Rights;
}

/** The order of refusals: first what doesn't exist or can't be seen, then what isn't allowed, then what the body names wrongly. */
function judgeAll(row: Operation, judged: readonly Judged[]): void {
  const begins = rulesOf(row).has("begins");
  const isHeld = ({ need, rights: own }: Judged) => own.permissions.includes(need) || (begins && own.begins);
  if (judged.every((one) => sees(one.rights) && isHeld(one) && !one.rights.standsIn)) return;
  const unseen = judged.filter((one) => !seesOrLearnsWhy(one.rights));
  const absent = unseen.find((one) => one.unseen === undefined);
  if (absent !== undefined) {
    const isNamed = rulesOf(row).has("inBody") && absent.target.kind === "environment";
    throw isNamed ? noEnvironment() : new LiveplaneError("NotFound");
  }
  const judgeable = judged.filter((one) => one.unseen === "PermissionDenied" || sees(one.rights));
  const lacking = judgeable.find((one) => !isHeld(one));
  if (lacking !== undefined) throw lacks(lacking);
  if (rulesOf(row).has("personOnly") && judgeable.some((one) => one.rights.standsIn)) throw forThePerson();
  requireSeen(unseen);
}

const targetWords = {
  installation: "installation",
  account: "account",
  organization: "organization",
  team: "team",
  group: "resource group",
  environment: "environment",
  liveSystem: "live system",
  subscription: "subscription",
} as const satisfies Record<Target["kind"], string>;

interface Lacking extends Pick<Required, "need"> {
  readonly target: Pick<Target, "kind">;
}

function lacks({ need, target }: Lacking): LiveplaneError {
  return new LiveplaneError(
    "PermissionDenied",
    `This needs the permission ${need} on the ${targetWords[target.kind]}.`,
  );
}

/** Requires that the caller sees some part of the organization. */
async function requirePart({ graphs, records }: Deciding, actor: Actor, { organizationId = "" }: Params) {
  const found = await graphs.read(records, organizationId.toLowerCase());
  const principalId = principalOf(actor) ?? "";
  const isLive = found !== null && found.authorization.status !== "Deleted";
  if (!isLive || found.graph.scopesOf(principalId).length === 0) throw new LiveplaneError("NotFound");
  if (lacksFactor(actor, found.authorization)) throw factorMissing();
  return { graph: found.graph, principalId };
}

/** Runs before the body names the team: a caller who can neither create nor change any team is refused by what they can see of it. */
async function requireSomeTeam(
  deps: Deciding,
  actor: Actor,
  row: Operation,
  params: Params,
): Promise<LiveplaneError | undefined> {
  const { graph, principalId } = await requirePart(deps, actor, params);
  const held = (place: typeof graph.organization) => graph.decide(principalId, place).permissions;
  const places = [graph.organization, ...[...graph.teams.values()].map(graph.team)];
  if (!places.some((place) => held(place).includes("Edit")))
    return held(graph.organization).includes("View")
      ? lacks({ need: "Edit", target: { kind: "team" } })
      : new LiveplaneError("NotFound");
  await deps.requireOwnerState(deps.records, { type: "Organizational", id: graph.organizationId }, effectOf(row));
  return undefined;
}

async function isThere({ scopes, graphs, records }: Deciding, target: Target, reader?: Reader): Promise<boolean> {
  if (target.kind === "environment") return (await scopes.environment(target, reader)) !== null;
  if (target.kind !== "team" && target.kind !== "group") return true;
  const found = await graphs.read(records, target.kind === "team" ? target.organizationId : target.ownerId);
  const names = target.kind === "team" ? found?.graph.teams : found?.graph.groups;
  return names?.has(target.shortName.toLowerCase()) === true;
}

/** The groups that an environment lists, and whether each still exists. */
async function groupsListed({ scopes, records }: Deciding, target: Target | null): Promise<RuleStored["groups"]> {
  const scope = target?.kind === "environment" ? await scopes.environment(target) : null;
  if (scope === null) return [];
  const keys = scope.groups.map((name) => {
    const { shortName } = parseGroupName(name);
    return groupKey({ type: scope.owner.type, ownerId: scope.owner.id, shortName });
  });
  const found = await records.getMany(resourceGroups, keys);
  return scope.groups.map((name, at) => ({ name, isThere: found[at]?.status === "Active" }));
}

async function requireOperator(
  { rights, records, principals, settings }: Deciding,
  actor: Actor,
  row: Operation,
  params: Params,
): Promise<void> {
  if (isOperator(actor, settings)) return;
  if (isOperatorAccount(actor, settings)) throw insufficient("operator");
  const { accountId, organizationId, subscriptionId } = params;
  const orOneself = "orOneself" in row.access;
  if (orOneself && isSelf(actor, accountId?.toLowerCase() ?? "")) return;
  const own = orOneself ? await accountOf(actor, records, principals) : null;
  if (own !== null && own === accountId?.toLowerCase()) throw forThePerson();
  if (accountId !== undefined) throw new LiveplaneError("NotFound");
  const on = organizationId === undefined ? "subscription" : "organization";
  const target = organizationId === undefined && subscriptionId === undefined ? null : targetOf(on, params);
  const hidden = target !== null && !seesOrLearnsWhy(await rights(actor, target));
  if (hidden) throw new LiveplaneError("NotFound");
  throw new LiveplaneError("PermissionDenied", "Only operators may do this.");
}

async function requireAccount(
  { records, principals, requireOwnerState }: Deciding,
  actor: Actor,
  row: Operation,
  access: Extract<Operation["access"], { readonly who: "account" }>,
): Promise<void> {
  const accountId = await accountOf(actor, records, principals);
  if (accountId === null)
    throw new LiveplaneError("PermissionDenied", "Only people can do this. Sign in with your own account.");
  if (actor.kind === "serviceAccount" && access.orItsServiceAccount !== true) throw forThePerson();
  // An expired plan never stops an account from changing itself.
  if (access.changes === "things") await requireOwnerState(records, { type: "Personal", id: accountId }, effectOf(row));
}

/** Whether a body changes who the owner is: a leaked pipeline token must not be able to take over the account. */
function changesThePerson({ personOnlyMembers }: Operation, body: unknown): boolean {
  return sends(body, personOnlyMembers);
}

function forThePerson(): LiveplaneError {
  return new LiveplaneError(
    "PermissionDenied",
    "A service account can't do this for its owner. Sign in with your own account.",
  );
}

function requireSeen(unseen: readonly Required[]): void {
  const detail = "The environment's owner has no such resource group.";
  const [first, ...rest] = unseen.flatMap(({ unseen: at }): Violation[] =>
    typeof at === "object" ? [{ pointer: at.pointer, code: "Enum", detail }] : [],
  );
  if (first !== undefined) throw invalid([first, ...rest]);
}
