import type { Violation } from "../errors.ts";
import { deepestParameters } from "./free-form.ts";
import { pointerTo } from "./pointer.ts";

const forbidden = new Set(["__proto__", "constructor", "prototype"]);
/** A request's own members and lists, and free-form parameters of 20 levels inside them. */
const deepest = 24;

interface Place {
  readonly value: object;
  readonly path: readonly string[];
  /** Levels inside free-form parameters, which are depth 1 themselves; 0 outside. */
  readonly inside: number;
}

/** Finds a member name that could reach a prototype, or a nesting too deep, without recursion. `null`: neither. */
export function scanJson(root: unknown): Violation | null {
  if (typeof root !== "object" || root === null) return null;
  const open: Place[] = [{ value: root, path: [], inside: 0 }];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const { value, path, inside } = place;
    if (inside > deepestParameters || path.length > deepest) {
      return {
        pointer: pointerTo(path),
        code: "TooDeep",
        detail: `This is nested more than ${deepestParameters} deep.`,
      };
    }
    for (const name of Object.keys(value)) {
      if (forbidden.has(name) && !Array.isArray(value)) {
        return {
          pointer: pointerTo([...path, name]),
          code: "Forbidden",
          detail: "A member of this name is not allowed.",
        };
      }
      const child = (value as Record<string, unknown>)[name];
      if (typeof child !== "object" || child === null) continue;
      const begins = inside === 0 && name === "parameters";
      open.push({ value: child, path: [...path, name], inside: inside > 0 || begins ? inside + 1 : 0 });
    }
  }
  return null;
}
