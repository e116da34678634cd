import { isObject } from "../descriptions/judge-members.ts";
import { type Body, type DoubleKind, mergedBody } from "./double-shapes.ts";

/** A resource as the double keeps it. */
export interface Kept {
  readonly id: string;
  readonly kind: DoubleKind;
  readonly incarnation: number;
  readonly revision: number;
  readonly tags: Readonly<Record<string, string>>;
  /** Without tags, and without what Azure alone says. */
  readonly body: Body;
  /** What its last write came to, where it failed or somebody says so. */
  readonly state: string;
  readonly underway?: Underway;
}

/** A write that was accepted and isn't done. */
export interface Underway {
  readonly word: "Creating" | "Updating" | "Deleting";
  readonly until: number;
  /** It is answered 404 until it is made. */
  readonly isHidden: boolean;
  readonly fails: { readonly code: string; readonly message: string } | null;
  /** A write that fails is told of by its operation alone: what was being made is gone. */
  readonly isUnmarked?: boolean;
  /** What becomes of the body; `null`: the resource is gone then. */
  readonly lands: ((body: Body) => Body) | null;
  /** What was written at once comes back where it fails, unless somebody has changed it since. */
  readonly undone?: { readonly revision: number; readonly body: Body };
}

/** What became of a resource, and by whom. */
export interface DoubleChange {
  readonly by: "caller" | "hand" | "azure";
  readonly before: Kept | null;
  readonly after: Kept | null;
}

/** What a service makes of a body that it is sent. @default the same */
export type Rewrites = (write: { readonly type: string; readonly before: Body | null; readonly body: Body }) => Body;

/** The resources of all subscriptions, with a clock by which what is under way comes to its end. */
export function doubleResources(
  now: () => number,
  onChange: (change: DoubleChange) => void = () => {},
  rewrites: Rewrites = ({ body }) => body,
) {
  const kept = new Map<string, Kept>();
  let made = 0;

  const rewritten = (before: Kept | null, after: Kept): Kept =>
    after.body === before?.body
      ? after
      : { ...after, body: rewrites({ type: after.kind.type, before: before?.body ?? null, body: after.body }) };
  const set = (by: DoubleChange["by"], before: Kept | null, sent: Kept | null) => {
    const after = sent && rewritten(before, sent);
    if (after === null) kept.delete(before?.id.toLowerCase() ?? "");
    else kept.set(after.id.toLowerCase(), after);
    onChange({ by, before, after });
    return after;
  };
  const moved = (before: Kept, change: Partial<Kept>): Kept => ({
    ...before,
    ...change,
    revision: before.revision + 1,
  });

  /** A resource once what is done by now has landed. */
  const get = (id: string): Kept | null => {
    const one = kept.get(id.toLowerCase()) ?? null;
    const { underway } = one ?? {};
    if (one === null || underway === undefined || underway.until > now()) return one;
    return set("azure", one, landed(one, underway));
  };

  return {
    get,
    all: () => [...kept.keys()].flatMap((id) => get(id) ?? []),
    make(by: DoubleChange["by"], kind: DoubleKind, id: string, whole: Body, underway?: Omit<Underway, "lands">) {
      const { tags, ...body } = whole;
      const own = { id, kind, incarnation: ++made, revision: 1, tags: tagsIn(tags), body, state: "Succeeded" };
      // It is what it was made as, or what somebody made of that.
      return set(by, null, { ...own, ...(underway && { underway: { ...underway, lands: (now) => now } }) });
    },
    /** Puts a whole body in the place of the one that is there. */
    replace(by: DoubleChange["by"], before: Kept, whole: Body, underway?: Omit<Underway, "lands">) {
      const { tags, ...body } = whole;
      const change = { tags: tagsIn(tags), state: "Succeeded" };
      if (underway === undefined) return set(by, before, moved(before, { ...change, body }));
      // It is seen at once, and carried out then: nothing that comes between is lost.
      const undone = { revision: before.revision + 1, body: before.body };
      const kept = moved(before, { ...change, body, underway: { ...underway, lands: (now) => now, undone } });
      return set(by, before, kept);
    },
    /** Changes what is named. */
    patch(by: DoubleChange["by"], before: Kept, patch: Body, underway?: Omit<Underway, "lands">) {
      const { tags, ...own } = patch;
      const lands = (body: Body) => mergedBody(body, own) as Body;
      const change = { tags: tags === undefined ? before.tags : tagsIn(tags), state: "Succeeded" };
      const done = underway ? { underway: { ...underway, lands } } : { body: lands(before.body) };
      return set(by, before, moved(before, { ...change, ...done }));
    },
    tag: (by: DoubleChange["by"], before: Kept, tags: Readonly<Record<string, string>>) =>
      set(by, before, moved(before, { tags })),
    state: (before: Kept, state: string) => set("azure", before, moved(before, { state })),
    remove(by: DoubleChange["by"], before: Kept, underway?: Omit<Underway, "lands">) {
      return set(by, before, underway ? moved(before, { underway: { ...underway, lands: null } }) : null);
    },
  };
}

/** A resource once the write that is under way has come to its end; `null`: it is gone. */
function landed({ underway: _, ...one }: Kept, { fails, isUnmarked, lands, undone, word }: Underway): Kept | null {
  const revision = one.revision + 1;
  if (fails === null) return lands === null ? null : { ...one, body: lands(one.body), state: "Succeeded", revision };
  if (isUnmarked && word === "Creating") return null;
  const body = undone?.revision === one.revision ? undone.body : one.body;
  return { ...one, body, state: isUnmarked ? one.state : "Failed", revision };
}

/** Tags after a change by the operation for them: keys are compared without case, and keep their spelling. */
export function taggedBy(operation: unknown, before: Kept["tags"], named: Kept["tags"]): Record<string, string> | null {
  const isSame = (one: string) => (other: string) => one.toLowerCase() === other.toLowerCase();
  if (operation === "Replace") return { ...named };
  if (operation === "Delete") {
    const isNamed = ([key, value]: [string, string]) => {
      const own = Object.keys(named).find(isSame(key));
      return own !== undefined && (named[own] === value || named[own] === "");
    };
    return Object.fromEntries(Object.entries(before).filter((entry) => !isNamed(entry)));
  }
  if (operation !== "Merge") return null;
  const tags: Record<string, string> = { ...before };
  for (const [key, value] of Object.entries(named)) tags[Object.keys(before).find(isSame(key)) ?? key] = value;
  return tags;
}

function tagsIn(tags: unknown): Record<string, string> {
  return isObject(tags) ? Object.fromEntries(Object.entries(tags).map(([key, value]) => [key, String(value)])) : {};
}

const identities = [
  "resourceGuid",
  "vmId",
  "uniqueId",
  "resourceUID",
  "customerId",
  "instanceId",
  "databaseId",
  "principalId",
];
const times = [
  "creationTime",
  "creationDate",
  "CreationDate",
  "createdAt",
  "createdAtUtc",
  "createdDate",
  "createdTime",
  "createTime",
  "dateCreated",
  "timeCreated",
];

/** The etag of a resource: another one after each change, and for each incarnation. */
export function etagOf({ incarnation, revision }: Kept): string {
  return `W/"${String(incarnation).padStart(8, "0")}-${revision}"`;
}

/** A resource as its service shows it, before its description cuts it down. */
export function shownOf(one: Kept): Body {
  const { id, kind, tags, body, incarnation, underway, state } = one;
  const { shown, properties } = kind;
  const created = new Date(Date.UTC(2026, 0, 1) + incarnation).toISOString();
  const guid = `00000000-0000-4000-8000-${String(incarnation).padStart(12, "0")}`;
  const own = {
    ...(isObject(body.properties) ? body.properties : {}),
    // What somebody names, such as whom a role is assigned to, is no identity of the resource.
    ...Object.fromEntries(identities.filter((name) => /-/.test(String(properties[name]))).map((name) => [name, guid])),
    ...Object.fromEntries(times.filter((name) => properties[name] !== undefined).map((name) => [name, created])),
    ...(properties.provisioningState !== undefined && { provisioningState: underway?.word ?? state }),
    ...((properties.etag ?? properties.eTag) !== undefined && { [properties.etag ? "etag" : "eTag"]: etagOf(one) }),
  };
  const etagName = ["etag", "eTag", "_etag"].find((name) => shown[name] !== undefined);
  return {
    ...body,
    id,
    name: id.split("/").at(-1),
    type: kind.type,
    ...(etagName && { [etagName]: etagOf(one) }),
    ...(shown.systemData !== undefined && { systemData: { createdAt: created } }),
    ...(kind.tags && { tags }),
    ...(Object.keys(own).length > 0 && { properties: own }),
  };
}
