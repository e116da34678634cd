import { invalid } from "../../contract/invalid.ts";
import { LiveplaneError } from "../../errors.ts";
import { isObject, type JsonObject } from "../../json-pointer.ts";
import type { Json } from "../../ports/store.ts";
import { type CloudFacts, tagsRefusal, withTags } from "../facts/cloud-facts.ts";
import { merged } from "./json-edits.ts";
import type { SimulatedCloud } from "./simulated-cloud.ts";
import { parseFaults, type SimulatedFaults } from "./simulated-faults.ts";
import type { SimulatedResource } from "./simulated-resources.ts";
import { etagOf, moved, outputsOf, splitParameters } from "./simulated-rules.ts";

/** A resource as the console shows it. */
export interface ConsoleResource {
  readonly id: string;
  readonly type: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly parameters: JsonObject;
  readonly outputs: JsonObject;
  readonly etag: string;
}

/** The console of a simulated cloud: what a person does by hand. `null` means the resource doesn't exist. */
export interface SimulatedConsole {
  readonly provider: string;
  /** The resources, by id, a page at a time. */
  list(page?: {
    readonly cursor?: string;
    readonly limit?: number;
  }): Promise<{ items: ConsoleResource[]; nextCursor: string | null }>;
  /** One resource. */
  get(resourceId: string): Promise<ConsoleResource | null>;
  /** Creates or replaces by hand: `{type?, tags?, parameters?}`. Other members of a shown resource are ignored. */
  put(resourceId: string, resource: unknown): Promise<ConsoleResource>;
  /** Sets the whole map of tags. */
  putTags(resourceId: string, tags: unknown): Promise<ConsoleResource | null>;
  /** Sets some tags and removes those that are `null`, as a JSON Merge Patch; other tags stay. */
  patchTags(resourceId: string, patch: unknown): Promise<ConsoleResource | null>;
  /** Applies a JSON Merge Patch (RFC 7396) to the parameters. */
  patchParameters(resourceId: string, patch: unknown): Promise<ConsoleResource | null>;
  /** Deletes by hand and returns the last state. */
  delete(resourceId: string): Promise<ConsoleResource | null>;
  /** The active faults. */
  faults(): Promise<SimulatedFaults>;
  /** Sets the active faults; `{}` ends them. */
  setFaults(faults: unknown): Promise<SimulatedFaults>;
  /** A person approves a device authorization; `null` if the code is unknown. */
  completeDevice(userCode: string): Promise<{ readonly userCode: string; readonly status: string } | null>;
  /** A person refuses one. */
  denyDevice(userCode: string): Promise<{ readonly userCode: string; readonly status: string } | null>;
}

/** Opens the console of a simulated cloud. It accepts raw HTTP input and validates it. */
export function simulatedConsole(cloud: SimulatedCloud): SimulatedConsole {
  const { facts, resources, faults, devices } = cloud;

  async function edit(resourceId: string, work: (resource: SimulatedResource) => SimulatedResource) {
    const { after } = await cloud.change("console", "update", resourceId, (current) =>
      current === null ? null : work(current),
    );
    return after && shown(after);
  }

  return {
    provider: cloud.provider,
    async list({ cursor, limit = 50 } = {}) {
      const most = Math.min(Math.max(1, limit), 200);
      const found = await resources.list(cursor === undefined ? null : fromCursor(cursor), most + 1);
      const items = found.slice(0, most);
      const last = items.at(-1);
      return { items: items.map(shown), nextCursor: found.length > most && last ? toCursor(last.resourceId) : null };
    },
    async get(resourceId) {
      const found = await resources.get(resourceId);
      return found && shown(found);
    },
    async put(resourceId, value) {
      const made = parsedResource(facts, resourceId, value, cloud.newIdentity());
      const { type, tags, parameters } = made;
      const { after } = await cloud.change("console", "create", resourceId, (current) =>
        current === null ? made : moved(current, { type, tags, parameters }),
      );
      return shown(after ?? made);
    },
    putTags: (resourceId, tags) =>
      edit(resourceId, (resource) => moved(resource, { tags: parsedTags(facts, resource.type, tags, "#") })),
    patchTags: (resourceId, patch) =>
      edit(resourceId, (resource) => {
        // What isn't a tag's value is refused with the result.
        const tags = withTags(facts, resource.tags, parsedObject(patch, "#") as Record<string, string | null>);
        return moved(resource, { tags: parsedTags(facts, resource.type, tags, "#") });
      }),
    patchParameters: (resourceId, patch) =>
      edit(resourceId, (resource) => {
        const whole = { ...resource.parameters, [facts.tagParameter]: resource.tags };
        const after = merged(whole, parsedObject(patch, "#"));
        const { parameters, tags } = splitParameters(facts, resource.type, isObject(after) ? after : {});
        return moved(resource, { parameters, tags: parsedTags(facts, resource.type, tags, `#/${facts.tagParameter}`) });
      }),
    async delete(resourceId) {
      const { before } = await cloud.change("console", "remove", resourceId, () => null);
      return before && shown(before);
    },
    faults: () => faults.get(),
    async setFaults(value) {
      const parsed = parseFaults(value);
      await faults.set(parsed);
      return parsed;
    },
    completeDevice: (userCode) => devices.decide(userCode, "Completed"),
    denyDevice: (userCode) => devices.decide(userCode, "Denied"),
  };
}

function shown(resource: SimulatedResource): ConsoleResource {
  const { resourceId, type, tags, parameters } = resource;
  return { id: resourceId, type, tags, parameters, outputs: outputsOf(resource), etag: etagOf(resource) };
}

function parsedResource(facts: CloudFacts, resourceId: string, value: unknown, identity: string): SimulatedResource {
  if (!isObject(value)) throw refused("#", "Type", "A resource must be an object.");
  const named = typeof value.type === "string" && value.type !== "" ? value.type : null;
  const type = named ?? facts.typeOf(resourceId) ?? "unknown";
  const { tags: declared, parameters } = splitParameters(
    facts,
    type,
    parsedObject(value.parameters ?? {}, "#/parameters"),
  );
  const tags = withTags(facts, withTags(facts, {}, declared), parsedTags(facts, type, value.tags ?? {}, "#/tags"));
  const name = resourceId.split("/").at(-1) ?? resourceId;
  return { resourceId, type, name, identity, revision: 1, intent: null, tags, parameters };
}

function parsedTags(facts: CloudFacts, type: string, value: unknown, at: string): Record<string, string> {
  const tags = parsedObject(value, at);
  const bad = Object.entries(tags).find(([, tag]) => typeof tag !== "string");
  if (bad !== undefined) throw refused(`${at}/${bad[0].slice(0, 64)}`, "Type", "A tag must be a string.");
  if (Object.keys(tags).length > 0 && !facts.resourceType(type).taggable) {
    throw refused(at, "Forbidden", "Resources of this type can't have tags.");
  }
  const refusal = tagsRefusal(facts, tags as Record<string, string>);
  if (refusal !== null) throw refused(`${at}/${refusal.key.slice(0, 64)}`, "Format", refusal.detail);
  return tags as Record<string, string>;
}

const hostile = new Set(["__proto__", "constructor", "prototype"]);

function parsedObject(value: unknown, at: string): JsonObject {
  if (!isObject(value)) throw refused(at, "Type", "This must be an object.");
  const waiting: Json[] = [value];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next !== "object" || next === null) continue;
    if (Object.keys(next).some((name) => hostile.has(name)))
      throw refused(at, "Forbidden", "This name is not allowed.");
    waiting.push(...(Object.values(next) as Json[]));
  }
  return value;
}

function refused(pointer: string, code: "Type" | "Format" | "Forbidden", detail: string): LiveplaneError {
  return invalid([{ pointer, code, detail }]);
}

/** The cursor needs no protection: the console shows every resource to anyone who may open it. */
function toCursor(resourceId: string): string {
  return encodeURIComponent(resourceId);
}

function fromCursor(cursor: string): string {
  try {
    return decodeURIComponent(cursor);
  } catch (cause) {
    throw new LiveplaneError("InvalidCursor", undefined, { cause });
  }
}
