import { isObject, isWithin, type JsonObject, pointerTo, stepsOf } from "../../json-pointer.ts";
import type { Json } from "../../ports/store.ts";
import type { TagKeys } from "../protocol/tags.ts";
import { isReference } from "./references.ts";

/** Whether a place in the parameters is the cloud's own, or lies in one that is. */
export function isIgnored(pointer: string, ignored: readonly string[]): boolean {
  return ignored.some((place) => isWithin(pointer, place));
}

/** Whether a place in the parameters holds one that is the cloud's own. */
export function holdsIgnored(pointer: string, ignored: readonly string[]): boolean {
  return ignored.some((place) => isWithin(place, pointer));
}

/**
 * The value that stands at a pointer without the places that are ignored; `undefined`: nothing of it is left. An object that only held
 * such places goes with them: declared empty it would mean an empty one.
 */
export function withoutIgnored(value: Json, pointer: string, ignored: readonly string[]): Json | undefined {
  if (isIgnored(pointer, ignored)) return undefined;
  if (!isObject(value) || !holdsIgnored(pointer, ignored)) return value;
  const members = Object.entries(value);
  const left = members.flatMap(([name, member]) => {
    const kept = withoutIgnored(member, pointerTo(pointer, name), ignored);
    return kept === undefined ? [] : [[name, kept] as const];
  });
  if (left.length === members.length && left.every(([, kept], at) => kept === members[at]?.[1])) return value;
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

/** The parameters that a resource which is there is held to: all that is declared but for what is ignored. */
export function heededOf(parameters: JsonObject, ignored: readonly string[]): JsonObject {
  if (ignored.length === 0) return parameters;
  return (withoutIgnored(parameters, "", ignored) ?? {}) as JsonObject;
}

/** Pointers that name a tag as its declaration spells it, where the cloud compares keys without case. */
export function placesAsDeclared(
  ignored: readonly string[],
  parameters: JsonObject,
  { tagParameter, caselessTagKeys }: TagKeys & { readonly tagParameter: string },
): readonly string[] {
  const tags = parameters[tagParameter];
  if (!isObject(tags) || ignored.length === 0 || !caselessTagKeys) return ignored;
  const root = pointerTo("", tagParameter);
  const spelled = new Map(Object.keys(tags).map((key) => [key.toLowerCase(), key]));
  return ignored.map((pointer) => {
    const [parameter, key = "", ...below] = stepsOf(pointer);
    if (parameter !== tagParameter || below.length > 0) return pointer;
    return pointerTo(root, spelled.get(key.toLowerCase()) ?? key);
  });
}

/** Why a place can't be ignored; `null`: it can. */
export function ignoreMistake(pointer: string, parameters: JsonObject): string | null {
  if (!/^(\/([^~/]|~[01])*)+$/.test(pointer)) return "This must be a JSON Pointer to a place in the parameters.";
  let value: Json | undefined = parameters;
  for (const step of stepsOf(pointer)) {
    if (Array.isArray(value)) return "Single items of an array can't be ignored. Name the array itself.";
    if (isReference(value)) return "Parts of a reference can't be ignored. Name the place of the whole reference.";
    value = isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }
  return null;
}
