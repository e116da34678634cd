import type { Handlers } from "../contract/handler.ts";
import type { Permission } from "../contract/row.ts";
import type { Member } from "../contract/schemas/organization-schemas.ts";
import type { Actor } from "../contract/target.ts";
import { LiveplaneError } from "../errors.ts";
import type { AccountCard } from "../permissions/account-directory.ts";
import { principalOf } from "../permissions/actors.ts";
import type { PermissionGraph } from "../permissions/permission-graph.ts";
import { implied } from "../permissions/permissions.ts";
import { listedInMemory } from "../records/listed.ts";
import type { Services } from "../services.ts";
import { viewerOf } from "./organization-changes.ts";
import { organizations } from "./organization-record.ts";
import { cursorOwner } from "./organizations.ts";

type Standing = Pick<Member, "principalId" | "permissions" | "through">;

/** Creates the list of an organization's members. */
export function createMembers(
  deps: Pick<Services, "records" | "pages" | "graphs" | "accounts" | "principals">,
): Pick<Handlers<"organizations">, "organizations.members.list"> {
  const { records, pages, graphs } = deps;
  return {
    "organizations.members.list": async ({ params: { organizationId }, query, actor }) => {
      const found = await graphs.read(records, organizationId);
      if (found === null) throw new LiveplaneError("NotFound");
      const { graph } = found;
      const bind = [cursorOwner(actor), "members", organizationId];
      const page = await pages.page(listedInMemory(standings(graph, actor)), { ...query, bind });
      const items = await named(deps, page.items, { organizationId, seesEmail: seesEmailOf(actor, graph) });
      return { value: { items, nextCursor: page.nextCursor } };
    },
  };
}

/**
 * The principals with permissions on the organization, oldest first. A private team that the caller can't see is left out, with everybody
 * who has nothing else, because they would reveal it.
 */
function standings(graph: PermissionGraph, actor: Actor): readonly Standing[] {
  const sees = viewerOf(actor, graph);
  const holders = graph.grants.filter(({ principalType }) => principalType === "Account");
  return [...new Set(holders.map(({ principalId }) => principalId))].flatMap((principalId): Standing[] => {
    const because = graph.decide(principalId, graph.organization).because.flatMap(({ permissionType, via }) => {
      const teams = via.map((id) => graph.teamsById.get(id));
      return teams.every((team) => team !== undefined && sees(team)) ? [{ permissionType, teams }] : [];
    });
    if (because.length === 0) return [];
    const held = new Set<Permission>(because.flatMap(({ permissionType }) => implied[permissionType]));
    const through = because.flatMap(({ teams }) => teams.flatMap((team) => team?.shortName ?? []));
    return [{ principalId, permissions: [...held], through: [...new Set(through)] }];
  });
}

/** Addresses are shown to Admins and to their owners. */
function seesEmailOf(actor: Actor, graph: PermissionGraph): (principalId: string) => boolean {
  const own = principalOf(actor);
  const isAdmin =
    actor.kind === "system" || (own !== null && graph.decide(own, graph.organization).permissions.includes("Admin"));
  return (principalId) => isAdmin || principalId === own;
}

interface Shown {
  readonly organizationId: string;
  readonly seesEmail: (principalId: string) => boolean;
}

async function named(
  deps: Pick<Services, "records" | "accounts" | "principals">,
  members: readonly Standing[],
  { organizationId, seesEmail }: Shown,
): Promise<Member[]> {
  const { records, accounts } = deps;
  const ids = members.map(({ principalId }) => principalId);
  const people = await accounts.names(records, ids);
  return Promise.all(
    members.map(async ({ principalId, permissions, through }, at): Promise<Member> => {
      const person = people[at] ?? null;
      const kind = person === null ? "ServiceAccount" : "Account";
      const name = person === null ? await nameOfOwner(deps, principalId, organizationId) : person.name;
      const email = seesEmail(principalId) ? emailOf(person) : null;
      return { principalId, kind, name, email, permissions, through };
    }),
  );
}

function emailOf(person: AccountCard | null): string | null {
  return person === null ? null : person.email;
}

/** A service account is shown with its owner's name, unless it belongs to another organization. */
async function nameOfOwner(
  { records, accounts, principals }: Pick<Services, "records" | "accounts" | "principals">,
  principalId: string,
  organizationId: string,
): Promise<string | null> {
  const owner = await principals.ownerOf(records, principalId);
  if (owner?.type === "Account") return (await accounts.names(records, [owner.id]))[0]?.name ?? null;
  if (owner?.type !== "Organization" || owner.id !== organizationId) return null;
  return (await records.get(organizations, [owner.id]))?.name ?? null;
}
