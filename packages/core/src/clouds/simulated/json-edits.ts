import { isItemStep, isObject, itemAt, type JsonObject, stepsOf } from "../../json-pointer.ts";
import type { Json } from "../../ports/store.ts";

/**
 * The value with what is at the pointer (RFC 6901) replaced. `null` removes a member, or an item named by its key (`name=web`). Creates
 * missing objects on the way.
 */
export function withValueAt(root: JsonObject, pointer: string, value: Json): JsonObject {
  return withValuesAt(root, [{ pointer, value }]);
}

/** The same for several pointers in turn. Nothing is copied twice. */
export function withValuesAt(
  root: JsonObject,
  edits: readonly { readonly pointer: string; readonly value: Json }[],
): JsonObject {
  const copies = new Set<Json>();
  let edited = root;
  for (const { pointer, value } of edits) {
    const path = stepsOf(pointer);
    const next = path.length === 0 ? value : edit(edited, path, value, copies);
    if (isObject(next)) edited = next;
  }
  return edited;
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

function edit(node: Json | undefined, [name = "", ...rest]: readonly string[], value: Json, copies: Set<Json>): Json {
  if (Array.isArray(node)) {
    const items = ownCopy(node, copies, () => [...node]);
    if (isItemStep(name))
      return withItem(items, name, (item) => (rest.length === 0 ? value : edit(item, rest, value, copies)));
    const at = name === "-" ? items.length : Number(name);
    items[at] = rest.length === 0 ? value : edit(items[at], rest, value, copies);
    return items;
  }
  const result = ownCopy(node, copies, (): Record<string, Json> => (isObject(node) ? { ...node } : {}));
  if (rest.length > 0) define(result, name, edit(result[name], rest, value, copies));
  else if (value === null) delete result[name];
  else define(result, name, value);
  return result;
}

/** Changes the item with this key. An item that becomes nothing is removed; a new, whole item is appended. */
function withItem(items: Json[], step: string, edited: (item: Json | undefined) => Json): Json[] {
  const at = itemAt(items, step);
  const item = edited(items[at]);
  if (at === -1) return isObject(item) && itemAt([item], step) === 0 ? [...items, item] : items;
  if (item === null) items.splice(at, 1);
  else items[at] = item;
  return items;
}

/** A copy that may be changed, or the value itself if it already is one. */
function ownCopy<T extends Json>(value: Json | undefined, copies: Set<Json>, copy: () => T): T {
  if (value !== undefined && copies.has(value)) return value as T;
  const made = copy();
  copies.add(made);
  return made;
}

/** Plain assignment would treat `__proto__` as the prototype. */
function define(target: Record<string, Json>, name: string, value: Json): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}
