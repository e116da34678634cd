import type { Evidence } from "./evidence.ts";
import type { SentDefinition, ToldEvent } from "./facts.ts";

/** The moves that a definition declares: new paths by old ones, without case. */
export function movesAsked(
  definition: SentDefinition | null,
  liveSystemId: string,
  evidence: Evidence,
): ReadonlyMap<string, string> {
  const moves = new Map<string, string>();
  for (const { path, movedFrom } of definition?.components ?? []) {
    if (movedFrom == null || evidence.sibling(liveSystemId, movedFrom) === null) continue;
    // A move that was declared before was made then; the component at the old path now is a different one.
    const before = evidence.declarations.newest(liveSystemId, path)?.movedFrom;
    if (before?.toLowerCase() !== movedFrom.toLowerCase()) moves.set(movedFrom.toLowerCase(), path.toLowerCase());
  }
  return moves;
}

/** The moves that a commit reports: new IDs by old ones, without case. */
export function movesTold(events: readonly ToldEvent[]): ReadonlyMap<string, string> {
  return new Map(
    events.flatMap(({ type, subject, data }) =>
      type === "component.moved" ? [[String(data.movedFrom).toLowerCase(), subject.toLowerCase()] as const] : [],
    ),
  );
}
