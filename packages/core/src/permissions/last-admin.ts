import { LiveplaneError } from "../errors.ts";
import { listAll } from "../records/list-all.ts";
import type { Change } from "../records/records.ts";
import type { Services } from "../services.ts";
import { authorizations, graphEntries, writeGraph } from "./grants.ts";
import type { PermissionGraph } from "./permission-graph.ts";

/** Ensures that every organization keeps an Admin: an Active account with a direct Admin grant. */
export interface LastAdmin {
  /** Throws `LastAdmin` if an organization would lose its last one. The commit checks everything that was read. */
  requireAnother(change: Change, graph: PermissionGraph, without: string): Promise<void>;
  /** The same for every organization where an account is an Admin, before it is suspended. */
  requireOthers(change: Change, accountId: string): Promise<void>;
  /** Ends all grants of an account, in the change that deletes it. Throws `LastAdmin`. */
  endAllGrantsOf(change: Change, accountId: string): Promise<void>;
}

export function createLastAdmin({
  accounts,
  graphs,
  changes,
  seats,
}: Pick<Services, "graphs" | "accounts" | "changes" | "seats">): LastAdmin {
  async function requireAnother(change: Change, graph: PermissionGraph, without: string): Promise<void> {
    const admins = adminsOf(graph);
    if (!admins.includes(without)) return;
    const statuses = await accounts.statuses(change, admins);
    const active = admins.filter((_, at) => statuses[at] === "Active");
    if (active.length === 1 && active[0] === without)
      throw new LiveplaneError(
        "LastAdmin",
        "An organization needs at least one Admin. Grant Admin to somebody else first.",
      );
  }

  async function eachOrganization(change: Change, accountId: string, work: (organizationId: string) => Promise<void>) {
    const entries = await listAll(change, graphEntries, { index: "byAccount", prefix: [accountId] });
    for (const id of new Set(entries.map(({ organizationId }) => organizationId))) await work(id);
  }

  async function requireOthers(change: Change, accountId: string): Promise<void> {
    await eachOrganization(change, accountId, async (id) => {
      const found = await graphs.read(change, id);
      if (found !== null && found.authorization.status !== "Deleted")
        await requireAnother(change, found.graph, accountId);
    });
  }

  return {
    requireAnother,
    requireOthers,
    async endAllGrantsOf(change, accountId) {
      await requireOthers(change, accountId);
      await eachOrganization(change, accountId, async (id) => {
        const authorization = await change.get(authorizations, [id]);
        const found = await graphs.read(change, id);
        if (authorization === null || found === null) return;
        const live = authorization.status === "Deleted" ? null : await changes.open(change, id);
        const write = live?.write ?? writeGraph(change, authorization, seats);
        const own = found.graph.grants.filter(
          ({ principalType, principalId }) => principalType === "Account" && principalId === accountId,
        );
        for (const grant of own) await write.revoke(grant);
        for (const scope of new Set(own.map((grant) => grant.scope))) await live?.touch(scope, accountId);
      });
    },
  };
}

function adminsOf(graph: PermissionGraph): string[] {
  const grants = graph
    .allOn("organization")
    .filter(({ permissionType, isPerson }) => permissionType === "Admin" && isPerson);
  return grants.map(({ principalId }) => principalId);
}
