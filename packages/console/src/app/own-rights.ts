import type { Api } from "@liveplane/client";
import { useLoaded } from "./loaded.ts";
import { useWorkplace } from "./workplace.ts";

/** A permission. */
export type OwnRight = Awaited<ReturnType<Api["permissions"]["explain"]>>["permissions"][number];

/** Where a permission is held. */
export interface OwnedPlace {
  readonly type: string;
  readonly ownerId: string;
  /** Its resource groups, by short name. */
  readonly groups: readonly string[];
  /** One of its teams, by short name: what is granted on it counts too. */
  readonly team?: string | undefined;
}

const all: readonly OwnRight[] = ["Admin", "Edit", "Terminate", "View"];

/**
 * Whether the signed-in person may do something at a place. While unknown it says yes: the service decides anyway, and its refusal is
 * explained.
 */
export function useMay(place: OwnedPlace | null): (right: OwnRight) => boolean {
  const { api } = useWorkplace();
  const { loaded } = useLoaded({
    key: JSON.stringify(place),
    load: () => (place === null ? Promise.resolve(null) : rightsIn(api, place)),
    isTouchedBy: ({ type }) => type.startsWith("permission.") || type.startsWith("team."),
  });
  const rights = loaded.value.value;
  return (right) => rights === null || rights.includes(right);
}

/** The permissions of the signed-in person at a place. */
export async function rightsIn(api: Api, { type, ownerId, groups, team }: OwnedPlace): Promise<readonly OwnRight[]> {
  const { id } = await api.accounts.me();
  if (type === "Personal") return id === ownerId ? all : [];
  const who = { principalType: "Account", principalId: id } as const;
  const asked = [{}, ...groups.map((resourceGroup) => ({ resourceGroup }))];
  const found = await Promise.all(
    asked.map((group) => api.permissions.explain({ organizationId: ownerId }, { ...who, ...group })),
  );
  const rights = found.flatMap(({ permissions }) => permissions);
  if (team === undefined) return rights;
  const at = { organizationId: ownerId, shortName: team };
  for await (const grant of api.organizations.teams.permissions.list.all(at, { limit: 200 })) {
    // Whoever is in a team that this one is granted to isn't listed here. The service decides.
    const isOwn = grant.principalId === id || grant.principalType === "Team";
    if (isOwn) rights.push(...(grant.permissionType === "Admin" ? all : [grant.permissionType]));
  }
  return rights;
}
