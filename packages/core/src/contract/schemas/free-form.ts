import type * as z from "zod";
import type { ViolationCode } from "../../errors.ts";
import { mostPlaces } from "../invalid.ts";

/** Any JSON value. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

/** The deepest level of free-form parameters, which are level 1 themselves. */
export const deepestParameters = 20;
const mostParameterBytes = 256 * 1024;
/** The most characters that the names on the way to a value may have together, because every error repeats them. */
const longestPlace = 2048;

interface Place {
  readonly value: unknown;
  readonly path: readonly string[];
  readonly letters: number;
}

/** Refuses free-form parameters that JSON can't represent, that contain NUL or half a surrogate pair, or that are too deep or too large. */
export function judgeParameters(map: unknown, context: z.core.$RefinementCtx): void {
  const refuse = (path: readonly string[], code: ViolationCode, message: string) =>
    context.addIssue({ code: "custom", path: [...path], message, params: { code } });
  const open: Place[] = [{ value: map, path: [], letters: 0 }];
  let faults = 0;
  for (let place = open.pop(); place !== undefined && faults < mostPlaces; place = open.pop()) {
    const fault = faultOf(place);
    if (fault !== null) {
      refuse(place.path, fault[0], fault[1]);
      faults += 1;
    } else if (typeof place.value === "object" && place.value !== null) {
      const { path, letters } = place;
      for (const [name, value] of Object.entries(place.value))
        open.push({ value, path: [...path, name], letters: letters + name.length });
    }
  }
  if (faults === 0 && byteLength(JSON.stringify(map)) > mostParameterBytes)
    refuse([], "TooBig", "must have at most 256 KiB");
}

function faultOf({ value, path, letters }: Place): readonly [ViolationCode, string] | null {
  const name = path.at(-1) ?? "";
  if (!isPlainText(name)) return ["Format", "must have a name that is valid Unicode text without the character NUL"];
  if (letters > longestPlace) return ["TooLong", `must have at most ${longestPlace} characters of names above it`];
  switch (typeof value) {
    case "string":
      return isPlainText(value) ? null : ["Format", "must be valid Unicode text without the character NUL"];
    case "number":
      return Number.isFinite(value) ? null : ["Type", "must be a number that JSON can represent"];
    case "boolean":
      return null;
    case "object":
      if (value === null) return null;
      if (!isPlain(value)) return ["Type", "must be a JSON value"];
      return path.length < deepestParameters
        ? null
        : ["TooDeep", `must be nested at most ${deepestParameters} levels deep`];
    default:
      return ["Type", "must be a JSON value"];
  }
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === Object.prototype || prototype === null;
}

/** Whether a text has only whole characters and no NUL. */
export function isPlainText(value: string): boolean {
  return value.isWellFormed() && !value.includes("\0");
}

const encoder = new TextEncoder();

/** The length of a text in bytes of UTF-8. */
export function byteLength(value: string): number {
  return encoder.encode(value).length;
}
