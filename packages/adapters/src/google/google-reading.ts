import { isObject, type JsonObject, type Reading, type SeenResource } from "@liveplane/core/clouds";
import { nestedOutputs, shownBy, withoutPointers } from "../cloud-http/cloud-resource.ts";
import { labelsIn } from "./google-bodies.ts";
import type { PlacedResource } from "./google-ids.ts";
import { nameOf } from "./google-ids.ts";
import { withoutIntent } from "./google-intents.ts";
import type { NamedKind } from "./google-kinds.ts";
import { retriedMembers } from "./google-requests.ts";
import { marksOf } from "./google-types.ts";

/** Members that Google itself adds to a resource, or that change with every write. */
const ownMembers = new Set([
  "kind",
  "id",
  "uid",
  "name",
  "labels",
  "etag",
  "fingerprint",
  "labelFingerprint",
  "metageneration",
  "generation",
  "observedGeneration",
  "projectNumber",
  "selfLink",
  "selfLinkWithId",
  "timeCreated",
  "updated",
  "createTime",
  "updateTime",
  "creationTimestamp",
  "creator",
  "lastModifier",
  "reconciling",
]);
const unsettled = new Set([
  "CREATING",
  "DELETING",
  "DEPLOYING",
  "MAINTENANCE",
  "PENDING",
  "PENDING_CREATE",
  "PENDING_DELETE",
  "PROVISIONING",
  "RECONCILING",
  "REPAIRING",
  "RESERVING",
  "RESTORING",
  "STAGING",
  "STOPPING",
  "SUSPENDING",
  "UPDATING",
  "UPLOADING",
]);
const failures = new Set(["CONDITION_FAILED", "ERROR", "FAILED"]);

/** The state that Google's body of a resource shows: present, still being changed, or failed. */
export function googleReading(body: JsonObject, placed: PlacedResource): Reading {
  // A deleted role is shown for another week.
  if (body.deleted === true && placed.kind.name === "iam.role") return { state: "missing" };
  const resource = seenIn(body, placed);
  if (isUnsettled(body)) return { state: "working", resource };
  const failure = failureIn(body);
  if (failure === null) return { state: "present", ...resource };
  const isFinal = retriedMembers(placed.kind, body).length === 0;
  return { state: "failed", ...failure, ...(isFinal && { isFinal }), resource };
}

/**
 * The resource in the answer to a write. Nothing if the answer is something else, such as an operation, if Google hasn't finished, or if
 * the resource is deleted. Missing labels mean that the resource has none.
 */
export function googleShown(
  { "@type": _, ...body }: JsonObject,
  placed: PlacedResource,
): { readonly shown?: SeenResource } {
  const isOwn = typeof body.name === "string" && nameOf(body.name) === nameOf(placed.resourceId);
  return isOwn && body.deleteTime === undefined ? shownBy(googleReading(body, placed)) : {};
}

/** What a write can be bound to, as one text; `null` if nothing. */
export function stateOf(kind: NamedKind, body: JsonObject): string | null {
  const marks = marksOf(kind).map((name) => body[name]);
  return marks.length > 0 && marks.every((mark) => mark !== undefined) ? marks.join(" ") : null;
}

function seenIn(body: JsonObject, { kind, resourceId }: PlacedResource): SeenResource {
  const identity = identityOf(body);
  const etag = stateOf(kind, body);
  const labels = kind.labelsAt.length === 0 ? [] : [`/${kind.labelsAt.join("/")}`];
  const shown = Object.entries(withoutPointers(body, labels)).filter(
    ([name, value]) => !ownMembers.has(name) && value !== null,
  );
  const scalars = shown.filter(([, value]) => typeof value !== "object");
  return {
    tags: withoutIntent(labelsIn(body, kind.labelsAt)),
    parameters: Object.fromEntries(shown),
    outputs: {
      ...nestedOutputs(Object.fromEntries(shown)),
      ...Object.fromEntries(scalars),
      id: resourceId,
      name: nameOf(resourceId),
      ...linkOf(body),
    },
    ...(identity !== null && { identity }),
    ...(etag !== null && { etag }),
  };
}

/** How other Compute Engine resources refer to it. */
function linkOf({ selfLink }: JsonObject): JsonObject {
  return typeof selfLink === "string" ? { selfLink } : {};
}

function isUnsettled({ reconciling, status, state }: JsonObject): boolean {
  return reconciling === true || [status, state].some((word) => typeof word === "string" && unsettled.has(word));
}

/** What a resource says about its last write. Cloud Run has a condition for it. */
function failureIn({ status, state, statusMessage, terminalCondition }: JsonObject) {
  const condition = isObject(terminalCondition) ? terminalCondition : {};
  const word = [status, state, condition.state].find((one) => typeof one === "string" && failures.has(one));
  if (typeof word !== "string") return null;
  const [code = word] = [condition.reason, condition.revisionReason, condition.executionReason].filter(isText);
  const [message = "Google reports that the last write to this resource failed."] = [
    condition.message,
    statusMessage,
  ].filter(isText);
  return { code, message };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** What distinguishes incarnations: an ID that is never reused, otherwise the creation time. */
function identityOf({ uid, id, uniqueId, timeCreated, createTime, creationTimestamp }: JsonObject): string | null {
  const numeric = typeof id === "string" && /^\d+$/.test(id) ? id : null;
  const found = [uid, uniqueId, numeric, timeCreated, createTime, creationTimestamp].find(isText);
  return found ?? null;
}
