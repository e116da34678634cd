import type { Handlers } from "../../contract/handler.ts";
import type { DeployPlan } from "../../contract/schemas/live-system-schemas.ts";
import { childOf, isObject, isWithin, mapOwn, stepsOf, valueAt } from "../../json-pointer.ts";
import type { Json } from "../../ports/store.ts";
import { inParallel } from "../../records/in-parallel.ts";
import type { Stored } from "../../records/records.ts";
import type { Services } from "../../services.ts";
import type { AgentDeps } from "../agent/agent-deps.ts";
import { foresee } from "../agent/agent-pass.ts";
import { isWorthwhile } from "../agent/agent-transition.ts";
import { openExpectations } from "../agent/expectations.ts";
import type { Unresolved } from "../agent/referenced-values.ts";
import { type Declared, deployOrder } from "../declarations/declaration.ts";
import { componentId, pathKey } from "../declarations/definition.ts";
import { type Dependencies, neededFor } from "../declarations/dependency-order.ts";
import { declaredAs, outputNameOf } from "../declarations/references.ts";
import { maySetParameters } from "../declarations/shape.ts";
import { unmanagedPlaces } from "../declarations/unmanaged.ts";
import { fateOf, fateOfTagOwner } from "../mutations/fates.ts";
import { compareMissing, showing } from "../protocol/drift.ts";
import { isHeldByTagOwner, managementTag as managing } from "../protocol/observation.ts";
import { redacted } from "../protocol/redaction.ts";
import { withoutSecrets } from "../protocol/secret-places.ts";
import { goesByTagOwner } from "../protocol/tags.ts";
import { heldWith, whyUnwritable, withoutValue } from "../protocol/verdicts.ts";
import { type ComponentRecord, idOf, isThere } from "../records/component-record.ts";
import { type InForce, readDefinition } from "../records/in-force.ts";
import type { PlanPlaces } from "../records/plan-places.ts";
import { type Rehearsed, rehearse, rehearseNew, unlessOvertaken } from "./deploys.ts";
import { withFailures } from "./failing-steps.ts";
import type { DeployAction, Foreseen, Planned } from "./foreseen.ts";
import { foundLiveSystem } from "./live-systems.ts";
import { namesakes, warningsOf } from "./plan-warnings.ts";

const readsAtOnce = 8;

/** Creates the handlers that plan deploys. */
export function createDeployPlans(
  deps: AgentDeps &
    Pick<Services, "records" | "runtime" | "settings" | "sealer" | "environments" | "declarations" | "clouds"> & {
      readonly seats: PlanPlaces;
    },
): Pick<Handlers<"liveSystems">, "liveSystems.plan" | "liveSystems.planDeploy"> {
  return {
    "liveSystems.plan": async (call) => {
      const rehearsed = await rehearseNew(deps, call);
      const { warnings, ...plan } = await planDeploy(deps, rehearsed);
      return { value: { ...plan, warnings: [...(await namesakes(deps, rehearsed)), ...warnings] } };
    },
    "liveSystems.planDeploy": async (call) => {
      const value = await unlessOvertaken(async () => {
        const rehearsed = await rehearse(deps, call);
        const plan = await planDeploy(deps, rehearsed);
        const now = await foundLiveSystem(deps.records, call.params.id);
        return now.inForce === rehearsed.system.inForce ? plan : null;
      });
      return { value };
    },
  };
}

/**
 * Plans a deploy. Refusals, declarations and order come from the deploy's own code; the rest from fresh direct reads with the deploy's own
 * transition and comparison. Stores nothing.
 */
async function planDeploy(
  deps: AgentDeps & Pick<Services, "declarations">,
  { deployment: { declaration }, system: before, after, moves, draft }: Rehearsed,
): Promise<DeployPlan> {
  const drafts = draft.added.map((record) => [pathKey(record.path), { ...record, version: "" }] as const);
  const earlier = (await deps.declarations.read(before))?.declared;
  const came = new Map(moves.map(({ from, to }) => [pathKey(to), from]));
  const declaredBefore = (path: string) => earlier?.get(pathKey(came.get(path) ?? path));
  const known = [...after].map(([path, record]) => [path, withPlaces(record, declaredBefore(path))] as const);
  const records = new Map([...known, ...drafts]);
  const { id: lastMutationId } = draft.mutation;
  const system = { ...before, status: "Active", inForce: draft.deploys.digest, lastMutationId } as const;
  const inForce: InForce = { ...readDefinition(draft.deploys, deps.clouds), system };
  const order = deployOrder(declaration.components, (path) => isThere(records.get(path)));
  const foreseen = await foreseeAll({ inForce, order, deps }, records);
  const isHeld = (one: Foreseen) => isHeldIn(foreseen, one);
  const foretold = withFailures({ foreseen, actions: actionsOf(foreseen), order, isHeld });
  const { actions: brings, blocked, error } = foretold;
  const fates = new Map<string, DeployAction>();
  await inParallel([...foreseen], readsAtOnce, async ([path, one]) => {
    if (isLeaving(one)) fates.set(path, await removalOf({ brings, deps }, one));
  });
  const actions = new Map([...brings, ...fates]);
  const planned = [...order.keys(), ...fates.keys()].flatMap((path): Planned[] => {
    const one = foreseen.get(path);
    const action = actions.get(path);
    if (one === undefined || action === undefined) return [];
    const { record } = one.observation;
    const from = came.get(path);
    const movedFrom = from === undefined ? null : componentId(system.id, from);
    const was = fates.has(path) ? undefined : declaredBefore(path);
    const shown = fates.has(path) ? [] : shownChanges(one, was);
    const { declared } = one.observation.expectation;
    const unobservable = fates.has(path) ? [] : [...declared.unobservable];
    const unmanaged = unmanagedIn(one, was).filter((place) => !shown.some(({ pointer }) => isWithin(pointer, place)));
    const does = movedFrom !== null && action === "none" ? "move" : action;
    const addsTag = does !== "hold" && one.transition.effect === "adopt";
    const why = () => blocked.get(path) ?? whyHeld(one, { isHeld: isHeld(one), shown });
    const reason = does === "hold" ? why() : null;
    return [plannedOf(record, { action: does, reason, movedFrom, addsTag, unobservable, unmanaged }, shown)];
  });
  return { components: planned, warnings: await warningsOf(deps, foreseen, actions), error };
}

/**
 * A component with the places of the declaration in force that may hold secrets. Until it was read against that declaration, its record
 * doesn't have them, and a write may show them to the plan first.
 */
function withPlaces(record: Stored<ComponentRecord>, was: Declared | undefined): Stored<ComponentRecord> {
  const { observed } = record;
  if (was === undefined || observed.against === was.digest) return record;
  const places = [...was.secrets, ...was.references.map(({ pointer }) => pointer)];
  return { ...record, observed: { ...observed, secrets: [...new Set([...observed.secrets, ...places])] } };
}

/**
 * What the deploy would see of each component. A second look resolves references whose value is found only now, and sees what comes after a
 * tag owner that the deploy takes back.
 */
async function foreseeAll(
  { inForce, order, deps }: { readonly inForce: InForce; readonly order: Dependencies; readonly deps: AgentDeps },
  records: ReadonlyMap<string, Stored<ComponentRecord>>,
): Promise<ReadonlyMap<string, Foreseen>> {
  const foreseen = new Map<string, Foreseen>();
  const lookAt = async (paths: Iterable<string>, known: ReadonlyMap<string, Stored<ComponentRecord>>) => {
    const expectations = openExpectations(deps);
    expectations.know([...known.values()], new Map([[inForce.system.id, inForce]]));
    const options = { lane: "people", redeploy: true, expectations } as const;
    await inParallel([...paths], readsAtOnce, async (path) => {
      const record = records.get(path);
      await deps.runtime.yield();
      if (record !== undefined) foreseen.set(path, await foresee(record, { deps, options }));
    });
  };
  await lookAt(records.keys(), records);
  // A tag owner isn't a dependency. What doesn't wait for it may come before it, and be held. What leaves comes after everything.
  const isFreed = (path: string, { transition, observation: { expectation } }: Foreseen) =>
    expectation.tagOwner !== null &&
    isHeldByTagOwner(transition.component, expectation) &&
    ownerThen(foreseen, expectation)?.status === "Active" &&
    (expectation.declared.leaving || neededFor(path, order).has(pathKey(expectation.tagOwner.path)));
  const isOpen = ([path, one]: readonly [string, Foreseen]) =>
    one.observation.unresolved.length > 0 || isFreed(path, one);
  const open = [...foreseen].filter(isOpen).map(([path]) => path);
  const found = [...foreseen].map(
    ([path, { observation, transition }]) => [path, { ...observation.record, ...transition.component }] as const,
  );
  await lookAt(open, new Map(found));
  return foreseen;
}

function isLeaving({ observation }: Foreseen): boolean {
  return observation.expectation.declared.leaving;
}

/** What happens to a removed component, after everything the deploy brings, which may include its governor. */
async function removalOf(
  { brings, deps }: { readonly brings: ReadonlyMap<string, DeployAction>; readonly deps: AgentDeps },
  { observation }: Foreseen,
): Promise<DeployAction> {
  const { record, reading, expectation, managementTag } = observation;
  const { declared, tagOwner: known } = expectation;
  const isBrought = known !== null && (brings.get(pathKey(known.path)) ?? "hold") !== "hold";
  const tagOwner = isBrought ? "managed" : await fateOfTagOwner(deps, record, expectation);
  const fate = fateOf(record, { declared, reading, managementTag, tagOwner });
  return ({ forget: "none", unreadable: "hold", working: "hold", delete: "delete", release: "release" } as const)[fate];
}

/** The actions on declared components, each after what it waits for. */
function actionsOf(foreseen: ReadonlyMap<string, Foreseen>): Map<string, DeployAction> {
  const actions = new Map<string, DeployAction>();
  const actionAt = (path: string): DeployAction => {
    const known = actions.get(path);
    const one = foreseen.get(path);
    if (known !== undefined || one === undefined || isLeaving(one)) return known ?? "hold";
    const { unresolved } = one.observation;
    const comes = unresolved.length > 0 && unresolved.every(comesIn(foreseen, actionAt));
    const action = actionOf(one, { comes, isHeld: isHeldIn(foreseen, one) });
    actions.set(path, action);
    return action;
  };
  for (const path of foreseen.keys()) actionAt(path);
  return actions;
}

/** Whether a reference without a value will have one once the component it names has been created, or the output's parameter written. */
function comesIn(
  foreseen: ReadonlyMap<string, Foreseen>,
  actionAt: (path: string) => DeployAction,
): (unresolved: Unresolved) => boolean {
  return ({ reference, why }) => {
    if (reference.kind !== "output") return false;
    const path = pathKey(reference.path);
    const action = actionAt(path);
    if (why === "waiting") return action === "create" || action === "adopt";
    if (why !== "absent" || (action !== "adopt" && action !== "correct")) return false;
    const changes = foreseen.get(path)?.observation.changes ?? [];
    return changes.some(({ parameter }) => parameter === outputNameOf(reference.output));
  };
}

/** Whether a person controls a component's governor, or the deploy will find that they do. */
function isHeldIn(
  foreseen: ReadonlyMap<string, Foreseen>,
  { transition: { component }, observation: { expectation } }: Foreseen,
): boolean {
  const then = ownerThen(foreseen, expectation);
  if (then === null || !goesByTagOwner(component, expectation)) return false;
  return isHeldByTagOwner(component, expectation) || then.status !== "Active";
}

/** A component's tag owner as the deploy leaves it. */
function ownerThen(
  foreseen: ReadonlyMap<string, Foreseen>,
  { tagOwner }: Pick<Foreseen["observation"]["expectation"], "tagOwner">,
): Pick<ComponentRecord, "status"> | null {
  return tagOwner && (foreseen.get(pathKey(tagOwner.path))?.transition.component ?? tagOwner);
}

/** What a deploy does to one declared component. */
function actionOf(
  { observation, transition }: Foreseen,
  { comes, isHeld }: { readonly comes: boolean; readonly isHeld: boolean },
): DeployAction {
  const { reading, record, adoption } = observation;
  const { component, effect } = transition;
  const { unresolved } = observation;
  if (reading.state === "unreadable" || reading.state === "working" || isHeld) return "hold";
  if (adoption.state === "refused") return "hold";
  if (effect === "create") return unresolved.length === 0 || comes ? "create" : "hold";
  const isGivenBack = component.status === "ReconcileRequested" && effect !== null;
  if (component.status !== "Active" && !isGivenBack) return "hold";
  if (!record.provisioned || record.lost) return "adopt";
  if (effect === "correct" && isCorrection(observation)) return "correct";
  if (unresolved.length > 0) return comes && maySetParameters(record, observation.expectation) ? "correct" : "hold";
  return effect === "correct" ? "hold" : "none";
}

/** What a deploy says of a resource that exists already, is named by its ID, and doesn't have the tag. */
const notOurs = `The resource exists without the tag ${managing.key}=${managing.value}. Set the tag there, or add adopt: exact to the declaration.`;

/** Why a deploy leaves a component alone. What the agent says about it counts where the plan knows nothing more exact. */
function whyHeld(
  { observation, transition }: Foreseen,
  { isHeld, shown }: { readonly isHeld: boolean; readonly shown: Planned["changes"] },
): string {
  const { record, adoption, reading, unresolved } = observation;
  const { declared, tagOwner } = observation.expectation;
  const { message } = transition.component.conditions.inSync;
  if (reading.state === "unreadable" || reading.state === "working") return message;
  if (declared.leaving && tagOwner !== null) return `${tagOwner.path} could not be read.`;
  if (isHeld) return heldWith(tagOwner?.path ?? declared.overrideWith ?? "");
  if (adoption.state === "refused") return adoption.detail;
  if (transition.component.status !== "Active") return record.provisioned ? "It is taken over." : notOurs;
  const [open] = unresolved;
  if (open !== undefined) return withoutValue(open);
  const unwritable = shown.flatMap(({ unwritable: why }) => (why === null ? [] : [why.message]));
  return unwritable.length === 0 ? message : [...new Set(unwritable)].join(" ");
}

/** The changes, and why some can't be written. A creation sets everything declared, even what is ignored later. */
function shownChanges({ observation, transition }: Foreseen, was: Declared | undefined): Planned["changes"] {
  const { record, expectation, changes, unresolved } = observation;
  const isMade = transition.effect === "create";
  const shown = isMade ? compareMissing(expectation.expected).changes : changes;
  const why = isMade ? [] : whyUnwritable(record, shown, expectation);
  const { parameters, secrets } = expectation.declared;
  const asSent = withoutSecrets(parameters, secrets);
  const known = shown.map((change, at) => {
    const declared = withReferences(change.declared, valueAt(asSent, change.pointer));
    return { ...change, declared, unwritable: why[at] ?? null } as Planned["changes"][number];
  });
  const isToldIn = (pointer: string) => (change: Planned["changes"][number]) =>
    isWithin(pointer, change.pointer) && valueAt(change.declared, pointer.slice(change.pointer.length)) != null;
  const others = unresolved.filter(({ reference }) => !known.some(isToldIn(reference.pointer)));
  const now = ({ reference }: Unresolved) => valueNow(observation, reference, was);
  return [...known, ...others.map((one) => changeToCome(one, isMade ? null : now(one)))];
}

/** What is where a value comes to. Unless the declaration in force has told of that place whether it is a secret, it may be one. */
function valueNow(
  { record, resource, expectation: { expected } }: Foreseen["observation"],
  { kind, pointer }: Unresolved["reference"],
  was: Declared | undefined,
): Json {
  const isTold =
    was !== undefined && record.observed.against === was.digest && valueAt(was.parameters, pointer) != null;
  if (kind === "secret" || !isTold || resource === null) return redacted;
  return showing(expected, resource).actual(valueAt(resource.parameters, pointer) ?? null, pointer);
}

/** A declared value with what isn't known yet as it was sent. */
function withReferences(declared: Json, sent: Json | undefined): Json {
  if (declared === null) return sent ?? null;
  if (Array.isArray(declared)) return declared.map((item, at) => withReferences(item, childOf(sent, String(at))));
  return isObject(declared)
    ? mapOwn(declared, (member, name) => withReferences(member, childOf(sent, name)))
    : declared;
}

/** A reference whose value comes with the deploy, as it is declared. */
function changeToCome({ reference }: Unresolved, actual: Json): Planned["changes"][number] {
  const { pointer } = reference;
  const [parameter = ""] = stepsOf(pointer);
  return { parameter, pointer, declared: declaredAs(reference), actual, unwritable: null };
}

/** Whether any difference can be written. */
function isCorrection(observation: Foreseen["observation"]): boolean {
  const { record, expectation } = observation;
  return isWorthwhile("correct", observation, {
    record: { ...record, failures: null, tried: null, contested: null },
    expectation,
    rests: false,
  });
}

/** The places of a resource that its new declaration no longer names. */
function unmanagedIn({ observation: { record, expectation } }: Foreseen, was: Declared | undefined): string[] {
  if (was === undefined || !isThere(record)) return [];
  return unmanagedPlaces(was.parameters, expectation.declared.parameters, was.ignoreChanges);
}

function plannedOf(
  record: Stored<ComponentRecord>,
  facts: Pick<Planned, "action" | "reason" | "movedFrom" | "addsTag" | "unobservable" | "unmanaged">,
  changes: Planned["changes"],
): Planned {
  return { componentId: idOf(record), ...facts, changes };
}
