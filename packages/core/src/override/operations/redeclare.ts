import type { Sealer } from "../../ports/secrets.ts";
import type { Change, Stored } from "../../records/records.ts";
import type { Services } from "../../services.ts";
import { partIn } from "../declarations/declaration.ts";
import { type DeclaredComponent, type Definition, pathKey } from "../declarations/definition.ts";
import { afterMoves, type Move, movesOf } from "../declarations/moves.ts";
import { aboutLiveSystem, type ComponentRecord, componentKey, components, idOf } from "../records/component-record.ts";
import { moveEpisodes } from "../records/episode-history.ts";
import { type InForce, withSecretsInForce } from "../records/in-force.ts";
import type { LiveSystemRecord } from "../records/live-system-record.ts";
import { movedSecrets } from "../records/sealed-outputs.ts";
import { parameterViolations, typeViolations } from "./asked-types.ts";
import { type Deployment, judgeDeclaration, refuseDeclaration, resourceViolations } from "./deployment.ts";
import { componentsOf } from "./live-systems.ts";

/** A valid new definition of a live system, and its components under it. */
export interface Redeclaration {
  readonly deployment: Deployment;
  /** What is in force until it is accepted. */
  readonly before: InForce;
  readonly moves: readonly Move[];
  readonly existing: ReadonlyMap<string, Stored<ComponentRecord>>;
  /** The components after it is accepted, by their new paths. */
  readonly after: ReadonlyMap<string, Stored<ComponentRecord>>;
}

/** Judges a redeploy against the existing state. Both its plan and the deploy start here. `null`: the state has changed meanwhile. */
export async function judgeRedeploy(
  deps: Pick<Services, "records" | "runtime" | "environments" | "declarations" | "clouds">,
  sent: Definition,
  system: Stored<LiveSystemRecord>,
): Promise<Redeclaration | null> {
  const before = await deps.declarations.read(system);
  if (before === null) return null;
  const definition = withSecretsInForce(sent, before);
  const existing = await componentsOf(deps.records, system.id);
  const isProvisioned = ({ path, movedFrom }: DeclaredComponent) =>
    [path, movedFrom].some((one) => typeof one === "string" && existing.get(pathKey(one))?.provisioned === true);
  const { environmentId, resourceGroupId } = system;
  const deployment = await judgeDeclaration(deps, definition, { environmentId, resourceGroupId, isProvisioned });
  const { clouds } = deps;
  const { moves, errors } = movesOf(definition, { existing, before: before.definition, clouds });
  const moved = afterMoves(existing, moves);
  refuseDeclaration([...errors, ...resourceViolations(deployment, { existing: moved, clouds })]);
  refuseDeclaration(await typeViolations({ existing: moved, deps }, deployment));
  refuseDeclaration(await parameterViolations({ before: before.definition, clouds }, definition));
  const stays = new Set(definition.components.map(({ path }) => pathKey(path)));
  const after = new Map([...moved].map(([key, record]) => [key, redeclared(record, { stays, before, moves })]));
  return { deployment, before, moves, existing, after };
}

interface Leaving {
  /** The paths in the new definition. */
  readonly stays: ReadonlySet<string>;
  readonly before: InForce;
  readonly moves: readonly Move[];
}

/** A component under a new definition: reclaimed, or with its last declaration kept. The same object means no change. */
function redeclared(record: Stored<ComponentRecord>, { stays, before, moves }: Leaving): Stored<ComponentRecord> {
  const own = before.declared.get(pathKey(record.path));
  const tagOwner = tagOwnerAfter(record, moves);
  if (stays.has(pathKey(record.path))) {
    // What is declared already may be stored as its tag owner until this one is.
    const tagOwners = [record.governedBy, own?.overrideWith ?? null];
    const isTagOwnerMoved = tagOwners.some((path) => path !== null && nowAt(path, moves) !== path);
    // A deletion that is under way may mark or delete it before the definition is accepted.
    const mayLeave = record.leaving || before.system.status === "Deleting";
    if (mayLeave) return { ...record, ...tagOwner, leaving: false, left: null };
    return isTagOwnerMoved ? { ...record, ...tagOwner } : record;
  }
  if (own === undefined && record.leaving && moves.length === 0) return record;
  const part = own === undefined ? record.left : partIn(own);
  const left = part && {
    ...part,
    dependsOn: part.dependsOn.map((path) => nowAt(path, moves)),
    overrideWith: part.overrideWith && nowAt(part.overrideWith, moves),
  };
  return { ...record, ...tagOwner, leaving: true, left };
}

/** The paths that a component stores of its tag owner, which may move. */
function tagOwnerAfter({ governedBy, heldBy }: ComponentRecord, moves: readonly Move[]) {
  return { governedBy: governedBy && nowAt(governedBy, moves), heldBy: heldBy && nowAt(heldBy, moves) };
}

function nowAt(path: string, moves: readonly Move[]): string {
  return moves.find(({ from }) => pathKey(from) === pathKey(path))?.to ?? path;
}

/** A component before and after a new definition. */
interface Changed {
  readonly record: Stored<ComponentRecord>;
  readonly next: ComponentRecord;
}

/** The changes of a new definition to existing components, read again. `null`: one was deleted meanwhile. */
export async function changedBy(
  change: Change,
  { existing, after, moves }: Redeclaration,
): Promise<readonly Changed[] | null> {
  const came = new Map(moves.map(({ from, to }) => [pathKey(to), from]));
  const changed = [...after].flatMap(([key, next]) => {
    const from = came.get(key) ?? next.path;
    return existing.get(pathKey(from)) === next ? [] : [{ from, next }];
  });
  const found = await change.getMany(
    components,
    changed.map(({ from, next }) => componentKey(next.liveSystemId, from)),
  );
  const fresh: Changed[] = [];
  for (const [nth, { next }] of changed.entries()) {
    const record = found[nth] ?? null;
    if (record === null) return null;
    const { path, leaving, left } = next;
    fresh.push({ record, next: { ...record, path, leaving, left, ...tagOwnerAfter(record, moves) } });
  }
  return fresh;
}

/** The components after a redeploy that is only rehearsed. What is sealed in those that move is bound to their new paths, as a deploy binds it. */
export async function afterRehearsal(
  { existing, after, moves }: Redeclaration,
  sealer: Sealer,
): Promise<Redeclaration["after"]> {
  const bound = new Map(after);
  for (const { from, to } of moves) {
    const [record, next] = [existing.get(pathKey(from)), after.get(pathKey(to))];
    if (record !== undefined && next !== undefined)
      bound.set(pathKey(to), { ...next, ...(await movedSecrets(record, next.path, sealer)) });
  }
  return bound;
}

/**
 * Writes which components move, are reclaimed or leave. In one commit with the pointer, so that none is ever without a declaration
 * or under a wrong path.
 */
export async function putChanged(
  change: Change,
  changed: readonly Changed[],
  { sealer, at, by }: { readonly sealer: Sealer; readonly at: string; readonly by: string },
): Promise<void> {
  const moved = changed.filter(({ record, next }) => record.path !== next.path);
  // All are deleted before any is written, because two components may swap paths.
  for (const { record } of moved) change.delete(components, components.key(record));
  await moveEpisodes(
    change,
    moved.map(({ record: { liveSystemId, path: from }, next: { path: to } }) => ({ liveSystemId, from, to })),
  );
  for (const { record, next } of changed) {
    const isMoved = record.path !== next.path;
    const sealed = isMoved ? await movedSecrets(record, next.path, sealer) : {};
    change.put(components, { ...next, ...sealed, updatedAt: at, updatedBy: by });
    if (isMoved) tellMoved(change, record, next);
  }
}

function tellMoved(change: Change, before: ComponentRecord, now: ComponentRecord): void {
  const { status } = now;
  const data = { from: status, status, movedFrom: idOf(before) };
  change.emit({ type: "component.moved", subject: idOf(now), about: aboutLiveSystem(now), data });
}
