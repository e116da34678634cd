import type { EnvironmentRef } from "../../contract/target.ts";
import { nowText } from "../../encoding.ts";
import type { Lease } from "../../ports/scheduler.ts";
import type { Agent } from "../agent/agent.ts";
import type { AgentDeps } from "../agent/agent-deps.ts";
import type { ParsedComponent } from "../protocol/declaration.ts";
import { type ComponentRecord, componentKey, components, type MutationStep } from "../records/component-record.ts";
import { causeOf, isRunning, type MutationRecord } from "../records/live-system-record.ts";
import type { StepEnd } from "./converge.ts";
import { newComponent, requireFree, stepPlaceOf } from "./deployment.ts";
import { countPlaces } from "./plan-places.ts";

/** What one run of a mutation works with. */
export interface RunContext {
  readonly agent: Agent;
  readonly deps: AgentDeps;
  readonly lease?: Lease;
}

/**
 * Puts the new declaration into force for one component; from here on it is what every look compares with.
 * False: it was interrupted, or the mutation is over.
 */
export async function beginStep(
  component: ParsedComponent,
  { mutation, environment }: { readonly mutation: MutationRecord; readonly environment: EnvironmentRef },
  { agent, deps, lease }: RunContext,
): Promise<boolean> {
  const { declared, dependsOn, overrideWith } = component;
  const key = componentKey(mutation.livesystemId, declared.path);
  for (;;) {
    await agent.whenFree(key);
    await deps.claimsCarriedOver();
    const fresh = await freshComponent(component, { mutation, environment }, deps);
    const begun = await agent.exclusively(key, () =>
      deps.records.change(causeOf(mutation), async (change) => {
        if (!(await isRunning(change, mutation))) return null;
        const known = await change.get(components, key);
        if (known !== null && deps.claims.hold(known.work)) return false;
        if (known === null) {
          await requireFree(change, fresh);
          await countPlaces(
            change,
            deps.seats,
            { liveSystemId: mutation.livesystemId, environment },
            { components: 1 },
          );
        }
        const record = known ?? fresh;
        const { parameters, deletionPolicy } = declared;
        change.put(components, {
          ...record,
          parameters,
          dependsOn,
          overrideWith,
          muteDrift: declared.muteDrift ?? [],
          ignoreChanges: declared.ignoreChanges ?? [],
          unconditionalWrites: declared.unconditionalWrites ?? false,
          deletionPolicy: deletionPolicy ?? "Delete",
          leaving: false,
          work: null,
          failures: null,
          step: begunStep(record.step, mutation),
          updatedAt: nowText(deps),
          updatedBy: mutation.createdBy,
        });
        return true;
      }),
    );
    if (begun === null) return false;
    if (begun) return true;
    if (lease?.signal.aborted) return false;
    await deps.runtime.clock.sleep(200, lease && { signal: lease.signal });
  }
}

/** The component as a deploy would make it, for one that an earlier mutation has taken away meanwhile. */
async function freshComponent(
  component: ParsedComponent,
  { mutation, environment }: { readonly mutation: MutationRecord; readonly environment: EnvironmentRef },
  deps: AgentDeps,
): Promise<ComponentRecord> {
  const { id, livesystemId, createdBy } = mutation;
  const { provider } = component.declared;
  const targets = new Map([[provider, await deps.environments.target(environment, provider)]]);
  const place = await stepPlaceOf(component, livesystemId, { targets, deps });
  return newComponent(component, {
    liveSystemId: livesystemId,
    environment,
    place,
    mutationId: id,
    at: nowText(deps),
    by: createdBy,
  });
}

/** Writes down how a component's step came out. An interrupted one goes on later. */
export async function endStep(
  path: string,
  end: StepEnd | { readonly state: "blocked" },
  mutation: MutationRecord,
  { deps }: RunContext,
): Promise<void> {
  const { state } = end;
  if (state === "interrupted") return;
  const key = componentKey(mutation.livesystemId, path);
  await deps.records.change(causeOf(mutation), async (change) => {
    const record = await change.get(components, key);
    if (record === null || !(await isRunning(change, mutation))) return;
    change.put(components, { ...record, step: { mutationId: mutation.id, state, error: errorOf(end) } });
  });
}

/** One that was begun before, and is gone on with, has waited for as long as it has. */
function begunStep(known: MutationStep | null, { id }: MutationRecord): MutationStep {
  if (known?.mutationId === id && known.state === "begun") return known;
  return { mutationId: id, state: "begun", error: null };
}

function errorOf(end: StepEnd | { readonly state: "blocked" }): MutationStep["error"] {
  if (end.state !== "failed") return null;
  const { state: _, ...error } = end;
  return error;
}
