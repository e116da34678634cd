import { carriesManagementTag, referencesOf } from "./comparison.ts";
import type { Wanted } from "./declarations.ts";
import { wantedOf } from "./declarations.ts";
import { componentName, type Evidence, placeKey } from "./evidence.ts";
import type { ResourceTruth, SentDefinition, StoredComponent } from "./facts.ts";
import { movesAsked } from "./renames.ts";
import { isUnbound } from "./rest.ts";

/** What a plan says of one component. */
export interface PlannedAction {
  readonly componentId: string;
  readonly action: string;
}

/** What was there when a deploy was planned, and what the judge expects of it. */
export interface Forecast {
  readonly liveSystemId: string;
  readonly order: number;
  readonly before: ReadonlyMap<string, { readonly component: StoredComponent; readonly there: ResourceTruth | null }>;
  readonly wanted: ReadonlyMap<string, Wanted>;
  /** The paths that components are to move to. */
  readonly moved: ReadonlySet<string>;
  /** By path, what must come; a path of which the judge can't tell isn't in it. */
  readonly expected: ReadonlyMap<string, string>;
}

/** Works out what a deploy must do, from what is there, while nothing moves. */
export function forecastOf(liveSystemId: string, definition: SentDefinition, evidence: Evidence): Forecast {
  const wanted = new Map(definition.components.map((one) => [one.path.toLowerCase(), wantedOf(one)]));
  const isThere = (path: string) => evidence.sibling(liveSystemId, path) !== null;
  const moves = movesAsked(definition, liveSystemId, { declarations: evidence.declarations, isThere });
  const before = new Map<string, { component: StoredComponent; there: ResourceTruth | null }>();
  for (const { record } of evidence.components.values()) {
    if (record.liveSystemId !== liveSystemId) continue;
    const path = record.path.toLowerCase();
    before.set(moves.get(path) ?? path, { component: record, there: evidence.truthOf(record) });
  }
  const expected = new Map<string, string>();
  for (const [path, { component, there }] of before) {
    const declared = wanted.get(path);
    const action =
      declared === undefined ? fateOf(component, there, evidence) : actionOf(component, there, declared, evidence);
    if (action !== null) expected.set(path, action);
  }
  return { liveSystemId, order: evidence.order, before, wanted, expected, moved: new Set(moves.values()) };
}

/** What must become of what leaves; `null`: it goes with another, which is judged for both. */
function fateOf(component: StoredComponent, there: ResourceTruth | null, evidence: Evidence): string | null {
  if (there === null) return "none";
  if (component.overrideWith !== null && component.status === "Active") return null;
  const last = evidence.declarations.last(component.liveSystemId, component.path);
  const isManaged = carriesManagementTag(there.tags, evidence.cloudOf(component));
  return isManaged && last?.deletionPolicy !== "Retain" ? "delete" : "release";
}

/** What must become of what is declared; `null`: it depends on what comes of others. */
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
    if (isUnbound(component, declared, evidence)) return "hold";
    // The cloud is asked once more for what it gave up, though nothing differs, where the resource says that it did.
    if (there.failed !== undefined || evidence.certain(declared, there, component).length > 0) return "correct";
    return refers ? null : "none";
  }
  // What nothing bound may be bound under the new declaration: then a hand-back that was stuck goes on.
  if (component.status === "ReconcileRequested" && !isUnbound(component, declared, evidence)) return null;
  return component.lost || mayResume(component, there, declared, evidence) ? null : "hold";
}

/** What has its tag back goes on of itself once nothing differs, which a declaration may bring about; or whatever differs. */
function mayResume(component: StoredComponent, there: ResourceTruth, declared: Wanted, evidence: Evidence): boolean {
  const { restoredTag } = evidence.world;
  if (restoredTag === "wait" || !carriesManagementTag(there.tags, evidence.cloudOf(component))) return false;
  return restoredTag === "resume" || evidence.certain(declared, there, component).length === 0;
}

/** A plan says what the judge expects. */
export function judgePlan(planned: readonly PlannedAction[], forecast: Forecast, evidence: Evidence) {
  const { liveSystemId, expected } = forecast;
  const actions = new Map(planned.map(({ componentId, action }) => [componentId.toLowerCase(), action]));
  const paths = new Set([...forecast.wanted.keys(), ...forecast.before.keys()]);
  for (const path of paths) {
    const action = actions.get(`${liveSystemId}/${path}`.toLowerCase());
    if (action === undefined) evidence.fail("plans-come-true", `the plan says nothing of ${path}`);
    const wanted = expected.get(path);
    const isMove = forecast.moved.has(path);
    if (action === "move" && !isMove)
      evidence.fail("plans-come-true", `the plan says that ${path} moves, and it doesn't`);
    else if (wanted !== undefined && action !== (isMove && wanted === "none" ? "move" : wanted))
      evidence.fail("plans-come-true", `the plan says ${action} of ${path}, ${wanted} is what must come`);
  }
}

/** What a plan said is what then happened, as long as nothing moved in between. */
export function judgeCameTrue(planned: readonly PlannedAction[], forecast: Forecast, evidence: Evidence) {
  const { liveSystemId, before, wanted } = forecast;
  for (const { componentId, action } of planned) {
    const path = componentId.slice(liveSystemId.length + 1).toLowerCase();
    const after = evidence.sibling(liveSystemId, path);
    const then = before.get(path) ?? null;
    const deeds = deedsTo(after ?? then?.component ?? null, forecast, evidence);
    const follows = (wanted.get(path)?.needs.length ?? 0) > 0 || wanted.get(path)?.overrideWith != null;
    const isSure = forecast.expected.has(path);
    const wrong = contradiction(action, { after, earlier: then?.there ?? null, deeds, follows, isSure }, evidence);
    if (wrong !== null) evidence.fail("plans-come-true", `the plan said ${action} of ${path}, and ${wrong}`);
  }
}

interface Came {
  readonly after: StoredComponent | null;
  readonly earlier: ResourceTruth | null;
  readonly deeds: ReadonlySet<string>;
  /** It refers to others, or goes with one: what comes of them may move it. */
  readonly follows: boolean;
  /** What is there and declared says it already, whatever becomes of others. */
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

/** A stray reconcile tag is removed whenever one is there. */
function deedsAreTidying(deeds: ReadonlySet<string>): boolean {
  return deeds.size === 1 && deeds.has("removeTag");
}

function deedsTo(component: StoredComponent | null, { order }: Forecast, evidence: Evidence): ReadonlySet<string> {
  const deeds = new Set<string>();
  if (component?.resource.id == null) {
    if (component !== null) for (const deed of evidence.deedsSince(componentName(component), order)) deeds.add(deed);
    return deeds;
  }
  for (const deed of evidence.deedsSince(placeKey(component.provider, component.resource.id), order)) deeds.add(deed);
  return deeds;
}

/** In a calm world a delete takes all that is managed, and leaves all that isn't. */
export function judgeRemovals(forecast: Forecast, evidence: Evidence) {
  const { liveSystemId, before, expected } = forecast;
  const wrong = (detail: string) => evidence.fail("deletes-what-was-asked", detail);
  if (evidence.systems.get(liveSystemId) !== "Deleted")
    wrong(`${liveSystemId} is ${evidence.systems.get(liveSystemId)}, nothing kept it`);
  for (const [path, { component, there }] of before) {
    if (evidence.sibling(liveSystemId, path) !== null) wrong(`${path} is still there`);
    const isLeft = there !== null && evidence.truth.has(placeKey(component.provider, there.resourceId));
    const action = expected.get(path);
    if (action === "delete" && isLeft) wrong(`the resource of ${path} is still there`);
    if (action === "release" && !isLeft) wrong(`the resource of ${path} was to be left behind`);
  }
}
