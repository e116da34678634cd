import { type Grant, teamOf } from "../permissions/permissions.ts";
/** The longest chain of teams that are members of each other. */
export const longestChain = 10;

/** The result of making one team a member of another. */
export type Nesting = "fits" | "cycle" | "too-deep";

/** Decides whether `member` may become a member of `team`, given all grants of their organization. */
export function judgeNesting(grants: readonly Grant[], team: string, member: string): Nesting {
  const containing = new Map<string, Set<string>>();
  const contained = new Map<string, Set<string>>();
  for (const { scope, principalType, principalId } of grants) {
    const outer = teamOf(scope);
    if (outer === null || principalType !== "Team") continue;
    link(containing, principalId, outer);
    link(contained, outer, principalId);
  }
  if (team === member || reaches(containing, team, member)) return "cycle";
  if (containing.get(member)?.has(team)) return "fits";
  return height(containing, team) + height(contained, member) > longestChain ? "too-deep" : "fits";
}

function link(edges: Map<string, Set<string>>, from: string, to: string): void {
  const known = edges.get(from);
  if (known === undefined) edges.set(from, new Set([to]));
  else known.add(to);
}

function reaches(edges: ReadonlyMap<string, ReadonlySet<string>>, from: string, to: string): boolean {
  const seen = new Set([from]);
  for (const at of seen) {
    for (const next of edges.get(at) ?? []) {
      if (next === to) return true;
      seen.add(next);
    }
  }
  return false;
}

/** The length of the longest chain that begins with a team. There is no cycle, so it ends. */
function height(
  edges: ReadonlyMap<string, ReadonlySet<string>>,
  from: string,
  known = new Map<string, number>(),
): number {
  const before = known.get(from);
  if (before !== undefined) return before;
  let highest = 0;
  for (const next of edges.get(from) ?? []) highest = Math.max(highest, height(edges, next, known));
  known.set(from, highest + 1);
  return highest + 1;
}
