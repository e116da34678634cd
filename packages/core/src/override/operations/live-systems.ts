import type { Access, Reach } from "../../access/access.ts";
import type { Call, Handlers } from "../../contract/handler.ts";
import type { LiveSystem } from "../../contract/schemas/live-system-schemas.ts";
import { actorName, environmentName } from "../../contract/target.ts";
import { isLiveplaneError, LiveplaneError } from "../../errors.ts";
import { listTogether } from "../../records/lists-together.ts";
import type { Pages } from "../../records/pages.ts";
import type { Records, Stored } from "../../records/records.ts";
import { type Definition, declaredGroupPath, pathKey, plainName } from "../protocol/definition.ts";
import { type ComponentRecord, components } from "../records/component-record.ts";
import { inForceOf } from "../records/definition-record.ts";
import { placesReached, reaches } from "../records/list-scope.ts";
import { type LiveSystemRecord, liveSystems, mutations, toLiveSystem } from "../records/live-system-record.ts";

/** What reading live systems needs. */
export interface LiveSystemsDeps {
  readonly records: Records;
  readonly pages: Pages;
  readonly access: Pick<Access, "can" | "reach">;
}

type LiveSystemHandlers = Pick<Handlers<"liveSystems">, "liveSystems.get" | "liveSystems.list">;

/** Builds the operations that read live systems. */
export function createLiveSystems({ records, pages, access }: LiveSystemsDeps): LiveSystemHandlers {
  return {
    "liveSystems.get": async ({ params: { id } }) => {
      const { system, definition } = await declared(records, id);
      const last = await records.get(mutations, [system.id, system.lastMutationId]);
      return { value: toLiveSystem(system, definition, last) };
    },

    "liveSystems.list": async ({ actor, query }) => {
      const page = await pages.page<LiveSystemRecord>(
        listTogether(records, liveSystems, placesFor(query, await access.reach(actor))),
        {
          cursor: query.cursor,
          limit: query.limit,
          bind: [actorName(actor), "liveSystems.list", JSON.stringify([query.environment, query.resourceGroup])],
        },
        (record) => fits(record, query) && access.can(actor, { kind: "liveSystem", id: record.id }, "View"),
      );
      return { value: { items: await shown(records, page.items), nextCursor: page.nextCursor } };
    },
  };
}

/** A live system that is there; throws `NotFound` for what is deleted. */
export async function foundLiveSystem(reader: Pick<Records, "get">, id: string): Promise<Stored<LiveSystemRecord>> {
  const record = await reader.get(liveSystems, [id.toLowerCase()]);
  if (record === null || record.status === "Deleted") throw new LiveplaneError("NotFound");
  return record;
}

/** A live system that is there, with what it was declared as last. */
export async function declared(
  records: Pick<Records, "get" | "getMany">,
  id: string,
): Promise<{ readonly system: Stored<LiveSystemRecord>; readonly definition: Definition }> {
  for (let tries = 0; tries < 10; tries++) {
    const system = await foundLiveSystem(records, id);
    const [definition = null] = await inForceOf(records, [system]);
    // Between the two reads a redeploy may have let it go.
    if (definition !== null) return { system, definition };
  }
  throw new LiveplaneError("InternalError", "A live system's definition is missing.");
}

async function shown(records: Records, page: readonly Stored<LiveSystemRecord>[]): Promise<LiveSystem[]> {
  const known = await inForceOf(records, page);
  const shownFully: { readonly system: Stored<LiveSystemRecord>; readonly definition: Definition }[] = [];
  for (const [at, system] of page.entries()) {
    const definition = known[at] ?? null;
    const whole = definition === null ? await declared(records, system.id).catch(nullIfGone) : { system, definition };
    if (whole !== null) shownFully.push(whole);
  }
  const last = await records.getMany(
    mutations,
    shownFully.map(({ system }) => [system.id, system.lastMutationId]),
  );
  return shownFully.map(({ system, definition }, at) => toLiveSystem(system, definition, last[at] ?? null));
}

function nullIfGone(error: unknown): null {
  if (isLiveplaneError(error, "NotFound")) return null;
  throw error;
}

/** A live system that is there, or was: its history stays readable. */
export async function foundEver(reader: Pick<Records, "get">, id: string): Promise<Stored<LiveSystemRecord>> {
  const record = await reader.get(liveSystems, [id.toLowerCase()]);
  if (record === null) throw new LiveplaneError("NotFound");
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

type ListQuery = Call<"liveSystems.list">["query"];

const indexes = { all: "created", ofOwner: "ofOwner", inEnvironment: "inEnvironment" } as const;

/** A group is its environments' owner's, so what it holds is reached through that owner. */
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
