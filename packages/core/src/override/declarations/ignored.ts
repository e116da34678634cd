import {
  childOf,
  isItemStep,
  isObject,
  isWithin,
  itemAt,
  type JsonObject,
  pointerTo,
  stepsOf,
  valueAt,
} from "../../json-pointer.ts";
import type { Json } from "../../ports/store.ts";
import type { TagKeys } from "../protocol/tags.ts";
import { keyOfItems } from "./list-keys.ts";
import { isReference } from "./references.ts";
import { type Shape, shapeBelow } from "./shape.ts";

/** Whether a place in the parameters is ignored, or inside one that is. */
export function isIgnored(pointer: string, ignored: readonly string[]): boolean {
  return ignored.some((place) => isWithin(pointer, place));
}

/** Whether a place in the parameters contains an ignored one. */
export function holdsIgnored(pointer: string, ignored: readonly string[]): boolean {
  return ignored.some((place) => isWithin(place, pointer));
}

/** Whether an item of the list at a pointer is ignored as a whole. */
export function isIgnoredItem(item: Json, pointer: string, ignored: readonly string[]): boolean {
  const step = stepTo(item, pointer, ignored);
  return step !== undefined && isIgnored(pointerTo(pointer, step), ignored);
}

/** The step by which an ignored place names this item or a part of it. Another item may have the same key. */
function stepTo(item: Json, pointer: string, ignored: readonly string[]): string | undefined {
  const steps = ignored.flatMap((place) =>
    isWithin(place, pointer) ? stepsOf(place.slice(pointer.length)).slice(0, 1) : [],
  );
  return steps.find((step) => isItemStep(step) && itemAt([item], step) === 0);
}

/**
 * The value at a pointer without ignored places; `undefined` if nothing is left. An object that held only ignored places is dropped too,
 * because declaring it empty would require it to be empty.
 */
export function withoutIgnored(value: Json, pointer: string, ignored: readonly string[]): Json | undefined {
  if (isIgnored(pointer, ignored)) return undefined;
  if (!holdsIgnored(pointer, ignored)) return value;
  if (Array.isArray(value)) return withoutIgnoredItems(value, pointer, ignored);
  if (!isObject(value)) return value;
  const members = Object.entries(value);
  const left = members.flatMap(([name, member]) => {
    const kept = withoutIgnored(member, pointerTo(pointer, name), ignored);
    return kept === undefined ? [] : [[name, kept] as const];
  });
  if (left.length === members.length && left.every(([, kept], at) => kept === members[at]?.[1])) return value;
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

/** A list without the ignored parts of its items, which are identified by key. */
function withoutIgnoredItems(list: readonly Json[], pointer: string, ignored: readonly string[]): Json {
  return list.flatMap((item) => {
    const step = stepTo(item, pointer, ignored);
    const kept = step === undefined ? item : withoutIgnored(item, pointerTo(pointer, step), ignored);
    return kept === undefined ? [] : [kept];
  });
}

/** The declared parameters that an existing resource is compared with: all except ignored ones. */
export function heededOf(parameters: JsonObject, ignored: readonly string[]): JsonObject {
  if (ignored.length === 0) return parameters;
  return (withoutIgnored(parameters, "", ignored) ?? {}) as JsonObject;
}

/** Pointers to tags in the declaration's spelling, where the cloud compares keys without case. */
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

/** Why a pointer can't name a place in parameters; `null` if it can. List items are named by key. */
export function placeMistake(pointer: string, parameters: JsonObject, shape: Shape | undefined): string | null {
  if (!/^(\/([^~/]|~[01])*)+$/.test(pointer)) return "This must be a JSON Pointer to a place in the parameters.";
  let [value, below]: [Json | undefined, Shape | undefined] = [parameters, shape];
  for (const step of stepsOf(pointer)) {
    if (Array.isArray(value)) {
      const key = keyOfItems(value, below);
      if (key === null) return "The items of this list have no key. Name the list itself.";
      if (!step.startsWith(`${key}=`)) return `Name the item by its key: ${key}=…, not by its position.`;
    }
    if (isReference(value)) return "A place can't be part of a reference. Name the place of the whole reference.";
    value = childOf(value, step);
    below = shapeBelow(below, step);
  }
  return null;
}

/** Why a list can't allow extra items; `null` if it can. */
export function extraItemsMistake(pointer: string, parameters: JsonObject, shape: Shape | undefined): string | null {
  const mistake = placeMistake(pointer, parameters, shape);
  if (mistake !== null) return mistake;
  const value = valueAt(parameters, pointer);
  return Array.isArray(value) || isReference(value) ? null : "This must name a list in the parameters.";
}
