import { isLiveplaneError, LiveplaneError } from "../../errors.ts";
import type { Cloud, NewResource, Reading, WriteCondition } from "../../ports/cloud.ts";
import type { Runtime } from "../../ports/runtime.ts";
import type { Sealer } from "../../ports/secrets.ts";
import type { Store } from "../../ports/store.ts";
import { azureFacts } from "../facts/azure-facts.ts";
import type { CloudFacts } from "../facts/cloud-facts.ts";
import { googleFacts } from "../facts/google-facts.ts";
import { type SimulatedDevices, simulatedDevices } from "./simulated-devices.ts";
import {
  type Fault,
  type FaultSettings,
  faultSettings,
  refuseRejected,
  type SimulatedOperation,
  underFault,
} from "./simulated-faults.ts";
import { createFaultGate, type Gate, readableUnlessFaulty, signalOf } from "./simulated-gate.ts";
import {
  type SimulatedEdit,
  type SimulatedResource,
  type SimulatedResources,
  type SimulatedWrite,
  simulatedResources,
} from "./simulated-resources.ts";
import { correctedResource, etagOf, newResource, presentReading, stepResource, withoutTag } from "./simulated-rules.ts";

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
    work: SimulatedEdit,
  ) => Promise<SimulatedWrite>;
}

/** A cloud that exists in a store alone, with the tag rules, ids, types and etags of the real one. */
export function simulatedCloud(options: SimulatedCloudOptions): SimulatedCloud {
  const { provider, store, runtime, sealer, choosesIds = false, bulkReadSize = 500, lagMs = 0, onChange } = options;
  const { conditionalWrites = provider === "provider-a", identities = true } = options;
  const facts = provider === "provider-a" ? azureFacts : googleFacts;
  const resources = simulatedResources({ provider, facts, store, runtime, lagMs, ...(sealer && { sealer }) });
  const faults = faultSettings(store, provider);
  const gate = createFaultGate({ ...options, faults, scopeOf: facts.throttleScope });
  const change: SimulatedCloud["change"] = async (by, operation, resourceId, work) => {
    const made = await resources.change(resourceId, work);
    if (made.before !== made.after) onChange?.({ by, operation, resourceId, ...made });
    return made;
  };
  const inside: Inside = { facts, resources, faults, gate, change, runtime, conditionalWrites, identities, choosesIds };
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
    parseResourceId: facts.parseResourceId,
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

/** What the parts of a simulated cloud share. */
interface Inside extends Pick<SimulatedCloud, "facts" | "resources" | "faults" | "change"> {
  readonly gate: Gate;
  readonly runtime: Runtime;
  readonly conditionalWrites: boolean;
  readonly identities: boolean;
  readonly choosesIds: boolean;
}

function reads({ facts, resources, gate, ...shows }: Inside): Pick<Cloud, "read" | "readMany" | "findCreated"> {
  const reading = (resource: SimulatedResource | null): Reading =>
    resource === null ? { state: "missing" } : presentReading(resource, shows);
  return {
    read: ({ resourceId }, call) =>
      readableUnlessFaulty(() =>
        gate("read", resourceId, call, async () => reading(await resources.get(resourceId, signalOf(call)))),
      ),
    async readMany(refs, call) {
      const ids = refs.map(({ resourceId }) => resourceId);
      const lagging = () => resources.getLagging(ids, signalOf(call));
      const found = await readableUnlessFaulty(() => gate("bulk", ids[0] ?? null, call, lagging));
      return Array.isArray(found) ? found.map(reading) : refs.map(() => found);
    },
    findCreated: (intent, target, call) =>
      gate("read", facts.resourceIdFor("any", "any", target), call, async () => {
        const found = await resources.findByIntent(intent);
        return found && { type: found.type, resourceId: found.resourceId };
      }),
  };
}

function writes(inside: Inside): Pick<Cloud, "create" | "update" | "remove" | "removeTag"> {
  const { facts, gate, change, runtime, conditionalWrites, choosesIds } = inside;
  const held = (current: SimulatedResource | null, { etag }: WriteCondition): SimulatedResource => {
    if (current === null) throw new LiveplaneError("NotFound", "The resource is gone.");
    const elsewhere = conditionalWrites && etag !== undefined && etag !== etagOf(current);
    if (elsewhere) throw new LiveplaneError("PreconditionFailed", "The resource has changed.");
    return current;
  };
  return {
    create(resource, call) {
      const id = resource.resourceId ?? facts.resourceIdFor(resource.type, resource.name, resource.target);
      const resourceId = choosesIds ? `${id}-${runtime.newId().slice(0, 8)}` : id;
      return gate("write", id, call, () => make(inside, { ...resource, resourceId }));
    },
    update: ({ resourceId }, wanted, condition, call) =>
      gate("write", resourceId, call, async () => {
        const work: SimulatedEdit = (current) => correctedResource(facts, held(current, condition), wanted);
        await change("caller", "update", resourceId, work);
        return {};
      }),
    remove: ({ resourceId }, condition, call) =>
      gate("write", resourceId, call, async () => {
        const work: SimulatedEdit = (current) => (current === null || held(current, condition)) && null;
        await change("caller", "remove", resourceId, work);
        return {};
      }),
    removeTag: ({ resourceId }, key, condition, call) =>
      gate("removeTag", resourceId, call, async () => {
        const work: SimulatedEdit = (current) => withoutTag(facts, held(current, condition), key);
        await change("caller", "removeTag", resourceId, work);
        return {};
      }),
  };
}

function initialization(inside: Inside): Pick<Cloud, "initializationSteps" | "runStep"> {
  const { facts, faults, runtime } = inside;
  return {
    initializationSteps: (_target, name) =>
      facts.steps.map(({ nameFor, ...plan }) => ({ ...plan, resourceName: nameFor(name) })),
    async runStep(step, { name, target, tags }, call) {
      refuseRejected(call.credentials);
      const { over } = faults;
      const { initialize } = await faults.get();
      const befalls = initialize && (initialize.step === null || initialize.step === step);
      const resource = stepResource(facts, step, { name, target, tags });
      const run = () => make(inside, resource).catch(unlessThere);
      await underFault(befalls ? initialize.fault : null, runtime, { options: signalOf(call), over, run });
      return { id: resource.resourceId, name: resource.name };
    },
  };
}

async function make({ facts, change, runtime }: Inside, resource: NewResource): Promise<{ resourceId: string }> {
  const made = newResource(facts, resource, runtime.newId());
  await change("caller", "create", made.resourceId, (current) => {
    if (current !== null) throw new LiveplaneError("AlreadyExists", "A resource of this id is there already.");
    return made;
  });
  return { resourceId: made.resourceId };
}

/** A step that was carried out before a crash finds its resource there. */
function unlessThere(error: unknown): void {
  if (!isLiveplaneError(error, "AlreadyExists")) throw error;
}
