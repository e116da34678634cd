import type { Handlers } from "../contract/handler.ts";
import type { Permission } from "../contract/row.ts";
import type { Member } from "../contract/schemas/organization-schemas.ts";
import type { Actor } from "../contract/target.ts";
import { LiveplaneError } from "../errors.ts";
import { principalOf } from "../permissions/actors.ts";
import type { PermissionGraph } from "../permissions/permission-graph.ts";
import { implied } from "../permissions/permissions.ts";
import { listedInMemory } from "../records/listed.ts";
import type { Services } from "../services.ts";
import { viewerOf } from "./organization-changes.ts";
import { organizations } from "./organization-record.ts";
import { cursorOwner } from "./organizations.ts";

type Standing = Pick<Member, "principalId" | "permissions" | "through">;

/** Builds the list of an organization's members. */
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
      const ids = page.items.map(({ principalId }) => principalId);
      const cards = await cardsOf(deps, { actor, graph }, ids);
      const items = page.items.flatMap(({ permissions, through }, at) => {
        const card = cards[at];
        return card === undefined ? [] : [{ ...card, permissions, through }];
      });
      return { value: { items, nextCursor: page.nextCursor } };
    },
  };
}

/**
 * Who may do something with the organization, the longest there first. What comes through a team that doesn't show to anyone who
 * asks is left out, and so is who has nothing else: they would tell that there is such a team.
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

/** Addresses are for Admins, and for whose they are. */
function seesEmailOf(actor: Actor, graph: PermissionGraph): (principalId: string) => boolean {
  const own = principalOf(actor);
  const isAdmin =
    actor.kind === "system" || (own !== null && graph.decide(own, graph.organization).permissions.includes("Admin"));
  return (principalId) => isAdmin || principalId === own;
}

type Directory = Pick<Services, "records" | "accounts" | "principals">;

/** What accounts and service accounts go by, as an actor of the organization may see it, in the order of the ids. */
export async function cardsOf(
  deps: Directory,
  { actor, graph }: { readonly actor: Actor; readonly graph: PermissionGraph },
  principalIds: readonly string[],
): Promise<readonly Pick<Member, "principalId" | "kind" | "name" | "email">[]> {
  const { records, accounts } = deps;
  const seesEmail = seesEmailOf(actor, graph);
  const people = await accounts.names(records, principalIds);
  return Promise.all(
    principalIds.map(async (principalId, at) => {
      const person = people[at] ?? null;
      if (person === null) {
        const name = await nameOfOwner(deps, principalId, graph.organizationId);
        return { principalId, kind: "ServiceAccount", name, email: null };
      }
      return { principalId, kind: "Account", name: person.name, email: seesEmail(principalId) ? person.email : null };
    }),
  );
}

/** A service account goes by whose it is; another organization's tells nothing of it. */
async function nameOfOwner(
  { records, accounts, principals }: Directory,
  principalId: string,
  organizationId: string,
): Promise<string | null> {
  const owner = await principals.ownerOf(records, principalId);
  if (owner?.type === "Account") return (await accounts.names(records, [owner.id]))[0]?.name ?? null;
  if (owner?.type !== "Organization" || owner.id !== organizationId) return null;
  return (await records.get(organizations, [owner.id]))?.name ?? null;
}
