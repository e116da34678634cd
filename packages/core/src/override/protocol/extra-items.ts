import { type JsonObject, sameJson, stepsOf, touching, valueAt } from "../../json-pointer.ts";
import type { ResourceType } from "../../ports/resource-type.ts";
import type { Json } from "../../ports/store.ts";
import { holdsIgnored, isIgnoredItem } from "../declarations/ignored.ts";
import { keyOfNames, nameOfItem, pointerOfPlace } from "../declarations/list-keys.ts";
import { type Shape, shapeBelow, shapeOf } from "../declarations/shape.ts";
import { type Comparison, type ExtraItems, matches } from "./likeness.ts";

/** What is declared and there at a place. */
export interface PlaceSides {
  readonly pointer: string;
  readonly declared: Json;
  readonly actual: Json | undefined;
}

/** In longer lists, items without keys are found again only if their spelling is equal. */
const mostUnkeyed = 100;

/** A list's items, apart from those that are the cloud's own: that are ignored, or neither declared nor applied once where extra items may be. */
export function splitItems({ declared, actual, pointer }: PlaceSides, shape: Shape | undefined, by: Comparison) {
  const allowed = Object.hasOwn(by.extraItems, pointer) ? by.extraItems[pointer] : undefined;
  const isPlain = allowed === undefined && !holdsIgnored(pointer, by.ignored);
  if (isPlain || !Array.isArray(declared) || !Array.isArray(actual)) return { own: actual, left: [] };
  const key = keyOfNames(declared, actual, shape);
  const isDeclared = declaredAmong(declared, key, shape, by);
  const own: Json[] = [];
  const left: Json[] = [];
  for (const item of actual) {
    const isOwn =
      !isIgnoredItem(item, pointer, by.ignored) &&
      (isDeclared(item) || allowed?.includes(nameOfItem(item, key)) !== false);
    (isOwn ? own : left).push(item);
  }
  return { own, left };
}

/** Tells for each item in turn whether it is declared. Items without keys are each matched once. */
function declaredAmong(declared: readonly Json[], key: string | null, shape: Shape | undefined, by: Comparison) {
  const names = new Set(declared.map((item) => nameOfItem(item, key)));
  if (key !== null) return (item: Json) => names.has(nameOfItem(item, key));
  const left = [...declared];
  return (item: Json) => {
    const isSame = (one: Json) =>
      sameJson(one, item) || (left.length <= mostUnkeyed && matches(one, item, shape?.any, by));
    const at = names.has(nameOfItem(item, null)) || left.length <= mostUnkeyed ? left.findIndex(isSame) : -1;
    return at !== -1 && left.splice(at, 1).length > 0;
  };
}

/** A resource's declaration, as far as lists need it. */
interface Applied {
  readonly parameters: JsonObject;
  readonly type: ResourceType;
  readonly extraItems: ExtraItems;
  /** Pointers of values that must not be stored. */
  readonly secrets: readonly string[];
}

/** The item names of each list that allows extra items: those once applied and still present, and the declared ones. */
export function itemsApplied(
  { parameters, type, extraItems, secrets }: Applied,
  actual: JsonObject,
  { isApplied }: { readonly isApplied: boolean },
): ExtraItems {
  const holdsSecret = touching(secrets);
  const lists = Object.entries(extraItems).map(([pointer, before]) => {
    const namesIn = (list: Json | undefined, key: string | null) =>
      Array.isArray(list) ? list.map((item) => nameOfItem(item, key)) : [];
    const [declared, there] = [valueAt(parameters, pointer), valueAt(actual, pointer)];
    const shape = stepsOf(pointer).reduce<Shape | undefined>(shapeBelow, shapeOf(type));
    const key = Array.isArray(declared) ? keyOfNames(declared, Array.isArray(there) ? there : [], shape) : null;
    const shown = new Set(namesIn(there, key));
    // A name that may be a secret isn't stored.
    const own =
      isApplied && (key !== null || !holdsSecret(pointerOfPlace(parameters, pointer) ?? ""))
        ? namesIn(declared, key)
        : [];
    return [pointer, [...new Set([...before.filter((name) => shown.has(name)), ...own])].sort()] as const;
  });
  return Object.fromEntries(lists);
}
