import type { Permission } from "../contract/row.ts";

/** The subject of a grant: an account (a service account is one too) or a team, by its ID. */
export interface Principal {
  readonly principalType: "Account" | "Team";
  readonly principalId: string;
}

/** Where a grant applies: the organization, or one of its groups or teams. See `scopeOf`. */
export type GrantScope = "organization" | `group/${string}` | `team/${string}`;

/** A granted permission. */
export interface Grant extends Principal {
  readonly scope: GrantScope;
  readonly permissionType: Permission;
}

/** Where a permission is asked for: grants on any of its containers count. */
export interface GuardedPlace {
  readonly containers: readonly GrantScope[];
  /** A private team, which is shown only to its members and the organization's Admins. */
  readonly privateTo?: GrantScope;
}

/** A principal counts as a holder (`as`): itself, or a team that it belongs to through the teams in `via`. */
export interface Membership {
  readonly holderId: string;
  readonly via: readonly string[];
}

/** A grant that gives a principal something, and the teams through which it does. */
export interface Because extends Grant {
  readonly via: readonly string[];
}

/** What a principal may do at a place, and why. */
export interface Decision {
  readonly permissions: readonly Permission[];
  readonly because: readonly Because[];
}

/** The grants of an organization, as decisions use them. */
export interface Grants {
  on(scope: GrantScope, holderId: string): readonly Grant[];
  scopesOf(holderId: string): readonly GrantScope[];
}

/** What each permission includes. Edit and Terminate don't include each other. */
export const implied: Readonly<Record<Permission, readonly Permission[]>> = {
  Admin: ["Admin", "Edit", "Terminate", "View"],
  Edit: ["Edit", "View"],
  Terminate: ["Terminate", "View"],
  View: ["View"],
};

export const nothing: Decision = { permissions: [], because: [] };

/**
 * Decides what a principal may do at a place: the union of what every path grants, and what that includes. There are no denials. A path
 * leads from the principal, through the teams it belongs to, to a grant on the place or one of its containers.
 */
export function decide(grants: Grants, principalId: string, place: GuardedPlace): Decision {
  const memberships = membershipsOf(grants, principalId);
  const because = place.containers.flatMap((scope) =>
    memberships.flatMap(({ holderId, via }) => grants.on(scope, holderId).map((grant) => ({ ...grant, via }))),
  );
  if (place.privateTo !== undefined && !showsPrivate(place.privateTo, because)) return nothing;
  return { permissions: closure(because.map(({ permissionType }) => permissionType)), because };
}

/** The principal itself, then every team it belongs to: any grant on a team makes the principal a member, teams included. */
function membershipsOf(grants: Grants, principalId: string): Membership[] {
  const found: Membership[] = [{ holderId: principalId, via: [] }];
  const seen = new Set([principalId]);
  for (const { holderId, via } of found) {
    for (const scope of grants.scopesOf(holderId)) {
      const team = teamOf(scope);
      if (team === null || seen.has(team)) continue;
      seen.add(team);
      found.push({ holderId: team, via: [...via, team] });
    }
  }
  return found;
}

/** Everything that some permissions include together, highest first. @internal */
export function closure(permissions: readonly Permission[]): readonly Permission[] {
  const held = new Set(permissions.flatMap((permission) => implied[permission]));
  return implied.Admin.filter((permission) => held.has(permission));
}

/** The scope of a grant on a group or a team. Short names compare without case; a team is identified by its principal ID. */
export const scopeOf = {
  organization: "organization",
  group: (shortName: string): GrantScope => `group/${shortName.toLowerCase()}`,
  team: (principalId: string): GrantScope => `team/${principalId}`,
} as const;

/** The team of a scope, by its principal ID; `null` if the scope isn't a team. */
export function teamOf(scope: GrantScope): string | null {
  return scope.startsWith("team/") ? scope.slice("team/".length) : null;
}

function showsPrivate(team: GrantScope, because: readonly Because[]): boolean {
  return because.some(({ scope, permissionType }) => scope === team || permissionType === "Admin");
}
