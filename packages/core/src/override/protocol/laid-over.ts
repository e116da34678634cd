import {
  childOf,
  isObject,
  isWithin,
  itemStep,
  type JsonObject,
  mapOwn,
  pointerTo,
  stepsOf,
} from "../../json-pointer.ts";
import type { ResourceType } from "../../ports/resource-type.ts";
import type { Json } from "../../ports/store.ts";
import { heededOf } from "../declarations/ignored.ts";
import { keyOfBoth, nameOfItem } from "../declarations/list-keys.ts";
import { holdsUnknown, unknownValue } from "../declarations/references.ts";
import { fixedAt, pointerOf, type Shape, shapeBelow, shapeOf } from "../declarations/shape.ts";
import { type PlaceSides, splitItems } from "./extra-items.ts";
import { type Comparison, isUnread, matches } from "./likeness.ts";

/** What is there with what is declared laid over it: what isn't declared stays, and what counts at a creation alone isn't repeated. */
export function laidOver({ declared, actual, pointer }: PlaceSides, shape: Shape | undefined, by: Comparison): Json {
  if (declared === unknownValue) return actual ?? null;
  const below = (name: string, value: Json, own: Json | undefined) =>
    laidOver({ declared: value, actual: own, pointer: pointerTo(pointer, name) }, shapeBelow(shape, name), by);
  if (isObject(declared) && isObject(actual)) {
    const changeable = Object.entries(declared).filter(([name]) => !isSaidOnce(shapeBelow(shape, name), by.type));
    return {
      ...actual,
      ...mapOwn(Object.fromEntries(changeable), (value, name) => below(name, value, childOf(actual, name))),
    };
  }
  if (!Array.isArray(declared) || !Array.isArray(actual)) return declared;
  const { own, left } = splitItems({ declared, actual, pointer }, shape, by);
  const items = Array.isArray(own) ? own : [];
  const key = keyOfBoth(declared, items, shape);
  const there = counterparts(declared, items, shape, by);
  return [
    ...declared.map((item, at) => below(key === null ? String(at) : itemStep(key, item), item, there[at])),
    ...left,
  ];
}

/** More pairs than these of items without keys are not tried. */
const mostPairs = 10_000;

/** What is there of each declared item: by its key, else by its position, else the first one that fits. */
function counterparts(
  declared: readonly Json[],
  actual: readonly Json[],
  shape: Shape | undefined,
  by: Comparison,
): readonly (Json | undefined)[] {
  const key = keyOfBoth(declared, actual, shape);
  if (key !== null) {
    const there = new Map(actual.map((item) => [nameOfItem(item, key), item]));
    return declared.map((item) => there.get(nameOfItem(item, key)));
  }
  if (shape?.set !== true && declared.length === actual.length) return actual;
  if (declared.length * actual.length > mostPairs) return [];
  const left = [...actual];
  const shown = { ...by, unapplied: new Set<string>() };
  return declared.map((item) => {
    const at = left.findIndex((one) => matches(item, one, shape?.any, shown));
    return at === -1 ? undefined : left.splice(at, 1)[0];
  });
}

/** Whether a value counts at a creation alone, and is never shown. */
function isSaidOnce(shape: Shape | undefined, type: ResourceType): boolean {
  return isUnread(shape) && fixedAt(type, pointerOf(shape.unread)) !== null;
}

interface Place {
  readonly pointer: string;
  readonly value: Json;
}

/**
 * What a cloud never shows around the places that are written: it would lose what isn't sent along. A type that is written whole is sent all
 * of it, any other what is in the same lists, which clouds take whole. Pure.
 */
export function hiddenAlong(
  written: readonly Place[],
  { parameters, ignored }: { readonly parameters: JsonObject; readonly ignored: readonly string[] },
  actual: JsonObject,
  by: Comparison,
): readonly Place[] {
  const lists = written.map(({ pointer }) => listAround(parameters, pointer)).filter((list) => list !== null);
  const around = by.type.wholeBody === true ? [""] : lists;
  if (around.length === 0) return [];
  const heeded = heededOf(parameters, ignored);
  const places = hiddenIn({ declared: heeded, actual, pointer: "" }, shapeOf(by.type), by);
  return places.filter(
    ({ pointer }) =>
      around.some((place) => isWithin(pointer, place)) && !written.some((one) => isWithin(pointer, one.pointer)),
  );
}

/** The declared values that are never shown, each at its place. A list whose items have no key is one value. */
function hiddenIn(sides: PlaceSides, shape: Shape | undefined, by: Comparison): readonly Place[] {
  const { declared, actual, pointer } = sides;
  if (shape === undefined || declared === null || isSaidOnce(shape, by.type)) return [];
  if (isUnread(shape)) return holdsUnknown(declared) ? [] : [{ pointer, value: declared }];
  const below = (name: string, value: Json, own: Json | undefined) =>
    hiddenIn({ declared: value, actual: own, pointer: pointerTo(pointer, name) }, shapeBelow(shape, name), by);
  if (isObject(declared))
    return Object.entries(declared).flatMap(([name, value]) => below(name, value, childOf(actual, name)));
  if (!Array.isArray(declared) || shape.any === undefined) return [];
  const items = Array.isArray(actual) ? actual : [];
  const key = keyOfBoth(declared, items, shape);
  const there = counterparts(declared, items, shape, by);
  const hidden = declared.flatMap((item, at) =>
    below(key === null ? String(at) : itemStep(key, item), item, there[at]),
  );
  if (key !== null || hidden.length === 0) return hidden;
  return [{ pointer, value: laidOver(sides, shape, by) }];
}

/** The outermost list that a pointer names an item of; `null`: there is none. */
function listAround(parameters: JsonObject, pointer: string): string | null {
  let [place, value]: [string, Json | undefined] = ["", parameters];
  for (const step of stepsOf(pointer)) {
    if (Array.isArray(value)) return place;
    value = childOf(value, step);
    place = pointerTo(place, step);
  }
  return null;
}
