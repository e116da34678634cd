import {
  type Cloud,
  type CloudCall,
  type CloudLocation,
  googleFacts,
  type JsonObject,
  type ResourceRef,
  type WriteCondition,
  type Written,
} from "@liveplane/core/clouds";
import { isLiveplaneError, LiveplaneError } from "@liveplane/core/errors";
import { type CloudHttpOptions, cloudHttp } from "./cloud-http/cloud-http.ts";
import { readable } from "./cloud-http/cloud-resource.ts";
import { pause } from "./cloud-http/pause.ts";
import { dialectOf, encoded, type GoogleDialect, type GoogleRequest, itemsOf } from "./google/google-dialects.ts";
import { readManyOf } from "./google/google-lists.ts";
import { type OperationDeps, settled } from "./google/google-operations.ts";
import { bodyWithoutLabel, googleCorrection, googleReading } from "./google/google-resource.ts";
import { runGoogleStep } from "./google/google-steps.ts";
import { googleTokens } from "./google/google-tokens.ts";

/** Options of the Google cloud. */
export interface GoogleCloudOptions extends CloudHttpOptions {
  /** The address of a service, such as `compute`. @default `https://<service>.googleapis.com` */
  readonly urlOf?: (service: string) => string;
  /** Where keys of service accounts are turned into tokens. @default "https://oauth2.googleapis.com/token" */
  readonly tokenUrl?: string;
  /** The token of the machine's own identity, where the agent has one. */
  readonly workloadToken?: () => Promise<string>;
  /** How long an operation of Google's is watched before its outcome counts as unknown. @default 30000 */
  readonly operationMs?: number;
  /** How the adapter waits between two looks at an operation. @default timers */
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** Sends a request to a service, with the caller's token. */
type Send = (service: string, request: GoogleRequest, call: CloudCall) => Promise<JsonObject>;

/**
 * Google Cloud, over the REST APIs of its services. A declaration's parameters are the resource's body as its service has it, its type
 * names service, version and kind: `storage.v1.bucket`, `compute.v1.disk`, `run.v2.service`.
 *
 * Covered are `storage.v1.bucket`; the kinds of `compute.v1`; and of services that keep to Google's API design `run.v2.service`,
 * `run.v2.job`, `artifactregistry.v1.repository`, `redis.v1.instance`, `workflows.v1.workflow` and `cloudkms.v1.keyRing`. Every other
 * type is refused, and reads as unreadable. Buckets, and what carries an etag in its body, are written under a condition; Compute
 * Engine binds labels and members by fingerprints but no deletion, so the agent reads again right before it writes there.
 */
export function googleCloud(options: GoogleCloudOptions = {}): Cloud {
  const { urlOf = publicUrlOf, tokenUrl = "https://oauth2.googleapis.com/token", operationMs = 30_000 } = options;
  const { fetch: fetcher = fetch, timeoutMs = 30_000, now = Date.now, workloadToken, sleep = pause } = options;
  const http = cloudHttp({ fetch: fetcher, timeoutMs, now });
  const tokens = googleTokens({ tokenUrl, fetch: fetcher, timeoutMs, now, ...(workloadToken && { workloadToken }) });
  const send: Send = async (service, { path, ...request }, call) => {
    const to = { base: urlOf(service), at: path, token: () => tokens.tokenFor(call) };
    return (await http({ ...request, ...to }, call).catch(translated)).body;
  };
  const get = (service: string, path: string, call: CloudCall) => send(service, { method: "GET", path }, call);
  const watched: OperationDeps = { get, sleep, now, waitMs: operationMs };
  return {
    provider: "provider-b",
    capabilities: {
      conditionalWrites: true,
      bulkReadSize: 500,
      caselessTagKeys: googleFacts.caselessTagKeys,
      tagParameter: googleFacts.tagParameter,
      tagRules: googleFacts.tagRules,
      deviceAuthorization: false,
    },
    resourceType: googleFacts.resourceType,
    resourceIdFor: googleFacts.resourceIdFor,
    parseResourceId: googleFacts.parseResourceId,
    throttleScope: googleFacts.throttleScope,
    async locations(scope, _tenantId, call) {
      const path = `/compute/v1/projects/${encoded(scope)}/regions?maxResults=500`;
      return itemsOf(await get("compute", path, call)).flatMap((region) => toLocation(scope, region));
    },
    initializationSteps: (_target, name) =>
      googleFacts.steps.map(({ nameFor, ...plan }) => ({ ...plan, resourceName: nameFor(name) })),
    runStep: (step, request, call) =>
      runGoogleStep({ send, settled: (...of) => watchedAt(watched, ...of) }, step, request, call),
    ...reads(send),
    ...writes(send, watched),
  };
}

/** A resource, and how its service is spoken to. */
interface Addressed {
  readonly dialect: GoogleDialect;
  readonly resourceId: string;
}

/** A resource as it is now; throws `NotFound` when there is none. */
async function current(send: Send, { dialect, resourceId }: Addressed, call: CloudCall): Promise<JsonObject> {
  const body = send(dialect.service, dialect.read(resourceId), call);
  if (dialect.found === undefined) return body;
  const found = dialect.found(await body.catch(unlisted), resourceId);
  if (found === null) throw new LiveplaneError("NotFound", "The project has no such resource.");
  return found;
}

/** A project that can't be listed says nothing of what is in it. */
function unlisted(error: unknown): never {
  throw isLiveplaneError(error, "NotFound") ? new LiveplaneError("ProviderError", "The project is not there.") : error;
}

function reads(send: Send): Pick<Cloud, "read" | "readMany" | "findCreated"> {
  const read: Cloud["read"] = (ref, call) =>
    readable(async () => {
      const { resourceId } = ref;
      const dialect = dialectOf(ref);
      const body = await current(send, { dialect, resourceId }, call);
      return googleReading(body, resourceId, dialect.etag(body));
    });
  const page = (dialect: GoogleDialect, resourceId: string, pageToken: string | null, call: CloudCall) =>
    send(dialect.service, dialect.list(resourceId, pageToken), call);
  return { read, readMany: readManyOf({ read, page, readable }), findCreated: async () => null };
}

function writes(send: Send, watched: OperationDeps): Pick<Cloud, "create" | "update" | "remove" | "removeTag"> {
  async function carriedOut(
    { dialect, resourceId }: Addressed,
    request: GoogleRequest,
    call: CloudCall,
  ): Promise<void> {
    const body = await send(dialect.service, request, call);
    await settled(watched, { dialect, resourceId, body }, call);
  }

  /** Makes of a resource what the work says, under the etag that was read just now; `null` leaves it as it is. */
  async function changed(
    ref: ResourceRef,
    work: (body: JsonObject) => JsonObject | null,
    condition: WriteCondition,
    call: CloudCall,
  ): Promise<Written> {
    const { resourceId } = ref;
    const dialect = dialectOf(ref);
    const before = await current(send, { dialect, resourceId }, call);
    if (condition.etag !== undefined && condition.etag !== dialect.etag(before)) throw moved();
    const after = work(before);
    for (const request of after === null ? [] : dialect.changes(resourceId, before, after))
      await carriedOut({ dialect, resourceId }, request, call).catch(asMoved(dialect.etag(before)));
    return {};
  }

  return {
    async create(resource, call) {
      const { type, name, target } = resource;
      const resourceId = resource.resourceId ?? googleFacts.resourceIdFor(type, name, target);
      const dialect = dialectOf({ type, resourceId });
      await carriedOut({ dialect, resourceId }, dialect.create(resource, resourceId), call);
      return { resourceId };
    },
    update: (ref, change, condition, call) => changed(ref, (body) => googleCorrection(body, change), condition, call),
    removeTag: (ref, key, condition, call) => changed(ref, (body) => bodyWithoutLabel(body, key), condition, call),
    async remove(ref, { etag = null }, call) {
      const { resourceId } = ref;
      const dialect = dialectOf(ref);
      const removed = async () => {
        if (dialect.found !== undefined) await current(send, { dialect, resourceId }, call);
        await carriedOut({ dialect, resourceId }, dialect.remove(resourceId, etag), call);
      };
      await removed().catch((error: unknown) => {
        if (!isLiveplaneError(error, "NotFound")) return asMoved(etag)(error);
      });
      return {};
    },
  };
}

/** What the steps watch lies at a path that they know. */
function watchedAt(watched: OperationDeps, service: string, path: string, body: JsonObject, call: CloudCall) {
  const dialect = { service, operation: () => path };
  return settled({ ...watched, waitMs: 600_000 }, { dialect, resourceId: "", body }, call);
}

const takenWords = new Set(["conflict", "alreadyExists", "ALREADY_EXISTS"]);
const movedWords = new Set(["ABORTED", "FAILED_PRECONDITION"]);
const slowDownWords = new Set(["rateLimitExceeded", "userRateLimitExceeded", "RESOURCE_EXHAUSTED"]);

/** Google tells by a word what the status alone leaves open. */
function translated(error: unknown): never {
  if (!isLiveplaneError(error) || error.code === "Aborted") throw error;
  const { details } = error;
  const word = String(details.reason ?? "");
  if (takenWords.has(word)) throw new LiveplaneError("AlreadyExists", "A resource of this id is there already.");
  if (slowDownWords.has(word) && error.code !== "RateLimited")
    throw new LiveplaneError("RateLimited", "Google asks to slow down.", {
      details: { retryAfterSeconds: 10, ...details },
    });
  throw error;
}

/** What a write that was bound to an etag is refused with, as a resource that has changed. */
function asMoved(etag: string | null) {
  return (error: unknown): never => {
    const isBound = etag !== null && isLiveplaneError(error, "ProviderError");
    throw isBound && movedWords.has(String(error.details.reason ?? "")) ? moved() : error;
  };
}

function moved(): LiveplaneError {
  return new LiveplaneError("PreconditionFailed", "The resource has changed.");
}

function toLocation(scope: string, { name, status }: JsonObject): CloudLocation[] {
  if (typeof name !== "string" || (status !== undefined && status !== "UP")) return [];
  const known = googleFacts.locations(scope).find((place) => place.name === name);
  return [known ?? { id: `projects/${scope}/locations/${name}`, name, displayName: name, geography: null }];
}

function publicUrlOf(service: string): string {
  return `https://${service}.googleapis.com`;
}
