import type { Handlers } from "../contract/handler.ts";
import type { Member } from "../contract/schemas/organization-schemas.ts";
import type { Actor } from "../contract/target.ts";
import { LiveplaneError } from "../errors.ts";
import { principalOf } from "../permissions/actors.ts";
import type { PermissionGraph } from "../permissions/permission-graph.ts";
import { listedInMemory } from "../records/listed.ts";
import type { Services } from "../services.ts";
import { memberRights } from "./member-rights.ts";
import { viewerOf } from "./organization-changes.ts";
import { organizations } from "./organization-record.ts";
import { cursorOwner } from "./organizations.ts";

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
      const page = await pages.page(listedInMemory(memberRights(graph, viewerOf(actor, graph))), { ...query, bind });
      const ids = page.items.map(({ principalId }) => principalId);
      const cards = await cardsOf(deps, { actor, graph }, ids);
      const items = page.items.flatMap(({ permissions, direct, through }, at) => {
        const card = cards[at];
        return card === undefined ? [] : [{ ...card, permissions, direct, through }];
      });
      return { value: { items, nextCursor: page.nextCursor } };
    },
  };
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
): Promise<readonly Pick<Member, "principalId" | "kind" | "name" | "email" | "isInvited">[]> {
  const { records, accounts } = deps;
  const seesEmail = seesEmailOf(actor, graph);
  const people = await accounts.names(records, principalIds);
  return Promise.all(
    principalIds.map(async (principalId, at) => {
      const person = people[at] ?? null;
      if (person === null) {
        const name = await nameOfOwner(deps, principalId, graph.organizationId);
        return { principalId, kind: "ServiceAccount", name, email: null, isInvited: false };
      }
      const { name, isInvited } = person;
      return { principalId, kind: "Account", name, email: seesEmail(principalId) ? person.email : null, isInvited };
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
