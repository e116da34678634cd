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

/** The resource in a write's own answer. Nothing if the cloud hasn't finished. */
export function shownBy(reading: Reading): { readonly shown?: SeenResource } {
  if (reading.state !== "present") return {};
  const { state: _, ...shown } = reading;
  return { shown };
}

/** The result of a read, or why it failed: a cloud that refuses to show a resource has still answered. */
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
