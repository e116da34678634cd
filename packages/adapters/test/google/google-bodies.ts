import { createHash } from "node:crypto";
import type { DescribedOperation, MemberType, MemberTypes } from "../../tables/described-api.ts";
import { descriptionOf } from "../descriptions/descriptions.ts";
import { isObject } from "../descriptions/judge-members.ts";
import type { Body } from "./google-answers.ts";

/** What is kept of a resource. */
export interface KeptResource {
  readonly project: string;
  /** Which of all that was ever made it is. */
  readonly made: number;
  readonly revision: number;
  readonly body: Body;
  /** What Google is at. */
  readonly underway?: "CREATING" | "DELETING" | "UPDATING";
  /** And will give up. */
  readonly fails?: boolean;
  /** A read doesn't see it yet. */
  readonly hidden?: boolean;
  /** What it says itself of its last write. */
  readonly failed?: { readonly message: string };
}

const { schemas } = descriptionOf("google");

/** The members of a body of this type. */
export function membersOf(type: string | null | undefined): MemberTypes {
  return schemas[(type ?? "").replace(/[!\-=*]+$/, "").slice(1)] ?? {};
}

/** What an operation answers with, when all is well. */
export function answerOf(operation: DescribedOperation): string | null {
  return operation.answers["200"] ?? null;
}

/** The type of what lies at a path, as its own get has it. */
export function typeAt(path: string): string | null {
  const get = descriptionOf("google")
    .at(path)
    .find(({ method }) => method === "GET");
  return get === undefined ? null : answerOf(get);
}

/** A path without what leads to its service: what Google calls a resource. */
export function ownNameOf(path: string): string {
  return path.replace(/^\/\w+\/(\w+\/)?v\d+\//, "");
}

/** What binds a write: of the labels, of the rest. */
const hash = (of: unknown) =>
  createHash("sha256")
    .update(JSON.stringify(of ?? null))
    .digest("base64url")
    .slice(0, 11);

const settledWords: Readonly<Record<string, string>> = {
  disks: "READY",
  instances: "RUNNING",
  addresses: "RESERVED",
  snapshots: "READY",
  images: "READY",
};

/** Adds what the service itself says of a resource: as far as its schema has a member for it. */
export function shownAs(type: string | null, path: string, kept: KeptResource): Body {
  const members = membersOf(type);
  const { made, revision, body, underway, failed } = kept;
  const { labels, ...rest } = body;
  const service = path.split("/")[1] ?? "";
  const own = ownNameOf(path);
  const short = own.split("/").at(-1) ?? "";
  const collection = own.split("/").at(-2) ?? "";
  const time = new Date(Date.UTC(2026, 0, 1, 0, 0, made)).toISOString();
  const [, place, where] = /\/(zones|regions)\/([^/]+)\//.exec(own) ?? [];
  const link = `https://${service === "container" ? "container.googleapis.com" : "www.googleapis.com/compute"}/v1/${own}`;
  const old = ["compute", "container", "dns", "sqladmin", "storage"].includes(service);
  const isRecord = collectionOf(own) === "rrsets";
  const named = isRecord ? own.split("/").at(-2) : (old && short) || own;
  const added: Body = {
    kind: `${service}#${collection.replace(/s$/, "")}`,
    id: service === "storage" ? short : String(1000 + made),
    name: named,
    type: isRecord ? short : undefined,
    selfLink: link,
    zone: place === "zones" ? link.replace(/\/zones\/.*/, `/zones/${where}`) : undefined,
    region: place === "regions" ? link.replace(/\/regions\/.*/, `/regions/${where}`) : undefined,
    location: service === "container" ? /\/locations\/([^/]+)\//.exec(own)?.[1] : undefined,
    creationTimestamp: time,
    timeCreated: time,
    createTime: time,
    uid: `uid-${made}`,
    uniqueId: String(1000 + made),
    email: service === "iam" ? short : undefined,
    // An instance's changes with every request that modifies it, those of others with what they bind.
    fingerprint: hash(collection === "instances" ? body : rest),
    labelFingerprint: hash(labels ?? body.resourceLabels),
    metageneration: String(revision),
    // Those of Cloud SQL and of service accounts are outdated: nothing is bound by them.
    etag: service === "sqladmin" || collection === "serviceAccounts" ? undefined : `"${revision}"`,
    status: isText(members.status) ? statusWord(service, collection, underway) : undefined,
    state: ["compute", "container", "pubsub"].includes(service) ? undefined : stateWord(service, kept),
    terminalCondition: failed && { type: "Ready", state: "CONDITION_FAILED", message: failed.message },
    reconciling: underway !== undefined,
  };
  const known = Object.entries(added).filter(([name, value]) => value !== undefined && members[name] !== undefined);
  const shown = withoutHidden(type ?? "any", body) as Body;
  return { ...respelled(service, shown, kept.project), ...Object.fromEntries(known) };
}

const clusterWords = { CREATING: "PROVISIONING", UPDATING: "RECONCILING", DELETING: "STOPPING" } as const;

function statusWord(service: string, collection: string, underway: KeptResource["underway"]): string | undefined {
  if (service === "container") return underway === undefined ? "RUNNING" : clusterWords[underway];
  return service === "compute" ? (underway ?? settledWords[collection]) : undefined;
}

/** A value without what is taken and never given back, however deep it is. */
function withoutHidden(type: MemberType, value: unknown): unknown {
  const bare = typeof type === "string" ? type.replace(/[!\-=*]+$/, "") : type;
  if (Array.isArray(value))
    return typeof bare === "string" && bare.startsWith("[]")
      ? value.map((item) => withoutHidden(bare.slice(2), item))
      : value;
  if (typeof value !== "object" || value === null) return value;
  const isMap = typeof bare === "string" && bare.startsWith("{}");
  const members = typeof bare === "string" ? membersOf(bare) : bare;
  const shown = Object.entries(value).filter(([name]) => isMap || !isHidden(members[name]));
  return Object.fromEntries(
    shown.map(([name, item]) => [name, withoutHidden(isMap ? bare.slice(2) : (members[name] ?? "any"), item)]),
  );
}

function isText(type: MemberType | undefined): boolean {
  return typeof type === "string" && type.startsWith("string");
}

/** What is taken and never given back. */
function isHidden(type: MemberTypes[string] | undefined): boolean {
  return typeof type === "string" && /[!\-=]*\*[!\-=]*$/.test(type);
}

/** Records lie beneath their name and their type. */
function collectionOf(own: string): string {
  return own.split("/").at(/\/rrsets\/[^/]+\/[^/]+$/.test(own) ? -3 : -2) ?? "";
}

function stateWord(service: string, { underway, failed }: KeptResource): string | undefined {
  if (service === "sqladmin" && underway === undefined) return failed === undefined ? "RUNNABLE" : "FAILED";
  if (service === "sqladmin") return "MAINTENANCE";
  if (service === "workflows") return "ACTIVE";
  if (service === "redis" || service === "vpcaccess") return underway ?? "READY";
  if (service === "cloudfunctions") return underway === undefined ? "ACTIVE" : "DEPLOYING";
  if (service === "cloudscheduler") return "ENABLED";
  return underway;
}

/** Compute Engine names other resources by whole addresses, however they were given. */
function respelled(service: string, body: Body, project: string): Body {
  if (service !== "compute") return body;
  const spell = (value: unknown): unknown => {
    if (typeof value === "string" && /^(projects\/[^/]+\/)?(global|zones|regions)\/./.test(value))
      return `https://www.googleapis.com/compute/v1/${value.startsWith("projects/") ? "" : `projects/${project}/`}${value}`;
    if (Array.isArray(value)) return value.map(spell);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, spell(inner)]));
  };
  return spell(body) as Body;
}

/** A JSON Merge Patch carried out. */
export function merged(before: unknown, patch: unknown): unknown {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const known = typeof before === "object" && before !== null && !Array.isArray(before) ? { ...(before as Body) } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete known[name];
    else known[name] = merged(known[name], value);
  }
  return known;
}

/** A body with what a mask names as it is in another; what that leaves out goes. */
export function masked(before: Body, sent: Body, mask: string): Body {
  return mask.split(",").reduce((after, path) => placed(after, sent, path.split(".")), before);
}

function placed(before: Body, sent: Body, [name = "", ...rest]: readonly string[]): Body {
  const { [name]: known, ...others } = before;
  const own = sent[name] ?? undefined;
  if (rest.length > 0)
    return { ...others, [name]: placed(isObject(known) ? known : {}, isObject(own) ? own : {}, rest) };
  return own === undefined ? others : { ...others, [name]: own };
}
