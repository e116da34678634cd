import { isObject, type JsonObject, pointerTo } from "@liveplane/core/clouds";
import type { PatchStep } from "./aws-tags.ts";

/**
 * The steps from one state of a resource to another. They name the deepest members that differ; a list is one value. A value is always
 * added: AWS can't replace what it doesn't show.
 */
export function patchBetween(before: JsonObject, after: JsonObject, at = ""): readonly PatchStep[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name): readonly PatchStep[] => {
    const path = pointerTo(at, name);
    const [old, value] = [before[name], after[name]];
    if (value === undefined || value === null) return old === undefined || old === null ? [] : [{ op: "remove", path }];
    if (isObject(old) && isObject(value)) return patchBetween(old, value, path);
    return JSON.stringify(old) === JSON.stringify(value) ? [] : [{ op: "add", path, value }];
  });
}
