import type { Violation } from "../../errors.ts";
import type { ComponentRecord } from "../records/component-record.ts";
import { type DeclaredComponent, type Definition, pathKey } from "./definition.ts";
import { type IdFacts, isPlace } from "./place-violations.ts";

/** A component that moves to another path. */
export interface Move {
  /** Its current path as stored. */
  readonly from: string;
  readonly to: string;
}

/** The parts of a component that decide about moves. */
export type Movable = Pick<ComponentRecord, "path" | "provider" | "type" | "resource">;

export interface MovesJudged {
  /** By path. */
  readonly existing: ReadonlyMap<string, Movable>;
  /** The definition in force until now: a move that it declares has already been made. */
  readonly before: Definition | null;
  readonly clouds: ReadonlyMap<string, IdFacts>;
}

/**
 * The components that a definition moves to another path: those with `movedFrom`, those whose resource it names elsewhere, and those
 * spelled differently. A `movedFrom` that no longer exists was moved earlier.
 */
export function movesOf(
  { components }: Pick<Definition, "components">,
  judged: MovesJudged,
): { readonly moves: readonly Move[]; readonly errors: readonly Violation[] } {
  const errors: Violation[] = [];
  const moves: Move[] = [];
  const stays = new Set(components.map(({ path }) => pathKey(path)));
  const report = (at: number, detail: string) =>
    errors.push({ pointer: `#/components/${at}/movedFrom`, code: "InvalidDeclaration", detail });
  const places = new Map<string, number>();
  components.forEach((declared, at) => {
    const source = sourceOf(declared, judged, stays);
    if (source === null || moves.some(({ from }) => from === source.path)) return;
    const isSame = source.type === declared.type && source.provider === declared.provider;
    // Only spelled differently, it doesn't move: its type and provider are refused at their own places.
    if (!isSame && pathKey(source.path) === pathKey(declared.path)) return;
    if (isSame) moves.push({ from: source.path, to: declared.path });
    else report(at, "The component at that path has another type or provider.");
    places.set(pathKey(declared.path), at);
  });
  const leaves = new Set(moves.map(({ from }) => pathKey(from)));
  for (const [key, at] of places)
    if (judged.existing.has(key) && !leaves.has(key))
      report(at, "Another component already has the path that it moves to.");
  return { moves, errors };
}

/** The components after the moves, by their new paths. */
export function afterMoves<T extends { readonly path: string }>(
  existing: ReadonlyMap<string, T>,
  moves: readonly Move[],
): Map<string, T> {
  const moved = new Map(existing);
  for (const { from } of moves) moved.delete(pathKey(from));
  for (const { from, to } of moves) {
    const record = existing.get(pathKey(from));
    if (record !== undefined) moved.set(pathKey(to), { ...record, path: to });
  }
  return moved;
}

/** The component that a declared one was until now, if its path was different; `null` if none, or if it already has the new path. */
function sourceOf(declared: DeclaredComponent, judged: MovesJudged, stays: ReadonlySet<string>): Movable | null {
  const { existing, before } = judged;
  const { path, movedFrom } = declared;
  const own = existing.get(pathKey(path)) ?? null;
  const saidBefore = before?.components.find((one) => pathKey(one.path) === pathKey(path))?.movedFrom ?? null;
  const isNews = saidBefore === null || pathKey(saidBefore) !== pathKey(movedFrom ?? "");
  const said = typeof movedFrom === "string" && isNews ? existing.get(pathKey(movedFrom)) : undefined;
  if (said !== undefined) return said;
  if (own !== null) return own.path === path ? null : own;
  return sameResource(declared, judged, stays);
}

/** The component that disappears while its resource is declared for another: it is the same component. */
function sameResource(
  { provider, type, resourceId, resourceName }: DeclaredComponent,
  { existing, clouds }: MovesJudged,
  stays: ReadonlySet<string>,
): Movable | null {
  const cloud = clouds.get(provider);
  if (cloud === undefined) return null;
  for (const [key, record] of existing) {
    if (stays.has(key) || record.provider !== provider || record.type !== type) continue;
    const named = resourceName ? cloud.resourceIdFor(type, resourceName, record.resource.target) : null;
    const id = resourceId ?? named;
    if (id !== null && isPlace(cloud, type, id, record.resource)) return record;
  }
  return null;
}
