import type { Access } from "../account/access.ts";
import type { Answer, Call, Handlers } from "../contract/handler.ts";
import type { LiveSystemDefinition, Mutation } from "../contract/live-system-schemas.ts";
import { checkPreconditions } from "../contract/preconditions.ts";
import { actorName, environmentName } from "../contract/target.ts";
import { LiveplaneError } from "../errors.ts";
import type { Pages } from "../records/pages.ts";
import type { Change, Records, Stored } from "../records/records.ts";
import { countUse, liveSystemsIn } from "../records/uses.ts";
import { nowText } from "./agent-deps.ts";
import { type ComponentRecord, components } from "./component-record.ts";
import { type Definition, groupName, pathKey, plainName } from "./definition.ts";
import {
  type Deployment,
  type DeploymentDeps,
  fixedViolations,
  judgeDefinition,
  newComponent,
  placeOf,
  refuse,
  requireFree,
  requireTargets,
} from "./deployment.ts";
import {
  countComponents,
  type LiveSystemRecord,
  liveSystems,
  type MutationRecord,
  mutationPath,
  mutations,
  toLiveSystem,
  toMutation,
} from "./live-system-record.ts";
import { emitMutation } from "./mutations.ts";

/** What live systems need. */
export interface LiveSystemsDeps extends DeploymentDeps {
  readonly records: Records;
  readonly pages: Pages;
  readonly access: Pick<Access, "can">;
  /** Has a live system's mutation carried out at once. */
  readonly wake: (liveSystemId: string) => void;
}

type LiveSystemHandlers = Pick<
  Handlers<"liveSystems">,
  "liveSystems.create" | "liveSystems.deploy" | "liveSystems.delete" | "liveSystems.get" | "liveSystems.list"
>;

/** Builds the operations on live systems themselves. */
export function createLiveSystems(deps: LiveSystemsDeps): LiveSystemHandlers {
  const { records, pages, access, wake } = deps;

  async function begun(mutation: MutationRecord): Promise<Answer<Mutation>> {
    wake(mutation.livesystemId);
    return { value: await shownMutation(records, mutation), location: mutationPath(mutation) };
  }

  return {
    "liveSystems.create": async ({ body, cause, preconditions }) => {
      const definition = definitionOf(body);
      const deployment = await judgeDefinition(definition, null, deps);
      checkPreconditions(preconditions, null, { creates: true });
      requireTargets(deployment);
      const draft = await draftOf(deps.runtime.newId(), deployment, new Map(), { deps, by: cause.actor });
      await records.change(cause, async (change) => {
        if ((await deps.environments.groups(definition.environmentId, change)) === null)
          throw new LiveplaneError("NotFound");
        await countUse(change, liveSystemsIn(environmentName(definition.environmentId)), 1);
        const { at, mutation } = draft;
        const stamps = { createdAt: at, createdBy: cause.actor, updatedAt: at, updatedBy: cause.actor };
        const { livesystemId: id } = mutation;
        change.put(liveSystems, { id, status: "Active", definition, lastMutationId: mutation.id, ...stamps });
        await putDraft(change, draft);
      });
      return begun(draft.mutation);
    },

    "liveSystems.deploy": async ({ params: { id }, body, cause, preconditions }) => {
      const known = await found(records, id);
      const definition = definitionOf(body);
      const deployment = await judgeDefinition(definition, known.definition, deps);
      const existing = await componentsOf(records, known.id);
      refuse(fixedViolations(definition, existing));
      const draft = await draftOf(known.id, deployment, existing, { deps, by: cause.actor });
      await records.change(cause, async (change) => {
        const system = await found(change, id);
        checkPreconditions(preconditions, system);
        requireActive(system);
        requireTargets(deployment);
        await supersede(change, system, draft.at);
        const lastMutationId = draft.mutation.id;
        change.put(liveSystems, { ...system, definition, lastMutationId, updatedAt: draft.at, updatedBy: cause.actor });
        await putDraft(change, draft);
      });
      return begun(draft.mutation);
    },

    "liveSystems.delete": async ({ params: { id }, cause, preconditions }) => {
      const at = nowText(deps);
      const mutation = newMutation({
        id: deps.runtime.newId(),
        livesystemId: id.toLowerCase(),
        kind: "Delete",
        definition: null,
        createdAt: at,
        createdBy: cause.actor,
      });
      await records.change(cause, async (change) => {
        const system = await found(change, id);
        checkPreconditions(preconditions, system);
        requireActive(system);
        await supersede(change, system, at);
        change.put(liveSystems, {
          ...system,
          status: "Deleting",
          lastMutationId: mutation.id,
          updatedAt: at,
          updatedBy: cause.actor,
        });
        change.put(mutations, mutation);
      });
      return begun(mutation);
    },

    "liveSystems.get": async ({ params: { id } }) => ({ value: toLiveSystem(await found(records, id)) }),

    "liveSystems.list": async ({ actor, query }) => {
      const page = await pages.page<LiveSystemRecord>(
        (range) => records.list(liveSystems, { ...indexFor(query), ...range }),
        {
          cursor: query.cursor,
          limit: query.limit,
          bind: [actorName(actor), "liveSystems.list", JSON.stringify([query.environment, query.resourceGroup])],
        },
        ({ id, definition }) => fits(definition, query) && access.can(actor, { kind: "liveSystem", id }, "View"),
      );
      return { value: { items: page.items.map((record) => toLiveSystem(record)), nextCursor: page.nextCursor } };
    },
  };
}

/** A live system that is there; throws `NotFound` for what is deleted. */
export async function found(reader: Pick<Records, "get">, id: string): Promise<Stored<LiveSystemRecord>> {
  const record = await reader.get(liveSystems, [id.toLowerCase()]);
  if (record === null || record.status === "Deleted") throw new LiveplaneError("NotFound");
  return record;
}

/** The components of a live system by path, as they are compared. */
export async function componentsOf(
  reader: Pick<Records, "list">,
  liveSystemId: string,
): Promise<Map<string, Stored<ComponentRecord>>> {
  const listed = await reader.list(components, { prefix: [liveSystemId] });
  return new Map(listed.map(({ record }) => [pathKey(record.path), record]));
}

/** A mutation with its components as they are now. */
export async function shownMutation(
  records: Records,
  { livesystemId, id }: Pick<MutationRecord, "livesystemId" | "id">,
): Promise<Mutation> {
  const record = await records.get(mutations, [livesystemId, id]);
  if (record === null) throw new LiveplaneError("NotFound");
  return toMutation(record, [...(await componentsOf(records, livesystemId)).values()]);
}

/** A definition as it is kept: without members that say nothing. */
export function definitionOf({
  name,
  description,
  environmentId,
  resourceGroupId,
  components: declared,
}: LiveSystemDefinition): Definition {
  return {
    name,
    description: description ?? null,
    environmentId,
    resourceGroupId: resourceGroupId ?? null,
    components: declared.map(({ parameters, ...rest }) => {
      const members = Object.entries(rest).filter(([, value]) => value !== undefined && value !== null);
      return {
        ...(Object.fromEntries(members) as typeof rest),
        parameters: (parameters ?? {}) as Definition["components"][number]["parameters"],
      };
    }),
  };
}

/** All that a deploy writes at once. */
interface Draft {
  readonly at: string;
  readonly mutation: MutationRecord;
  readonly added: readonly ComponentRecord[];
}

async function draftOf(
  livesystemId: string,
  deployment: Deployment,
  existing: ReadonlyMap<string, ComponentRecord>,
  { deps, by }: { readonly deps: DeploymentDeps; readonly by: string },
): Promise<Draft> {
  const { definition, declaration } = deployment;
  const at = nowText(deps);
  const mutation = newMutation({
    id: deps.runtime.newId(),
    livesystemId,
    kind: "Deploy",
    definition,
    createdAt: at,
    createdBy: by,
  });
  const added: ComponentRecord[] = [];
  for (const component of declaration.components) {
    if (existing.has(pathKey(component.declared.path))) continue;
    const place = await placeOf(component, livesystemId, { targets: deployment.targets, deps });
    added.push(
      newComponent(component, { liveSystemId: livesystemId, definition, place, mutationId: mutation.id, at, by }),
    );
  }
  return { at, mutation, added };
}

function newMutation(
  facts: Pick<MutationRecord, "id" | "livesystemId" | "kind" | "definition" | "createdAt" | "createdBy">,
): MutationRecord {
  return { ...facts, status: "Pending", released: [], held: [], error: null, completedAt: null };
}

async function putDraft(change: Change, { mutation, added }: Draft): Promise<void> {
  let count = 0;
  for (const record of added) {
    const known = await change.get(components, components.key(record));
    if (known !== null && known.type === record.type && known.provider === record.provider) continue;
    if (known !== null) throw new LiveplaneError("Conflict");
    await requireFree(change, record);
    change.put(components, record);
    count += 1;
  }
  await countComponents(change, mutation.livesystemId, count);
  change.put(mutations, mutation);
}

/** What waits is replaced by what is newer. */
async function supersede(change: Change, { id, lastMutationId }: LiveSystemRecord, at: string): Promise<void> {
  const last = await change.get(mutations, [id, lastMutationId]);
  if (last?.status !== "Pending") return;
  const error = { code: "Superseded", detail: "A newer mutation took its place.", componentId: null };
  change.put(mutations, { ...last, status: "Failed", error, completedAt: at });
  emitMutation(change, { ...last, error }, "failed");
}

function requireActive({ status }: LiveSystemRecord): void {
  if (status !== "Active") throw new LiveplaneError("InvalidState", "The live system is being deleted.");
}

type ListQuery = Call<"liveSystems.list">["query"];

function indexFor({ environment, resourceGroup }: ListQuery) {
  if (environment !== undefined) return { index: "inEnvironment", prefix: [plainName(environment)] } as const;
  if (resourceGroup !== undefined) return { index: "inGroup", prefix: [plainName(resourceGroup)] } as const;
  return { index: "created" } as const;
}

function fits({ environmentId, resourceGroupId }: Definition, { environment, resourceGroup }: ListQuery): boolean {
  if (environment !== undefined && plainName(environmentName(environmentId)) !== plainName(environment)) return false;
  if (resourceGroup === undefined) return true;
  return resourceGroupId ? plainName(groupName(resourceGroupId)) === plainName(resourceGroup) : false;
}
