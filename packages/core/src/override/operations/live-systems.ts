import type { Reach } from "../../access/access.ts";
import type { Call, Handlers } from "../../contract/handler.ts";
import type { Component, LiveSystem } from "../../contract/schemas/live-system-schemas.ts";
import { actorName, environmentName } from "../../contract/target.ts";
import { LiveplaneError } from "../../errors.ts";
import { listTogether } from "../../records/lists-together.ts";
import type { Records, Stored } from "../../records/records.ts";
import type { Services } from "../../services.ts";
import { declaredGroupPath, pathKey, plainName } from "../declarations/definition.ts";
import { type ComponentRecord, components, toComponent } from "../records/component-record.ts";
import { type Declarations, declaredIn, type InForce, shownDefinition } from "../records/in-force.ts";
import { placesReached, reaches } from "../records/list-scope.ts";
import {
  type LiveSystemRecord,
  liveSystems,
  type MutationRecord,
  mutations,
  toLiveSystem,
  toMutation,
} from "../records/live-system-record.ts";
import { healthOfAll } from "./live-system-health.ts";

type LiveSystemHandlers = Pick<Handlers<"liveSystems">, "liveSystems.get" | "liveSystems.list" | "liveSystems.health">;

/** Creates the handlers that read live systems. */
export function createLiveSystems(
  deps: Pick<Services, "records" | "pages" | "access" | "declarations">,
): LiveSystemHandlers {
  const { records, declarations } = deps;
  return {
    "liveSystems.get": async ({ params: { id } }) => {
      const inForce = await foundInForce(declarations, id);
      const { system } = inForce;
      const last = await records.get(mutations, [system.id, system.lastMutationId]);
      return { value: toLiveSystem(system, shownDefinition(inForce), last) };
    },

    "liveSystems.list": async (call) => {
      const page = await visiblePage(deps, "liveSystems.list", call);
      return { value: { items: await shown(deps, page.items), nextCursor: page.nextCursor } };
    },

    "liveSystems.health": async (call) => {
      const page = await visiblePage(deps, "liveSystems.health", call);
      return { value: { items: await healthOfAll(deps, page.items), nextCursor: page.nextCursor } };
    },
  };
}

/** A page of the live systems that the caller may view, in order of creation. */
async function visiblePage(
  { pages, access }: Pick<Services, "pages" | "access">,
  list: "liveSystems.list" | "liveSystems.health",
  { actor, query, reader }: Pick<Call<"liveSystems.list">, "actor" | "query" | "reader">,
) {
  const { environment, resourceGroup, cursor, limit } = query;
  return pages.page<LiveSystemRecord>(
    listTogether(reader, liveSystems, placesFor(query, await access.reach(actor, reader))),
    { cursor, limit, bind: [actorName(actor), list, JSON.stringify([environment, resourceGroup])] },
    (record) => fits(record, query) && access.can(actor, { kind: "liveSystem", id: record.id }, "View", { reader }),
  );
}

/** An existing live system; throws `NotFound` for a deleted one. */
export async function foundLiveSystem(reader: Pick<Records, "get">, id: string): Promise<Stored<LiveSystemRecord>> {
  const record = await reader.get(liveSystems, [id.toLowerCase()]);
  if (record === null || record.status === "Deleted") throw new LiveplaneError("NotFound");
  return record;
}

/** An existing live system with its definition in force; throws `NotFound` for a deleted one. */
export async function foundInForce(declarations: Declarations, id: string): Promise<InForce> {
  const plain = id.toLowerCase();
  const found = (await declarations.of([plain])).get(plain);
  if (found === undefined) throw new LiveplaneError("NotFound");
  return found;
}

/** Components as the API shows them, without those whose live system is gone. */
export async function shownComponents(
  { declarations, sweeps }: ShownBy,
  found: readonly Stored<ComponentRecord>[],
): Promise<Component[]> {
  const inForce = await declarations.of(found.map(({ liveSystemId }) => liveSystemId));
  const swept = new Map<string, string | null>();
  for (const id of inForce.keys()) swept.set(id, await sweeps.lastOver(id));
  return found.flatMap((record) => {
    const system = inForce.get(record.liveSystemId);
    if (system === undefined) return [];
    return [toComponent(record, declaredIn(system, record), swept.get(record.liveSystemId) ?? null)];
  });
}

/** What showing components needs. */
export type ShownBy = Pick<Services, "declarations" | "sweeps">;

async function shown(
  { records, declarations }: Pick<Services, "records" | "declarations">,
  page: readonly Stored<LiveSystemRecord>[],
): Promise<LiveSystem[]> {
  const found = await declarations.of(page.map(({ id }) => id));
  const inForce = page.flatMap(({ id }) => found.get(id) ?? []);
  const last = await records.getMany(
    mutations,
    inForce.map(({ system }) => [system.id, system.lastMutationId]),
  );
  return inForce.map((one, at) => toLiveSystem(one.system, shownDefinition(one), last[at] ?? null));
}

/** A live system that is there, or was: its history stays readable. */
export async function foundEver(reader: Pick<Records, "get">, id: string): Promise<Stored<LiveSystemRecord>> {
  const record = await reader.get(liveSystems, [id.toLowerCase()]);
  if (record === null) throw new LiveplaneError("NotFound");
  return record;
}

/** The components of a live system by the comparable form of their paths. */
export async function componentsOf(
  reader: Pick<Records, "list">,
  liveSystemId: string,
): Promise<Map<string, Stored<ComponentRecord>>> {
  const listed = await reader.list(components, { prefix: [liveSystemId] });
  return new Map(listed.map(({ record }) => [pathKey(record.path), record]));
}

type ListQuery = Call<"liveSystems.list">["query"];

const indexes = { all: "created", ofOwner: "ofOwner", inEnvironment: "inEnvironment" } as const;

/** A group belongs to its environments' owner, so its contents are found through that owner. */
function placesFor({ environment, resourceGroup }: ListQuery, reach: Reach) {
  const inGroup = environment === undefined && resourceGroup !== undefined && reach.environment === null;
  if (!inGroup) return placesReached(reach, indexes, environment);
  return reaches(reach, resourceGroup) ? [{ index: "inGroup", prefix: [plainName(resourceGroup)] } as const] : [];
}

function fits(
  { environmentId, resourceGroupId }: LiveSystemRecord,
  { environment, resourceGroup }: ListQuery,
): boolean {
  if (environment !== undefined && plainName(environmentName(environmentId)) !== plainName(environment)) return false;
  if (resourceGroup === undefined) return true;
  return resourceGroupId ? plainName(declaredGroupPath(resourceGroupId)) === plainName(resourceGroup) : false;
}

/** Creates the handlers that read mutations. */
export function createMutationLists(
  deps: Pick<Services, "records" | "pages"> & ShownBy,
): Handlers<"liveSystems.mutations"> {
  const { records, pages } = deps;
  const componentsShown = async (id: string) => {
    const own = [...(await componentsOf(records, id)).values()];
    return { components: await shownComponents(deps, own), records: own };
  };
  return {
    "liveSystems.mutations.list": async ({ actor, params, query }) => {
      const { id } = await foundEver(records, params.id);
      const bind = [actorName(actor), "mutations.list", id];
      const page = await pages.page<MutationRecord>(
        (range) => records.list(mutations, { index: "created", prefix: [id], reverse: true, ...range }),
        { cursor: query.cursor, limit: query.limit, bind },
      );
      const shown = await componentsShown(id);
      return {
        value: { items: page.items.map((record) => toMutation(record, shown)), nextCursor: page.nextCursor },
      };
    },
    "liveSystems.mutations.get": async ({ params }) => {
      const { id } = await foundEver(records, params.id);
      const record = await records.get(mutations, [id, params.mutationId.toLowerCase()]);
      if (record === null) throw new LiveplaneError("NotFound");
      const shown = await componentsShown(id);
      return { value: toMutation(record, shown) };
    },
  };
}
