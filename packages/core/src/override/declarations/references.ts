import { isObject, type JsonObject, mapOwn, pointerTo, sameJson, stepsOf, valueAt } from "../../json-pointer.ts";
import type { Json } from "../../ports/store.ts";
import { pathKey } from "./definition.ts";

/** An output of another component, or a secret of the environment, used as a value. */
export type Reference =
  | { readonly kind: "output"; readonly pointer: string; readonly path: string; readonly output: string }
  | { readonly kind: "secret"; readonly pointer: string; readonly shortName: string };

/** Something that looks like a reference but isn't valid. */
export interface BrokenReference {
  readonly kind: "broken";
  readonly pointer: string;
  readonly detail: string;
}

/** The current value of a reference; `null` if there is none yet. */
export type Lookup = (reference: Reference) => ResolvedValue | null;

/** The value of a reference, and whether it may be shown. */
export interface ResolvedValue {
  readonly value: Json;
  readonly secret: boolean;
}

/** A reference as people write it. */
export function declaredAs(reference: Reference): JsonObject {
  if (reference.kind === "secret") return { $secret: reference.shortName };
  return { $output: `${reference.path}#${reference.output}` };
}

/** Parameters with every reference replaced. */
export interface Resolved {
  readonly parameters: JsonObject;
  /** Pointers of the values that must not be shown. */
  readonly secrets: readonly string[];
  /** The references without a value yet. */
  readonly unresolved: readonly Reference[];
}

/** A placeholder for an unknown value: equal to everything, and never written. Compared by identity. */
export const unknownValue: Json = Object.freeze({});

/** Whether a value or a part of it isn't known yet. */
export function holdsUnknown(value: Json): boolean {
  if (value === unknownValue) return true;
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value as JsonObject).some(holdsUnknown);
}

/** Every reference in the parameters, valid or broken, in order. */
export function referencesIn(value: Json): (Reference | BrokenReference)[] {
  const found: (Reference | BrokenReference)[] = [];
  if (mayRefer(value)) collectReferences(value, "", found);
  return found;
}

/** A quick check without pointers, because most parameters hold no reference and a sweep asks about all of them. */
function mayRefer(value: Json): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (isReference(value) || hasReferenceKeys(value)) return true;
  for (const name in value) if (mayRefer((value as JsonObject)[name] as Json)) return true;
  return false;
}

function collectReferences(value: Json, pointer: string, found: (Reference | BrokenReference)[]): void {
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) collectReferences(item, pointerTo(pointer, at), found);
  } else if (isObject(value)) {
    if (isReference(value)) found.push(parseReference(value, pointer));
    else
      for (const [name, member] of Object.entries(value)) {
        const at = pointerTo(pointer, name);
        if (name.startsWith(keyMark)) found.push(keyReference(name, at));
        collectReferences(member, at, found);
      }
  }
}

/** How the key of a map says that it is an output: `$output:identity#id`. */
const keyMark = "$output:";

/** Whether a map has a key that stands for something else. */
export function hasReferenceKeys(value: Json | undefined): boolean {
  return isObject(value) && Object.keys(value).some((name) => name.startsWith(keyMark));
}

function keyReference(name: string, pointer: string): Reference | BrokenReference {
  return parseReference({ $output: name.slice(keyMark.length) }, pointer);
}

/** The output that a reference names, by its name or by a pointer that begins with it; `undefined`: there is none. */
export function outputAt(outputs: JsonObject, output: string): Json | undefined {
  if (output.startsWith("/")) return valueAt(outputs, output);
  return Object.hasOwn(outputs, output) ? outputs[output] : undefined;
}

/** The name of the output that a reference reads, or reads in. */
export function outputNameOf(output: string): string {
  return output.startsWith("/") ? (stepsOf(output)[0] ?? "") : output;
}

/** Whether an object stands for something else. */
export function isReference(value: Json | undefined): boolean {
  return isObject(value) && (Object.hasOwn(value, "$output") || Object.hasOwn(value, "$secret"));
}

/** Replaces every reference by its value. */
export function resolveReferences(parameters: JsonObject, lookup: Lookup): Resolved {
  const secrets: string[] = [];
  const unresolved: Reference[] = [];
  /** A key as text. One that would show a secret isn't used. */
  const keyOf = (name: string, pointer: string): string | null => {
    if (!name.startsWith(keyMark)) return name;
    const reference = keyReference(name, pointer);
    if (reference.kind === "broken") return name;
    const found = lookup(reference);
    if (found !== null && !found.secret && typeof found.value === "string") return found.value;
    unresolved.push(reference);
    return null;
  };
  const resolveMap = (map: JsonObject, pointer: string): Json => {
    const members: [string, Json][] = [];
    let isKnown = true;
    for (const [name, member] of Object.entries(map)) {
      const key = keyOf(name, pointerTo(pointer, name));
      const value = resolve(member, pointerTo(pointer, key ?? name));
      if (key === null) isKnown = false;
      else members.push([key, value]);
    }
    return isKnown ? Object.fromEntries(members) : unknownValue;
  };
  const resolve = (value: Json, pointer: string): Json => {
    if (Array.isArray(value)) return value.map((item, at) => resolve(item, pointerTo(pointer, at)));
    if (!isObject(value)) return value;
    if (!isReference(value)) return resolveMap(value, pointer);
    const reference = parseReference(value, pointer);
    const found = reference.kind === "broken" ? null : lookup(reference);
    // This holds even for a deleted secret, because the cloud still has its last value.
    if (found?.secret || reference.kind === "secret") secrets.push(pointer);
    if (found === null && reference.kind !== "broken") unresolved.push(reference);
    return found === null ? unknownValue : found.value;
  };
  return {
    parameters: mapOwn(parameters, (value, name) => resolve(value, pointerTo("", name))),
    secrets,
    unresolved,
  };
}

function parseReference(value: JsonObject, pointer: string): Reference | BrokenReference {
  const broken = (detail: string): BrokenReference => ({ kind: "broken", pointer, detail });
  if (Object.keys(value).length !== 1) return broken("A reference must be an object with one member.");
  if (Object.hasOwn(value, "$secret")) {
    const { $secret: shortName } = value;
    return typeof shortName === "string" && shortName !== ""
      ? { kind: "secret", pointer, shortName }
      : broken("A reference to a secret must be the secret's short name.");
  }
  const parts = typeof value.$output === "string" ? value.$output.split("#") : [];
  const [path, output] = parts;
  if (parts.length !== 2 || !path || !output) return broken('An output is referred to as "path#output".');
  if (outputNameOf(output) === "drift") return broken("The drift of a component cannot be referred to.");
  return { kind: "output", pointer, path, output };
}

/** A reader of an output, and whether its value has changed since the override began. */
export interface OutputReader {
  readonly componentId: string;
  /** Where in its parameters the output is used. */
  readonly pointer: string;
  readonly output: string;
  /** Whether there is such an output now. */
  readonly exists: boolean;
  /** Whether the reader was created. */
  readonly created: boolean;
  readonly changed: boolean;
  readonly valueAtOverride: Json;
  readonly valueNow: Json;
}

/** A component that may use the outputs of another. */
export interface PossibleDependent {
  readonly componentId: string;
  readonly parameters: JsonObject;
  /** Whether it was created. */
  readonly created: boolean;
}

/** The shown outputs of a component, with digests of the hidden ones. */
export interface ShownOutputs {
  readonly values: JsonObject;
  /** By output name; changes with the hidden value. */
  readonly digests: Readonly<Record<string, string>>;
}

/** Finds the uses of the outputs of the component at `path`. `start` is `null` if it isn't overridden. */
export function findDependents(
  path: string,
  others: readonly PossibleDependent[],
  now: ShownOutputs,
  start: ShownOutputs | null,
): OutputReader[] {
  return others.flatMap(({ componentId, parameters, created }) =>
    referencesIn(parameters).flatMap((reference): OutputReader[] => {
      if (reference.kind !== "output" || pathKey(reference.path) !== pathKey(path)) return [];
      const { output, pointer } = reference;
      const found = outputAt(now.values, output);
      const valueNow = found ?? null;
      const valueAtOverride = start === null ? valueNow : (outputAt(start.values, output) ?? null);
      const name = outputNameOf(output);
      const exists = found !== undefined || Object.hasOwn(now.digests, name);
      const moved = !sameJson(valueNow, valueAtOverride) || now.digests[name] !== start?.digests[name];
      const changed = start !== null && moved;
      return [{ componentId, pointer, output, exists, created, changed, valueAtOverride, valueNow }];
    }),
  );
}
