import type { Cloud, JsonObject } from "@liveplane/core/clouds";
import type { LiveSystemDefinition } from "../../../core/src/contract/schemas/live-system-schemas.ts";
import type { DeclaredResources } from "../../../core/src/contract/schemas/resource-schemas.ts";
import { valueAt } from "../../../core/src/json-pointer.ts";
import { environmentId, type World } from "../../../core/test/builders/override.ts";
import { type Draw, drawnBody, mapped } from "./drawn-bodies.ts";
import type { Spelled } from "./spelled-types.ts";
import { type Body, workload } from "./vendors.ts";

/** A body of a type, some of whose texts are IDs of other resources in the group. */
export function drawnOf(spelled: Spelled, ids: readonly string[], draw: Draw): Body {
  const { declared = (body: JsonObject) => body } = spelled;
  return mapped(declared(drawnBody(spelled, draw)), (value, pointer) => {
    if (typeof value === "object") return value;
    const isText = typeof value === "string" && draw(6) === 0 && !/\/(location|zone|region|name|type)$/i.test(pointer);
    return isText ? (ids[draw(ids.length)] ?? value) : spelled.shown(value, pointer, draw);
  }) as Body;
}

/** What existing resources are declared as. The secrets among their values are stored, as a person would. */
export async function declaredIn(world: World, cloud: Cloud, resourceIds: readonly string[]) {
  const { definition, secrets, warnings } = (await world.call("environments.resources.declare", {
    params: environmentId,
    body: { resourceIds: [...resourceIds] },
  })) as DeclaredResources;
  for (const { shortName, resourceId, pointer } of secrets) {
    const reading = await cloud.read({ type: cloud.typeOf?.(resourceId) ?? "", resourceId }, { credentials: workload });
    const parameters = reading.state === "present" ? reading.parameters : {};
    world.secrets.set(shortName, String(valueAt({ parameters } as JsonObject, pointer)));
  }
  return { declared: definition as unknown as LiveSystemDefinition, warnings };
}
