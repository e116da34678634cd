import type { Api } from "@liveplane/client";
import { type GrantPlace, grantsOn, lastOf } from "./grants.tsx";

/** Revokes everything that somebody was granted in an organization, its teams and its resource groups. */
export async function removeMember(api: Api, organizationId: string, principalId: string): Promise<void> {
  const { organizations } = api;
  const { teams, resourceGroups } = await organizations.get({ organizationId });
  const places: readonly Pick<GrantPlace, "kind" | "shortName">[] = [
    ...resourceGroups.map((name) => ({ kind: "group", shortName: lastOf(name) }) as const),
    ...teams.map((name) => ({ kind: "team", shortName: lastOf(name) }) as const),
    { kind: "organization", shortName: "" },
  ];
  for (const { kind, shortName } of places) {
    const [permissions, at] = [grantsOn(api, kind), { organizationId, shortName }];
    const held = [];
    for await (const grant of permissions.list.all(at, { limit: 200 }))
      if (grant.principalId === principalId) held.push(grant);
    for (const { principalType, permissionType } of held)
      await permissions.revoke(at, { principalType, principalId, permissionType });
  }
}
