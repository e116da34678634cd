import { isLiveplaneError, LiveplaneError } from "../errors.ts";
import type { Cloud, CloudCall, CloudTarget, NewResource, Reading, WriteCondition } from "../ports/cloud.ts";
import type { Runtime } from "../ports/runtime.ts";
import type { Sealer } from "../ports/secrets.ts";
import type { Json, Store } from "../ports/store.ts";
import { azureFacts } from "./azure-facts.ts";
import { type CloudFacts, tagKey, withTags } from "./cloud-facts.ts";
import { googleFacts } from "./google-facts.ts";
import { type SimulatedDevices, simulatedDevices } from "./simulated-devices.ts";
import {
  type Fault,
  type FaultSettings,
  faultSettings,
  refuseRejected,
  type SimulatedOperation,
  throttled,
  underFault,
} from "./simulated-faults.ts";
import {
  type Made,
  type SimulatedResource,
  type SimulatedResources,
  simulatedResources,
  type Work,
} from "./simulated-resources.ts";
import { correctedResource, etagOf, moved, newResource, presentReading } from "./simulated-rules.ts";

/** How a simulated cloud behaves. Without more than the first three it is instant, fresh and never fails. */
export interface SimulatedCloudOptions {
  /** A behaves like Azure, B like Google Cloud. */
  readonly provider: "provider-a" | "provider-b";
  readonly store: Store;
  readonly runtime: Runtime;
  /** Seals the resources in the store. @default they lie there in the clear */
  readonly sealer?: Sealer;
  /** Writes can be bound to an etag. @default true for A, false for B, whose services mostly have none */
  readonly conditionalWrites?: boolean;
  /** Resources tell their incarnations apart. @default true */
  readonly identities?: boolean;
  /** Ids aren't known before the resource is there. @default false */
  readonly choosesIds?: boolean;
  /** @default 500 */
  readonly bulkReadSize?: number;
  /** How far bulk reads lag behind. @default 0 */
  readonly lagMs?: number;
  /** How long each call takes. @default 0 */
  readonly latencyMs?: number;
  /** How many calls a subscription or project bears. @default without end */
  readonly throttle?: { readonly perSecond: number; readonly burst: number };
  /** Faults call by call, beside those set at the console. */
  readonly faultOf?: (call: {
    readonly operation: SimulatedOperation;
    readonly resourceId: string | null;
  }) => Fault | null;
  /** Told of each change right after it was made: what an invariant is checked against. */
  readonly onChange?: (change: SimulatedChange) => void;
}

/** A change that was made, through the cloud's interface or by hand. */
export interface SimulatedChange {
  readonly by: "caller" | "console";
  readonly operation: "create" | "update" | "remove" | "removeTag";
  readonly resourceId: string;
  readonly before: SimulatedResource | null;
  readonly after: SimulatedResource | null;
}

/** A simulated cloud, and what its console reaches. */
export interface SimulatedCloud extends Cloud {
  readonly facts: CloudFacts;
  readonly resources: SimulatedResources;
  readonly faults: FaultSettings;
  /** Its identity service: the port, and the person who decides. */
  readonly devices: SimulatedDevices;
  /** The identity of a resource about to be made by hand. */
  readonly newIdentity: () => string;
  /** Makes a change and tells of it. */
  readonly change: (
    by: SimulatedChange["by"],
    operation: SimulatedChange["operation"],
    resourceId: string,
    work: Work,
  ) => Promise<Made>;
}

/** A cloud that exists in a store alone, with the tag rules, ids, types and etags of the real one. */
export function simulatedCloud(options: SimulatedCloudOptions): SimulatedCloud {
  const {
    provider,
    store,
    runtime,
    sealer,
    identities = true,
    choosesIds = false,
    bulkReadSize = 500,
    lagMs = 0,
  } = options;
  const { conditionalWrites = provider === "provider-a", onChange } = options;
  const facts = provider === "provider-a" ? azureFacts : googleFacts;
  const resources = simulatedResources({ provider, facts, store, runtime, lagMs, ...(sealer && { sealer }) });
  const faults = faultSettings(store, provider);
  const admit = gate(options, facts, faults);

  const change: SimulatedCloud["change"] = async (by, operation, resourceId, work) => {
    const made = await resources.change(resourceId, work);
    if (made.before !== made.after) onChange?.({ by, operation, resourceId, ...made });
    return made;
  };
  const reading = (resource: SimulatedResource | null): Reading =>
    resource === null ? { state: "missing" } : presentReading(resource, { conditionalWrites, identities });
  const held = (current: SimulatedResource | null, { etag }: WriteCondition): SimulatedResource => {
    if (current === null) throw new LiveplaneError("NotFound", "The resource is gone.");
    if (conditionalWrites && etag !== undefined && etag !== etagOf(current))
      throw new LiveplaneError("PreconditionFailed");
    return current;
  };

  async function make(resource: NewResource): Promise<{ resourceId: string }> {
    const made = newResource(facts, resource, runtime.newId());
    await change("caller", "create", made.resourceId, (current) => {
      if (current !== null) throw new LiveplaneError("AlreadyExists", "A resource of this id is there already.");
      return made;
    });
    return { resourceId: made.resourceId };
  }

  return {
    provider,
    facts,
    resources,
    faults,
    change,
    newIdentity: runtime.newId,
    devices: simulatedDevices({ provider, store, runtime }),
    capabilities: {
      conditionalWrites,
      bulkReadSize,
      caselessTagKeys: facts.caselessTagKeys,
      tagParameter: facts.tagParameter,
      deviceAuthorization: facts.deviceAuthorization,
    },
    resourceType: facts.resourceType,
    resourceIdFor: (type, name, target) => (choosesIds ? null : facts.resourceIdFor(type, name, target)),
    throttleScope: facts.throttleScope,
    locations: async (scope, _tenantId, call) => {
      refuseRejected(call.credentials);
      return facts.locations(scope);
    },
    initializationSteps: (_target, name) =>
      facts.steps.map(({ nameFor, ...plan }) => ({ ...plan, resourceName: nameFor(name) })),
    runStep: (step, { name, target, tags }, call) => {
      refuseRejected(call.credentials);
      return runStep({ facts, faults, runtime, make, step, name, target, tags, call });
    },

    read: ({ resourceId }, call) =>
      readable(() =>
        admit("read", resourceId, call, async () => reading(await resources.get(resourceId, signalOf(call)))),
      ),
    async readMany(refs, call) {
      const ids = refs.map(({ resourceId }) => resourceId);
      const found = await readable(() =>
        admit("bulk", ids[0] ?? null, call, () => resources.getLagging(ids, signalOf(call))),
      );
      return Array.isArray(found) ? found.map(reading) : refs.map(() => found);
    },
    create: (resource, call) => {
      const id = resource.resourceId ?? facts.resourceIdFor(resource.type, resource.name, resource.target);
      return admit("write", id, call, () =>
        make(choosesIds ? { ...resource, resourceId: `${id}-${runtime.newId().slice(0, 8)}` } : resource),
      );
    },
    findCreated: (intent, target, call) =>
      admit("read", facts.resourceIdFor("any", "any", target), call, async () => {
        const found = await resources.findByIntent(intent);
        return found && { type: found.type, resourceId: found.resourceId };
      }),
    update: ({ resourceId }, wanted, condition, call) =>
      admit("write", resourceId, call, async () => {
        await change("caller", "update", resourceId, (current) =>
          correctedResource(facts, held(current, condition), wanted),
        );
      }),
    remove: ({ resourceId }, condition, call) =>
      admit("write", resourceId, call, async () => {
        await change("caller", "remove", resourceId, (current) => {
          if (current !== null) held(current, condition);
          return null;
        });
      }),
    removeTag: ({ resourceId }, key, condition, call) =>
      admit("removeTag", resourceId, call, async () => {
        await change("caller", "removeTag", resourceId, (current) => {
          const resource = held(current, condition);
          const present = Object.keys(resource.tags).some((own) => tagKey(facts, own) === tagKey(facts, key));
          return present ? moved(resource, { tags: withTags(facts, resource.tags, { [key]: null }) }) : resource;
        });
      }),
  };
}

interface StepRun {
  readonly facts: CloudFacts;
  readonly faults: FaultSettings;
  readonly runtime: Runtime;
  readonly make: (resource: NewResource) => Promise<{ resourceId: string }>;
  readonly step: string;
  readonly name: string;
  readonly target: CloudTarget;
  readonly tags: Readonly<Record<string, string>>;
  readonly call: CloudCall;
}

async function runStep({
  facts,
  faults,
  runtime,
  make,
  step,
  name,
  target,
  tags,
  call,
}: StepRun): Promise<Record<string, Json>> {
  const plan = facts.steps.find((one) => one.name === step);
  if (plan === undefined || plan.resourceType === null)
    throw new LiveplaneError("ProviderError", "There is no such step.");
  const { initialize } = await faults.get();
  const fault = initialize && (initialize.step === null || initialize.step === step) ? initialize.fault : null;
  const type = plan.resourceType;
  const resourceName = plan.nameFor(name);
  const resourceId = facts.resourceIdFor(type, resourceName, { ...target, container: name });
  const carried = facts.resourceType(type).taggable ? tags : {};
  const parameters = type.startsWith("Microsoft.") ? { location: target.region } : {};
  const resource = {
    type,
    name: resourceName,
    resourceId,
    target,
    parameters,
    tags: carried,
    intent: `${name}/${step}`,
  };
  await underFault(fault, runtime, {
    options: signalOf(call),
    run: () => make(resource).catch(unlessThere),
  });
  return { id: resourceId, name: resourceName };
}

/** A step that was carried out before a crash finds its resource there. */
function unlessThere(error: unknown): void {
  if (!isLiveplaneError(error, "AlreadyExists")) throw error;
}

/** What every call passes first: credentials, the cloud's own pace, throttling, faults. */
function gate(options: SimulatedCloudOptions, facts: CloudFacts, faults: FaultSettings) {
  const { runtime, latencyMs = 0, throttle, faultOf } = options;
  const buckets = new Map<string, { tokens: number; at: number }>();

  function take(scope: string): void {
    if (throttle === undefined) return;
    const now = runtime.clock.monotonic();
    const { tokens, at } = buckets.get(scope) ?? { tokens: throttle.burst, at: now };
    const filled = Math.min(throttle.burst, tokens + ((now - at) / 1000) * throttle.perSecond);
    buckets.set(scope, { tokens: Math.max(filled - 1, Math.min(filled, 0)), at: now });
    if (filled < 1) throw throttled(Math.max(1, Math.ceil((1 - filled) / throttle.perSecond)));
  }

  return async <T>(
    operation: SimulatedOperation,
    resourceId: string | null,
    call: CloudCall,
    run: () => Promise<T>,
  ): Promise<T> => {
    if (call.signal?.aborted) throw new LiveplaneError("Aborted", undefined, { cause: call.signal.reason });
    refuseRejected(call.credentials);
    take(facts.throttleScope(resourceId ?? ""));
    if (latencyMs > 0) await runtime.clock.sleep(latencyMs, signalOf(call));
    const fault = faultOf?.({ operation, resourceId }) ?? (await faults.get())[operation];
    return underFault(fault, runtime, { options: signalOf(call), run });
  };
}

/** A read says what it couldn't see; only the caller's own abort is thrown. */
async function readable<T>(read: () => Promise<T>): Promise<T | Extract<Reading, { state: "unreadable" }>> {
  try {
    return await read();
  } catch (error) {
    if (!isLiveplaneError(error) || error.code === "Aborted") throw error;
    const seconds = error.details.retryAfterSeconds;
    return { state: "unreadable", reason: error.code, ...(seconds !== undefined && { retryAfterMs: seconds * 1000 }) };
  }
}

function signalOf({ signal }: CloudCall): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}
