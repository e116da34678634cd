import { isUnbound } from "../bindings.ts";
import { carriesManagementTag, referencesOf } from "../comparison.ts";
import { wantedOf } from "../declarations.ts";
import { movesAsked } from "../declared-moves.ts";
import type { Evidence } from "../evidence.ts";
import type { ResourceTruth, SentDefinition, StoredComponent, Wanted } from "../facts.ts";
import { componentName, placeKey } from "../names.ts";

/** A plan's statement about one component. */
export interface PlannedAction {
  readonly componentId: string;
  readonly action: string;
}

/** A plan, and what it says that the deploy fails with. */
export interface Foretold {
  readonly components: readonly PlannedAction[];
  readonly error: { readonly code: string } | null;
}

/** The state when a deploy was planned, and what the judge expects. */
export interface Forecast {
  readonly liveSystemId: string;
  /** The number of changes by processes so far. */
  readonly changes: number;
  readonly before: ReadonlyMap<string, { readonly component: StoredComponent; readonly there: ResourceTruth | null }>;
  readonly wanted: ReadonlyMap<string, Wanted>;
  /** The paths that components will move to. */
  readonly moved: ReadonlySet<string>;
  /** The required action by path; a path where the judge can't tell is missing. */
  readonly expected: ReadonlyMap<string, string>;
}

/** Derives what a deploy must do from the state, while nothing changes. */
export function forecastOf(liveSystemId: string, definition: SentDefinition, evidence: Evidence): Forecast {
  const wanted = new Map(definition.components.map((one) => [one.path.toLowerCase(), wantedOf(one)]));
  const moves = movesAsked(definition, liveSystemId, evidence);
  const before = new Map<string, { component: StoredComponent; there: ResourceTruth | null }>();
  for (const component of evidence.stored.componentsOf(liveSystemId)) {
    const path = component.path.toLowerCase();
    before.set(moves.get(path) ?? path, { component, there: evidence.truthOf(component) });
  }
  const expected = new Map<string, string>();
  for (const [path, { component, there }] of before) {
    const declared = wanted.get(path);
    const action =
      declared === undefined ? fateOf(component, there, evidence) : actionOf(component, there, declared, evidence);
    if (action !== null) expected.set(path, action);
  }
  const changes = evidence.sends.changes.length;
  return { liveSystemId, changes, before, wanted, expected, moved: new Set(moves.values()) };
}

/** The required fate of an undeclared component; `null` if it shares another's. */
function fateOf(component: StoredComponent, there: ResourceTruth | null, evidence: Evidence): string | null {
  if (there === null) return "none";
  const last = evidence.declarations.last(component.liveSystemId, component.path);
  if (last?.overrideWith != null || component.governedBy != null) return null;
  const isManaged = carriesManagementTag(there.tags, evidence.cloudOf(component));
  return isManaged && last?.deletionPolicy !== "Retain" ? "delete" : "release";
}

/** The required action for a declared component; `null` if it depends on others. */
function actionOf(
  component: StoredComponent,
  there: ResourceTruth | null,
  declared: Wanted,
  evidence: Evidence,
): string | null {
  if (declared.overrideWith != null || component.leaving) return null;
  const refers = referencesOf((declared.parameters ?? {}) as never).length > 0;
  if (there === null) return refers || declared.needs.length > 0 ? null : "create";
  if (component.status === "Active") {
    // What the agent doesn't have yet is adopted, whatever differs.
    if (!component.provisioned || component.lost) return null;
    if (isUnbound(component, declared, evidence)) return "hold";
    // A write that the cloud gave up is requested again, even without differences, if the resource shows the failure.
    if (there.failed !== undefined || evidence.certain(declared, there, component).length > 0) return "correct";
    return refers ? null : "none";
  }
  // What nothing bound may be bound under the new declaration, which lets a stuck hand-back continue.
  if (component.status === "ReconcileRequested" && !isUnbound(component, declared, evidence)) return null;
  return component.lost || mayResume(component, there, declared, evidence) ? null : "hold";
}

/** A component with its tag restored resumes once nothing differs, which a declaration may bring about; or in any case. */
function mayResume(component: StoredComponent, there: ResourceTruth, declared: Wanted, evidence: Evidence): boolean {
  const { restoredTag } = evidence.world;
  if (restoredTag === "wait" || !carriesManagementTag(there.tags, evidence.cloudOf(component))) return false;
  return restoredTag === "resume" || evidence.certain(declared, there, component).length === 0;
}

/** Where a plan differs from the judge's expectation; `null` if nowhere. */
export function wrongPlan({ components, error }: Foretold, forecast: Forecast): string | null {
  const { liveSystemId, expected } = forecast;
  const actions = new Map(components.map(({ componentId, action }) => [componentId.toLowerCase(), action]));
  for (const path of new Set([...forecast.wanted.keys(), ...forecast.before.keys()])) {
    const action = actions.get(`${liveSystemId}/${path}`.toLowerCase());
    if (action === undefined) return `the plan says nothing of ${path}`;
    const wanted = expected.get(path);
    // What depends on a failing component isn't started.
    if (action === "hold" && error !== null && (forecast.wanted.get(path)?.needs.length ?? 0) > 0) continue;
    const isMove = forecast.moved.has(path);
    if (action === "move" && !isMove) return `the plan says that ${path} moves, and it doesn't`;
    if (wanted !== undefined && action !== (isMove && wanted === "none" ? "move" : wanted))
      return `the plan says ${action} of ${path}, ${wanted} is what must come`;
  }
  return null;
}

/** Whether a plan makes a component anew, or what that refers to: what a cloud makes of it, and its new ID, nobody knows before. */
export function makes({ components }: Foretold, { liveSystemId, wanted }: Forecast, componentId: string): boolean {
  const made = new Set(components.flatMap((one) => (one.action === "create" ? [one.componentId.toLowerCase()] : [])));
  const needs = wanted.get(componentId.slice(liveSystemId.length + 1).toLowerCase())?.needs ?? [];
  return [componentId, ...needs.map((path) => `${liveSystemId}/${path}`)].some((id) => made.has(id.toLowerCase()));
}

/** Whether the plan holds what goes by a tag owner that it takes back: nobody knows which of the two a deploy comes to first. */
export function isUpToTheOrder({ components }: Foretold, { liveSystemId, wanted }: Forecast): boolean {
  const actions = new Map(components.map(({ componentId, action }) => [componentId.toLowerCase(), action]));
  const actionAt = (path: string) => actions.get(`${liveSystemId}/${path}`.toLowerCase());
  return [...wanted].some(
    ([path, { overrideWith }]) =>
      overrideWith != null && actionAt(path) === "hold" && actionAt(overrideWith) !== "hold",
  );
}

/** Where the result differs from the plan, although nothing changed in between; `null` if nowhere. */
export function wrongOutcome(planned: readonly PlannedAction[], forecast: Forecast, evidence: Evidence): string | null {
  const { liveSystemId, before, wanted } = forecast;
  for (const { componentId, action } of planned) {
    const path = componentId.slice(liveSystemId.length + 1).toLowerCase();
    const after = evidence.sibling(liveSystemId, path);
    const then = before.get(path) ?? null;
    const deeds = deedsTo(after ?? then?.component ?? null, forecast, evidence);
    const follows = (wanted.get(path)?.needs.length ?? 0) > 0 || wanted.get(path)?.overrideWith != null;
    const isSure = forecast.expected.has(path);
    const wrong = contradiction(action, { after, earlier: then?.there ?? null, deeds, follows, isSure }, evidence);
    if (wrong !== null) return `the plan said ${action} of ${path}, and ${wrong}`;
  }
  return null;
}

interface Came {
  readonly after: StoredComponent | null;
  readonly earlier: ResourceTruth | null;
  readonly deeds: ReadonlySet<string>;
  /** It has references or a governor, whose changes may affect it. */
  readonly follows: boolean;
  /** Its state and declaration decide already, whatever happens to others. */
  readonly isSure: boolean;
}

function contradiction(
  action: string,
  { after, earlier, deeds, follows, isSure }: Came,
  evidence: Evidence,
): string | null {
  const isThere = after !== null && evidence.truthOf(after) !== null;
  switch (action) {
    case "create":
      return deeds.has("create") || follows ? null : "nothing was made";
    case "adopt":
      return isThere && !deeds.has("create") ? null : "it wasn't adopted";
    case "correct":
      return deeds.has("update") || deeds.has("removeTag") || (follows && !isSure) ? null : "nothing was corrected";
    case "delete":
      return deeds.has("remove") && after === null ? null : "it wasn't deleted";
    case "release":
      return after === null && earlier !== null && !deeds.has("remove") ? null : "it wasn't released";
    case "hold":
      return deeds.size === 0 || follows ? null : `it was changed: ${[...deeds].join(", ")}`;
    case "none":
    case "move":
      return deeds.size === 0 || follows || deedsAreTidying(deeds) ? null : `it was changed: ${[...deeds].join(", ")}`;
    default:
      return null;
  }
}

/** A stray reconcile tag is removed whenever there is one. */
function deedsAreTidying(deeds: ReadonlySet<string>): boolean {
  return deeds.size === 1 && deeds.has("removeTag");
}

function deedsTo(component: StoredComponent | null, forecast: Forecast, evidence: Evidence): ReadonlySet<string> {
  if (component === null) return new Set();
  const { provider, resource } = component;
  const key = resource.id === null ? componentName(component) : placeKey(provider, resource.id);
  const since = evidence.sends.changes.slice(forecast.changes);
  return new Set(since.flatMap((change) => (change.key === key ? [change.operation] : [])));
}
