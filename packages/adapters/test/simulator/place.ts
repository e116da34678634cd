import { isObject, type JsonObject } from "@liveplane/core/clouds";
import type { ResourceChanged, ResourceTruth, SimulatedPlace } from "@liveplane/core/testing";
import { type Cast, parametersIn, restOf } from "./cast.ts";
import type { Troupe } from "./casts.ts";

/** What a double keeps of a resource, whatever its vendor. */
export interface KeptState {
  readonly resourceId: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly body: JsonObject;
  readonly identity: string;
}

/** A resource as the judge is told of it. Beside its parameters stands what they leave of it: a write that changes that is found. */
export function truthOf({ resourceId, tags, body, identity }: KeptState, cast: Cast): ResourceTruth {
  const rest = JSON.stringify(inOrder(restOf(cast, body)));
  return { resourceId, tags, identity, parameters: { ...parametersIn(cast, body), rest } };
}

/** The same members, by name. */
function inOrder(value: JsonObject[string]): JsonObject[string] {
  if (Array.isArray(value)) return value.map(inOrder);
  if (!isObject(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, inOrder(value[name] ?? null)]));
}

/** A change as the judge is told of it, also where it comes to nothing; `null`: nothing is there. */
export function changeOf(
  cast: Cast,
  { before, after }: { readonly before: KeptState | null; readonly after: KeptState | null },
): ResourceChanged | null {
  const was = before && truthOf(before, cast);
  const is = after && truthOf(after, cast);
  const resourceId = was?.resourceId ?? is?.resourceId;
  if (resourceId === undefined) return null;
  return { operation: operationOf(was, is), resourceId, before: was, after: is };
}

function operationOf(before: ResourceTruth | null, after: ResourceTruth | null): ResourceChanged["operation"] {
  if (before === null) return "create";
  if (after === null) return "remove";
  const isSame = JSON.stringify(before.parameters) === JSON.stringify(after.parameters);
  return isSame && Object.keys(after.tags).length < Object.keys(before.tags).length ? "removeTag" : "update";
}

/** The types of a troupe, as a simulation declares them. */
export function typesOf({ net, app, rule }: Troupe): SimulatedPlace["types"] {
  return { net: net.type, app: app.type, rule: rule.type };
}

/** Who plays a type. */
export function castIn({ net, app, rule }: Troupe, type: string): Cast {
  return [net, app, rule].find((cast) => cast.type.toLowerCase() === type.toLowerCase()) ?? net;
}
