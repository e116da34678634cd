import type { ServiceAccountRole } from "../access/access.ts";
import type { ServiceAccountAssignment } from "../contract/schemas/environment-schemas.ts";
import { collection } from "../records/collection.ts";
import type { Reader, Stored } from "../records/records.ts";
import type { ContentRecord } from "./contents.ts";
import type { ActorStamp } from "./environment-definition.ts";
import type { EnvironmentRecord } from "./environment-record.ts";

/** A role in an environment. */
export interface AssignmentRecord extends ContentRecord {
  readonly principalId: string;
  readonly serviceAccountRole: ServiceAccountRole;
  readonly description: string | null;
  readonly active: boolean;
}

/** All roles in environments, by the incarnation of the environment and the principal. */
export const assignments = collection<AssignmentRecord>()("service-account", {
  key: ({ incarnation, principalId }) => [incarnation, principalId],
});

/** The role of a principal in an environment. */
export function findAssignment(
  reader: Reader,
  { incarnation }: EnvironmentRecord,
  principalId: string,
): Promise<Stored<AssignmentRecord> | null> {
  return reader.get(assignments, [incarnation, principalId]);
}

/** A new role, active from the start. */
export function newAssignment(
  { incarnation, id }: EnvironmentRecord,
  principalId: string,
  body: ServiceAccountAssignment,
  { actor, time }: ActorStamp,
): AssignmentRecord {
  return {
    incarnation,
    environmentId: id,
    principalId,
    serviceAccountRole: body.serviceAccountRole ?? "CiCd",
    description: body.description ?? null,
    active: true,
    createdAt: time,
    createdBy: actor,
    updatedAt: time,
    updatedBy: actor,
  };
}
