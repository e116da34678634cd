import type { Component } from "../../contract/schemas/live-system-schemas.ts";
import type { AdoptionPlan } from "../../contract/schemas/override-schemas.ts";
import type { Services } from "../../services.ts";
import { componentKey, components, idOf, pathOf, resourceKey, toComponent } from "../records/component-record.ts";
import { declaredIn } from "../records/in-force.ts";
import { liveSystems } from "../records/live-system-record.ts";
import { adoptionPlanOf, lastApplied } from "./hand-back-plans.ts";
import { componentsOf, type ShownBy } from "./live-systems.ts";

/** A component's state, and what handing it back would revert. */
export interface KnownComponent {
  readonly liveSystemName: string;
  /** `null`: it is gone, but its live system isn't. */
  readonly component: Component | null;
  /** `null`: it isn't overridden. */
  readonly plan: Pick<AdoptionPlan, "possible" | "reason" | "changes"> | null;
}

/** Finds a component by ID, to notify people about it; `null` if its live system is gone. This doesn't count as serving a plan. */
export async function knownComponent(
  { records, declarations, clouds, sweeps }: Pick<Services, "records" | "clouds"> & ShownBy,
  componentId: string,
): Promise<KnownComponent | null> {
  const [liveSystemId = ""] = componentId.split("/", 1);
  const inForce = (await declarations.of([liveSystemId])).get(liveSystemId);
  const path = pathOf(liveSystemId, componentId);
  if (inForce === undefined || path === null) return null;
  const liveSystemName = inForce.system.name;
  const record = await records.get(components, componentKey(liveSystemId, path));
  if (record === null) return { liveSystemName, component: null, plan: null };
  const component = toComponent(record, declaredIn(inForce, record), await sweeps.lastOver(liveSystemId));
  if (record.override === null) return { liveSystemName, component, plan: null };
  const around = await componentsOf(records, liveSystemId);
  const applied = await lastApplied(records, record, declaredIn(inForce, record));
  return {
    liveSystemName,
    component,
    plan: adoptionPlanOf(record, { inForce, around, fingerprint: "", applied, clouds }),
  };
}

/** What a resource shows of its component, and where that is. */
export interface ComponentOfResource extends Pick<Component, "id"> {
  readonly liveSystemName: string;
  /** The short name of its environment. */
  readonly environment: string;
  readonly isOverridden: boolean;
}

/** Finds the components of resources, in the order asked for; `null`: a resource belongs to none. */
export function componentsOfResources(
  { records }: Pick<Services, "records">,
  provider: string,
  resourceIds: readonly string[],
): Promise<readonly (ComponentOfResource | null)[]> {
  return Promise.all(
    resourceIds.map(async (resourceId) => {
      const found = await records.find(components, "resource", resourceKey(provider, resourceId));
      const system = found && (await records.get(liveSystems, [found.liveSystemId]));
      if (found === null || system === null) return null;
      const { name: liveSystemName, environmentId } = system;
      const isOverridden = found.override !== null;
      return { id: idOf(found), liveSystemName, environment: environmentId.shortName, isOverridden };
    }),
  );
}
