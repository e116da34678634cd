import type { Answer, Call, Handler, Handlers } from "../../contract/handler.ts";
import { noEnvironment } from "../../contract/invalid.ts";
import { checkPreconditions, type Preconditions } from "../../contract/preconditions.ts";
import type { Mutation } from "../../contract/schemas/live-system-schemas.ts";
import { environmentName } from "../../contract/target.ts";
import { nowText } from "../../encoding.ts";
import { LiveplaneError } from "../../errors.ts";
import type { Cause, Change, Stored } from "../../records/records.ts";
import { countUse, liveSystemsIn } from "../../records/uses.ts";
import type { Services } from "../../services.ts";
import { pathKey } from "../declarations/definition.ts";
import { emitMutation } from "../mutations/emit-mutation.ts";
import { type ComponentRecord, components, idOf } from "../records/component-record.ts";
import { type Digested, digested, referTo } from "../records/definition-record.ts";
import { addMutation, putInForce, trimHistory } from "../records/history.ts";
import {
  type LiveSystemRecord,
  liveSystems,
  type MutationRecord,
  mutationPath,
  mutations,
  namesOf,
  requireWritable,
  superseded,
  toMutation,
} from "../records/live-system-record.ts";
import { countPlaces, type PlanPlaces } from "../records/plan-places.ts";
import { parameterViolations, typeViolations } from "./asked-types.ts";
import {
  type Deployment,
  definitionOf,
  judgeDeclaration,
  newComponent,
  refuseDeclaration,
  requireFree,
  requireTargets,
  resourceViolations,
  stepPlaceOf,
} from "./deployment.ts";
import { componentsOf, foundLiveSystem, type ShownBy, shownComponents } from "./live-systems.ts";
import { afterRehearsal, changedBy, judgeRedeploy, putChanged, type Redeclaration } from "./redeclare.ts";

type DeployHandlers = Pick<Handlers<"liveSystems">, "liveSystems.create" | "liveSystems.deploy" | "liveSystems.delete">;

/** Creates the handlers that start a mutation. Each commits all its decisions at once; execution follows. */
export function createDeploys(
  deps: Pick<Services, "records" | "runtime" | "settings" | "sealer" | "environments" | "clouds"> &
    ShownBy & {
      readonly seats: PlanPlaces;
      readonly wake: (liveSystemId: string) => void;
    },
): DeployHandlers {
  return {
    "liveSystems.create": (call) => create(deps, call),
    "liveSystems.deploy": (call) => deploy(deps, call),
    "liveSystems.delete": (call) => remove(deps, call),
  };
}

type Begun = ReturnType<Handler<"liveSystems.create">>;

async function create(
  deps: Pick<Services, "records" | "runtime" | "environments" | "clouds"> &
    ShownBy & {
      readonly seats: PlanPlaces;
      readonly wake: (liveSystemId: string) => void;
    },
  { body, cause, preconditions }: Call<"liveSystems.create">,
): Begun {
  const creation = await judgeCreation(deps, { id: deps.runtime.newId(), body, cause });
  checkPreconditions(preconditions, null, { creates: true });
  await deps.records.change(cause, (change) => acceptNew(deps, change, creation));
  return begun(deps, creation.draft.mutation);
}

/** A live system to create, with all its records. */
interface Creation extends Pick<Rehearsed, "deployment" | "draft"> {
  readonly system: LiveSystemRecord;
}

/** Validates a new live system. Both its plan and its creation start here. */
async function judgeCreation(
  deps: Pick<Services, "records" | "runtime" | "environments" | "declarations" | "clouds">,
  { id, body, cause }: Pick<Call<"liveSystems.create">, "body" | "cause"> & { readonly id: string },
): Promise<Creation> {
  const definition = definitionOf(body, null);
  const deployment = await judgeDeclaration(deps, definition, null);
  const existing = new Map<string, ComponentRecord>();
  refuseDeclaration(resourceViolations(deployment, { existing, clouds: deps.clouds }));
  refuseDeclaration(await typeViolations({ existing, deps }, deployment));
  refuseDeclaration(await parameterViolations({ before: null, clouds: deps.clouds }, definition));
  requireTargets(deployment);
  const draft = await draftOf({ deps, cause }, id, deployment, existing);
  const { at, mutation, deploys } = draft;
  const stamps = { createdAt: at, createdBy: cause.actor, updatedAt: at, updatedBy: cause.actor };
  const now = { status: "Active", inForce: deploys.digest, lastMutationId: mutation.id } as const;
  return { deployment, draft, system: { id, ...namesOf(definition), ...now, ...stamps } };
}

/** Stores a new live system and starts its mutation. Throws the refusals. */
async function acceptNew(
  { environments, seats }: Pick<Services, "environments"> & { readonly seats: PlanPlaces },
  change: Change,
  { system, draft }: Creation,
): Promise<void> {
  if ((await environments.groups(system.environmentId, change)) === null) throw noEnvironment();
  await countUse(change, liveSystemsIn(environmentName(system.environmentId)), 1);
  await referTo(change, system.id, draft.deploys);
  change.put(liveSystems, system);
  await putDraft(change, draft, { seats, liveSystems: 1 });
}

async function deploy(
  deps: Pick<Services, "records" | "runtime" | "settings" | "sealer" | "environments" | "clouds"> &
    ShownBy & {
      readonly seats: PlanPlaces;
      readonly wake: (liveSystemId: string) => void;
    },
  { params: { id }, body, cause, preconditions }: Call<"liveSystems.deploy">,
): Begun {
  const mutation = await unlessOvertaken(async () => {
    const known = await foundLiveSystem(deps.records, id);
    const redeclaration = await judgeRedeploy(deps, definitionOf(body, known), known);
    if (redeclaration === null) return null;
    const draft = await draftOf({ deps, cause }, known.id, redeclaration.deployment, redeclaration.after);
    const accepted = await deps.records.change(cause, (change) =>
      accept(deps, change, { redeclaration, draft, preconditions, cause }),
    );
    return accepted ? draft.mutation : null;
  });
  return begun(deps, mutation);
}

/** How often something is tried again when others deploy meanwhile. */
const mostTries = 10;

/** Tries until no other deploy of the live system has come in between, which `null` says. */
export async function unlessOvertaken<T extends object>(attempt: () => Promise<T | null>): Promise<T> {
  for (let tries = 0; tries < mostTries; tries++) {
    const made = await attempt();
    if (made !== null) return made;
  }
  throw new LiveplaneError("Conflict", "Other deploys of this live system kept interfering. Try again.");
}

/** What the commit of an accepted redeploy needs. Throws the refusals. */
interface Acceptance {
  readonly redeclaration: Redeclaration;
  readonly draft: DeployDraft;
  readonly preconditions: Preconditions;
  readonly cause: Cause;
}

/** Puts a definition in force for all components at once, and starts its mutation. False: the state it was judged by has changed. */
async function accept(
  deps: Pick<Services, "runtime" | "settings" | "sealer"> & { readonly seats: PlanPlaces },
  change: Change,
  { redeclaration, draft, preconditions, cause }: Acceptance,
): Promise<boolean> {
  const { before, deployment } = redeclaration;
  const system = await foundLiveSystem(change, before.system.id);
  checkPreconditions(preconditions, system);
  await requireWritable(change, system);
  requireTargets(deployment);
  const changed = await changedBy(change, redeclaration);
  if (changed === null || system.version !== before.system.version) return false;
  const { at, mutation, deploys } = draft;
  const released = await supersede(change, system, at);
  // What was left behind since the definition was judged is to be created anew.
  if ([...redeclaration.existing.values()].some((record) => released.includes(idOf(record)))) return false;
  const stamps = { lastMutationId: mutation.id, updatedAt: at, updatedBy: cause.actor };
  const inForce = await putInForce(change, system, deploys);
  const next = { ...inForce, ...namesOf(deployment.definition), status: "Active", ...stamps } as const;
  change.put(liveSystems, next);
  await putChanged(change, changed, { sealer: deps.sealer, at, by: cause.actor });
  await putDraft(change, draft, { seats: deps.seats, liveSystems: 0 });
  await trimHistory(change, next, deps.settings);
  return true;
}

/** A deploy that was fully judged but not made. */
export interface Rehearsed extends Pick<Redeclaration, "deployment" | "after" | "moves"> {
  /** The live system before the deploy; for a new one, as it would be created. */
  readonly system: Stored<LiveSystemRecord>;
  readonly draft: DeployDraft;
}

/** Judges a redeploy completely without making it, so that a plan is refused as the deploy would be. */
export async function rehearse(
  deps: Pick<Services, "records" | "runtime" | "settings" | "sealer" | "environments" | "declarations" | "clouds"> & {
    readonly seats: PlanPlaces;
  },
  { params: { id }, body, cause }: Pick<Call<"liveSystems.planDeploy">, "params" | "body" | "cause">,
): Promise<Rehearsed> {
  return unlessOvertaken(async () => {
    const known = await foundLiveSystem(deps.records, id);
    const redeclaration = await judgeRedeploy(deps, definitionOf(body, known), known);
    if (redeclaration === null) return null;
    const draft = await draftOf({ deps, cause }, known.id, redeclaration.deployment, redeclaration.after);
    const acceptance = { redeclaration, draft, preconditions: {}, cause };
    const work = (change: Change) => accept(deps, change, acceptance);
    if (!(await deps.records.change(cause, work, { rehearsal: true }))) return null;
    const { deployment, moves } = redeclaration;
    return { deployment, after: await afterRehearsal(redeclaration, deps.sealer), moves, system: known, draft };
  });
}

/** No live system has this ID. It makes plans of new live systems repeatable. */
const nobodysId = "00000000-0000-0000-0000-000000000000";

/** Judges the creation of a live system completely without making it. */
export async function rehearseNew(
  deps: Pick<Services, "records" | "runtime" | "environments" | "declarations" | "clouds"> & {
    readonly seats: PlanPlaces;
  },
  { body, cause }: Pick<Call<"liveSystems.plan">, "body" | "cause">,
): Promise<Rehearsed> {
  const creation = await judgeCreation(deps, { id: nobodysId, body, cause });
  await deps.records.change(cause, (change) => acceptNew(deps, change, creation), { rehearsal: true });
  const { deployment, draft, system } = creation;
  return { deployment, draft, system: { ...system, version: "" }, after: new Map(), moves: [] };
}

async function remove(
  deps: Pick<Services, "records" | "runtime" | "settings"> &
    ShownBy & {
      readonly wake: (liveSystemId: string) => void;
    },
  { params: { id }, cause, preconditions }: Call<"liveSystems.delete">,
): Begun {
  const at = nowText(deps);
  const mutation = newMutation({
    id: deps.runtime.newId(),
    liveSystemId: id.toLowerCase(),
    kind: "Delete",
    deploys: null,
    createdAt: at,
    createdBy: cause.actor,
    requestId: cause.requestId,
  });
  await deps.records.change(cause, async (change) => {
    const system = await foundLiveSystem(change, id);
    checkPreconditions(preconditions, system);
    await requireWritable(change, system);
    await supersede(change, system, at);
    const stamps = { lastMutationId: mutation.id, updatedAt: at, updatedBy: cause.actor };
    const next = { ...system, status: "Deleting", ...stamps } as const;
    change.put(liveSystems, next);
    await addMutation(change, mutation, null);
    await trimHistory(change, next, deps.settings);
  });
  return begun(deps, mutation);
}

async function begun(
  deps: Pick<Services, "records"> & ShownBy & { readonly wake: (liveSystemId: string) => void },
  { liveSystemId, id }: MutationRecord,
): Promise<Answer<Mutation>> {
  const { records, wake } = deps;
  wake(liveSystemId);
  const record = await records.get(mutations, [liveSystemId, id]);
  if (record === null) throw new LiveplaneError("NotFound");
  const own = [...(await componentsOf(records, liveSystemId)).values()];
  return {
    value: toMutation(record, { components: await shownComponents(deps, own), records: own }),
    location: mutationPath(record),
  };
}

/** Everything that a deploy adds in one commit. */
export interface DeployDraft {
  readonly at: string;
  readonly mutation: MutationRecord;
  readonly deploys: Digested;
  readonly added: readonly ComponentRecord[];
}

async function draftOf(
  { deps, cause }: { readonly deps: Pick<Services, "runtime" | "environments" | "clouds">; readonly cause: Cause },
  liveSystemId: string,
  deployment: Deployment,
  existing: ReadonlyMap<string, ComponentRecord>,
): Promise<DeployDraft> {
  const { definition, declaration } = deployment;
  const [at, by] = [nowText(deps), cause.actor];
  const deploys = await digested(deps.runtime, definition);
  const mutation = newMutation({
    id: deps.runtime.newId(),
    liveSystemId,
    kind: "Deploy",
    deploys: deploys.digest,
    createdAt: at,
    createdBy: by,
    requestId: cause.requestId,
  });
  const added: ComponentRecord[] = [];
  const taken = new Set([...existing.values()].map(({ resource }) => resource.name));
  for (const component of declaration.components) {
    if (existing.has(pathKey(component.declared.path))) continue;
    const place = await stepPlaceOf(component, liveSystemId, { targets: deployment.targets, taken, deps });
    added.push(
      newComponent(component, {
        liveSystemId,
        environment: definition.environmentId,
        place,
        mutationId: mutation.id,
        at,
        by,
      }),
    );
  }
  return { at, mutation, deploys, added };
}

function newMutation(
  facts: Pick<MutationRecord, "id" | "liveSystemId" | "kind" | "deploys" | "createdAt" | "createdBy" | "requestId">,
): MutationRecord {
  return { ...facts, status: "Pending", released: [], held: [], error: null, completedAt: null };
}

async function putDraft(
  change: Change,
  { mutation, deploys, added }: DeployDraft,
  { seats, liveSystems: made }: { readonly seats: PlanPlaces; readonly liveSystems: number },
): Promise<void> {
  const known = await change.getMany(components, added.map(components.key));
  const fresh = added.filter((record, at) => {
    const { type, provider } = known[at] ?? record;
    if (type !== record.type || provider !== record.provider) throw new LiveplaneError("Conflict");
    return known[at] === null;
  });
  // First in one turn, which a store may answer at once; then one by one, because two of them may have the same resource.
  await Promise.all(fresh.map((record) => requireFree(change, record)));
  for (const record of fresh) {
    await requireFree(change, record);
    change.put(components, record);
  }
  const placed = { liveSystemId: mutation.liveSystemId, environment: deploys.definition.environmentId };
  await countPlaces(change, seats, placed, { liveSystems: made, components: fresh.length });
  await addMutation(change, mutation, deploys);
}

/** A newer mutation replaces waiting ones. A running one notices that by itself and ends. Returns what was left behind by the last one. */
async function supersede(
  change: Change,
  { id, lastMutationId }: LiveSystemRecord,
  at: string,
): Promise<readonly string[]> {
  const last = await change.get(mutations, [id, lastMutationId]);
  if (last?.status !== "Pending") return last?.released ?? [];
  change.put(mutations, { ...last, status: "Failed", error: superseded, completedAt: at });
  await emitMutation(change, { ...last, error: superseded }, "failed");
  return [];
}
