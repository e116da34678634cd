import { cloudName } from "../../contract/cloud-names.ts";
import { invalid, noEnvironment } from "../../contract/invalid.ts";
import type { LiveSystemDefinition } from "../../contract/schemas/live-system-schemas.ts";
import { type EnvironmentRef, environmentName } from "../../contract/target.ts";
import { toHex, utf8 } from "../../encoding.ts";
import { LiveplaneError, type Violation } from "../../errors.ts";
import { fragmentOf, stepsOf } from "../../json-pointer.ts";
import type { CloudTarget } from "../../ports/cloud.ts";
import type { Change } from "../../records/records.ts";
import type { Services } from "../../services.ts";
import { type Declaration, type ParsedComponent, parseDeclaration } from "../declarations/declaration.ts";
import { type DeclaredComponent, type Definition, declaredGroupPath, pathKey } from "../declarations/definition.ts";
import { isIgnored, placesAsDeclared } from "../declarations/ignored.ts";
import { placeOfId, placeViolations } from "../declarations/place-violations.ts";
import { unobserved } from "../protocol/conditions.ts";
import { redactedIn } from "../protocol/secret-places.ts";
import {
  type ComponentRecord,
  componentKey,
  components,
  nothingObserved,
  type ResourcePlace,
  resourceKey,
} from "../records/component-record.ts";

/** A definition that may be deployed, and where its resources go. */
export interface Deployment {
  readonly definition: Definition;
  readonly declaration: Declaration;
  /** By provider, where new resources go first. None: no initialization of it is completed. */
  readonly targets: ReadonlyMap<string, readonly CloudTarget[]>;
}

/** A definition as stored, without empty members. What a redeploy omits stays as before. */
export function definitionOf(
  { name, description, environmentId, resourceGroupId, adopt = null, components: declared }: LiveSystemDefinition,
  before: Pick<Definition, "description" | "resourceGroupId"> | null,
): Definition {
  return {
    name,
    description: (description === undefined ? before?.description : description) ?? null,
    environmentId,
    resourceGroupId: (resourceGroupId === undefined ? before?.resourceGroupId : resourceGroupId) ?? null,
    ...(adopt !== null && { adopt }),
    components: declared.map(({ parameters, ...rest }) => {
      const members = Object.entries(rest).filter(([, value]) => value !== undefined && value !== null);
      return {
        ...(Object.fromEntries(members) as typeof rest),
        parameters: (parameters ?? {}) as Definition["components"][number]["parameters"],
      };
    }),
  };
}

/** What a redeploy can't change. */
export type Fixed = Pick<Definition, "environmentId" | "resourceGroupId">;

/** The existing state that a redeploy is judged against. */
export interface Standing extends Fixed {
  /** Whether a declared component has its resource; ignored references then need no value. */
  readonly isProvisioned: (declared: DeclaredComponent) => boolean;
}

/**
 * Validates a definition in its context and collects every error. A redeploy is judged by the live system's own environment, never by
 * another that the definition names, which the caller may not see.
 */
export async function judgeDeclaration(
  deps: Pick<Services, "environments" | "clouds">,
  definition: Definition,
  before: Standing | null,
): Promise<Deployment> {
  const declaration = parseDeclaration(definition, deps.clouds);
  const errors: Violation[] = [...declaration.errors, ...hiddenViolations(definition)];
  if (before !== null) errors.push(...changesThatCannotBe(definition, before));
  const environment = before?.environmentId ?? definition.environmentId;
  errors.push(...(await groupViolations(deps, definition, { environment, before })));
  errors.push(...(await secretViolations(deps, declaration, { environment, before })));
  refuseDeclaration(errors);
  const providers = [...new Set(definition.components.map(({ provider }) => provider))];
  const targets = new Map<string, readonly CloudTarget[]>();
  for (const provider of providers) {
    const places = await deps.environments.targets(environment, provider);
    targets.set(provider, places);
    if (places.length === 0) continue;
    if ((await deps.environments.agentCredentials(environment, provider)) === null) {
      throw new LiveplaneError(
        "ProviderCredentialsMissing",
        `The agent has no credentials for ${cloudName(provider)} in this environment.`,
      );
    }
  }
  return { definition, declaration, targets };
}

/** Reports hidden values that no definition in force has at their places: the cloud would receive `[redacted]`. */
function hiddenViolations({ components: declared }: Definition): Violation[] {
  const detail = 'An answer hid this value. Write the value itself, or {"$secret": "name"}.';
  return declared.flatMap(({ parameters }, at) =>
    redactedIn(parameters).map((pointer): Violation => {
      const place = fragmentOf(["components", at, "parameters", ...stepsOf(pointer)]);
      return { pointer: place, code: "InvalidDeclaration", detail };
    }),
  );
}

/** Throws `InvalidDeclaration` with every wrong place. */
export function refuseDeclaration(errors: readonly Violation[]): void {
  const [first, ...others] = errors;
  if (first !== undefined) throw invalid([first, ...others]);
}

/** Throws a conflict if the environment isn't initialized where the deploy needs it. */
export function requireTargets({ targets }: Deployment): void {
  for (const [provider, places] of targets) {
    if (places.length === 0) throw notInitialized(provider);
  }
}

/** The refusal of work that needs an initialization. */
export function notInitialized(provider = "any cloud"): LiveplaneError {
  return new LiveplaneError(
    "InvalidState",
    `The environment isn't initialized in ${cloudName(provider)}. Initialize it there first.`,
  );
}

interface PlaceFacts extends Pick<Deployment, "targets"> {
  /** The names of the other components' resources. */
  readonly taken: ReadonlySet<string>;
  readonly deps: Pick<Services, "runtime" | "clouds">;
}

/** Where a component's resource is or will be; fixed at its first deploy. */
export async function stepPlaceOf(
  { declared }: Pick<ParsedComponent, "declared">,
  liveSystemId: string,
  facts: PlaceFacts,
): Promise<ResourcePlace> {
  const { targets, deps } = facts;
  const places = targets.get(declared.provider) ?? [];
  const own = places[0] ?? { scope: "", region: "" };
  const name = declared.resourceName ?? (await derivedName(`${liveSystemId}/${pathKey(declared.path)}`, facts));
  const { type, resourceId } = declared;
  const cloud = deps.clouds.get(declared.provider);
  if (typeof resourceId !== "string") {
    const id = cloud?.resourceIdFor(type, name, own) ?? null;
    return { id, name, given: typeof declared.resourceName === "string", target: own };
  }
  const { target, parsed } = (cloud && placeOfId(cloud, type, resourceId, places)) ?? { target: own, parsed: {} };
  return { id: "id" in parsed ? parsed.id : resourceId, name, given: true, target };
}

/**
 * The component's own name, with enough of a digest to differ from those in every other live system. A moved component keeps its resource's
 * name, so the next component at its old path gets another.
 */
async function derivedName(id: string, { taken, deps }: PlaceFacts): Promise<string> {
  const own = (id.split("/").at(-1) ?? "").slice(0, 40);
  for (let time = 1; ; time++) {
    const digest = await deps.runtime.crypto.digest(utf8(time === 1 ? id : `${id}#${time}`));
    const name = `${/^[a-z]/.test(own) ? own : `c-${own}`}-${toHex(digest).slice(0, 10)}`;
    if (!taken.has(name)) return name;
  }
}

/** A component that was declared and not yet checked. */
export function newComponent(
  { declared }: Pick<ParsedComponent, "declared">,
  { liveSystemId, environment, place, mutationId, at, by }: NewComponentFacts,
): ComponentRecord {
  return {
    liveSystemId,
    path: declared.path,
    environment,
    provider: declared.provider,
    type: declared.type,
    left: null,
    carriedOut: null,
    governedBy: null,
    heldBy: null,
    resource: place,
    provisioned: false,
    leaving: false,
    step: { mutationId, state: "pending", error: null },
    status: "Active",
    identity: null,
    lost: false,
    request: null,
    override: null,
    observed: nothingObserved,
    conditions: unobserved(at),
    start: null,
    applied: {},
    appliedItems: {},
    work: null,
    operation: null,
    working: null,
    madeAt: null,
    intent: null,
    lastWriteAt: null,
    failures: null,
    tried: null,
    contested: null,
    settled: {},
    createdAt: at,
    createdBy: by,
    updatedAt: at,
    updatedBy: by,
  };
}

interface NewComponentFacts {
  readonly liveSystemId: string;
  readonly environment: EnvironmentRef;
  readonly place: ResourcePlace;
  readonly mutationId: string;
  readonly at: string;
  readonly by: string;
}

/** A resource belongs to one component of the installation; this is checked in the commit that claims it. */
export async function requireFree(change: Change, record: ComponentRecord): Promise<void> {
  const { provider, resource } = record;
  if (resource.id === null) return;
  const holder = await change.find(components, "resource", resourceKey(provider, resource.id));
  const own = componentKey(record.liveSystemId, record.path).join("/");
  if (holder !== null && componentKey(holder.liveSystemId, holder.path).join("/") !== own) {
    throw new LiveplaneError("AlreadyExists", `The resource of ${record.path} belongs to another component.`);
  }
}

/** What a redeploy can't change: the environment, the group, and the provider, type and resource of each path. */
function changesThatCannotBe(now: Fixed, before: Fixed): Violation[] {
  const errors: Violation[] = [];
  const report = (pointer: string, detail: string) => errors.push({ pointer, code: "InvalidDeclaration", detail });
  if (environmentName(now.environmentId) !== environmentName(before.environmentId)) {
    report("#/environmentId", "A live system can't move to another environment.");
  }
  const [group, old] = [now, before].map(({ resourceGroupId: id }) =>
    id ? declaredGroupPath(id).toLowerCase() : null,
  );
  if (group !== old) report("#/resourceGroupId", "A live system can't move to another resource group.");
  return errors;
}

/** Changes that existing components can't make, and places that new ones can't have. */
export function resourceViolations(
  { definition, targets }: Pick<Deployment, "definition" | "targets">,
  { existing, clouds }: Pick<Services, "clouds"> & { readonly existing: ReadonlyMap<string, ComponentRecord> },
): Violation[] {
  const fixed = definition.components.flatMap(({ path, provider, type }, at): Violation[] => {
    const record = existing.get(pathKey(path));
    if (record === undefined) return [];
    const errors: Violation[] = [];
    const report = (member: string, detail: string) =>
      errors.push({ pointer: `#/components/${at}/${member}`, code: "InvalidDeclaration", detail });
    if (provider !== record.provider) report("provider", "A component's provider can't change. Use another path.");
    if (type !== record.type) report("type", "A component's type can't change. Use another path.");
    return errors;
  });
  return [...fixed, ...placeViolations(definition, { clouds, targets, existing })];
}

async function groupViolations(
  { environments }: Pick<Services, "environments">,
  { resourceGroupId }: Definition,
  { environment, before }: { readonly environment: EnvironmentRef; readonly before: Fixed | null },
): Promise<Violation[]> {
  const groups = await environments.groups(environment);
  if (groups === null) throw before === null ? noEnvironment() : new LiveplaneError("NotFound");
  // A live system stays in its group even if that is no longer listed, because it can't be changed.
  if (!resourceGroupId || before !== null) return [];
  const name = declaredGroupPath(resourceGroupId).toLowerCase();
  if (groups.some((group) => group.toLowerCase() === name)) return [];
  return [
    {
      pointer: "#/resourceGroupId",
      code: "InvalidDeclaration",
      detail: "The environment does not contain this resource group.",
    },
  ];
}

async function secretViolations(
  { environments, clouds }: Pick<Services, "environments" | "clouds">,
  { components: parsed }: Declaration,
  { environment, before }: { readonly environment: EnvironmentRef; readonly before: Standing | null },
): Promise<Violation[]> {
  const errors: Violation[] = [];
  const known = new Map<string, boolean>();
  for (const [at, { declared, references }] of parsed.entries()) {
    const settled = before?.isProvisioned(declared) === true ? ignoredIn(declared, clouds) : [];
    for (const reference of references) {
      if (reference.kind !== "secret" || isIgnored(reference.pointer, settled)) continue;
      const { shortName, pointer } = reference;
      const exists = known.get(shortName) ?? (await environments.secretVersion(environment, shortName)) !== null;
      known.set(shortName, exists);
      if (exists) continue;
      const detail = `The environment has no secret ${shortName}, which ${declared.path} refers to.`;
      errors.push({
        pointer: fragmentOf(["components", at, "parameters", ...stepsOf(pointer)]),
        code: "InvalidDeclaration",
        detail,
      });
    }
  }
  return errors;
}

function ignoredIn(
  { ignoreChanges, parameters, provider }: DeclaredComponent,
  clouds: Services["clouds"],
): readonly string[] {
  const cloud = clouds.get(provider);
  return cloud === undefined ? [] : placesAsDeclared(ignoreChanges ?? [], parameters, cloud.capabilities);
}
