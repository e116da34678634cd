import type { Handlers } from "../../contract/handler.ts";
import type { Component } from "../../contract/schemas/live-system-schemas.ts";
import { actorName } from "../../contract/target.ts";
import { LiveplaneError } from "../../errors.ts";
import type { Reader, Stored } from "../../records/records.ts";
import type { Services } from "../../services.ts";
import type { Agent } from "../agent/agent.ts";
import { type ComponentRecord, componentKey, components, pathOf } from "../records/component-record.ts";
import type { LiveSystemRecord } from "../records/live-system-record.ts";
import { foundLiveSystem, type ShownBy, shownComponents } from "./live-systems.ts";

/** The path parameters of a component. */
export interface ComponentParams {
  readonly id: string;
  readonly componentId: string;
}

type ComponentHandlers = Pick<
  Handlers<"liveSystems.components">,
  "liveSystems.components.list" | "liveSystems.components.get" | "liveSystems.components.check"
>;

/** Creates the handlers that read components, and the one that runs a check. */
export function createComponents(
  deps: Pick<Services, "records" | "pages"> & ShownBy & { readonly agent: Pick<Agent, "check"> },
): ComponentHandlers {
  const { records, pages, agent } = deps;
  return {
    "liveSystems.components.list": async ({ actor, params, query }) => {
      const { id } = await foundLiveSystem(records, params.id);
      const filter = JSON.stringify([query.status, query.drift]);
      const page = await pages.page<ComponentRecord>(
        (range) => records.list(components, { prefix: [id], ...range }),
        { cursor: query.cursor, limit: query.limit, bind: [actorName(actor), "components.list", id, filter] },
        ({ status, observed }) =>
          (query.status === undefined || query.status.includes(status)) &&
          (query.drift === undefined || query.drift === Object.keys(observed.drift).length > 0),
      );
      return { value: { items: await shownComponents(deps, page.items), nextCursor: page.nextCursor } };
    },

    "liveSystems.components.get": async ({ params }) => {
      const { record } = await foundComponent(records, params);
      return { value: await shownComponent(deps, record) };
    },

    "liveSystems.components.check": async ({ params }) => {
      await foundComponent(records, params);
      const checked = await agent.check(keyOf(params));
      if (checked === null) throw new LiveplaneError("NotFound");
      const { record, ...acknowledgement } = checked;
      return { value: { component: await shownComponent(deps, record), acknowledgement } };
    },
  };
}

/** A component as the API shows it; throws `NotFound` once its live system is deleted. */
export async function shownComponent(deps: ShownBy, record: Stored<ComponentRecord>): Promise<Component> {
  const [shown] = await shownComponents(deps, [record]);
  if (shown === undefined) throw new LiveplaneError("NotFound");
  return shown;
}

/** An existing component with its live system; throws `NotFound`. */
export async function foundComponent(
  reader: Pick<Reader, "get">,
  params: ComponentParams,
): Promise<{ readonly system: Stored<LiveSystemRecord>; readonly record: Stored<ComponentRecord> }> {
  const system = await foundLiveSystem(reader, params.id);
  const record = await reader.get(components, keyOf(params));
  if (record === null) throw new LiveplaneError("NotFound");
  return { system, record };
}

/** The key of a path's component; throws `NotFound` for the ID of another live system. */
export function keyOf({ id, componentId }: ComponentParams) {
  const path = pathOf(id, componentId);
  if (path === null) throw new LiveplaneError("NotFound");
  return componentKey(id.toLowerCase(), path);
}
