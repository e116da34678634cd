import type { Json } from "./ports/store.ts";

/** A JSON object. */
export type JsonObject = { readonly [name: string]: Json };

/** Tells whether a value is a JSON object, neither `null` nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The pointer (RFC 6901) one level down. */
export function pointerTo(parent: string, name: string | number): string {
  return `${parent}/${String(name).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** A pointer as a URI fragment with each step cut to 64 characters, for use in errors. */
export function fragmentOf(path: readonly PropertyKey[]): string {
  const parts = path.map((part) => {
    const cut = [...String(part)].slice(0, 64).join("").toWellFormed();
    return encodeURIComponent(pointerTo("", cut).slice(1));
  });
  return ["#", ...parts].join("/");
}

export function stepsOf(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The pointer one level up. */
export function parentOf(pointer: string): string {
  return pointer.slice(0, pointer.lastIndexOf("/"));
}

/** A pointer's last step; empty for the root. */
export function lastStepOf(pointer: string): string {
  return stepsOf(pointer).at(-1) ?? "";
}

/** The step for a list item identified by its key: `name=web`. */
export function itemStep(key: string, item: Json): string {
  return `${key}=${isObject(item) ? String(item[key]) : ""}`;
}

/** Whether a step identifies a list item by key. */
export function isItemStep(step: string): boolean {
  return step.indexOf("=") > 0;
}

/** The index of the item that a step identifies, by key or index; -1 if there is none. Keys are compared without case. */
export function itemAt(list: readonly Json[], step: string): number {
  if (!isItemStep(step)) return Object.hasOwn(list, step) ? Number(step) : -1;
  const [key, named] = [step.slice(0, step.indexOf("=")), step.toLowerCase()];
  return list.findIndex(
    (item) => isObject(item) && Object.hasOwn(item, key) && itemStep(key, item).toLowerCase() === named,
  );
}

/** The value at a pointer; `undefined` if there is none. */
export function valueAt(root: Json | undefined, pointer: string): Json | undefined {
  let value: Json | undefined = root;
  for (const step of stepsOf(pointer)) value = childOf(value, step);
  return value;
}

/** An own member of an object, or a list item by index or key. */
export function childOf(value: Json | undefined, step: string): Json | undefined {
  if (Array.isArray(value)) return value[itemAt(value, step)];
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return undefined;
  return (value as JsonObject)[step];
}

export function mapOwn(object: JsonObject, replace: (member: Json, name: string) => Json): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, member]) => [name, replace(member, name)]));
}

/** Whether `pointer` equals `ancestor` or is below it. */
export function isWithin(pointer: string, ancestor: string): boolean {
  return pointer === ancestor || pointer.startsWith(`${ancestor}/`);
}

/** Creates a test whether a pointer equals, contains or is inside one of these. Each test takes as many steps as its pointer has. */
export function touching(pointers: readonly string[]): (pointer: string) => boolean {
  const at = new Set(pointers);
  const above = new Set(pointers.flatMap(ancestorsOf));
  return (pointer) => at.has(pointer) || above.has(pointer) || ancestorsOf(pointer).some((one) => at.has(one));
}

function ancestorsOf(pointer: string): string[] {
  const found: string[] = [];
  for (let end = pointer.lastIndexOf("/"); end >= 0; end = pointer.lastIndexOf("/", end - 1)) {
    found.push(pointer.slice(0, end));
    if (end === 0) break;
  }
  return found;
}

/** Whether two JSON values are equal, with members in any order. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, at) => sameJson(item, b[at]));
  }
  const [left, right] = [a as JsonObject, b as JsonObject];
  let members = 0;
  for (const name in left) {
    if (!Object.hasOwn(right, name) || !sameJson(left[name], right[name])) return false;
    members += 1;
  }
  return members === Object.keys(right).length;
}

/** JSON text with sorted members: equal values give equal text. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value ?? null);
  const members = Object.keys(value).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name])}`).join(",")}}`;
}
