import { isObject, type JsonObject, pointerTo } from "@liveplane/core/clouds";
import type { AwsTags } from "./aws-kinds.ts";
import { reserved } from "./aws-types.ts";

type Json = JsonObject[string];

/** One step of a JSON Patch (RFC 6902). */
export type PatchStep =
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: Json }
  | { readonly op: "remove"; readonly path: string };

/** A resource's tags, whatever form they have. */
export function awsTagsIn(tags: AwsTags | undefined, properties: JsonObject): Record<string, string> {
  const found = tags && holderIn(tags, properties);
  if (isObject(found)) return Object.fromEntries(Object.entries(found).map(([key, value]) => [key, String(value)]));
  if (!Array.isArray(found)) return {};
  return Object.fromEntries(found.filter(isObject).map(({ Key, Value }) => [String(Key), String(Value ?? "")]));
}

/** Tags in the form of a type, for a new resource. */
export function writtenTags(tags: AwsTags, values: Readonly<Record<string, string>>): Json {
  const list = Object.entries(values).map(([key, value]) => itemFor(tags, key, value));
  if (tags.form === "map") return { ...values };
  return tags.within === undefined ? list : { [tags.within]: list };
}

/** The step that refuses a patch unless a tag has this value; `null` if the tag isn't there now. */
export function tagTest(
  tags: AwsTags,
  properties: JsonObject,
  { key, value }: { readonly key: string; readonly value: string },
): readonly PatchStep[] | null {
  const at = placeOf(tags, properties, key);
  if (at === null || awsTagsIn(tags, properties)[key] !== value) return null;
  if (tags.form === "map") return [{ op: "test", path: at, value }];
  return [
    { op: "test", path: `${at}/Key`, value: key },
    { op: "test", path: `${at}/Value`, value },
  ];
}

/**
 * The steps that set tags, and remove those that are `null`. Items of a list are addressed by index, so each is tested first, and removals
 * begin at the end.
 */
export function tagSteps(
  tags: AwsTags,
  properties: JsonObject,
  values: Readonly<Record<string, string | null>>,
): readonly PatchStep[] {
  const now = awsTagsIn(tags, properties);
  const changed = Object.entries(values).filter(
    ([key, value]) => !key.startsWith(reserved) && value !== (now[key] ?? null),
  );
  const tests: PatchStep[] = [];
  const replaced: PatchStep[] = [];
  const removed: { readonly at: string; readonly order: number }[] = [];
  const added: [string, string][] = [];
  for (const [key, value] of changed) {
    const at = placeOf(tags, properties, key);
    if (at === null) {
      if (value !== null) added.push([key, value]);
      continue;
    }
    if (tags.form !== "map") tests.push({ op: "test", path: `${at}/Key`, value: key });
    if (value !== null) replaced.push({ op: "replace", path: tags.form === "map" ? at : `${at}/Value`, value });
    else removed.push({ at, order: Number(at.slice(at.lastIndexOf("/") + 1)) });
  }
  const removals = removed.sort((a, b) => b.order - a.order).map(({ at }): PatchStep => ({ op: "remove", path: at }));
  return [...tests, ...replaced, ...removals, ...additions(tags, properties, added)];
}

/** AWS refuses a step inside a property that isn't there, so the first tags create it. */
function additions(tags: AwsTags, properties: JsonObject, added: readonly [string, string][]): readonly PatchStep[] {
  if (added.length === 0) return [];
  if (holderIn(tags, properties) === undefined)
    return [{ op: "add", path: `/${tags.at}`, value: writtenTags(tags, Object.fromEntries(added)) }];
  const path = pathOf(tags);
  return added.map(
    ([key, value]): PatchStep =>
      tags.form === "map"
        ? { op: "add", path: pointerTo(path, key), value }
        : { op: "add", path: `${path}/-`, value: itemFor(tags, key, value) },
  );
}

function holderIn({ at, within }: AwsTags, properties: JsonObject): Json | undefined {
  const own = properties[at] ?? undefined;
  return within !== undefined && isObject(own) ? (own[within] ?? undefined) : own;
}

function pathOf({ at, within }: AwsTags): string {
  return within === undefined ? `/${at}` : `/${at}/${within}`;
}

/** Where a tag is: its place in the map, or its index in the list. */
function placeOf(tags: AwsTags, properties: JsonObject, key: string): string | null {
  const holder = holderIn(tags, properties);
  if (isObject(holder)) return Object.hasOwn(holder, key) ? pointerTo(pathOf(tags), key) : null;
  const at = Array.isArray(holder) ? holder.findIndex((item) => isObject(item) && item.Key === key) : -1;
  return at === -1 ? null : pointerTo(pathOf(tags), at);
}

function itemFor({ form }: AwsTags, key: string, value: string): JsonObject {
  return { Key: key, Value: value, ...(form === "launched" && { PropagateAtLaunch: true }) };
}
