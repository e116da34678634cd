import { type CloudCall, googleFacts, type InitializationRequest, type JsonObject } from "@liveplane/core/clouds";
import { isLiveplaneError, LiveplaneError } from "@liveplane/core/errors";
import { nameOf } from "./google-ids.ts";
import type { SendToGoogle } from "./google-reads.ts";
import { encoded, query } from "./google-requests.ts";
import { stillAtIt, switchedOn } from "./google-services.ts";

/** The services that most live systems need, and those of the steps. Others are enabled when a deploy needs them. */
const services = ["compute", "storage", "iam", "cloudkms", "run", "artifactregistry"];

type Step = (send: SendToGoogle, name: string, request: InitializationRequest, call: CloudCall) => Promise<JsonObject>;

const steps: Readonly<Record<string, Step>> = {
  async services(send, _, { target }, call) {
    await switchedOn(send, target.scope, services, call);
    return { zone: await zoneIn(send, target.scope, target.region, call) };
  },
  async "service-account"(send, name, { target }, call) {
    const path = `/v1/projects/${encoded(target.scope)}/serviceAccounts`;
    const body = { accountId: name, serviceAccount: { displayName: "Runs workloads of liveplane" } };
    await send("iam", { method: "POST", path, body }, call).catch(unlessThere);
    return { email: `${name}@${target.scope}.iam.gserviceaccount.com` };
  },
  async "key-ring"(send, name, { target }, call) {
    const parent = encoded(`projects/${target.scope}/locations/${target.region}/keyRings`);
    const path = `/v1/${parent}${query({ keyRingId: name })}`;
    await send("cloudkms", { method: "POST", path, body: {} }, call).catch(unlessThere);
    return {};
  },
  async "state-bucket"(send, name, { target, tags }, call) {
    const project = target.scope;
    const body = {
      name,
      location: target.region,
      labels: { ...tags },
      versioning: { enabled: true },
      iamConfiguration: { uniformBucketLevelAccess: { enabled: true }, publicAccessPrevention: "enforced" },
    };
    const path = `/storage/v1/b${query({ project })}`;
    const made = await send("storage", { method: "POST", path, body }, call).catch(unlessThere);
    if (made === null) await refuseAnothers(send, name, project, call);
    return {};
  },
};

/** Runs one step: what already exists stays as it is. */
export async function runGoogleStep(
  send: SendToGoogle,
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
  return { ...(await run(send, name, request, call)), id, name: nameOf(id) };
}

/** The zone for an environment's zonal resources: the first available one of its region. Not every region has a zone that ends in -a. */
async function zoneIn(send: SendToGoogle, project: string, region: string, call: CloudCall): Promise<string> {
  const path = `/compute/v1/projects/${encoded(project)}/zones${query({ maxResults: "500" })}`;
  const { items } = await send("compute", { method: "GET", path }, call).catch(whileEnabling);
  const zones = (Array.isArray(items) ? (items as JsonObject[]) : [])
    .filter((zone) => nameOf(String(zone.region)) === region && zone.status === "UP")
    .map(({ name }) => String(name))
    .sort();
  const [first] = zones;
  if (first !== undefined) return first;
  throw new LiveplaneError("ProviderError", `The region ${region} doesn't exist or has no available zone.`, {
    retryable: false,
  });
}

/** An enabled service isn't known everywhere at once. */
function whileEnabling(error: unknown): never {
  if (isLiveplaneError(error) && error.details.reason === "ServiceDisabled")
    throw stillAtIt(error.details as JsonObject);
  throw error;
}

/** Bucket names are global: a taken one may be in somebody else's project. */
async function refuseAnothers(send: SendToGoogle, name: string, project: string, call: CloudCall): Promise<void> {
  const path = `/storage/v1/b${query({ project, prefix: name })}`;
  const { items } = await send("storage", { method: "GET", path }, call);
  if (Array.isArray(items) && (items as JsonObject[]).some((bucket) => bucket.name === name)) return;
  throw new LiveplaneError("ProviderError", "Another project already uses the name of the state bucket.", {
    retryable: false,
  });
}

const taken = new Set(["conflict", "alreadyExists", "ALREADY_EXISTS"]);

function unlessThere(error: unknown): null {
  if (isLiveplaneError(error) && taken.has(String(error.details.reason))) return null;
  throw error;
}
