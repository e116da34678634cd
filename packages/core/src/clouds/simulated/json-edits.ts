import { isObject, type JsonObject, stepsOf } from "../../json-pointer.ts";
import type { Json } from "../../ports/store.ts";

/** The value with what stands at the pointer (RFC 6901) replaced; `null` takes a member away. Makes the objects on the way. */
export function withValueAt(root: JsonObject, pointer: string, value: Json): JsonObject {
  const path = stepsOf(pointer);
  const edited = path.length === 0 ? value : edit(root, path, value);
  return isObject(edited) ? edited : root;
}

/** The value after a JSON Merge Patch (RFC 7396). */
export function merged(value: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const result: Record<string, Json> = isObject(value) ? { ...value } : {};
  for (const [name, change] of Object.entries(patch)) {
    if (change === null) delete result[name];
    else define(result, name, merged(result[name], change));
  }
  return result;
}

/** The pointer's first name: the top-level parameter. */
export function topOf(pointer: string): string {
  return stepsOf(pointer)[0] ?? "";
}

/** The pointer's second name; `null` when it names a top-level parameter. */
export function secondOf(pointer: string): string | null {
  return stepsOf(pointer)[1] ?? null;
}

function edit(node: Json | undefined, [name = "", ...rest]: readonly string[], value: Json): Json {
  if (Array.isArray(node)) {
    const items = [...node];
    const at = name === "-" ? items.length : Number(name);
    items[at] = rest.length === 0 ? value : edit(items[at], rest, value);
    return items;
  }
  const result: Record<string, Json> = isObject(node) ? { ...node } : {};
  if (rest.length > 0) define(result, name, edit(result[name], rest, value));
  else if (value === null) delete result[name];
  else define(result, name, value);
  return result;
}

/** Assignment would take `__proto__` for the prototype. */
function define(target: Record<string, Json>, name: string, value: Json): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}
