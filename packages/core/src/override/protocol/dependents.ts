import { type JsonObject, sameJson } from "../../json-pointer.ts";
import type { Json } from "../../ports/store.ts";
import { pathKey } from "./definition.ts";
import { referencesIn } from "./references.ts";

/** Somebody who reads an output, and whether what they read has changed since the override began. */
export interface OutputReader {
  readonly componentId: string;
  /** Where in its parameters it reads. */
  readonly pointer: string;
  readonly output: string;
  readonly changed: boolean;
  readonly valueAtOverride: Json;
  readonly valueNow: Json;
}

/** A component that may read the outputs of another. */
export interface PossibleDependent {
  readonly componentId: string;
  readonly parameters: JsonObject;
}

/** The outputs of a component as they are shown, with a digest of what is hidden. */
export interface ShownOutputs {
  readonly values: JsonObject;
  /** By output name: changes when the hidden value does. */
  readonly digests: Readonly<Record<string, string>>;
}

/** Finds who refers to the outputs of the component at `path`. `start` is `null` where it isn't overridden. */
export function findDependents(
  path: string,
  others: readonly PossibleDependent[],
  now: ShownOutputs,
  start: ShownOutputs | null,
): OutputReader[] {
  return others.flatMap(({ componentId, parameters }) =>
    referencesIn(parameters).flatMap((reference): OutputReader[] => {
      if (reference.kind !== "output" || pathKey(reference.path) !== pathKey(path)) return [];
      const { output, pointer } = reference;
      const valueNow = now.values[output] ?? null;
      const valueAtOverride = start === null ? valueNow : (start.values[output] ?? null);
      const moved = !sameJson(valueNow, valueAtOverride) || now.digests[output] !== start?.digests[output];
      return [{ componentId, pointer, output, changed: start !== null && moved, valueAtOverride, valueNow }];
    }),
  );
}
