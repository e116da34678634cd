import { isLiveplaneError, LiveplaneError } from "../../errors.ts";
import type {
  Cloud,
  CloudTarget,
  Created,
  ListedResource,
  NewResource,
  ResourceRef,
  SeenResource,
  WriteCondition,
} from "../../ports/cloud.ts";
import { type BoundBy, writtenPart } from "../../ports/resource-type.ts";
import type { Runtime } from "../../ports/runtime.ts";
import type { StoreOptions } from "../../ports/store.ts";
import { azureFacts } from "../facts/azure-facts.ts";
import type { CloudFacts } from "../facts/cloud-facts.ts";
import { googleFacts } from "../facts/google-facts.ts";
import { type SimulatedDevices, simulatedDevices } from "./simulated-devices.ts";
import { type FaultSettings, faultSettings, refuseRejected, underFault } from "./simulated-faults.ts";
import { createFaultGate, type Gate, readableUnlessFaulty, signalOf } from "./simulated-gate.ts";
import type { SimulatedChange, SimulatedCloudOptions } from "./simulated-options.ts";
import {
  type SimulatedEdit,
  type SimulatedResource,
  type SimulatedResources,
  type SimulatedWrite,
  simulatedResources,
} from "./simulated-resources.ts";
import {
  correctedResource,
  etagOf,
  newResource,
  readingOf,
  seenResource,
  stepResource,
  withoutTag,
} from "./simulated-rules.ts";
import { refuseUnderway, type SimulatedSlowness, simulatedSlowness } from "./simulated-slowness.ts";
import { simulatedTypes } from "./simulated-types.ts";

/** A simulated cloud, with what its console needs. */
export interface SimulatedCloud extends Cloud {
  readonly facts: CloudFacts;
  readonly resources: SimulatedResources;
  readonly faults: FaultSettings;
  /** Its identity service, and the person who decides there. */
  readonly devices: SimulatedDevices;
  /** A new identity for a resource that is created by hand. */
  readonly newIdentity: () => string;
  /** Makes a change and reports it. */
  readonly change: (
    by: SimulatedChange["by"],
    operation: SimulatedChange["operation"],
    resourceId: string,
    work: SimulatedEdit,
  ) => Promise<SimulatedWrite>;
}

/** A cloud that exists only in a store, with the tag rules, IDs, types and etags of the real one. */
export function simulatedCloud(options: SimulatedCloudOptions): SimulatedCloud {
  const { provider, store, runtime, sealer, choosesIds = false, bulkReadSize = 500, lagMs = 0, onChange } = options;
  const { conditionalWrites = provider === "provider-a", identities = true } = options;
  const facts = provider === "provider-a" ? azureFacts : googleFacts;
  const resources = simulatedResources({ provider, facts, store, runtime, lagMs, ...(sealer && { sealer }) });
  const faults = faultSettings(store, provider);
  const gate = createFaultGate({ ...options, faults, scopeOf: facts.throttleScope });
  const change: SimulatedCloud["change"] = async (by, operation, resourceId, work) => {
    const edit = by === "console" ? work : rewriting(work, options.rewrites);
    const made = await resources.change(resourceId, edit);
    if (made.before !== made.after) onChange?.({ by, operation, resourceId, ...made });
    return made;
  };
  const { get } = resources;
  const { boundBy, resourceType, describeTypes } = simulatedTypes(facts, gate, { ...options, conditionalWrites });
  const isEtagged = (type: string) => boundBy(type).properties === "etag" || boundBy(type).tags === "etag";
  const seen = (resource: SimulatedResource) => seenResource(resource, { isEtagged, identities });
  const slowness = simulatedSlowness({ ...options, facts, faults, gate, seen, get, change });
  const inside: Inside = { facts, resources, faults, gate, change, runtime, slowness, boundBy, seen, choosesIds };
  return {
    provider,
    facts,
    resources,
    faults,
    change,
    newIdentity: runtime.newId,
    devices: simulatedDevices(options),
    capabilities: {
      conditionalWrites,
      bulkReadSize,
      caselessTagKeys: facts.caselessTagKeys,
      tagParameter: facts.tagParameter,
      tagRules: facts.tagRules,
      deviceAuthorization: facts.deviceAuthorization,
    },
    resourceType,
    describeTypes,
    resourceIdFor: (type, name, target) => (choosesIds ? null : facts.resourceIdFor(type, name, target)),
    typeOf: facts.typeOf,
    parseResourceId: facts.parseResourceId,
    parseScope: facts.parseScope,
    missingRights: (_, target, call) => gate("read", facts.resourceIdFor("any", "any", target), call, async () => []),
    throttleScope: facts.throttleScope,
    async locations(scope, _tenantId, { credentials }) {
      refuseRejected(credentials);
      return facts.locations(scope);
    },
    ...initialization(inside),
    ...reads(inside),
    ...writes(inside),
  };
}

/** A write whose parameters the cloud stores in its own form. */
function rewriting(work: SimulatedEdit, rewrites: SimulatedCloudOptions["rewrites"]): SimulatedEdit {
  if (rewrites === undefined) return work;
  return (current) => {
    const next = work(current);
    if (next === null || next.parameters === current?.parameters) return next;
    const { type, resourceId, parameters } = next;
    return { ...next, parameters: rewrites({ type, resourceId, before: current?.parameters ?? null, parameters }) };
  };
}

/** What the parts of a simulated cloud share. */
interface Inside extends Pick<SimulatedCloud, "facts" | "resources" | "faults" | "change"> {
  readonly gate: Gate;
  readonly runtime: Runtime;
  readonly slowness: SimulatedSlowness;
  readonly boundBy: (type: string) => BoundBy;
  readonly seen: (resource: SimulatedResource) => SeenResource;
  readonly choosesIds: boolean;
}

function reads(inside: Inside): Pick<Cloud, "read" | "readMany" | "discover" | "findCreated" | "follow"> {
  const { facts, resources, gate, slowness, seen, runtime } = inside;
  const reading = (resource: SimulatedResource | null) => readingOf(resource, { now: runtime.clock.now(), seen });
  /** A finished write shows in the cloud's index too, whether or not somebody has read the resource directly. */
  async function indexed(ids: readonly string[], options: StoreOptions) {
    const found = await resources.getLagging(ids, options);
    const settled = found.map(({ current }) => current && slowness.settle(current.resourceId, current));
    const isAsFound = (await Promise.all(settled)).every((resource, at) => resource === found[at]?.current);
    return (isAsFound ? found : await resources.getLagging(ids, options)).map(({ seen }) => seen);
  }
  return {
    read: ({ resourceId }, call) =>
      readableUnlessFaulty(() =>
        gate("read", resourceId, call, async () => {
          const kept = await resources.get(resourceId, signalOf(call));
          return reading(await slowness.settle(resourceId, kept));
        }),
      ),
    async readMany(refs, call) {
      const ids = refs.map(({ resourceId }) => resourceId);
      const found = await readableUnlessFaulty(() =>
        gate("bulk", ids[0] ?? null, call, () => indexed(ids, signalOf(call))),
      );
      return Array.isArray(found) ? found.map(reading) : refs.map(() => found);
    },
    discover: (target, { after, limit }, call) =>
      gate("bulk", facts.resourceIdFor("any", "any", target), call, async () => {
        const found = await resources.list(after, limit);
        const next = found.length < limit ? null : (found.at(-1)?.resourceId ?? null);
        return { items: found.filter((one) => isListed(one, target, facts)).map(listed), next };
      }),
    findCreated: (intent, target, call) =>
      gate("read", facts.resourceIdFor("any", "any", target), call, async () => {
        const found = await resources.findByIntent(intent);
        return found && { type: found.type, resourceId: found.resourceId };
      }),
    follow: ({ resourceId }, { address }, call) => slowness.follow(resourceId, address, call),
  };
}

/** Whether a list of a target includes a resource: the container doesn't list itself. */
function isListed({ resourceId, type, underway }: SimulatedResource, target: CloudTarget, facts: CloudFacts): boolean {
  const isContainer = resourceId.split("/").at(-1) === target.container && resourceId.split("/").length === 5;
  return underway?.hidden !== true && !isContainer && "id" in facts.parseResourceId(type, resourceId, target);
}

function listed({ resourceId, type, name, tags, parameters }: SimulatedResource): ListedResource {
  const location = typeof parameters.location === "string" ? parameters.location : null;
  return { resourceId, type: type.split("@", 1)[0] ?? type, name, location, tags };
}

function writes(inside: Inside): Pick<Cloud, "create" | "update" | "remove" | "removeTag"> {
  const { facts, gate, runtime, slowness, boundBy, resources, choosesIds } = inside;
  const held = (current: SimulatedResource | null, { etag, tag }: WriteCondition, part: keyof BoundBy) => {
    if (current === null) throw new LiveplaneError("NotFound", "The resource does not exist.");
    const by = boundBy(current.type)[part];
    const isBound = by === "etag" || (part === "tags" && by === "fingerprint");
    const elsewhere = isBound && etag !== undefined && etag !== etagOf(current);
    const isUntagged = by === "test" && tag && current.tags[tag.key] !== tag.value;
    if (elsewhere || isUntagged) throw new LiveplaneError("PreconditionFailed", "The resource has changed.");
    refuseUnderway(current);
    return current;
  };
  /** A type that takes whole bodies alone is written as it was read, tags and all: what changes in between is undone. */
  const bodyOf = async (ref: ResourceRef, part: "properties" | "tags"): Promise<SimulatedEdit> => {
    if (boundBy(ref.type)[part] !== "none") return (current) => current;
    const read = await resources.get(ref.resourceId);
    return (current) => current && read && { ...current, tags: read.tags, parameters: read.parameters };
  };
  return {
    create(resource, call) {
      const id = resource.resourceId ?? facts.resourceIdFor(resource.type, resource.name, resource.target);
      const resourceId = choosesIds ? `${id}-${runtime.newId().slice(0, 8)}` : id;
      return gate("write", id, call, () => make(inside, { ...resource, resourceId }, slowness.write));
    },
    update: ({ type, resourceId }, change, condition, call) =>
      gate("write", resourceId, call, async () => {
        const part = writtenPart(change);
        const body = await bodyOf({ type, resourceId }, part);
        const edit: SimulatedEdit = (current) => correctedResource(facts, held(body(current), condition, part), change);
        return slowness.write({ operation: "update", type, resourceId, edit, lands: { what: "changed", change } });
      }),
    remove: ({ type, resourceId }, condition, call) =>
      gate("write", resourceId, call, async () => {
        const edit: SimulatedEdit = (current) => (current === null || held(current, condition, "properties")) && null;
        return slowness.write({ operation: "remove", type, resourceId, edit, lands: { what: "removed" } });
      }),
    removeTag: ({ type, resourceId }, key, condition, call) =>
      gate("removeTag", resourceId, call, async () => {
        const body = await bodyOf({ type, resourceId }, "tags");
        const edit: SimulatedEdit = (current) => withoutTag(facts, held(body(current), condition, "tags"), key);
        return slowness.write({ operation: "removeTag", type, resourceId, edit, lands: { what: "untagged", key } });
      }),
  };
}

function initialization(inside: Inside): Pick<Cloud, "initializationSteps" | "runStep"> {
  const { facts, faults, runtime, resources, slowness } = inside;
  return {
    initializationSteps: (_target, name) =>
      facts.steps.map(({ nameFor, ...plan }) => ({ ...plan, resourceName: nameFor(name) })),
    async runStep(step, { name, target, tags }, call) {
      refuseRejected(call.credentials);
      const { over } = faults;
      const { initialize } = await faults.get();
      const befalls = initialize && (initialize.step === null || initialize.step === step);
      const resource = stepResource(facts, step, { name, target, tags });
      const run = async () => {
        await make(inside, resource, slowness.write).catch(unlessThere);
        const kept = await slowness.settle(resource.resourceId, await resources.get(resource.resourceId));
        if (kept?.underway !== undefined) throw stillAtIt();
      };
      await underFault(befalls ? initialize.fault : null, runtime, { options: signalOf(call), over, run });
      return { id: resource.resourceId, name: resource.name };
    },
  };
}

type Write = SimulatedSlowness["write"];

async function make({ facts, runtime }: Inside, resource: NewResource, write: Write): Promise<Created> {
  const made = newResource(facts, resource, runtime.newId());
  const { resourceId, type } = made;
  const edit: SimulatedEdit = (current) => {
    if (current !== null) throw new LiveplaneError("AlreadyExists", "A resource with this ID already exists.");
    return made;
  };
  const written = await write({ operation: "create", type, resourceId, edit, lands: { what: "made" } });
  return { resourceId, ...written };
}

/** A step that ran before a crash finds its resource there. */
function unlessThere(error: unknown): void {
  if (!isLiveplaneError(error, "AlreadyExists")) throw error;
}

function stillAtIt(): LiveplaneError {
  const details = { outcome: "working", retryAfterSeconds: 10 };
  return new LiveplaneError("ProviderTimeout", "The cloud is still processing the operation.", { details });
}
