import type { Reach } from "../../access/access.ts";
import type { Handlers } from "../../contract/handler.ts";
import type { ListedOverride } from "../../contract/schemas/live-system-schemas.ts";
import { type Actor, actorName } from "../../contract/target.ts";
import type { Key } from "../../ports/store.ts";
import { listedInMemory } from "../../records/listed.ts";
import { listTogether } from "../../records/lists-together.ts";
import type { Reader, Stored } from "../../records/records.ts";
import { verdictsBy } from "../../records/verdicts.ts";
import type { Services } from "../../services.ts";
import { type DigestEntry, digestOf } from "../protocol/override-digest.ts";
import { type ComponentRecord, components, idOf, shownOverride } from "../records/component-record.ts";
import { type Declarations, declaredIn } from "../records/in-force.ts";
import { placesReached } from "../records/list-scope.ts";
import { type ShownBy, shownComponents } from "./live-systems.ts";

/** Creates the fleet-wide lists: every open override, and what was changed in them. */
export function createOverrides(deps: Pick<Services, "records" | "pages" | "access"> & ShownBy): Handlers<"overrides"> {
  const { declarations, pages } = deps;
  return {
    "overrides.list": async ({ actor, query, reader }) => {
      const { environment, cursor, limit } = query;
      const places = placesReached(await reachOf(deps, actor, reader), indexes, environment);
      const page = await pages.page<ComponentRecord>(
        listTogether(reader, components, places),
        { cursor, limit, bind: [actorName(actor), "overrides.list", environment ?? ""] },
        seenBy(deps, actor),
      );
      return { value: { items: await listedOverrides(deps, page.items), nextCursor: page.nextCursor } };
    },

    "overrides.digest": async ({ actor, query: { cursor, limit } }) => {
      const entries: DigestEntry[] = [];
      for await (const found of visible(deps, actor)) entries.push(...(await entriesOf(found, declarations)));
      const bind = [actorName(actor), "overrides.digest"];
      const page = await pages.page(listedInMemory(digestOf(entries)), { cursor, limit, bind });
      const items = page.items.map(({ version: _version, componentIds, ...row }) => ({
        ...row,
        componentIds: [...componentIds],
      }));
      return { value: { items, nextCursor: page.nextCursor } };
    },
  };
}

const indexes = { all: "overridden", ofOwner: "overriddenOf", inEnvironment: "overriddenIn" } as const;

async function reachOf({ access }: Pick<Services, "access">, actor: Actor, reader?: Reader): Promise<Reach> {
  return access.operates(actor) ? { everything: true, owners: [], environment: null } : access.reach(actor, reader);
}

/** Operators see every override, anybody else those of the live systems that they may View. */
function seenBy({ access }: Pick<Services, "access">, actor: Actor) {
  const operates = access.operates(actor);
  return verdicts(
    async ({ liveSystemId }) => operates || access.can(actor, { kind: "liveSystem", id: liveSystemId }, "View"),
  );
}

const verdicts = verdictsBy(({ liveSystemId }: ComponentRecord) => liveSystemId);

async function* visible(
  deps: Pick<Services, "records" | "access">,
  actor: Actor,
): AsyncGenerator<readonly Stored<ComponentRecord>[]> {
  const maySee = seenBy(deps, actor);
  const source = listTogether(deps.records, components, placesReached(await reachOf(deps, actor), indexes));
  for (let after: Key | undefined, more = true; more; ) {
    const listed = await source({ limit: atOnce, ...(after && { after }) });
    const seen: Stored<ComponentRecord>[] = [];
    for (const { record } of listed) if (await maySee(record)) seen.push(record);
    yield seen;
    after = listed.at(-1)?.position;
    more = listed.length === atOnce;
  }
}

const atOnce = 500;

async function entriesOf(
  found: readonly Stored<ComponentRecord>[],
  declarations: Declarations,
): Promise<DigestEntry[]> {
  const inForce = await declarations.of(found.map(({ liveSystemId }) => liveSystemId));
  return found.flatMap((record) => {
    const system = inForce.get(record.liveSystemId);
    if (system === undefined) return [];
    const { type, override } = record;
    const { muteDrift } = declaredIn(system, record);
    const parameters = differingIn(record).filter((name) => !muteDrift.includes(name));
    return [{ componentId: idOf(record), type, since: override?.since ?? "", parameters }];
  });
}

/** The parameters that differ; none of a resource that is gone. */
function differingIn({ observed, conditions }: ComponentRecord): string[] {
  return conditions.exists.value === false ? [] : Object.keys(observed.drift);
}

async function listedOverrides(deps: ShownBy, found: readonly Stored<ComponentRecord>[]): Promise<ListedOverride[]> {
  const shown = new Map((await shownComponents(deps, found)).map((component) => [component.id, component]));
  return found.flatMap((record) => {
    const { override, environment: environmentId } = record;
    const component = shown.get(idOf(record));
    if (override === null || component === undefined) return [];
    const driftCount = differingIn(record).length;
    return [{ component, override: shownOverride(override), environmentId, driftCount }];
  });
}
