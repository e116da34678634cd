import { fitsWildcard } from "../../clouds/facts/wildcards.ts";
import { cloudName } from "../../contract/cloud-names.ts";
import type { Call, Handlers } from "../../contract/handler.ts";
import { invalid } from "../../contract/invalid.ts";
import type { DeclaredResources, ExistingResource } from "../../contract/schemas/resource-schemas.ts";
import { actorName, type EnvironmentRef, environmentName } from "../../contract/target.ts";
import { LiveplaneError } from "../../errors.ts";
import type { Cloud, CloudCall, CloudTarget, ListedResource } from "../../ports/cloud.ts";
import { inParallel } from "../../records/in-parallel.ts";
import type { Services } from "../../services.ts";
import type { AgentDeps } from "../agent/agent-deps.ts";
import { placeOfId } from "../declarations/place-violations.ts";
import { type DeclarableResource, declareResources } from "../protocol/declared-resources.ts";
import { markedBy } from "../protocol/marked-by.ts";
import { components, idOf, resourceKey } from "../records/component-record.ts";
import { notInitialized } from "./deployment.ts";

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
  readonly targets: readonly CloudTarget[];
  readonly call: CloudCall;
  /** What the initialization made for the environment itself: nothing to adopt. */
  readonly initialized: ReadonlySet<string>;
}

const byInitialization = "the environment's initialization";

async function list(
  deps: ExistingDeps,
  call: Call<"environments.resources.list">,
): ReturnType<ResourceHandlers["environments.resources.list"]> {
  const { params, query, actor } = call;
  const { provider } = query;
  const [place = null] =
    provider === undefined ? await placesIn(deps, params) : [await placeIn(deps, params, provider)];
  if (place === null) throw notInitialized(provider);
  const { cloud } = place;
  const { discover } = cloud;
  if (discover === undefined)
    throw new LiveplaneError("FeatureDisabled", `The adapter of ${cloudName(cloud.provider)} can't list resources.`);
  const targets = query.scope === undefined ? apart(place.targets) : [targetNamed(query.scope, place.targets)];
  const signal = call.signal?.();
  const bind = [
    actorName(actor),
    "resources.list",
    environmentName(params),
    cloud.provider,
    JSON.stringify([query.type ?? [], targets, query.nested ?? false]),
  ];
  const { cursor, limit } = query;
  const page = await deps.pages.foreign(
    async ({ after, limit: most }) => {
      const [, at = "0", token = null] = /^(\d+) (.*)$/s.exec(after ?? "") ?? [];
      const target = targets[Number(at)];
      if (target === undefined) return { items: [], next: null };
      await deps.calls.turn(cloud, { resourceId: throttledIn(cloud, target), sort: "bulk", lane: "people", signal });
      const nested = query.nested === true && { nested: (type: string) => isWanted(type, query.type) };
      const range = { after: token || null, limit: most, ...nested };
      const found = await discover(target, range, { ...place.call, ...(signal && { signal }) });
      const last = Number(at) + 1 < targets.length ? `${Number(at) + 1} ` : null;
      return { ...found, next: found.next === null ? last : `${at} ${found.next}` };
    },
    { cursor, limit, bind },
  );
  const wanted = page.items.filter(({ type }) => isWanted(type, query.type));
  const items = await Promise.all(wanted.map((one) => existing(deps, call, one, place)));
  return { value: { ...page, items } };
}

async function existing(
  deps: ExistingDeps,
  { actor }: Pick<Call<"environments.resources.list">, "actor">,
  { resourceId, type, name, location, tags, ...made }: ListedResource,
  { cloud, initialized }: Place,
): Promise<ExistingResource> {
  const holder = await deps.records.find(components, "resource", resourceKey(cloud.provider, resourceId));
  const isSeen =
    holder !== null && (await deps.access.can(actor, { kind: "liveSystem", id: holder.liveSystemId }, "View"));
  const marked = holder === null ? markedBy({ tags, ...made }, cloud.capabilities) : ({ kind: "marked" } as const);
  const isOwn = initialized.has(resourceId.toLowerCase());
  const other = isOwn ? ({ kind: "tool", name: byInitialization } as const) : marked;
  const managedBy = isSeen ? ({ kind: "component", componentId: idOf(holder) } as const) : other;
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
  const judged = places.flatMap((place) => parsedIn(place, given) ?? []);
  const found = judged.find(({ parsed }) => "id" in parsed) ?? judged[0];
  if (found === undefined) return { detail: "The type of this resource is unknown." };
  const { place, type, target, parsed } = found;
  if ("refused" in parsed) return { detail: parsed.detail };
  const { id: resourceId, name } = parsed;
  const { cloud, call } = place;
  const { provider, capabilities } = cloud;
  if ((await records.find(components, "resource", resourceKey(provider, resourceId))) !== null)
    return { detail: "A component manages this resource already." };
  if (place.initialized.has(resourceId.toLowerCase())) return { detail: `It belongs to ${byInitialization}.` };
  await calls.turn(cloud, { resourceId, sort: "read", lane: "people" });
  const reading = await cloud.read({ type, resourceId }, call);
  if (reading.state !== "present")
    return { detail: `The resource can't be declared now. It reads as ${reading.state}.` };
  const marked = markedBy(reading, capabilities);
  if (marked?.kind === "marked")
    return {
      detail:
        "It has the tag managed-by=platform: something else manages it, or a deleted component left it. If nothing manages it, remove the tag first.",
    };
  const { tagParameter, caselessTagKeys } = capabilities;
  const facts = { facts: cloud.resourceType(type), tagParameter, caselessTagKeys };
  const read = { provider, type, resourceId, name, seen: reading, scope: target.scope, ...facts };
  return marked === null
    ? { read }
    : { read, detail: `${marked.name} manages this resource. Release it there before you deploy.` };
}

/** `null`: the cloud doesn't know the type. */
function parsedIn(place: Place, given: string) {
  const type = place.cloud.typeOf?.(given) ?? null;
  const judged = type === null ? null : placeOfId(place.cloud, type, given, place.targets);
  return type === null || judged === null ? null : { place, type, ...judged };
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
  const targets = cloud && (await environments.targets(environment, provider));
  if (cloud === undefined || !targets?.length) return null;
  const credentials = await environments.agentCredentials(environment, provider);
  if (credentials === null)
    throw new LiveplaneError(
      "ProviderCredentialsMissing",
      `The agent has no credentials for ${cloudName(provider)} in this environment.`,
    );
  const initialized = await environments.initialized(environment, provider);
  return { cloud: calls.over(cloud), targets, call: { credentials }, initialized };
}

/** What a throttle counts for the calls in a target. */
function throttledIn(cloud: Cloud, target: CloudTarget): string {
  return cloud.resourceIdFor("any", "any", target) ?? target.scope;
}

/** The targets that are in no other: what two of them hold is listed once. */
function apart(targets: readonly CloudTarget[]): readonly CloudTarget[] {
  return targets.filter((one, at) =>
    targets.every((other, where) => where === at || !isWithin(one, other) || (isWithin(other, one) && at < where)),
  );
}

/** Whether everything in one target is in another. */
function isWithin(inner: CloudTarget, outer: CloudTarget): boolean {
  return (["scope", "container", "location"] as const).every(
    (member) => outer[member] === undefined || inner[member]?.toLowerCase() === outer[member].toLowerCase(),
  );
}

/** A scope is named by the ID or the name of its container or location, or of its subscription or project where it has neither. */
function targetNamed(scope: string, targets: readonly CloudTarget[]): CloudTarget {
  const steps = scope.toLowerCase().split("/");
  const found = targets.find(
    ({ scope: own, container, location }) =>
      steps.at(-1) === (container ?? location ?? own).toLowerCase() &&
      (steps.length === 1 || steps.includes(own.toLowerCase())),
  );
  if (found !== undefined) return found;
  const detail =
    "The environment's resources aren't there. Leave scope out to list everything, or ask an Admin to add it to resourceScopes.";
  throw invalid([{ parameter: "scope", code: "Unknown", detail }]);
}

/** Whether a type matches the requested ones, in which `*` stands for any text. */
function isWanted(type: string, wanted: readonly string[] | undefined): boolean {
  if (wanted === undefined || wanted.length === 0) return true;
  return wanted.some((one) => fitsWildcard(type, one));
}
