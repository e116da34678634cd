import { createHash } from "node:crypto";
import type { Cloud, CloudCall, JsonObject, Reading, ResourceRef } from "@liveplane/core/clouds";
import { isLiveplaneError } from "@liveplane/core/errors";
import { nextToken } from "./google-assets.ts";
import { listedName, nameOf, type PlacedResource, placed } from "./google-ids.ts";
import { partsOfName } from "./google-kinds.ts";
import { googleReading } from "./google-reading.ts";

/** A reading of a missing or invisible resource. */
export type Unread = Extract<Reading, { state: "missing" | "unreadable" }>;

/** What bulk reads need. */
export interface BulkDeps {
  readonly read: Cloud["read"];
  /** A page of a resource's collection; `null` if it can't be listed. */
  readonly page: (of: PlacedResource, pageToken: string | null, call: CloudCall) => Promise<JsonObject | null>;
  /** Turns any failure into a reading. */
  readonly readable: <T>(read: () => Promise<T>) => Promise<T | Unread>;
  readonly now: () => number;
  /** How long a listing serves resources that it hasn't reported yet. */
  readonly listingMs: number;
}

/** Reads many, and drops the listing of a collection that is written. */
export interface BulkReads {
  readonly readMany: Cloud["readMany"];
  readonly forget: (of: PlacedResource) => void;
}

/** The contents of a collection. */
interface Listing {
  readonly at: number;
  /** By name. */
  readonly items: ReadonlyMap<string, JsonObject>;
  /** Whether nothing of it was unreachable. */
  readonly isWhole: boolean;
}

interface Shared {
  readonly listing: Promise<Listing | Unread>;
  readonly at: number;
  /** Names already requested from it. */
  readonly told: Set<string>;
}

/** A longer collection is abandoned, and what wasn't found in it is read directly. */
const mostPages = 20;
const atOnce = 8;

/**
 * Reads many resources by listing their collections: in the form of a direct read, and with only the rights that a listing needs. A sweep
 * asks for the same collections shard after shard: one listing serves them all, and each resource once, so that the next sweep lists again.
 */
export function bulkReads({ read, page, readable, now, listingMs }: BulkDeps): BulkReads {
  const shared = new Map<string, Map<string, Shared>>();

  async function list(of: PlacedResource, call: CloudCall): Promise<Listing | Unread> {
    const items = new Map<string, JsonObject>();
    const at = now();
    return readable(async () => {
      let pageToken: string | null = null;
      let isWhole = true;
      for (let pages = 0; pages < mostPages; pages++) {
        const body: JsonObject | null = await page(of, pageToken, call);
        if (body === null) return { at, items, isWhole: false };
        for (const item of itemsIn(body, of)) items.set(nameOfItem(item, of), item);
        isWhole &&= !(Array.isArray(body.unreachable) && body.unreachable.length > 0);
        pageToken = nextToken(body);
        if (pageToken === null) break;
      }
      return { at, items, isWhole: isWhole && pageToken === null };
    });
  }

  /** A listing that hasn't reported these yet. */
  function listed(key: string, names: readonly string[], of: PlacedResource, { call, who }: Asked): Shared {
    const own = shared.get(key) ?? new Map<string, Shared>();
    shared.set(key, own);
    const known = own.get(who);
    const isFresh = known !== undefined && now() - known.at < listingMs && names.every((name) => !known.told.has(name));
    const next = isFresh ? known : { listing: list(of, call), at: now(), told: new Set<string>() };
    for (const name of names) next.told.add(name);
    own.set(who, next);
    return next;
  }

  async function readCollection(key: string, refs: readonly Placed[], asked: Asked): Promise<[string, Reading][]> {
    const [first] = refs;
    if (first === undefined) return [];
    const names = refs.map(({ of }) => listedName(of));
    const isKnown = shared.get(key)?.has(asked.who) === true;
    if (first.of.kind.list === null || (refs.length === 1 && !isKnown)) return readEach(refs, asked.call);
    const { listing } = listed(key, names, first.of, asked);
    const found = await listing;
    if ("state" in found) {
      shared.get(key)?.delete(asked.who);
      // The first caller may have aborted; nothing is known about this one's resources.
      return found.state === "missing" ? readEach(refs, asked.call) : refs.map(({ ref }) => [ref.resourceId, found]);
    }
    const there = refs.flatMap(({ ref, of }): [string, Reading][] => {
      const item = found.items.get(listedName(of));
      return item === undefined ? [] : [[ref.resourceId, googleReading(item, of)]];
    });
    const absent = refs.filter(({ of }) => !found.items.has(listedName(of)));
    const others = found.isWhole ? absent.map(({ ref }) => missing(ref)) : await readEach(absent, asked.call);
    return [...there, ...others];
  }

  async function readEach(refs: readonly Placed[], call: CloudCall): Promise<[string, Reading][]> {
    const found: [string, Reading][] = [];
    for (let at = 0; at < refs.length; at += atOnce) {
      const some = refs.slice(at, at + atOnce);
      const readings = await Promise.all(some.map(({ ref }) => read(ref, call)));
      for (const [index, { ref }] of some.entries()) found.push([ref.resourceId, readings[index] ?? notAnswered]);
    }
    return found;
  }

  return {
    forget: (of) => void shared.delete(collectionKey(of)),
    async readMany(refs, call) {
      const asked = { call, who: whoAsks(call) };
      const known = new Map<string, Reading>();
      const collections = new Map<string, Placed[]>();
      for (const ref of refs) {
        const of = placedOr(ref);
        if ("state" in of) known.set(ref.resourceId, of);
        else collections.set(collectionKey(of), [...(collections.get(collectionKey(of)) ?? []), { ref, of }]);
      }
      const read = await Promise.all([...collections].map(([key, some]) => readCollection(key, some, asked)));
      for (const [resourceId, reading] of read.flat()) known.set(resourceId, reading);
      return refs.map(({ resourceId }) => known.get(resourceId) ?? notAnswered);
    },
  };
}

interface Asked {
  readonly call: CloudCall;
  readonly who: string;
}

interface Placed {
  readonly ref: ResourceRef;
  readonly of: PlacedResource;
}

const notAnswered = { state: "unreadable", reason: "NotAnswered" } as const;

function placedOr(ref: ResourceRef): PlacedResource | Unread {
  try {
    return placed(ref);
  } catch (error) {
    const reason = isLiveplaneError(error) ? error.details.reason : undefined;
    return { state: "unreadable", reason: typeof reason === "string" ? reason : "ProviderError" };
  }
}

function missing({ resourceId }: ResourceRef): [string, Reading] {
  return [resourceId, { state: "missing" }];
}

function itemsIn(body: JsonObject, { kind }: PlacedResource): JsonObject[] {
  const items = body[kind.list?.items ?? ""];
  return Array.isArray(items) ? (items as JsonObject[]) : [];
}

/** Names of two parts are in the members that they are given in. */
function nameOfItem(item: JsonObject, { kind }: PlacedResource): string {
  if (partsOfName(kind) === 1) return nameOf(String(item.name));
  return (kind.create?.name ?? "")
    .slice("body:".length)
    .split(",")
    .map((member) => item[member])
    .join("/");
}

function collectionKey({ kind, resourceId }: PlacedResource): string {
  return `${kind.name} ${resourceId.split("/").slice(0, -partsOfName(kind)).join("/")}`;
}

/** One caller may see what another may not. The secret itself is stored nowhere. */
function whoAsks({ credentials: { kind, name, secret } }: CloudCall): string {
  const text = JSON.stringify([kind, name, secret?.reveal() ?? null]);
  return createHash("sha256").update(text).digest("base64url");
}
