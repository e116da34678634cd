import type {
  Cloud,
  CloudCall,
  Created,
  JsonObject,
  NewResource,
  ResourceChange,
  ResourceRef,
  WriteCondition,
  Written,
} from "@liveplane/core/clouds";
import { isLiveplaneError, LiveplaneError } from "@liveplane/core/errors";
import { bindingIn, withBinding } from "./google-bindings.ts";
import { googleCorrected, withoutLabel } from "./google-bodies.ts";
import { googleIdFor, idIn, type PlacedResource, placed, unnamed } from "./google-ids.ts";
import { intentDigest, intentLabel } from "./google-intents.ts";
import { begun, failureOf, isDone, operationIn, resultOf } from "./google-operations.ts";
import { googleReading, googleShown, stateOf } from "./google-reading.ts";
import { current, type GoogleReadDeps, policyOf } from "./google-reads.ts";
import { asInUse, asMoved, asTaken, hasChanged } from "./google-refusals.ts";
import {
  changeRequests,
  creationRequest,
  type GoogleRequest,
  policyWrite,
  removalRequest,
  requestsOnceMore,
} from "./google-requests.ts";

export interface GoogleWriteDeps extends Pick<GoogleReadDeps, "send" | "now"> {
  /** Enables a service that refused because it is disabled; throws what the deploy should report. */
  readonly enabling: (service: string, of: PlacedResource, error: unknown, call: CloudCall) => Promise<never>;
  /** The listing of its collection is outdated. */
  readonly forget: (of: PlacedResource) => void;
}

/** The requests that bring a resource to its wanted state. */
type Work = (body: JsonObject, of: PlacedResource) => readonly GoogleRequest[];

/** How resources are written. Nothing here waits: a slow write is answered with its operation. */
export function googleWrites({
  send,
  now,
  enabling,
  forget,
}: GoogleWriteDeps): Pick<Cloud, "create" | "update" | "remove" | "removeTag"> {
  async function sent(of: PlacedResource, request: GoogleRequest, call: CloudCall): Promise<JsonObject> {
    try {
      return await send(of.kind.service, request, call).catch((error) => enabling(of.kind.service, of, error, call));
    } finally {
      forget(of);
    }
  }

  async function carriedOut(of: PlacedResource, request: GoogleRequest, call: CloudCall): Promise<Written> {
    const body = await sent(of, request, call);
    const operation = operationIn(of, body);
    if (of.kind.policy !== undefined) return googleShown(bindingIn(body, of) ?? {}, of);
    if (operation === null) return googleShown(body, of);
    if (!isDone(body)) return { operation: begun(operation, body, now()) };
    refuseFailed(body);
    return resultOf(body, of);
  }

  /** Creates a resource whose name Google chooses. A label tells it apart, should the answer be lost. */
  async function named(of: PlacedResource, resource: NewResource, call: CloudCall): Promise<Created> {
    const tags = { ...resource.tags, [intentLabel]: intentDigest(resource.intent) };
    const body = await sent(of, creationRequest(of, { ...resource, tags }), call);
    const resourceId = idIn(of, String(body.name));
    return { resourceId, ...googleShown(body, placed({ type: resource.type, resourceId })) };
  }

  /** Changes a resource as the work says, bound to the state just read. */
  async function changed(ref: ResourceRef, work: Work, condition: WriteCondition, call: CloudCall): Promise<Written> {
    const of = placed(ref);
    const before = await current(send, of, call);
    const state = stateOf(of.kind, before);
    if (condition.etag !== undefined && condition.etag !== state) throw hasChanged();
    const requests = work(before, of);
    if (requests.length > 0) refuseUnderway(before, of);
    let written: Written = {};
    for (const request of requests) {
      written = await carriedOut(of, request, call).catch(asMoved(state));
      // The rest is a difference that the next check finds.
      if (written.operation !== undefined) return written;
    }
    // The last answer shows the result of all requests.
    return written;
  }

  /** Changes one binding: reads the whole IAM policy and writes it under its etag, with all other bindings as they were read. */
  async function changedBinding(
    of: PlacedResource,
    work: (before: JsonObject | null) => JsonObject | null,
    { etag }: WriteCondition,
    call: CloudCall,
  ): Promise<Written> {
    const policy = await policyOf(send, of, call);
    if (etag !== undefined && etag !== policy.etag) throw hasChanged();
    const before = bindingIn(policy, of);
    const after = work(before);
    if (after === before) return {};
    const request = policyWrite(of, withBinding(policy, of, after));
    return carriedOut(of, request, call).catch(asMoved(String(policy.etag)));
  }

  return {
    async create(resource, call) {
      const { type, name, target } = resource;
      const chosen = resource.resourceId === null ? unnamed(type, target) : null;
      if (chosen !== null) return named(chosen, resource, call);
      const resourceId = resource.resourceId ?? googleIdFor(type, name, target);
      if (resourceId === null) throw noZone();
      const of = placed({ type, resourceId });
      const written = await (of.kind.policy === undefined
        ? carriedOut(of, creationRequest(of, resource), call).catch(asTaken)
        : againIfMoved(() => changedBinding(of, newBinding(resource), {}, call)));
      return { resourceId: of.resourceId, ...written };
    },
    async update(ref, change, condition, call) {
      const of = placed(ref);
      const work = (before: JsonObject | null) => {
        if (before !== null) return googleCorrected(of.kind, before, change);
        throw new LiveplaneError("NotFound", "The policy doesn't have this binding.");
      };
      if (of.kind.policy !== undefined) return changedBinding(of, work, condition, call);
      return changed(ref, (body) => corrections(of, body, change), condition, call);
    },
    removeTag: (ref, key, condition, call) =>
      changed(ref, (body, of) => changeRequests(of, body, withoutLabel(of.kind, body, key)), condition, call),
    async remove(ref, condition, call) {
      const of = placed(ref);
      const [bound] = of.kind.boundDeletion;
      try {
        if (of.kind.policy !== undefined) return await changedBinding(of, () => null, condition, call);
        const before = await current(send, of, call);
        const state = stateOf(of.kind, before);
        if (condition.etag !== undefined && condition.etag !== state) throw hasChanged();
        refuseUnderway(before, of);
        const mark = bound === undefined || condition.etag === undefined ? null : String(before[of.kind.etag]);
        return await carriedOut(of, removalRequest(of, mark), call).catch(asMoved(state)).catch(asInUse);
      } catch (error) {
        if (isLiveplaneError(error, "NotFound")) return {};
        throw error;
      }
    },
  };
}

function newBinding({ parameters }: NewResource) {
  return (before: JsonObject | null): JsonObject => {
    if (before === null) return parameters;
    throw new LiveplaneError("AlreadyExists", "The policy already has a binding with this ID.");
  };
}

const mostTries = 5;

/** Adds a binding. Where somebody changes the policy meanwhile, it is read again: they may have added this one. */
async function againIfMoved(add: () => Promise<Written>): Promise<Written> {
  for (let tries = 1; ; tries++) {
    try {
      return await add();
    } catch (error) {
      if (tries === mostTries || !isLiveplaneError(error, "PreconditionFailed")) throw error;
    }
  }
}

/** The requests that correct a resource. If nothing differs and the last write failed, it is requested again. */
function corrections(of: PlacedResource, body: JsonObject, change: ResourceChange): readonly GoogleRequest[] {
  const requests = changeRequests(of, body, googleCorrected(of.kind, body, change));
  const isFailed = requests.length === 0 && googleReading(body, of).state === "failed";
  return isFailed ? requestsOnceMore(of, body) : requests;
}

/** Not every service refuses a second write itself. */
function refuseUnderway(body: JsonObject, of: PlacedResource): void {
  if (googleReading(body, of).state === "working")
    throw new LiveplaneError("InvalidState", "Google is still processing another change to this resource.");
}

function noZone(): LiveplaneError {
  return new LiveplaneError("ProviderError", "This type needs a zone, and its environment has none.", {
    retryable: false,
    details: { reason: "NoZone" },
  });
}

/** An operation may already have ended in its own answer. */
function refuseFailed(body: JsonObject): void {
  const failure = failureOf(body);
  if (failure === null) return;
  const { code, message, requestId } = failure;
  throw new LiveplaneError("ProviderError", "Google could not complete the operation.", {
    retryable: false,
    details: {
      reason: code,
      providerCode: code,
      providerMessage: message,
      ...(requestId !== undefined && { providerRequestId: requestId }),
    },
  });
}
