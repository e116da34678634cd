import type { Permission } from "../contract/row.ts";

/** What a grant names: an account (a service account is one, too) or a team, by its id. */
export interface Principal {
  readonly principalType: "Account" | "Team";
  readonly principalId: string;
}

/** Where a grant is made: on the organization, or on one group or team of it. See `scopeOf`. */
export type GrantScope = "organization" | `group/${string}` | `team/${string}`;

/** A permission that somebody was granted. */
export interface Grant extends Principal {
  readonly scope: GrantScope;
  readonly permissionType: Permission;
}

/** What a right is asked for on: it holds what is granted on any of its containers. */
export interface GuardedPlace {
  readonly containers: readonly GrantScope[];
  /** A private team, which shows to its members and to the organization's Admins alone. */
  readonly privateTo?: GrantScope;
}

/** That a principal is (as) a holder: itself, or a team that it is a member of by way of the teams in `via`. */
export interface Membership {
  readonly holderId: string;
  readonly via: readonly string[];
}

/** A grant that gives a principal something, and the teams through which it reaches them. */
export interface Because extends Grant {
  readonly via: readonly string[];
}

/** What a principal may do somewhere, and why. */
export interface Decision {
  readonly permissions: readonly Permission[];
  readonly because: readonly Because[];
}

/** The grants of an organization, as the decision looks at them. */
export interface Grants {
  on(scope: GrantScope, holderId: string): readonly Grant[];
  scopesOf(holderId: string): readonly GrantScope[];
}

/** What each permission means. Edit and Terminate don't imply each other. */
export const implied: Readonly<Record<Permission, readonly Permission[]>> = {
  Admin: ["Admin", "Edit", "Terminate", "View"],
  Edit: ["Edit", "View"],
  Terminate: ["Terminate", "View"],
  View: ["View"],
};

export const nothing: Decision = { permissions: [], because: [] };

/**
 * Decides what a principal may do somewhere: the union of what every path grants, and what that implies. There are no denials.
 * A path goes from the principal, through the teams it is a member of, to a grant on the place or on a container of it.
 */
export function decide(grants: Grants, principalId: string, place: GuardedPlace): Decision {
  const memberships = membershipsOf(grants, principalId);
  const because = place.containers.flatMap((scope) =>
    memberships.flatMap(({ holderId, via }) => grants.on(scope, holderId).map((grant) => ({ ...grant, via }))),
  );
  if (place.privateTo !== undefined && !showsPrivate(place.privateTo, because)) return nothing;
  return { permissions: closure(because.map(({ permissionType }) => permissionType)), because };
}

/** The principal itself, then every team that it is in: anyone who is granted anything on a team is its member, teams too. */
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

/** Everything that some permissions mean together, from the highest on. @internal */
export function closure(permissions: readonly Permission[]): readonly Permission[] {
  const held = new Set(permissions.flatMap((permission) => implied[permission]));
  return implied.Admin.filter((permission) => held.has(permission));
}

/** Names the scope of a grant on a group or a team. Short names compare without case; a team goes by its principal id. */
export const scopeOf = {
  organization: "organization",
  group: (shortName: string): GrantScope => `group/${shortName.toLowerCase()}`,
  team: (principalId: string): GrantScope => `team/${principalId}`,
} as const;

/** The team that a scope is, by its principal id; `null`: it is none. */
export function teamOf(scope: GrantScope): string | null {
  return scope.startsWith("team/") ? scope.slice("team/".length) : null;
}

function showsPrivate(team: GrantScope, because: readonly Because[]): boolean {
  return because.some(({ scope, permissionType }) => scope === team || permissionType === "Admin");
}
