import type { Key } from "../ports/store.ts";
import { collection } from "../records/collection.ts";
import type { Change, Reader } from "../records/records.ts";
import type { Seats } from "../tenancy/plan-usage.ts";
import type { Grant } from "./permissions.ts";

/** Read first for every decision about an organization. Each change of its graph rewrites it, so its version is the graph's version. */
export interface Authorization {
  readonly organizationId: string;
  readonly status: OrganizationStatus;
  /** The subscription that allows or refuses writes; `null` if none. */
  readonly subscriptionId: string | null;
  /** People who signed in without a second factor may do nothing in it. */
  readonly requiresSecondFactor: boolean;
}

export type OrganizationStatus = "Active" | "Suspended" | "Deleted";

export interface GrantEntry extends Grant {
  readonly kind: "grant";
  readonly organizationId: string;
  readonly grantedAt: number;
  /** It names a person's account, which uses a seat of the plan. */
  readonly isPerson: boolean;
}

/** A live team, as permissions see it. */
export interface TeamEntry {
  readonly kind: "team";
  readonly organizationId: string;
  readonly principalId: string;
  readonly shortName: string;
  readonly isPrivate: boolean;
}

/** A live resource group of an organization. */
export interface GroupEntry {
  readonly kind: "group";
  readonly organizationId: string;
  readonly shortName: string;
}

/** Everything that an organization's permissions depend on is under one prefix, so one `list` reads it. */
export type GraphEntry = GrantEntry | TeamEntry | GroupEntry;

export const authorizations = collection<Authorization>()("authorization", {
  key: ({ organizationId }) => [organizationId],
});

export const graphEntries = collection<GraphEntry>()("graph-entry", {
  key: keyOf,
  indexes: {
    byAccount: (entry) => (entry.kind === "grant" && entry.principalType === "Account" ? [[entry.principalId]] : []),
  },
});

function keyOf(entry: GraphEntry): readonly string[] {
  const { organizationId, kind } = entry;
  switch (kind) {
    case "grant":
      return [organizationId, kind, entry.scope, entry.principalId, entry.permissionType];
    case "team":
      return [organizationId, kind, entry.principalId];
    case "group":
      return [organizationId, kind, entry.shortName.toLowerCase()];
  }
}

/** The organizations in which a principal has any grant. */
export async function organizationsOf(reader: Reader, principalId: string): Promise<string[]> {
  const keys = await reader.keys(graphEntries, "byAccount", [principalId]);
  return [...new Set(keys.map(([organizationId = ""]) => organizationId))];
}

/** Writes entries of one organization's graph, and counts their seats in the plan. */
export interface GraphWriter {
  /** Returns false if it existed already. */
  grant(grant: Omit<GrantEntry, "kind" | "organizationId">): Promise<boolean>;
  /** Returns false if there was nothing to revoke. */
  revoke(grant: Grant): Promise<boolean>;
  put(entry: TeamEntry | GroupEntry): Promise<void>;
  remove(entry: TeamEntry | GroupEntry): Promise<void>;
  /** The entries including those written here. */
  applyTo(entries: readonly GraphEntry[]): GraphEntry[];
}

/** Starts to change the graph of an organization: from now on, the commit fails on any other change of it. */
export function writeGraph(change: Change, authorization: Authorization, seats: Seats): GraphWriter {
  const { organizationId, subscriptionId } = authorization;
  const written = new Map<string, GraphEntry | null>();

  function set(key: Key, entry: GraphEntry | null): void {
    if (entry === null) change.delete(graphEntries, key);
    else change.put(graphEntries, entry);
    change.put(authorizations, authorization);
    written.set(key.join("/"), entry);
  }

  return {
    async grant(grant) {
      const entry: GrantEntry = { ...grant, kind: "grant", organizationId };
      if ((await change.get(graphEntries, keyOf(entry))) !== null) return false;
      if (grant.isPerson) await seats.take(change, subscriptionId, grant.principalId);
      set(keyOf(entry), entry);
      return true;
    },
    async revoke(grant) {
      const key = keyOf({ ...grant, kind: "grant", organizationId, grantedAt: 0, isPerson: false });
      const found = await change.get(graphEntries, key);
      if (found?.kind !== "grant") return false;
      if (found.isPerson) await seats.leave(change, subscriptionId, found.principalId);
      set(key, null);
      return true;
    },
    async put(entry) {
      await change.get(graphEntries, keyOf(entry));
      set(keyOf(entry), entry);
    },
    async remove(entry) {
      await change.get(graphEntries, keyOf(entry));
      set(keyOf(entry), null);
    },
    applyTo(entries) {
      const kept = entries.filter((entry) => !written.has(keyOf(entry).join("/")));
      return [...kept, ...[...written.values()].filter((entry) => entry !== null)];
    },
  };
}
