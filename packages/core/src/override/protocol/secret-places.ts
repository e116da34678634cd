import { isItemStep, isObject, type JsonObject, mapOwn, pointerTo, sameJson, stepsOf } from "../../json-pointer.ts";
import type { ResourceType } from "../../ports/resource-type.ts";
import type { Json } from "../../ports/store.ts";
import { isReference } from "../declarations/references.ts";
import { type Shape, shapeBelow, shapeOf } from "../declarations/shape.ts";
import { redacted } from "./redaction.ts";

const secretName = /(password|secret|token|connectionstring|privatekey|accesskey|rawkey|rsaencryptedkey)$/i;

/** Where parameters come from: declared here, or from outside. */
type Origin = "declared" | "foreign";

/** The places of secrets, as a tree to walk along with a value. */
interface SecretPlace {
  isSecret: boolean;
  readonly below: Map<string, SecretPlace>;
  /** Everything below, merged: what items of a foreign list are compared with. */
  merged?: SecretPlace;
}

function newPlace(): SecretPlace {
  return { isSecret: false, below: new Map() };
}

function placesAt(pointers: readonly string[]): SecretPlace {
  const root = newPlace();
  for (const pointer of pointers) {
    let place = root;
    for (const step of stepsOf(pointer)) {
      const next = place.below.get(step) ?? newPlace();
      place.below.set(step, next);
      place = next;
    }
    place.isSecret = true;
  }
  return root;
}

/** In a list from outside, items may be in other positions, so a secret item hides its place in all of them. */
function itemOf(place: SecretPlace | undefined, at: number, from: Origin): SecretPlace | undefined {
  if (place === undefined || from === "declared") return place?.below.get(String(at));
  place.merged ??= together([...place.below.values()]);
  return place.merged;
}

function together(places: readonly SecretPlace[]): SecretPlace {
  const names = Map.groupBy(
    places.flatMap(({ below }) => [...below]),
    ([name]) => name,
  );
  const below = new Map([...names].map(([name, some]) => [name, together(some.map(([, place]) => place))]));
  return { isSecret: places.some(({ isSecret }) => isSecret), below };
}

/** The position of a walk through parameters. */
interface Visited {
  readonly place: SecretPlace | undefined;
  readonly shape: Shape | undefined;
  /** The name of the member; a list's items have the list's name. */
  readonly name: string;
}

/**
 * Hides the secrets in a value at a pointer: those at secret pointers, what the cloud never returns, what the type calls sensitive, and
 * texts with a secret-like name.
 */
export function hiding(
  secrets: readonly string[],
  type: ResourceType,
  from: Origin,
): (value: Json, pointer: string) => Json {
  const root = placesAt(secrets);
  const isShown = (value: Json, at: Visited) =>
    !isHidden(value, at) && (value === null || at.shape?.sensitive !== true);
  const hide = (value: Json, { place, shape, name }: Visited): Json => {
    if (!isShown(value, { place, shape, name })) return redacted;
    if (Array.isArray(value))
      return value.map((item, at) => hide(item, { place: itemOf(place, at, from), shape: shape?.any, name }));
    if (!isObject(value)) return value;
    return mapOwn(value, (member, own) =>
      hide(member, { place: place?.below.get(own), shape: shapeBelow(shape, own), name: own }),
    );
  };
  return (value, pointer) => {
    let at: Visited = { place: root, shape: shapeOf(type), name: "" };
    for (const step of stepsOf(pointer)) {
      if (!isShown(value, at)) return redacted;
      const isItem = /^\d+$/.test(step) || isItemStep(step);
      const place = isItemOf(at.place, step) ? itemOf(at.place, 0, "foreign") : at.place?.below.get(step);
      at = { place, shape: shapeBelow(at.shape, step), name: isItem ? at.name : step };
    }
    return hide(value, at);
  };
}

/** Whether a step identifies a list item by key. Member names may contain an equals sign too. */
function isItemOf(place: Visited["place"], step: string): boolean {
  if (place === undefined || !isItemStep(step) || place.below.has(step)) return false;
  return [...place.below.keys()].every((name) => /^(\d+|\*)$/.test(name));
}

function isHidden(value: Json, { place, shape, name }: Visited): boolean {
  if (place?.isSecret === true) return true;
  if (value === null) return false;
  return shape?.secret === true || (typeof value === "string" && secretName.test(name));
}

/** Pointers of secrets written literally into parameters: values that the cloud never returns, and texts with a secret-like name. */
export function literalSecrets(parameters: JsonObject, type: ResourceType): string[] {
  const found: string[] = [];
  const visit = (value: Json, pointer: string, { shape, name }: Omit<Visited, "place">): void => {
    if (typeof value === "string") {
      if (value !== "" && isHidden(value, { place: undefined, shape, name })) found.push(pointer);
    } else if (Array.isArray(value)) {
      for (const [at, item] of value.entries()) visit(item, pointerTo(pointer, at), { shape: shape?.any, name });
    } else if (isObject(value) && !isReference(value)) {
      for (const [own, member] of Object.entries(value))
        visit(member, pointerTo(pointer, own), { shape: shapeBelow(shape, own), name: own });
    }
  };
  visit(parameters, "", { shape: shapeOf(type), name: "" });
  return found;
}

/**
 * Every text and number at the secret pointers, to be hidden elsewhere by `scrub`. In parameters from outside, the value there is secret
 * too, even if it is an older version or was set by hand.
 */
export function secretValues(parameters: JsonObject, secrets: readonly string[], from: Origin = "declared"): Json[] {
  const found: Json[] = [];
  const visit = (value: Json | undefined, place: SecretPlace): void => {
    if (place.isSecret) {
      collectScalars(value, found);
    } else if (Array.isArray(value)) {
      for (const [at, item] of value.entries()) {
        const below = itemOf(place, at, from);
        if (below !== undefined) visit(item, below);
      }
    } else if (isObject(value)) {
      for (const [name, below] of place.below) if (Object.hasOwn(value, name)) visit(value[name], below);
    }
  };
  if (secrets.length > 0) visit(parameters, placesAt(secrets));
  return found;
}

function collectScalars(value: Json | undefined, found: Json[]): void {
  if (typeof value === "string" || typeof value === "number") found.push(value);
  else if (typeof value === "object" && value !== null)
    for (const member of Object.values(value)) collectScalars(member, found);
}

/** Parameters as answered, without literal secrets. */
export function withoutSecrets(parameters: JsonObject, secrets: readonly string[]): JsonObject {
  const hide = (value: Json, place: SecretPlace | undefined): Json => {
    if (place === undefined) return value;
    if (place.isSecret) return redacted;
    if (Array.isArray(value)) return value.map((item, at) => hide(item, place.below.get(String(at))));
    return isObject(value) ? mapOwn(value, (member, name) => hide(member, place.below.get(name))) : value;
  };
  return secrets.length === 0 ? parameters : (hide(parameters, placesAt(secrets)) as JsonObject);
}

/**
 * Answered parameters that are sent again, with the hidden secrets restored. A changed list keeps what was sent, because its items can't be
 * matched.
 */
export function withSecretsOf(sent: Json, before: Json, shown: Json): Json {
  if (!isObject(sent)) return sameJson(sent, shown) ? before : sent;
  if (!isObject(before) || !isObject(shown)) return sent;
  return mapOwn(sent, (member, name) => {
    const known = Object.hasOwn(before, name) ? before[name] : undefined;
    return known === undefined ? member : withSecretsOf(member, known, shown[name] ?? null);
  });
}

/** Pointers of hidden values that can't be restored: the placeholder itself would be written to the cloud. */
export function redactedIn(value: Json, pointer = ""): string[] {
  if (value === redacted) return [pointer];
  if (Array.isArray(value)) return value.flatMap((item, at) => redactedIn(item, pointerTo(pointer, at)));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => redactedIn(member, pointerTo(pointer, name)));
}
