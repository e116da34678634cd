import type { OrganizationResourceGroup, PersonalResourceGroup } from "../contract/schemas/resource-group-schemas.ts";
import { type GroupRef, parseGroupName } from "../contract/target.ts";
import type { GrantEntry } from "../permissions/grants.ts";
import type { Key } from "../ports/store.ts";
import { collection } from "../records/collection.ts";
import type { Reader, Stored } from "../records/records.ts";

export interface GroupRecord extends GroupRef {
  readonly displayName: string | null;
  readonly description: string | null;
  readonly icon: string | null;
  readonly status: "Active" | "Deleted";
  readonly createdAt: string;
  readonly createdBy: string;
  readonly updatedAt: string;
  readonly updatedBy: string;
}

export const resourceGroups = collection<GroupRecord>()("resource-group", {
  key: groupKey,
  indexes: { deleted: ({ status, updatedAt }) => (status === "Deleted" ? [[updatedAt]] : []) },
});

/** The key of a group; short names compare without case. */
export function groupKey({ type, ownerId, shortName }: GroupRef): Key {
  return [type, ownerId, shortName.toLowerCase()];
}

export function toPersonalGroup(record: Stored<GroupRecord>, livesystems: readonly string[]): PersonalResourceGroup {
  const { type, ownerId, shortName, createdBy: _createdBy, updatedBy: _updatedBy, ...group } = record;
  return {
    ...group,
    id: { resourceGroupType: type, ownerId, shortName },
    livesystems: [...livesystems],
    blueprints: [],
  };
}

/** An organization's group as shown: its teams come from the grants that the viewer may see. */
export function toOrganizationGroup(
  record: Stored<GroupRecord>,
  livesystems: readonly string[],
  grants: readonly GrantEntry[],
): OrganizationResourceGroup {
  const accounts = grants.filter(({ principalType }) => principalType === "Account");
  const managers = idsOf(accounts.filter(({ permissionType }) => permissionType === "Admin"));
  return {
    ...toPersonalGroup(record, livesystems),
    createdBy: record.createdBy,
    updatedBy: record.updatedBy,
    managersIds: managers,
    membersIds: idsOf(accounts).filter((id) => !managers.includes(id)),
    teamsIds: idsOf(grants.filter(({ principalType }) => principalType === "Team")),
  };
}

function idsOf(grants: readonly { readonly principalId: string }[]): string[] {
  return [...new Set(grants.map(({ principalId }) => principalId))];
}

/** Whether a resource group (`Type/ownerId/shortName`) is active. */
export async function groupExists(reader: Reader, group: string): Promise<boolean> {
  const found = await reader.get(resourceGroups, groupKey(parseGroupName(group)));
  return found !== null && found.status === "Active";
}
