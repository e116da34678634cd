import {
  googleFacts,
  isObject,
  type JsonObject,
  type ResourceChange,
  secondOf,
  topOf,
  withTags,
  withValuesAt,
} from "@liveplane/core/clouds";
import { tagsFrom } from "../cloud-http/cloud-resource.ts";
import type { NamedKind } from "./google-kinds.ts";

/** The labels of a body, at the place where its kind has them. */
export function labelsIn(body: JsonObject, at: readonly string[]): Record<string, string> {
  let found: unknown = body;
  for (const name of at) found = isObject(found) ? found[name] : undefined;
  return tagsFrom(at.length === 0 ? {} : found);
}

/** A body with these labels and no others. */
export function withLabelsAt(
  body: JsonObject,
  [name, ...rest]: readonly string[],
  labels: Readonly<Record<string, string>>,
): JsonObject {
  if (name === undefined) return body;
  const known = body[name];
  if (rest.length > 0) return { ...body, [name]: withLabelsAt(isObject(known) ? known : {}, rest, labels) };
  if (known === undefined && Object.keys(labels).length === 0) return body;
  return { ...body, [name]: { ...labels } };
}

export function googleCorrected(kind: NamedKind, body: JsonObject, { parameters, tags }: ResourceChange): JsonObject {
  const { labelsAt: at } = kind;
  const isLabel = ({ pointer }: { readonly pointer: string }) => topOf(pointer) === "labels" && at.length > 0;
  const own = withValuesAt(
    body,
    parameters.filter((one) => !isLabel(one)),
  );
  let labels = labelsIn(body, at);
  for (const { pointer, value } of parameters.filter(isLabel)) {
    const key = secondOf(pointer);
    if (key === null) labels = withTags(googleFacts, labels, tagsFrom(value));
    else labels = withTags(googleFacts, labels, { [key]: value === null ? null : String(value) });
  }
  return withLabelsAt(withTexts(kind, own), at, withTags(googleFacts, labels, tags));
}

/** The body without one label; unchanged if it doesn't have it. */
export function withoutLabel({ labelsAt: at }: NamedKind, body: JsonObject, key: string): JsonObject {
  const labels = labelsIn(body, at);
  return Object.hasOwn(labels, key) ? withLabelsAt(body, at, withTags(googleFacts, labels, { [key]: null })) : body;
}

/** A body with whole numbers as strings where Google writes them so. */
export function withTexts({ wholeNumbers }: Pick<NamedKind, "wholeNumbers">, body: JsonObject): JsonObject {
  const steps = wholeNumbers.map((pointer) => pointer.split("/").slice(1));
  return steps.length === 0 ? body : (textsIn(body, steps) as JsonObject);
}

function textsIn(value: JsonObject[string], places: readonly (readonly string[])[]): JsonObject[string] {
  if (typeof value === "number") return places.some((steps) => steps.length === 0) ? String(value) : value;
  if (typeof value !== "object" || value === null) return value;
  const below = (name: string) => places.flatMap(([step, ...rest]) => (step === name || step === "*" ? [rest] : []));
  if (Array.isArray(value)) return value.map((item, at) => textsIn(item, below(String(at))));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, textsIn(member, below(name))]));
}

/** The JSON Merge Patch (RFC 7396) that makes one value of the other. */
export function mergePatch(before: JsonObject, after: JsonObject): JsonObject {
  const patch: Record<string, JsonObject[string]> = {};
  for (const name of Object.keys(before)) if (!Object.hasOwn(after, name)) patch[name] = null;
  for (const [name, value] of Object.entries(after)) {
    const known = before[name];
    if (JSON.stringify(known) === JSON.stringify(value)) continue;
    patch[name] = isObject(known) && isObject(value) ? mergePatch(known, value) : value;
  }
  return patch;
}
