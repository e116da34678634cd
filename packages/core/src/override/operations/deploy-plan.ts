import type { DeployPlan } from "../../contract/schemas/live-system-schemas.ts";
import type { EnvironmentRef } from "../../contract/target.ts";
import { nowText } from "../../encoding.ts";
import type { CloudTarget, Reading } from "../../ports/cloud.ts";
import { inParallel } from "../../records/in-parallel.ts";
import type { Stored } from "../../records/records.ts";
import type { AgentDeps } from "../agent/agent-deps.ts";
import { foresee } from "../agent/agent-pass.ts";
import type { ParsedComponent } from "../protocol/declaration.ts";
import { componentId, pathKey } from "../protocol/definition.ts";
import { compareMissing, type Difference } from "../protocol/drift.ts";
import { isHeldByGovernor } from "../protocol/observation.ts";
import { isCorrectable } from "../protocol/verdicts.ts";
import type { ComponentRecord } from "../records/component-record.ts";
import { type Deployment, newComponent, stepPlaceOf } from "./deployment.ts";

/** What a deploy would do to one component. */
type Planned = DeployPlan["components"][number];
type Action = Planned["action"];
type Foreseen = Awaited<ReturnType<typeof foresee>>;

const readsAtOnce = 8;

/** Says what a deploy would do, by fresh direct reads and the very transition and comparison that it would do it by. Stores nothing. */
export async function planDeploy(
  liveSystemId: string,
  { definition, declaration, targets }: Deployment,
  { existing, deps }: { readonly existing: ReadonlyMap<string, Stored<ComponentRecord>>; readonly deps: AgentDeps },
): Promise<DeployPlan> {
  const planned = new Map<string, Planned>();
  const declared = new Map(declaration.components.map((component) => [pathKey(component.declared.path), component]));
  await inParallel([...declared], readsAtOnce, async ([path, component]) => {
    const known = existing.get(path);
    const record =
      known === undefined
        ? await drafted(component, { liveSystemId, environment: definition.environmentId, targets, deps })
        : redeclared(known, component);
    const foreseen = await foresee(record, { deps, options: { lane: "people", redeploy: true } });
    planned.set(path, plannedOf(record, actionOf(foreseen), changesOf(foreseen)));
  });
  const leaving = [...existing].filter(([path]) => !declared.has(path));
  await inParallel(leaving, readsAtOnce, async ([path, record]) => {
    const { observation } = await foresee(record, { deps, options: { lane: "people" } });
    const isManaged = observation.managementTag && record.deletionPolicy === "Delete";
    planned.set(path, plannedOf(record, removalOf(observation.reading, { isManaged }), []));
  });
  const order = [...declared.keys(), ...leaving.map(([path]) => path)];
  return { components: order.flatMap((path) => planned.get(path) ?? []) };
}

/** The action that the first step of a deploy would be. */
function actionOf({ observation, transition }: Foreseen): Action {
  const { reading, record, expectation } = observation;
  const { component, effect } = transition;
  if (reading.state === "unreadable" || reading.state === "working") return "hold";
  if (expectation.governor !== null && isHeldByGovernor(record, expectation)) return "hold";
  if (effect === "create") return "create";
  if (component.status !== "Active") return "hold";
  if (!record.provisioned || record.lost) return "adopt";
  if (effect !== "correct") return "none";
  return isCorrectable(record, observation, expectation) ? "correct" : "hold";
}

/** Of what is made anew all that is declared is set, what is ignored too. */
function changesOf({ observation, transition }: Foreseen): readonly Difference[] {
  const { expected } = observation.expectation;
  return transition.effect === "create" ? compareMissing(expected).changes : observation.changes;
}

function removalOf({ state }: Reading, { isManaged }: { readonly isManaged: boolean }): Action {
  if (state === "missing") return "none";
  if (state === "unreadable") return "hold";
  return isManaged ? "delete" : "release";
}

function plannedOf({ liveSystemId, path }: ComponentRecord, action: Action, changes: readonly Difference[]): Planned {
  return {
    componentId: componentId(liveSystemId, path),
    action,
    changes: changes.map((change) => ({ ...change })),
  } as Planned;
}

function redeclared(
  record: Stored<ComponentRecord>,
  { declared, dependsOn, overrideWith }: ParsedComponent,
): Stored<ComponentRecord> {
  const { parameters, muteDrift, ignoreChanges, unconditionalWrites, deletionPolicy } = declared;
  return {
    ...record,
    parameters,
    dependsOn,
    overrideWith,
    muteDrift: muteDrift ?? [],
    ignoreChanges: ignoreChanges ?? [],
    unconditionalWrites: unconditionalWrites ?? false,
    deletionPolicy: deletionPolicy ?? "Delete",
  };
}

async function drafted(
  component: ParsedComponent,
  {
    liveSystemId,
    environment,
    targets,
    deps,
  }: {
    liveSystemId: string;
    environment: EnvironmentRef;
    targets: ReadonlyMap<string, CloudTarget | null>;
    deps: AgentDeps;
  },
): Promise<Stored<ComponentRecord>> {
  const place = await stepPlaceOf(component, liveSystemId, { targets, deps });
  const at = nowText(deps);
  return { ...newComponent(component, { liveSystemId, environment, place, mutationId: "", at, by: "" }), version: "" };
}
