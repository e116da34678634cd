import { cloudName } from "../../contract/cloud-names.ts";
import type { Answer, Call, Handlers } from "../../contract/handler.ts";
import { invalid } from "../../contract/invalid.ts";
import { isProtocolTag } from "../../contract/protocol-tags.ts";
import type { OperationId } from "../../contract/routes.ts";
import type { InitializationRun } from "../../contract/schemas/initialization-schemas.ts";
import { actorName, type EnvironmentRef, environmentName, environmentRef } from "../../contract/target.ts";
import { nowText, toHex, utf8 } from "../../encoding.ts";
import { isLiveplaneError, LiveplaneError } from "../../errors.ts";
import type { Cloud, CloudCredentials } from "../../ports/cloud.ts";
import type { Runtime } from "../../ports/runtime.ts";
import type { Services } from "../../services.ts";
import type { Clouds } from "../../settings.ts";
import { stampOf } from "../environment-definition.ts";
import { requireEnvironment } from "../environment-record.ts";
import { setManager } from "../management-environment.ts";
import type { Authentication } from "./authentication.ts";
import { credentialsMissing, sentCredentials } from "./initialization-credentials.ts";
import { emitRun, markRun } from "./initialization-events.ts";
import { ownIdentity } from "./initialization-placement.ts";
import {
  cloudTarget,
  credentialsPlace,
  type InitializationRunRecord,
  type Provider,
  plannedSteps,
  type RunTarget,
  runKey,
  runs,
  targetScopeOf,
  withRunCancelled,
} from "./initialization-run.ts";
import { answersFor, asksForSame, locationNamed, runTarget } from "./initialization-target.ts";
import { createRunWorker, type RunWorker } from "./initialization-worker.ts";
import type { CredentialsRequest, Locations } from "./locations.ts";
import { isServed, requireRights, scopeNamed } from "./resource-scopes.ts";

type RunOperation = Extract<OperationId, `environments.provider${"A" | "B"}.${"initialize" | "status" | "cancel"}`>;

/** Initializes environments in clouds, step by step, and resumes after crashes. */
export interface Initialization {
  readonly handlers: Pick<Handlers<"environments">, RunOperation>;
  readonly worker: Pick<RunWorker, "task" | "settled" | "stop">;
}

/** A well-formed request for an initialization. */
interface Wish {
  readonly environment: EnvironmentRef;
  readonly provider: Provider;
  readonly target: RunTarget;
  readonly region: string | null;
  readonly tags: Readonly<Record<string, string>>;
}

/**
 * Finds the credentials of a call: from its headers, otherwise from a completed authentication, otherwise the host's own identity if it
 * serves the place. Throws if there are none.
 */
export function createCredentialsOf(
  authentication: Pick<Authentication, "delegated">,
  { hostIdentityFor }: Pick<Clouds, "hostIdentityFor">,
) {
  return async (request: CredentialsRequest): Promise<CloudCredentials> => {
    const { provider, environment, tenantId, scope, actor, sent } = request;
    const own = sentCredentials(provider, sent);
    if (own !== null) return own;
    const delegated = provider === "provider-a" ? await authentication.delegated(environment, tenantId, actor) : null;
    if (delegated !== null) return delegated;
    if (hostIdentityFor?.({ environment, provider, scope })) return ownIdentity;
    throw credentialsMissing(provider);
  };
}

export function createInitialization(
  deps: Pick<Services, "records" | "runtime" | "sealer" | "scheduler" | "claims" | "access" | "cloudOf"> & {
    readonly locations: Pick<Locations, "of">;
    readonly authentication: Pick<Authentication, "delegated">;
    readonly retainCredentials: boolean;
    readonly clouds: Pick<Clouds, "hostIdentityFor">;
    readonly retryDelaysMs?: readonly number[];
  },
): Initialization {
  const worker = createRunWorker(deps);
  const parts: Parts = { ...deps, worker, credentialsOf: createCredentialsOf(deps.authentication, deps.clouds) };
  return {
    worker,
    handlers: {
      "environments.providerA.initialize": (call) => initialize(parts, call, "provider-a"),
      "environments.providerA.status": (call) => status(parts, call, "provider-a"),
      "environments.providerA.cancel": (call) => cancel(parts, call, "provider-a"),
      "environments.providerB.initialize": (call) => initialize(parts, call, "provider-b"),
      "environments.providerB.status": (call) => status(parts, call, "provider-b"),
      "environments.providerB.cancel": (call) => cancel(parts, call, "provider-b"),
    },
  };
}

interface Parts
  extends Pick<Services, "records" | "runtime" | "sealer" | "scheduler" | "claims" | "access" | "cloudOf"> {
  readonly locations: Pick<Locations, "of">;
  readonly authentication: Pick<Authentication, "delegated">;
  readonly retainCredentials: boolean;
  readonly clouds: Pick<Clouds, "hostIdentityFor">;
  readonly retryDelaysMs?: readonly number[];
  readonly worker: RunWorker;
  readonly credentialsOf: (request: CredentialsRequest) => Promise<CloudCredentials>;
}

async function initialize(parts: Parts, call: InitializeCall, provider: Provider): Promise<Answer<InitializationRun>> {
  const environment = environmentRef(call.params);
  const { parameters, resourceScopes } = await requireEnvironment(parts.records, environment);
  // Half a pair of headers is told before a missing target: it would be the same call's next refusal.
  sentCredentials(provider, call.credentials);
  const target = runTarget(provider, call.body, parameters);
  const { region = null, tags } = call.body;
  refuseProtocolTags(tags ?? {}, parts.cloudOf(provider));
  const wish: Wish = { environment, provider, target, region, tags: tags ?? {} };
  const scope = targetScopeOf(target);
  const request = { ...wish, tenantId: tenantOf(target), scope, actor: call.actor, sent: call.credentials };
  const credentials = await parts.credentialsOf(request);
  const standing = await parts.records.get(runs, runKey(wish));
  const asked = { ...wish, wantedRegion: region };
  if (standing !== null && answersFor(standing, asked) && managerOf(call) === null) return answered(parts, standing);
  const place = await placeOf(parts, wish, credentials, call.signal?.());
  await requireScopes(parts, wish, { resourceScopes, credentials, signal: call.signal?.() });
  return answered(parts, await begin(parts, await newRun(parts, wish, place, credentials, call), call));
}

/** Every scope of the environment in this cloud is the host's to serve, or within the rights of the credentials. */
async function requireScopes(
  { cloudOf, clouds }: Parts,
  { environment, provider, target, region }: Wish,
  given: {
    readonly resourceScopes: readonly string[];
    readonly credentials: CloudCredentials;
    readonly signal: AbortSignal | undefined;
  },
): Promise<void> {
  const { credentials, signal } = given;
  const cloud = cloudOf(provider);
  const own = cloudTarget({ target, region, steps: [] });
  for (const id of given.resourceScopes) {
    const scope = scopeNamed(id, { adapters: cloud === null ? [] : [cloud] });
    if (scope === null) continue;
    if (credentials === ownIdentity && !isServed(scope, environment, clouds))
      throw new LiveplaneError(
        "ProviderCredentialsMissing",
        `The server's own identity doesn't serve this environment in ${id}, which its resourceScopes contain.`,
      );
    await requireRights(scope, own, { credentials, ...(signal && { signal }) });
  }
}

function answered({ worker }: Parts, run: InitializationRunRecord): Answer<InitializationRun> {
  if (run.status === "InProgress") worker.begin(run);
  return { value: toInitializationRun(run), location: statusPath(run) };
}

function refuseProtocolTags(tags: Readonly<Record<string, string>>, cloud: Cloud | null): void {
  const own = Object.keys(tags).filter((key) => cloud !== null && isProtocolTag(key, cloud.capabilities));
  const [first, ...others] = own.map((key) => ({
    pointer: `#/tags/${key}`,
    code: "InvalidDeclaration" as const,
    detail: "This tag belongs to the override protocol and cannot be declared.",
  }));
  if (first !== undefined) throw invalid([first, ...others]);
}

/**
 * Records a new run, or returns the existing one for the same request. A deploying role may start the first run and repeat it; anything
 * else needs Admin.
 */
async function begin(parts: Parts, fresh: InitializationRunRecord, call: InitializeCall) {
  const { records, access } = parts;
  const { actor, cause } = call;
  const manager = managerOf(call);
  const decides = await access.can(actor, { kind: "environment", ...fresh.environment }, "Admin");
  return records.change(cause, async (change) => {
    await requireEnvironment(change, fresh.environment);
    if (manager !== null)
      await setManager(parts, change, { id: fresh.environment, actor, manager }, stampOf(parts, call));
    const known = await change.get(runs, runKey(fresh));
    if (known !== null && !decides && !asksForSame(known, fresh)) throw forAdmins();
    if (known !== null && answersFor(known, fresh)) return known;
    if (known?.status === "InProgress") throw new LiveplaneError("InitializationInProgress");
    change.put(runs, fresh);
    emitRun(change, fresh, "started");
    await markRun(change, fresh, cause.actor);
    return fresh;
  });
}

/** The management environment that a call names. Only calls for provider A name one. */
function managerOf({ body }: InitializeCall): EnvironmentRef | null {
  return ("managementEnvironmentId" in body && body.managementEnvironmentId) || null;
}

/** The region by the cloud's own name; `null` if rejected credentials keep it unknown, which the run will report. */
async function placeOf(
  { locations }: Parts,
  { provider, target, region }: Wish,
  credentials: CloudCredentials,
  signal?: AbortSignal,
) {
  try {
    const offered = await locations.of(provider, targetScopeOf(target), tenantOf(target), credentials, signal);
    const found = region === null ? (offered[0] ?? null) : locationNamed(offered, region);
    if (found === null) throw unknownRegion();
    return found.name;
  } catch (error) {
    if (isLiveplaneError(error, "ProviderCredentialsRejected")) return region;
    throw error;
  }
}

async function newRun(
  { runtime, sealer, cloudOf }: Parts,
  { environment, provider, target, region: wantedRegion, tags }: Wish,
  region: string | null,
  { secret, ...who }: CloudCredentials,
  { actor, cause }: InitializeCall,
): Promise<InitializationRunRecord> {
  const cloud = cloudOf(provider);
  if (cloud === null) throw new LiveplaneError("FeatureDisabled", `There is no adapter for ${cloudName(provider)}.`);
  const now = nowText({ runtime });
  const id = runtime.newId();
  const name = await initializationName(runtime, environment);
  const plans = cloud.initializationSteps(cloudTarget({ target, region, steps: [] }), name);
  const sealed = await sealer.seal(utf8(secret?.reveal() ?? ""), credentialsPlace({ environment, provider, id }));
  return {
    id,
    environment,
    provider,
    name,
    target,
    wantedRegion,
    region,
    tags,
    status: "InProgress",
    steps: plannedSteps(plans),
    requester: actorName(actor),
    requestId: cause.requestId,
    credentials: { ...who, sealed },
    claim: null,
    createdAt: now,
    updatedAt: now,
  };
}

async function status({ records }: Parts, { params }: StatusCall, provider: Provider) {
  const run = await records.get(runs, runKey({ environment: environmentRef(params), provider }));
  if (run === null) throw noRun();
  return { value: { initializationRun: toInitializationRun(run) } };
}

async function cancel(
  { records, runtime, worker, access }: Parts,
  { actor, params, cause }: CancelCall,
  provider: Provider,
) {
  const environment = environmentRef(params);
  const decides = await access.can(actor, { kind: "environment", ...environment }, "Admin");
  const run = await records.change(cause, async (change) => {
    const known = await change.get(runs, runKey({ environment, provider }));
    if (known === null) throw noRun();
    if (!decides && known.requester !== actorName(actor)) throw forAdmins();
    if (known.status !== "InProgress") throw new LiveplaneError("InvalidState", "The initialization has ended.");
    const cancelled = withRunCancelled(known, nowText({ runtime }));
    change.put(runs, cancelled);
    emitRun(change, cancelled, "cancelled");
    await markRun(change, cancelled, cause.actor);
    return cancelled;
  });
  worker.abort(run);
  return { value: toInitializationRun(run), location: statusPath(run) };
}

type InitializeCall = Call<"environments.providerA.initialize"> | Call<"environments.providerB.initialize">;
type CancelCall = Pick<Call<"environments.providerA.cancel">, "actor" | "params" | "cause">;
type StatusCall = Pick<Call<"environments.providerA.status">, "params" | "cause">;

/** The base name of an environment's resources: readable and unique to the environment. */
async function initializationName(runtime: Runtime, environment: EnvironmentRef): Promise<string> {
  const digest = await runtime.crypto.digest(utf8(environmentName(environment)));
  return `lp-${environment.shortName}-${toHex(digest).slice(0, 10)}`;
}

/** A run as the API shows it. */
function toInitializationRun(run: InitializationRunRecord): InitializationRun {
  const { id, environment, provider, target, region, status, requester, steps, createdAt, updatedAt } = run;
  return {
    id,
    environmentId: environment,
    provider,
    target: targetScopeOf(target),
    region,
    status,
    requester,
    steps: steps.map((step) => ({
      ...step,
      lastOperationStatusMessage: step.message,
    })) as unknown as InitializationRun["steps"],
    createdAt,
    updatedAt,
  };
}

function statusPath({ environment, provider }: InitializationRunRecord): string {
  return `/environments/${environmentName(environment)}/initializer/${provider}/status`;
}

function tenantOf(target: RunTarget): string | null {
  return "tenantId" in target ? target.tenantId : null;
}

function forAdmins(): LiveplaneError {
  return new LiveplaneError(
    "PermissionDenied",
    "Only Admins of the environment can choose another target or act on another person's run.",
  );
}

function noRun(): LiveplaneError {
  return new LiveplaneError("NotFound", "There is no initialization.");
}

function unknownRegion(): LiveplaneError {
  return invalid([{ pointer: "#/region", code: "Enum", detail: "The cloud has no such region for this target." }]);
}
