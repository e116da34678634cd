import {
  type CloudFacts,
  isObject,
  type JsonObject,
  type Reading,
  type ResourceChange,
  type SeenResource,
  secondOf,
  topOf,
  withTags,
  withValuesAt,
} from "@liveplane/core/clouds";
import { isLiveplaneError } from "@liveplane/core/errors";

/** The tags or labels in a body, every value as text. */
export function tagsFrom(value: unknown): Record<string, string> {
  if (!isObject(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([key, text]) => [key, String(text)]));
}

/** A resource's body with the named changes, and separately the tags that it should have. */
export function corrected(facts: CloudFacts, before: JsonObject, { parameters, tags }: ResourceChange) {
  const body = withValuesAt(
    before,
    parameters.filter(({ pointer }) => topOf(pointer) !== facts.tagParameter),
  );
  let carried = tagsFrom(before[facts.tagParameter]);
  for (const { pointer, value } of parameters) {
    if (topOf(pointer) !== facts.tagParameter) continue;
    const key = secondOf(pointer);
    if (key === null) carried = withTags(facts, carried, tagsFrom(value));
    else carried = withTags(facts, carried, { [key]: value === null ? null : String(value) });
  }
  return { body, tags: withTags(facts, carried, tags) };
}

/** A body without what is at these pointers; `*` stands for what lists and maps hold. */
export function withoutPointers(body: JsonObject, pointers: readonly string[]): JsonObject {
  const places = pointers.map((pointer) => stepsIn(pointer));
  return places.length === 0 ? body : (withoutPlaces(body, places) as JsonObject);
}

function withoutPlaces(value: JsonObject[string], places: readonly (readonly string[])[]): JsonObject[string] {
  if (typeof value !== "object" || value === null || places.length === 0) return value;
  const below = (name: string) => places.flatMap(([step, ...rest]) => (step === name || step === "*" ? [rest] : []));
  if (Array.isArray(value)) return value.map((item) => withoutPlaces(item, below("*")));
  const kept = Object.entries(value).flatMap(([name, member]) => {
    const own = below(name);
    return own.some((rest) => rest.length === 0) ? [] : [[name, withoutPlaces(member, own)]];
  });
  return Object.fromEntries(kept);
}

function stepsIn(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The resource that a write's own answer shows. Nothing where the cloud isn't done with it. */
export function shownBy(reading: Reading): { readonly shown?: SeenResource } {
  if (reading.state !== "present") return {};
  const { state: _, ...shown } = reading;
  return { shown };
}

/** Names of members that other resources refer to. */
const referable = /^(fqdn|hostname|id)$|(Id|IP|[aA]ddress|[eE]ndpoint|[fF]qdn|[hH]ostname|[uU]r[il]|[lL]ink)$/;
const mostItems = 100;

/**
 * The outputs that are inside other members: what others refer to, and what `isOwn` says of a pointer that only the cloud sets. Items of
 * lists keep their names and types, and those inside other lists are left out.
 */
export function nestedOutputs(body: JsonObject, isOwn: (pointer: string) => boolean = () => false): JsonObject {
  const keptOf = (name: string, value: JsonObject[string], pointer: string) => {
    if (typeof value === "object") return nestedIn(value, pointer);
    return referable.test(name) || isOwn(pointer) ? value : undefined;
  };
  const nestedIn = (value: JsonObject[string], pointer: string): JsonObject[string] | undefined => {
    const isItem = pointer.includes("/*");
    if (Array.isArray(value)) {
      if (isItem || value.length > mostItems) return undefined;
      const items = value.map((item) => nestedIn(isObject(item) ? item : null, `${pointer}/*`));
      return items.some((item) => item !== undefined) ? items.map((item) => item ?? {}) : undefined;
    }
    if (!isObject(value)) return undefined;
    const kept = Object.entries(value).flatMap(([name, member]) => {
      const own = keptOf(name, member, `${pointer}/${name}`);
      return own === undefined ? [] : [[name, own] as const];
    });
    if (kept.length === 0) return undefined;
    const keys = isItem ? Object.entries(value).filter(([name]) => name === "name" || name === "type") : [];
    return Object.fromEntries([...keys, ...kept]);
  };
  const nested = Object.entries(body).map(([name, value]) => [name, nestedIn(value, `/${name}`)] as const);
  return Object.fromEntries(nested.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

/** What was read, or why it couldn't be: a cloud that refuses to show a resource has said something about it. */
export async function readable<T>(
  read: () => Promise<T>,
): Promise<T | Extract<Reading, { state: "missing" | "unreadable" }>> {
  try {
    return await read();
  } catch (error) {
    if (!isLiveplaneError(error) || error.code === "Aborted") throw error;
    if (error.code === "NotFound") return { state: "missing" };
    const { retryAfterSeconds: seconds, reason } = error.details;
    return {
      state: "unreadable",
      reason: reason === "UnknownType" || reason === "ForeignAddress" ? reason : error.code,
      ...(seconds !== undefined && { retryAfterMs: seconds * 1000 }),
    };
  }
}
