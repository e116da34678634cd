import type { Cloud, CloudCall, CloudTarget } from "../../ports/cloud.ts";
import { type BoundBy, boundByOf, type ResourceType, type TypeDescription } from "../../ports/resource-type.ts";
import type { CloudFacts } from "../facts/cloud-facts.ts";
import type { Gate } from "./simulated-gate.ts";
import type { SimulatedCloudOptions } from "./simulated-options.ts";

/** What a simulated cloud says about types, and how the writes of each are bound. */
export interface SimulatedTypes {
  readonly resourceType: Cloud["resourceType"];
  readonly boundBy: (type: string) => BoundBy;
  /** Types in the facts are described without a call. */
  readonly describeTypes: (
    asked: readonly string[],
    target: CloudTarget,
    call: CloudCall,
  ) => Promise<readonly TypeDescription[]>;
}

/** The facts of types, with this cloud's bindings added. */
export function simulatedTypes(
  facts: CloudFacts,
  gate: Gate,
  {
    boundBy,
    conditionalWrites,
    describe = () => null,
  }: Pick<SimulatedCloudOptions, "boundBy" | "describe"> & { readonly conditionalWrites: boolean },
): SimulatedTypes {
  const resourceType = boundBy === undefined ? facts.resourceType : bound(facts, boundBy);
  return {
    resourceType,
    boundBy: (type) => boundByOf({ resourceType, capabilities: { conditionalWrites } }, type),
    async describeTypes(asked, target, call) {
      const known = (type: string) => ({ taggable: facts.resourceType(type).taggable });
      if (asked.every((type) => describe(type) === null)) return asked.map(known);
      const scope = facts.resourceIdFor("any", "any", target);
      return gate("read", scope, call, async () => asked.map((type) => describe(type) ?? known(type)));
    },
  };
}

/** Returns the same object for a type each time. */
function bound({ resourceType }: CloudFacts, boundBy: (type: string) => BoundBy | undefined): Cloud["resourceType"] {
  const known = new Map<string, ResourceType>();
  return (type) => {
    const by = boundBy(type);
    const found = known.get(type) ?? { ...resourceType(type), ...(by && { boundBy: by }) };
    known.set(type, found);
    return found;
  };
}
