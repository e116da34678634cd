import { isObject, type JsonObject } from "@liveplane/core/clouds";
import type { ResourceChanged, ResourceTruth, SimulatedPlace } from "@liveplane/simulator";
import { type Cast, parametersIn, restOf } from "./cast.ts";
import type { Troupe } from "./casts.ts";

/** What a double keeps of a resource, whatever its vendor. */
export interface KeptState {
  readonly resourceId: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly body: JsonObject;
  readonly identity: string;
  /** A write that was accepted and isn't done. */
  readonly underway?: { readonly operation: ResourceChanged["operation"]; readonly fails: boolean };
  /** What it says itself of its last write, which failed. */
  readonly failed?: object;
}

/** A resource as the judge is told of it. Beside its parameters stands what they leave of it: a write that changes that is found. */
export function truthOf({ resourceId, tags, body, identity, failed }: KeptState, cast: Cast): ResourceTruth {
  const rest = JSON.stringify(inOrder(restOf(cast, body)));
  const parameters = { ...parametersIn(cast, body), rest };
  return { resourceId, tags, identity, parameters, ...(failed && { failed }) };
}

/** The same members, by name. */
function inOrder(value: JsonObject[string]): JsonObject[string] {
  if (Array.isArray(value)) return value.map(inOrder);
  if (!isObject(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, inOrder(value[name] ?? null)]));
}

/** The types of a troupe, as a simulation declares them. */
export function typesOf({ net, app, rule }: Troupe): SimulatedPlace["types"] {
  return { net: net.type, app: app.type, rule: rule.type };
}

/** Who plays a type. */
export function castIn({ net, app, rule }: Troupe, type: string): Cast {
  return [net, app, rule].find((cast) => cast.type.toLowerCase() === type.toLowerCase()) ?? net;
}
