import { type CloudCall, googleFacts, type InitializationRequest, type JsonObject } from "@liveplane/core/clouds";
import { isLiveplaneError, LiveplaneError } from "@liveplane/core/errors";
import { encoded, type GoogleRequest, itemsOf, query } from "./google-dialects.ts";
import { nameOf } from "./google-resource.ts";

/** What a step needs to reach Google. */
export interface GoogleStepDeps {
  readonly send: (service: string, request: GoogleRequest, call: CloudCall) => Promise<JsonObject>;
  /** Watches the operation at a path to its end. */
  readonly settled: (service: string, path: string, body: JsonObject, call: CloudCall) => Promise<void>;
}

/** What live systems and the steps themselves use. */
const services = ["compute", "storage", "iam", "cloudkms", "run", "artifactregistry"];

type Step = (
  deps: GoogleStepDeps,
  name: string,
  request: InitializationRequest,
  call: CloudCall,
) => Promise<JsonObject>;

const steps: Readonly<Record<string, Step>> = {
  async services(deps, _, { target }, call) {
    const path = `/v1/projects/${encoded(target.scope)}/services:batchEnable`;
    const body = { serviceIds: services.map((service) => `${service}.googleapis.com`) };
    const operation = await deps.send("serviceusage", { method: "POST", path, body }, call);
    const isNamed = typeof operation.name === "string";
    if (isNamed) await deps.settled("serviceusage", `/v1/${encoded(String(operation.name))}`, operation, call);
    return {};
  },
  async "service-account"(deps, name, { target }, call) {
    const path = `/v1/projects/${encoded(target.scope)}/serviceAccounts`;
    const body = { accountId: name, serviceAccount: { displayName: "Runs workloads of liveplane" } };
    await deps.send("iam", { method: "POST", path, body }, call).catch(unlessThere);
    return { email: `${name}@${target.scope}.iam.gserviceaccount.com` };
  },
  async "key-ring"(deps, name, { target }, call) {
    const parent = encoded(`projects/${target.scope}/locations/${target.region}/keyRings`);
    const path = `/v1/${parent}${query({ keyRingId: name })}`;
    await deps.send("cloudkms", { method: "POST", path, body: {} }, call).catch(unlessThere);
    return {};
  },
  async "state-bucket"(deps, name, { target, tags }, call) {
    const project = target.scope;
    const body = {
      name,
      location: target.region,
      labels: { ...tags },
      versioning: { enabled: true },
      iamConfiguration: { uniformBucketLevelAccess: { enabled: true }, publicAccessPrevention: "enforced" },
    };
    const made = await deps
      .send("storage", { method: "POST", path: `/storage/v1/b${query({ project })}`, body }, call)
      .catch(unlessThere);
    if (made === null) await refuseAnothers(deps, name, project, call);
    return {};
  },
};

/** Does one step: what is there already stays as it is. */
export async function runGoogleStep(
  deps: GoogleStepDeps,
  step: string,
  request: InitializationRequest,
  call: CloudCall,
): Promise<JsonObject> {
  const facts = googleFacts.steps.find(({ name }) => name === step);
  const run = Object.hasOwn(steps, step) ? steps[step] : undefined;
  if (facts?.resourceType == null || run === undefined)
    throw new LiveplaneError("ProviderError", "There is no such step.");
  const name = facts.nameFor(request.name);
  const id = googleFacts.resourceIdFor(facts.resourceType, name, request.target);
  return { ...(await run(deps, name, request, call)), id, name: nameOf(id) };
}

/** The names of buckets are the whole world's: one that is taken may be in somebody else's project. */
async function refuseAnothers(deps: GoogleStepDeps, name: string, project: string, call: CloudCall): Promise<void> {
  const path = `/storage/v1/b${query({ project, prefix: name })}`;
  const found = itemsOf(await deps.send("storage", { method: "GET", path }, call));
  if (found.some((bucket) => bucket.name === name)) return;
  throw new LiveplaneError("ProviderError", "The name of the bucket for state is taken in another project.");
}

function unlessThere(error: unknown): null {
  if (isLiveplaneError(error, "AlreadyExists")) return null;
  throw error;
}
