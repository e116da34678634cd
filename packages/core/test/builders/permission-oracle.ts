import type { Permission } from "../../src/contract/row.ts";

/** A grant in the plainest words: on the organization (""), on a group ("g:…") or on a team ("t:…"). */
export interface PlainGrant {
  readonly on: string;
  readonly to: string;
  readonly permission: Permission;
}

/** Decides by trying everything, again and again, until nothing new is found. Slow, and hard to get wrong. */
export function oracle(
  grants: readonly PlainGrant[],
  privateTeams: ReadonlySet<string>,
  who: string,
  on: string,
): Set<Permission> {
  const selves = new Set([who]);
  for (let before = 0; before !== selves.size; ) {
    before = selves.size;
    for (const grant of grants) if (grant.on.startsWith("t:") && selves.has(grant.to)) selves.add(grant.on);
  }
  const own = grants.filter(({ to }) => selves.has(to));
  const direct = own.filter((grant) => grant.on === on);
  const inherited = own.filter((grant) => grant.on === "" && on !== "");
  if (privateTeams.has(on) && direct.length === 0 && !inherited.some(({ permission }) => permission === "Admin"))
    return new Set();
  const rights = new Set<Permission>();
  for (const { permission } of [...direct, ...inherited]) {
    rights.add(permission);
    rights.add("View");
    if (permission === "Admin") {
      rights.add("Edit");
      rights.add("Terminate");
    }
  }
  return rights;
}
