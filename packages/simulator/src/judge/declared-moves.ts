import type { WantedHistory } from "./declarations.ts";
import { componentName, type Evidence } from "./evidence.ts";
import type { SentDefinition, StoredComponent, ToldEvent } from "./facts.ts";

/** The paths that a definition gives to components that have another one, by the one that they have: both without case. */
export function movesAsked(
  definition: SentDefinition | null,
  liveSystemId: string,
  { declarations, isThere }: { readonly declarations: WantedHistory; readonly isThere: (path: string) => boolean },
): ReadonlyMap<string, string> {
  const moves = new Map<string, string>();
  for (const { path, movedFrom } of definition?.components ?? []) {
    if (movedFrom == null || !isThere(movedFrom)) continue;
    // What was said of it already was done then: what is at its old path now is another one.
    const before = declarations.newest(liveSystemId, path)?.movedFrom;
    if (before?.toLowerCase() !== movedFrom.toLowerCase()) moves.set(movedFrom.toLowerCase(), path.toLowerCase());
  }
  return moves;
}

/** The moves that a commit tells of, by ids without case. */
export function movesTold(events: readonly ToldEvent[]): ReadonlyMap<string, string> {
  return new Map(
    events.flatMap(({ type, subject, data }) =>
      type === "component.moved" ? [[String(data.movedFrom).toLowerCase(), subject.toLowerCase()] as const] : [],
    ),
  );
}

/** What is said to have moved has, and nothing else. */
export function judgeMoves(
  asked: ReadonlyMap<string, string>,
  told: ReadonlyMap<string, string>,
  liveSystemId: string,
  evidence: Evidence,
) {
  const idOf = (path: string) => `${liveSystemId}/${path}`.toLowerCase();
  const wanted = [...asked].map(([from, to]) => `${idOf(from)} to ${idOf(to)}`).sort();
  const made = [...told].map(([from, to]) => `${from} to ${to}`).sort();
  if (wanted.join() !== made.join())
    evidence.fail("moves-as-declared", `declared to move is ${wanted.join(", ")}, it was ${made.join(", ")}`);
}

/** A move takes everything along, and changes nothing. */
export function judgeMoved(before: StoredComponent, after: StoredComponent, evidence: Evidence) {
  const [was, is] = [before, after].map(kept);
  if (was !== is)
    evidence.fail("moves-as-declared", `${componentName(after)} was ${was} as ${before.path}, and is ${is}`);
}

function kept({ status, lost, provisioned, resource, request, override, observed, intent }: StoredComponent): string {
  const { drift, outputs } = observed;
  return JSON.stringify([status, lost, provisioned, resource.id, request, override, intent, drift, outputs]);
}
