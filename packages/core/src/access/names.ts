import type { Handlers } from "../contract/handler.ts";
import type { FoundNames } from "../contract/schemas/name-schemas.ts";
import type { Actor } from "../contract/target.ts";
import type { AccountCard, ServiceAccountOwner } from "../permissions/account-directory.ts";
import { accountOf, hasScope, isRoleActor, lacksFactor, principalOf } from "../permissions/actors.ts";
import type { PermissionGraph } from "../permissions/permission-graph.ts";
import type { Reader } from "../records/records.ts";
import type { Services } from "../services.ts";
import { rightsOfMember } from "../tenancy/member-rights.ts";
import { viewerOf } from "../tenancy/organization-changes.ts";
import { type OrganizationRecord, organizations } from "../tenancy/organization-record.ts";
import { subscriptions } from "../tenancy/subscription-record.ts";
import { teams } from "../tenancy/team-record.ts";

type Name = FoundNames["items"][number];

/** The names of live systems, in the order asked for; `null`: there is none of that ID. */
export type LiveSystemNames = (reader: Reader, ids: readonly string[]) => Promise<readonly (string | null)[]>;

/** The name of a webhook, and who has it. */
export interface NamedWebhook {
  readonly name: string;
  readonly owner: { readonly type: "Account" | "Organization"; readonly id: string };
}

/** The names of webhooks, in the order asked for; `null`: there is none of that ID. */
export type WebhookNames = (reader: Reader, ids: readonly string[]) => Promise<readonly (NamedWebhook | null)[]>;

type Deps = Pick<Services, "records" | "graphs" | "accounts" | "principals" | "access"> & {
  readonly liveSystemNames: LiveSystemNames;
  readonly webhookNames: WebhookNames;
};

/** Builds the operation that resolves IDs. It shows a name only to callers who could read it elsewhere. */
export function createNameLookup(deps: Deps): Handlers<"names"> {
  return {
    "names.find": async ({ actor, query }) => {
      const ids = [...new Set(query.id)];
      const [sight, stored] = [await sightOf(deps, actor), await readNames(deps, ids)];
      const names = await Promise.all(stored.map((one) => nameOf(deps, one, sight)));
      return { value: { items: names.filter((name) => name !== null) } };
    },
  };
}

/** Everything that may have one ID. */
interface StoredName {
  readonly id: string;
  readonly account: AccountCard | null;
  readonly organization: OrganizationRecord | null;
  readonly liveSystem: string | null;
  /** The account that has a subscription of this ID. */
  readonly subscriber: string | null;
  readonly webhook: NamedWebhook | null;
}

async function readNames(
  { records, accounts, liveSystemNames, webhookNames }: Omit<Deps, "graphs" | "principals" | "access">,
  ids: readonly string[],
): Promise<readonly StoredName[]> {
  const keys = ids.map((id) => [id]);
  const [people, found, systems, plans, hooks] = await Promise.all([
    accounts.names(records, ids),
    records.getMany(organizations, keys),
    liveSystemNames(records, ids),
    records.getMany(subscriptions, keys),
    webhookNames(records, ids),
  ]);
  return ids.map((id, at) => ({
    id,
    account: people[at] ?? null,
    organization: found[at] ?? null,
    liveSystem: systems[at] ?? null,
    subscriber: plans[at]?.accountId ?? null,
    webhook: hooks[at] ?? null,
  }));
}

/** What a caller may see of people and organizations. */
interface Sight {
  readonly actor: Actor;
  readonly everything: boolean;
  /** The caller's own account, and its principal. */
  readonly own: readonly (string | null)[];
  /** The organizations that the caller has something in. */
  readonly organizations: readonly string[];
  /** Those of them that require no second factor, or got one. */
  readonly graphs: readonly PermissionGraph[];
}

async function sightOf(
  { records, graphs, principals, access }: Pick<Deps, "records" | "graphs" | "principals" | "access">,
  actor: Actor,
): Promise<Sight> {
  const everything = access.operates(actor);
  if (everything || isRoleActor(actor)) return { actor, everything, own: [], organizations: [], graphs: [] };
  const own = hasScope(actor, "accounts") ? [principalOf(actor), await accountOf(actor, records, principals)] : [];
  const { owners } = hasScope(actor, "organizations") ? await access.reach(actor) : { owners: [] };
  const read = owners.filter(({ type }) => type === "Organizational").map(({ id }) => graphs.read(records, id));
  const found = (await Promise.all(read)).filter((one) => one !== null);
  const live = found.filter(({ authorization }) => authorization.status !== "Deleted");
  const open = live.filter(({ authorization }) => !lacksFactor(actor, authorization));
  const organizations = live.map(({ authorization }) => authorization.organizationId);
  return { actor, everything, own, organizations, graphs: open.map(({ graph }) => graph) };
}

/** An actor sees the members of an organization if they may View it. */
function seesMember({ actor, everything, own, graphs }: Sight, principalId: string): boolean {
  if (everything || own.includes(principalId)) return true;
  return graphs.some(
    (graph) => views(actor, graph) && rightsOfMember(graph, principalId, viewerOf(actor, graph)) !== null,
  );
}

const holds = (actor: Actor, graph: PermissionGraph, permission: "View" | "Admin") =>
  graph.decide(principalOf(actor) ?? "", graph.organization).permissions.includes(permission);

const views = (actor: Actor, graph: PermissionGraph) => holds(actor, graph, "View");

/** A webhook is seen by its person, whose service account doesn't read it, or by the Admins of its organization. */
function seesWebhook({ actor, everything, own, graphs }: Sight, { owner }: NamedWebhook): boolean {
  if (everything) return true;
  if (owner.type === "Account") return own.includes(owner.id) && principalOf(actor) === owner.id;
  return graphs.some((graph) => graph.organizationId === owner.id && holds(actor, graph, "Admin"));
}

/** Whoever lacks a second factor sees the organization's name, as in a list. */
const seesOrganization = ({ everything, organizations: own }: Sight, id: string) => everything || own.includes(id);

async function nameOf(deps: Deps, stored: StoredName, sight: Sight) {
  const { id, account, organization, liveSystem, subscriber, webhook } = stored;
  if (account !== null) return seesMember(sight, id) ? named(id, "Account", nameOfPerson(id, account, sight)) : null;
  if (organization !== null) return seesOrganization(sight, id) ? named(id, "Organization", organization.name) : null;
  if (liveSystem !== null) return (await seesLiveSystem(deps, sight, id)) ? named(id, "LiveSystem", liveSystem) : null;
  if (subscriber !== null) return named(id, "Subscription", await nameOfSubscriber(deps, subscriber, sight));
  if (webhook !== null) return seesWebhook(sight, webhook) ? named(id, "Webhook", webhook.name) : null;
  const owner = await deps.principals.ownerOf(deps.records, id);
  if (owner !== null) return named(id, "ServiceAccount", await nameOfOwner(deps, id, owner, sight));
  return named(id, "Team", await nameOfTeam(deps, id, sight));
}

const named = (id: string, kind: Name["kind"], name: string | null): Name | null =>
  name === null ? null : { id, kind, name };

/** People without a name go by their address, which only they and operators see. */
function nameOfPerson(id: string, { name, email }: AccountCard, { everything, own }: Sight): string | null {
  return name ?? (everything || own.includes(id) ? email : null);
}

async function seesLiveSystem({ access }: Pick<Deps, "access">, { actor, everything }: Sight, id: string) {
  if (everything) return true;
  const inScope = isRoleActor(actor) || hasScope(actor, "livesystems");
  return inScope && (await access.can(actor, { kind: "liveSystem", id }, "View"));
}

async function nameOfOwner(
  { records, accounts }: Pick<Deps, "records" | "accounts">,
  principalId: string,
  { type, id }: ServiceAccountOwner,
  sight: Sight,
): Promise<string | null> {
  if (type === "Organization") {
    const { actor, everything, graphs } = sight;
    const isSeen = everything || graphs.some((graph) => graph.organizationId === id && views(actor, graph));
    return isSeen ? ((await records.get(organizations, [id]))?.name ?? null) : null;
  }
  const [owner] = seesMember(sight, id) || seesMember(sight, principalId) ? await accounts.names(records, [id]) : [];
  return owner ? nameOfPerson(id, owner, sight) : null;
}

/** A subscription is seen by its own account and by operators. */
async function nameOfSubscriber({ records, accounts }: Pick<Deps, "records" | "accounts">, id: string, sight: Sight) {
  const { actor, everything, own } = sight;
  if (!everything && !(own.includes(id) && hasScope(actor, "subscriptions"))) return null;
  const [owner] = await accounts.names(records, [id]);
  return owner ? nameOfPerson(id, owner, sight) : null;
}

async function nameOfTeam({ records }: Pick<Deps, "records">, id: string, { actor, everything, graphs }: Sight) {
  if (everything) return (await records.find(teams, "principal", [id]))?.shortName ?? null;
  const graph = graphs.find(({ teamsById }) => teamsById.has(id));
  const team = graph?.teamsById.get(id);
  if (graph === undefined || team === undefined) return null;
  return graph.decide(principalOf(actor) ?? "", graph.team(team)).permissions.includes("View") ? team.shortName : null;
}
