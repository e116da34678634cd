import type { Violation } from "../errors.ts";
import { fragmentOf } from "../json-pointer.ts";
import { deepestParameters } from "./schemas/free-form.ts";

const forbidden = new Set(["__proto__", "constructor", "prototype"]);
/** The levels of a request itself, plus 20 levels of free-form parameters. */
const deepest = 24;

/** More members than any of our records, maps or lists. Free-form parameters are limited by bytes instead. */
const mostMembers = 1000;

interface Place {
  readonly value: object;
  readonly path: readonly string[];
  /** The level inside free-form parameters, which are level 1; 0 outside. */
  readonly inside: number;
}

/**
 * Finds a member name that could reach a prototype, too many members, or too deep a nesting, without recursion. `null` if there is none.
 */
export function scanJson(root: unknown): Violation | null {
  const open: Place[] = isObject(root) ? [{ value: root, path: [], inside: 0 }] : [];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const { value, path, inside } = place;
    const deeper = inside > 0 ? inside + 1 : 0;
    if (inside > deepestParameters || path.length > deepest)
      return fault(path, "TooDeep", `This is nested more than ${deepestParameters} levels deep.`);
    const list = Array.isArray(value) ? value : null;
    // A list's indexes are skipped, because each would become a string.
    const names = list === null ? Object.keys(value) : [];
    if (inside === 0 && (list ?? names).length > mostMembers)
      return fault(path, "TooBig", `This must have at most ${mostMembers} members.`);
    for (const [index, child] of list?.entries() ?? [])
      if (isObject(child)) open.push({ value: child, path: [...path, String(index)], inside: deeper });
    for (const name of names) {
      if (forbidden.has(name)) return fault([...path, name], "Forbidden", "A member with this name is not allowed.");
      const child = (value as Record<string, unknown>)[name];
      const begins = inside === 0 && name === "parameters";
      if (isObject(child)) open.push({ value: child, path: [...path, name], inside: begins ? 1 : deeper });
    }
  }
  return null;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function fault(path: readonly string[], code: Violation["code"], detail: string): Violation {
  return { pointer: fragmentOf(path), code, detail };
}
