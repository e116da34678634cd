import { isObject, type JsonObject, pointerTo } from "../../json-pointer.ts";
import type { Json } from "../../ports/store.ts";
import { isIgnored } from "./ignored.ts";
import { isReference } from "./references.ts";

/**
 * The outermost places that were declared and no longer are: the agent stops comparing them, and the cloud keeps its values. A list is one
 * place, and so is a reference.
 */
export function unmanagedPlaces(before: JsonObject, after: JsonObject, ignored: readonly string[]): string[] {
  const found: string[] = [];
  const walk = (was: JsonObject, is: JsonObject, at: string) => {
    for (const [name, value] of Object.entries(was)) {
      const pointer = pointerTo(at, name);
      if (isIgnored(pointer, ignored)) continue;
      const now = Object.hasOwn(is, name) ? is[name] : undefined;
      if (now === undefined) found.push(pointer);
      else if (isPlain(value) && isPlain(now)) walk(value, now, pointer);
    }
  };
  walk(before, after, "");
  return found;
}

function isPlain(value: Json): value is JsonObject {
  return isObject(value) && !isReference(value);
}
