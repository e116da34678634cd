import type { JsonObject } from "../../json-pointer.ts";
import type { ResourceType } from "../../ports/resource-type.ts";
import type { Json } from "../../ports/store.ts";
import { unknownValue } from "../declarations/references.ts";
import { type Shape, shapeBelow } from "./shape.ts";

/** How two values are compared, beside what their place says. */
export interface Comparison {
  readonly type: ResourceType;
  readonly unapplied: ReadonlySet<string>;
  readonly scope: string;
}

/** Whether what is there is what is declared, in whatever way the cloud spells it. Of what isn't declared it says nothing. */
export function matches(declared: Json, actual: Json | undefined, shape: Shape | undefined, by: Comparison): boolean {
  if (isUnread(shape)) return !by.unapplied.has(shape.unread);
  if (declared === actual) return true;
  if (declared === null) return actual === undefined || typeof actual === "function";
  if (declared === unknownValue) return true;
  if (actual === undefined && by.type.omitsEmpty === true && isEmpty(declared, shape)) return true;
  if (typeof declared !== "object") return isSpelledAlike(declared, actual, shape, by);
  if (typeof actual !== "object" || actual === null) return false;
  if (Array.isArray(declared)) return Array.isArray(actual) && listMatches(declared, actual, shape, by);
  return !Array.isArray(actual) && objectMatches(declared as JsonObject, actual as JsonObject, shape, by);
}

/** Whether two values are the same where no table says anything of them: those of tags. */
export function sameValue(declared: Json, actual: Json | undefined): boolean {
  return matches(declared, actual, undefined, noFacts);
}

/** Whether the cloud never gives back what stands there. */
export function isUnread(shape: Shape | undefined): shape is Shape & { readonly unread: string } {
  return shape !== undefined && shape.unread !== null;
}

const noFacts: Comparison = {
  type: { taggable: true, sets: [], caseless: [], immutable: [], writeOnly: [], sensitiveOutputs: [] },
  unapplied: new Set(),
  scope: "",
};

function objectMatches(declared: JsonObject, actual: JsonObject, shape: Shape | undefined, by: Comparison): boolean {
  let empty = true;
  for (const name in declared) {
    empty = false;
    const below = shape === undefined ? undefined : shapeBelow(shape, name);
    if (!matches(declared[name] as Json, memberOf(actual, name, by), below, by)) return false;
  }
  return !empty || Object.keys(actual).length === 0;
}

function listMatches(
  declared: readonly Json[],
  actual: readonly Json[],
  shape: Shape | undefined,
  by: Comparison,
): boolean {
  if (declared.length !== actual.length) return false;
  if (shape?.set === true) return setMatches(declared, actual, shape, by);
  for (let at = 0; at < declared.length; at++) {
    const below = shape === undefined ? undefined : shapeBelow(shape, String(at));
    if (!matches(declared[at] as Json, actual[at], below, by)) return false;
  }
  return true;
}

/** Elements pair off in any order. One that fits several gives way to one that fits only what it has taken. */
function setMatches(declared: readonly Json[], actual: readonly Json[], shape: Shape, by: Comparison): boolean {
  const takenBy = new Map<number, number>();
  const pairs = (item: number, tried: Set<number>): boolean =>
    actual.some((other, at) => {
      if (tried.has(at) || !matches(declared[item] as Json, other, shape.any, by)) return false;
      tried.add(at);
      const holder = takenBy.get(at);
      if (holder !== undefined && !pairs(holder, tried)) return false;
      takenBy.set(at, item);
      return true;
    });
  return declared.every((_, item) => pairs(item, new Set()));
}

/** A member by its name. One that is called by a resource may be spelled in another way. */
export function memberOf(actual: JsonObject, name: string, { type, scope }: Comparison): Json | undefined {
  const own = Object.hasOwn(actual, name) ? actual[name] : undefined;
  if (own !== undefined || type.sameLink === undefined || !name.includes("/")) return own;
  const spelled = Object.keys(actual).find((other) => type.sameLink?.(name, other, scope));
  return spelled === undefined ? undefined : actual[spelled];
}

function isSpelledAlike(
  declared: Json,
  actual: Json | undefined,
  shape: Shape | undefined,
  { type, scope }: Comparison,
): boolean {
  if (shape?.wholeNumber === true && sameNumber(declared, actual)) return true;
  if (typeof declared !== "string" || typeof actual !== "string") return false;
  if (shape?.caseless === true && plain(declared) === plain(actual)) return true;
  return type.sameLink?.(declared, actual, scope) ?? false;
}

function plain(text: string): string {
  return text.replaceAll(/\s/g, "").toLowerCase();
}

/** A number beyond what JSON's are read as is compared as a text alone. */
function sameNumber(declared: Json, actual: Json | undefined): boolean {
  const [own, other] = [digitsOf(declared), digitsOf(actual)];
  return own !== null && other !== null && BigInt(own) === BigInt(other);
}

function digitsOf(value: Json | undefined): string | null {
  if (typeof value === "number") return Number.isSafeInteger(value) ? String(value) : null;
  return typeof value === "string" && /^-?\d{1,20}$/.test(value) ? value : null;
}

function isEmpty(value: Json, shape: Shape | undefined): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === false || value === 0 || value === "" || (shape?.wholeNumber === true && value === "0");
}
