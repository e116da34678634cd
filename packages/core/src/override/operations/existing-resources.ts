import type { Call, Handlers } from "../../contract/handler.ts";
import { invalid } from "../../contract/invalid.ts";
import type { DeclaredResources, ExistingResource } from "../../contract/schemas/resource-schemas.ts";
import { actorName, type EnvironmentRef, environmentName } from "../../contract/target.ts";
import { LiveplaneError } from "../../errors.ts";
import type { Cloud, CloudCall, CloudTarget, ListedResource } from "../../ports/cloud.ts";
import { inParallel } from "../../records/in-parallel.ts";
import type { Services } from "../../services.ts";
import type { AgentDeps } from "../agent/agent-deps.ts";
import { type DeclarableResource, declareResources } from "../protocol/declared-resources.ts";
import { markedBy } from "../protocol/marked-by.ts";
import { components, idOf, resourceKey } from "../records/component-record.ts";

type ExistingDeps = Pick<AgentDeps, "records" | "environments" | "clouds" | "calls"> &
  Pick<Services, "pages" | "access">;
type ResourceHandlers = Handlers<"environments.resources">;

/** Creates the handlers for resources that exist in an environment's clouds. They write to no cloud. */
export function createExistingResources(deps: ExistingDeps): ResourceHandlers {
  return {
    "environments.resources.list": (call) => list(deps, call),
    "environments.resources.declare": (call) => declare(deps, call),
  };
}

/** Where an environment's resources are in one cloud, and how to ask it. */
interface Place {
  readonly cloud: Cloud;
  readonly target: CloudTarget;
  readonly call: CloudCall;
}

async function list(
  deps: ExistingDeps,
  call: Call<"environments.resources.list">,
): ReturnType<ResourceHandlers["environments.resources.list"]> {
  const { params, query, actor } = call;
  const { provider } = query;
  const [place = null] =
    provider === undefined ? await placesIn(deps, params) : [await placeIn(deps, params, provider)];
  if (place === null)
    throw new LiveplaneError(
      "InvalidState",
      `The environment has no completed initialization of ${provider ?? "any cloud"}.`,
    );
  const { cloud, target } = place;
  const { discover } = cloud;
  if (discover === undefined)
    throw new LiveplaneError("FeatureDisabled", `The adapter of ${cloud.provider} can't list resources.`);
  requireScope(query.scope, target);
  const signal = call.signal?.();
  const bind = [
    actorName(actor),
    "resources.list",
    environmentName(params),
    cloud.provider,
    JSON.stringify(query.type ?? []),
  ];
  const { cursor, limit } = query;
  const page = await deps.pages.foreign(
    async (range) => {
      await deps.calls.turn(cloud, { resourceId: throttledIn(place), sort: "bulk", lane: "people", signal });
      return discover(target, range, { ...place.call, ...(signal && { signal }) });
    },
    { cursor, limit, bind },
  );
  const wanted = page.items.filter(({ type }) => isWanted(type, query.type));
  const items = await Promise.all(wanted.map((one) => existing(deps, call, one, place)));
  return { value: { items, nextCursor: page.nextCursor } };
}

async function existing(
  deps: ExistingDeps,
  { actor }: Pick<Call<"environments.resources.list">, "actor">,
  { resourceId, type, name, location, tags, ...made }: ListedResource,
  { cloud }: Place,
): Promise<ExistingResource> {
  const holder = await deps.records.find(components, "resource", resourceKey(cloud.provider, resourceId));
  const isSeen =
    holder !== null && (await deps.access.can(actor, { kind: "liveSystem", id: holder.liveSystemId }, "View"));
  const marked = holder === null ? markedBy({ tags, ...made }, cloud.capabilities) : ({ kind: "marked" } as const);
  const managedBy = isSeen ? ({ kind: "component", componentId: idOf(holder) } as const) : marked;
  const declarable = (cloud.typeOf?.(resourceId) ?? null) !== null;
  return { id: resourceId, type, name, location, tags: { ...tags }, managedBy, declarable };
}

const readsAtOnce = 16;

async function declare(
  deps: ExistingDeps,
  call: Call<"environments.resources.declare">,
): ReturnType<ResourceHandlers["environments.resources.declare"]> {
  const { params, body } = call;
  const environmentId = { type: params.type, ownerId: params.ownerId, shortName: params.shortName };
  const places = await placesIn(deps, environmentId);
  const read: DeclarableResource[] = [];
  const warnings: DeclaredResources["warnings"] = [];
  await inParallel(body.resourceIds, readsAtOnce, async (resourceId) => {
    const found = await readToDeclare(deps, places, resourceId);
    if (found.read !== undefined) read.push(found.read);
    if (found.detail !== undefined) warnings.push({ resourceId, detail: found.detail });
  });
  const declared = declareResources(read);
  const { components: own, secrets } = declared;
  const definition = {
    name: "Existing resources",
    environmentId,
    adopt: "exact",
    components: own.map((one) => ({ ...one })),
  };
  const all = [...warnings.sort((a, b) => (a.resourceId < b.resourceId ? -1 : 1)), ...declared.warnings];
  return { value: { definition, secrets: [...secrets], warnings: all } as DeclaredResources };
}

/** A resource as it is now, or why it can't be declared. All resources that the caller may not know about get the same answer. */
async function readToDeclare(
  { records, calls }: Pick<ExistingDeps, "records" | "calls">,
  places: readonly Place[],
  given: string,
): Promise<{ readonly read?: DeclarableResource; readonly detail?: string }> {
  const found = places.map((place) => ({ place, ...parsedIn(place, given) })).find(({ id }) => id !== null);
  if (found?.id == null || found.type === null)
    return { detail: "The ID is outside the environment's resource group or project, or its type is unknown." };
  const { place, id: resourceId, type, name } = found;
  const { cloud, target, call } = place;
  const { provider, capabilities } = cloud;
  if ((await records.find(components, "resource", resourceKey(provider, resourceId))) !== null)
    return { detail: "A component manages this resource already." };
  await calls.turn(cloud, { resourceId, sort: "read", lane: "people" });
  const reading = await cloud.read({ type, resourceId }, call);
  if (reading.state !== "present")
    return { detail: `The resource can't be declared now. It reads as ${reading.state}.` };
  const marked = markedBy(reading, capabilities);
  if (marked?.kind === "marked")
    return { detail: "It is tagged managed-by=platform, perhaps by another installation. Remove the tag there first." };
  const { tagParameter, caselessTagKeys } = capabilities;
  const facts = { facts: cloud.resourceType(type), tagParameter, caselessTagKeys };
  const read = { provider, type, resourceId, name, seen: reading, scope: target.scope, ...facts };
  return marked === null
    ? { read }
    : { read, detail: `${marked.name} manages this resource. Release it there before you deploy.` };
}

function parsedIn({ cloud, target }: Place, given: string) {
  const type = cloud.typeOf?.(given) ?? null;
  const parsed = type === null ? null : cloud.parseResourceId(type, given, target);
  return parsed !== null && "id" in parsed ? { type, ...parsed } : { type, id: null, name: "" };
}

async function placesIn(deps: ExistingDeps, environment: EnvironmentRef): Promise<Place[]> {
  const found = await Promise.all([...deps.clouds.keys()].map((provider) => placeIn(deps, environment, provider)));
  return found.filter((place) => place !== null);
}

/** `null`: the environment isn't initialized there. */
async function placeIn(
  { environments, clouds, calls }: Pick<ExistingDeps, "environments" | "clouds" | "calls">,
  { type, ownerId, shortName }: EnvironmentRef,
  provider: string,
): Promise<Place | null> {
  const environment = { type, ownerId, shortName };
  const cloud = clouds.get(provider);
  const target = cloud && (await environments.target(environment, provider));
  if (cloud === undefined || !target) return null;
  const credentials = await environments.agentCredentials(environment, provider);
  if (credentials === null)
    throw new LiveplaneError(
      "ProviderCredentialsMissing",
      `The agent has no credentials for ${provider} in this environment.`,
    );
  return { cloud: calls.over(cloud), target, call: { credentials } };
}

/** The unit in which the cloud counts the calls to a target. */
function throttledIn({ cloud, target }: Place): string {
  return cloud.resourceIdFor("any", "any", target) ?? target.scope;
}

/** A scope is named by the ID or name of the container, or of the subscription or project if there is no container. */
function requireScope(scope: string | undefined, { scope: own, container }: CloudTarget): void {
  if (scope === undefined) return;
  const steps = scope.toLowerCase().split("/");
  const isOwn =
    steps.at(-1) === (container ?? own).toLowerCase() && (steps.length === 1 || steps.includes(own.toLowerCase()));
  if (isOwn) return;
  const detail = "The environment's resources aren't there. Leave scope out to list its own resource group or project.";
  throw invalid([{ parameter: "scope", code: "Unknown", detail }]);
}

/** Whether a type matches the requested ones, in which `*` stands for any text. */
function isWanted(type: string, wanted: readonly string[] | undefined): boolean {
  if (wanted === undefined || wanted.length === 0) return true;
  return wanted.some((one) => fits(type.toLowerCase(), one.toLowerCase().split("*")));
}

function fits(text: string, parts: readonly string[]): boolean {
  const [first = "", ...rest] = parts;
  if (!text.startsWith(first)) return false;
  if (rest.length === 0) return text === first;
  let at = first.length;
  for (const part of rest.slice(0, -1)) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  const last = rest.at(-1) ?? "";
  return text.length - last.length >= at && text.endsWith(last);
}
