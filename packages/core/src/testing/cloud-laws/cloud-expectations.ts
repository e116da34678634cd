import { withValueAt } from "../../clouds/simulated/json-edits.ts";
import { type ErrorCode, isLiveplaneError, LiveplaneError } from "../../errors.ts";
import { isObject, type JsonObject, valueAt } from "../../json-pointer.ts";
import type {
  CloudTarget,
  NewResource,
  Reading,
  ResourceChange,
  ResourceRef,
  SeenResource,
} from "../../ports/cloud.ts";
import type { Json } from "../../ports/store.ts";
import type { CloudUnderTest } from "./cloud-under-test.ts";

/** A reading of an existing resource. */
export type Present = Extract<Reading, { state: "present" }>;

/** Fails a law unless the claim holds. */
export function cloudHolds(claim: boolean, otherwise: string): asserts claim {
  if (!claim) throw new LiveplaneError("InternalError", `The law is broken: ${otherwise}`);
}

/** Fails a law unless both are the same JSON, in any order of members. */
export function equals(actual: unknown, expected: unknown, what: string): void {
  cloudHolds(sorted(actual) === sorted(expected), `${what} is ${sorted(actual)}, not ${sorted(expected)}`);
}

/** Fails a law unless everything given is there; a cloud may add to it. */
export function covers(actual: unknown, given: unknown, what: string): void {
  if (isObject(given) && isObject(actual))
    for (const [name, value] of Object.entries(given)) covers(actual[name], value, `${what}/${name}`);
  else if (Array.isArray(given) && Array.isArray(actual) && given.length === actual.length)
    for (const [at, item] of given.entries()) covers(actual[at], item, `${what}/${at}`);
  else equals(actual, given, what);
}

/** A change of the text that may have any value. */
export function changeOf({ changing = "/size" }: CloudUnderTest, value = "changed"): ResourceChange {
  return { parameters: [{ pointer: changing, value }], tags: {} };
}

/** The value of that text. */
export function changedIn({ changing = "/size" }: CloudUnderTest, { parameters }: Present): unknown {
  return valueAt(parameters, changing);
}

/** Parameters that differ only in that text. */
export function withChange({ changing = "/size" }: CloudUnderTest, parameters: JsonObject): JsonObject {
  return withValueAt(parameters, changing, "changed");
}

/** The error of the work, which must have this code, or one of these. */
export async function refusal(
  codes: ErrorCode | readonly ErrorCode[],
  work: () => Promise<unknown>,
): Promise<LiveplaneError> {
  const expected = typeof codes === "string" ? [codes] : codes;
  try {
    await work();
  } catch (error) {
    cloudHolds(isLiveplaneError(error), "what was thrown is no LiveplaneError");
    cloudHolds(expected.includes(error.code), `the code is ${error.code}, not ${expected.join(" or ")}`);
    return error;
  }
  throw new LiveplaneError(
    "InternalError",
    `The law is broken: nothing was thrown where ${expected.join(" or ")} is due`,
  );
}

/** The ID that a name gives; `null` if the cloud chooses it. */
export function namedId(under: CloudUnderTest, name: string, target: CloudTarget = under.target): string | null {
  return under.cloud.resourceIdFor(under.type, nameIn(under, name), target);
}

function nameIn({ nameOf = (name) => name }: CloudUnderTest, name: string): string {
  return nameOf(name);
}

/** Whether the type can have tags. */
export function isTaggable({ cloud, type }: CloudUnderTest): boolean {
  return cloud.resourceType(type).taggable;
}

/** These tags; none for a type that can't have any. */
export function tagged(under: CloudUnderTest, tags: NewResource["tags"] = { stage: "test" }): NewResource["tags"] {
  return isTaggable(under) ? tags : {};
}

/** A resource to create, in the form that the law's cloud accepts. */
export function draft(under: CloudUnderTest, name: string, change: Partial<NewResource> = {}): NewResource {
  const { target = under.target, tags } = change;
  const { type, parameters } = under;
  const place = { name: nameIn(under, name), resourceId: namedId(under, name, target), target };
  const intent = `intent-${name}`;
  return { type, ...place, parameters, intent, ...change, tags: tagged(under, tags) };
}

/** Creates a resource and returns its reference. */
export async function made(
  under: CloudUnderTest,
  name: string,
  change: Partial<NewResource> = {},
): Promise<ResourceRef> {
  const { resourceId } = await under.cloud.create(draft(under, name, change), under.call);
  return { type: change.type ?? under.type, resourceId };
}

/** Reads a resource that must exist. */
export async function seenInCloud(under: CloudUnderTest, ref: ResourceRef): Promise<Present> {
  const reading = await under.cloud.read(ref, under.call);
  cloudHolds(reading.state === "present", `a resource that is there reads ${reading.state}`);
  return reading;
}

/** Requires that what a write shows, if anything, equals what a read shows while nobody else writes. */
export async function showsAsRead(
  under: CloudUnderTest,
  ref: ResourceRef,
  shown: SeenResource | undefined,
): Promise<void> {
  if (shown === undefined) return;
  const { state: _, ...seen } = await seenInCloud(under, ref);
  equals(shown, seen, "what the write shows");
}

/** The resource of a draft, found as after a lost answer: by its ID, or by its intent if the cloud chooses IDs. */
export async function lookedUp(under: CloudUnderTest, name: string): Promise<ResourceRef | null> {
  const { cloud, call, type, target } = under;
  const resourceId = namedId(under, name);
  if (resourceId === null) return cloud.findCreated(`intent-${name}`, target, call);
  return (await cloud.read({ type, resourceId }, call)).state === "present" ? { type, resourceId } : null;
}

/** The reference of a resource that never existed. */
export function nothingThere(under: CloudUnderTest): ResourceRef {
  const { type, neverMade = "never-made" } = under;
  return { type, resourceId: namedId(under, "never-made") ?? neverMade };
}

function sorted(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner as Record<string, Json>).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
