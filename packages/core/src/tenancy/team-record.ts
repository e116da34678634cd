import type { Team } from "../contract/schemas/organization-schemas.ts";
import type { Key } from "../ports/store.ts";
import { collection } from "../records/collection.ts";
import type { Stored } from "../records/records.ts";

/** A team as stored. Its members come from grants. */
export interface TeamRecord {
  readonly organizationId: string;
  /** As it was first spelled. */
  readonly shortName: string;
  readonly name: string | null;
  readonly description: string | null;
  readonly icon: string | null;
  readonly status: "Active" | "Deleted";
  readonly isPrivate: boolean;
  readonly principalId: string;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly updatedAt: string;
  readonly updatedBy: string;
}

export const teams = collection<TeamRecord>()("team", {
  key: ({ organizationId, shortName }) => teamKey(organizationId, shortName),
  indexes: { deleted: ({ status, updatedAt }) => (status === "Deleted" ? [[updatedAt]] : []) },
  uniques: { principal: ({ principalId }) => [[principalId]] },
});

/** The key of a team; short names compare without case. */
export function teamKey(organizationId: string, shortName: string): Key {
  return [organizationId, shortName.toLowerCase()];
}

export function toTeam({ organizationId, shortName, ...team }: Stored<TeamRecord>): Team {
  return { ...team, id: { organizationId, shortName } };
}
