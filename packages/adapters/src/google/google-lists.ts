import type { Cloud, CloudCall, JsonObject, Reading, ResourceRef } from "@liveplane/core/clouds";
import { dialectOf, type GoogleDialect, itemsOf, parentOf } from "./google-dialects.ts";
import { googleReading, nameOf } from "./google-resource.ts";

/** What bulk reads need. */
export interface ListDeps {
  readonly read: Cloud["read"];
  /** A page of the collection that a resource lies in. */
  readonly page: (
    dialect: GoogleDialect,
    resourceId: string,
    pageToken: string | null,
    call: CloudCall,
  ) => Promise<JsonObject>;
  /** Makes a reading of whatever goes wrong. */
  readonly readable: <T>(read: () => Promise<T>) => Promise<T | Extract<Reading, { state: "missing" | "unreadable" }>>;
}

/** A collection that goes on for longer is left, and what wasn't found in it is read directly. */
const mostPages = 10;
const atOnce = 8;

/**
 * Reads many resources by the collections that they lie in, a listing each: fresh, in the shape of a direct read, and with no other
 * right than that needs. What lies alone in its collection is read directly.
 */
export function readManyOf({ read, page, readable }: ListDeps): Cloud["readMany"] {
  async function readCollection(refs: readonly ResourceRef[], call: CloudCall): Promise<Map<string, Reading>> {
    const [first] = refs;
    if (first === undefined || refs.length === 1) return readEach(refs, call);
    const found = new Map<string, Reading>();
    const wanted = new Map(refs.map(({ resourceId }) => [nameOf(resourceId), resourceId]));
    const outcome = await readable(async () => {
      const dialect = dialectOf(first);
      let pageToken: string | null = null;
      let partial = false;
      for (let pages = 0; pages < mostPages; pages++) {
        const body = await page(dialect, first.resourceId, pageToken, call);
        for (const item of itemsOf(body)) {
          const resourceId = wanted.get(nameOf(String(item.name)));
          if (resourceId !== undefined) found.set(resourceId, googleReading(item, resourceId, dialect.etag(item)));
        }
        partial ||= Array.isArray(body.unreachable) && body.unreachable.length > 0;
        pageToken = typeof body.nextPageToken === "string" && body.nextPageToken !== "" ? body.nextPageToken : null;
        if (pageToken === null || found.size === wanted.size) break;
      }
      return { isWhole: pageToken === null && !partial };
    });
    const absent = refs.filter(({ resourceId }) => !found.has(resourceId));
    if ("isWhole" in outcome) {
      const others = outcome.isWhole ? asMissing(absent) : await readEach(absent, call);
      return new Map([...found, ...others]);
    }
    // A collection that isn't there at all holds nothing.
    for (const { resourceId } of absent) found.set(resourceId, outcome);
    return found;
  }

  async function readEach(refs: readonly ResourceRef[], call: CloudCall): Promise<Map<string, Reading>> {
    const found = new Map<string, Reading>();
    for (let at = 0; at < refs.length; at += atOnce) {
      const some = refs.slice(at, at + atOnce);
      const readings = await Promise.all(some.map((ref) => read(ref, call)));
      for (const [index, { resourceId }] of some.entries())
        found.set(resourceId, readings[index] ?? { state: "unreadable", reason: "ProviderError" });
    }
    return found;
  }

  return async (refs, call) => {
    const collections = Map.groupBy(refs, ({ type, resourceId }) => `${type} ${parentOf(resourceId)}`);
    const read = await Promise.all([...collections.values()].map((some) => readCollection(some, call)));
    const found = new Map(read.flatMap((of) => [...of]));
    return refs.map(({ resourceId }) => found.get(resourceId) ?? { state: "unreadable", reason: "ProviderError" });
  };
}

function asMissing(refs: readonly ResourceRef[]): [string, Reading][] {
  return refs.map(({ resourceId }) => [resourceId, { state: "missing" }]);
}
