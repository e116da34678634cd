import { isObject, type JsonObject } from "@liveplane/core/clouds";

type Json = JsonObject[string];

/** A patch that can't be applied, in the words of AWS. */
export class UnfitPatch extends Error {}

/** Applies a JSON Patch (RFC 6902), all of it or nothing. */
export function patched(before: JsonObject, steps: readonly Readonly<Record<string, Json>>[]): JsonObject {
  const root = structuredClone(before) as Record<string, Json>;
  for (const { op, path, value } of steps) {
    const names = stepsOf(String(path));
    const last = names.pop() ?? "";
    const holder = names.reduce<Json | undefined>((at, name) => memberOf(at, name), root);
    const kind = String(op).toUpperCase();
    if (typeof holder !== "object" || holder === null)
      throw new UnfitPatch(`[${kind} Operation] noSuchPath in source, path provided : /${path}`);
    const current = memberOf(holder, last);
    if (op === "test" && JSON.stringify(current) !== JSON.stringify(value))
      throw new UnfitPatch(`[TEST Operation] value differs from expectations, path provided : /${path}`);
    if (op !== "add" && op !== "test" && current === undefined)
      throw new UnfitPatch(`[${kind} Operation] noSuchPath in source, path provided : /${path}`);
    if (op === "test") continue;
    if (Array.isArray(holder)) applied(holder, op, last === "-" ? holder.length : Number(last), value);
    else if (op === "remove") delete (holder as Record<string, Json>)[last];
    else (holder as Record<string, Json>)[last] = value ?? null;
  }
  return root;
}

function applied(list: Json[], op: Json | undefined, at: number, value: Json | undefined): void {
  if (!(at <= list.length)) throw new UnfitPatch("[ADD Operation] the index is out of bounds");
  if (op === "remove") list.splice(at, 1);
  else list.splice(at, op === "add" ? 0 : 1, value ?? null);
}

function memberOf(holder: Json | undefined, name: string): Json | undefined {
  if (Array.isArray(holder)) return holder[Number(name)];
  return isObject(holder) && Object.hasOwn(holder, name) ? holder[name] : undefined;
}

function stepsOf(path: string): string[] {
  return path
    .split("/")
    .slice(1)
    .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
}
