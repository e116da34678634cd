import {
  canonicalJson,
  childOf,
  isItemStep,
  isObject,
  itemAt,
  itemStep,
  type JsonObject,
  pointerTo,
  stepsOf,
} from "../../json-pointer.ts";
import type { Json } from "../../ports/store.ts";
import { type Shape, shapeBelow } from "./shape.ts";

const keyNames = ["name", "key", "id"];

/** The member that identifies the items of a list: a text that all of them have and no two share; `null` if there is none. */
export function keyOfItems(items: readonly Json[], shape: Shape | undefined): string | null {
  if (items.length === 0) return null;
  const names = shape?.key == null ? keyNames : [shape.key, ...keyNames];
  return names.find((name) => isKey(items, name)) ?? null;
}

/** Whether all items have the member, and no two the same. */
function isKey(items: readonly Json[], name: string): boolean {
  if (!items.every((item) => hasKey(item, name))) return false;
  return new Set(items.map((item) => nameOfItem(item, name))).size === items.length;
}

function hasKey(item: Json, name: string): boolean {
  return isObject(item) && Object.hasOwn(item, name) && typeof item[name] === "string" && item[name] !== "";
}

/** The member that identifies both the declared and the actual items. If one side is empty, the other decides. */
export function keyOfBoth(declared: readonly Json[], actual: readonly Json[], shape: Shape | undefined): string | null {
  const key = keyOfNames(declared, actual, shape);
  return key !== null && isKey(actual, key) ? key : null;
}

/** The member that identifies the declared items, if all actual ones have it too. Two of these may share it. */
export function keyOfNames(
  declared: readonly Json[],
  actual: readonly Json[],
  shape: Shape | undefined,
): string | null {
  const key = keyOfItems(declared.length === 0 ? actual : declared, shape);
  return key !== null && actual.every((item) => hasKey(item, key)) ? key : null;
}

/** An item's identity: its key, or its whole value. */
export function nameOfItem(item: Json, key: string | null): string {
  return key === null ? canonicalJson(item) : itemStep(key, item).toLowerCase();
}

/** A pointer into declared parameters with list items named by key, so that reordering changes nothing. */
export function placeNamed(parameters: JsonObject, pointer: string, shape: Shape | undefined): string {
  let [place, value, below]: [string, Json | undefined, Shape | undefined] = ["", parameters, shape];
  for (const step of stepsOf(pointer)) {
    const key: string | null = Array.isArray(value) ? keyOfItems(value, below) : null;
    value = childOf(value, step);
    place = pointerTo(place, key !== null && value !== undefined ? itemStep(key, value) : step);
    below = shapeBelow(below, step);
  }
  return place;
}

/** The pointer of a named place in these parameters; `null` if it doesn't exist. */
export function pointerOfPlace(parameters: JsonObject, place: string): string | null {
  let [pointer, value]: [string, Json | undefined] = ["", parameters];
  for (const step of stepsOf(place)) {
    const at = Array.isArray(value) && isItemStep(step) ? itemAt(value, step) : step;
    pointer = pointerTo(pointer, at);
    value = childOf(value, String(at));
    if (value === undefined) return null;
  }
  return pointer;
}
