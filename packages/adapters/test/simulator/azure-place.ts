import { azureCloud } from "@liveplane/adapters/azure-cloud";
import type { JsonObject } from "@liveplane/core/clouds";
import type { CloudVariation, ResourceChanged, SimulatedPlace } from "@liveplane/core/testing";
import { azureDouble } from "../azure/azure-double.ts";
import type { Kept } from "../azure/double-resources.ts";
import { type Departures, departures } from "../descriptions/departures.ts";
import { bodyOf, castCloud, parametersIn, patchOf } from "./cast.ts";
import { azureTroupe, pickOf, type Troupe } from "./casts.ts";
import { fetchFrom } from "./in-process.ts";
import { lateIndex } from "./late-index.ts";
import { castIn, changeOf, type KeptState, truthOf, typesOf } from "./place.ts";

const credential = {
  getToken: async () => ({ token: "token-of-azure", expiresOnTimestamp: Number.POSITIVE_INFINITY }),
};

/** Azure by its double, with the adapter that ships before it. */
export function azurePlace(
  variation: CloudVariation,
  now: () => number,
  judged: Departures = departures(),
): SimulatedPlace {
  const troupe = azureTroupe(pickOf(variation));
  let asking: ((change: ResourceChanged) => void) | null = null;
  let told: (change: ResourceChanged) => void = () => {};
  const azure = azureDouble({
    now,
    judged,
    onChange({ before, after, by }) {
      index.note();
      const change = changeOf(castOf(before ?? after), { before: stateOf(before), after: stateOf(after) });
      if (change !== null && by !== "azure") (by === "hand" ? told : asking)?.(change);
    },
  });
  const castOf = (kept: Kept | null) => castIn(troupe, kept?.kind.type ?? "");
  const index = lateIndex({ now, lagMs: variation.lagMs, all: azure.all });
  azure.state.arriving = ({ url }) => {
    if (url.startsWith("/providers/Microsoft.ResourceGraph/")) azure.state.indexed = index.shown();
  };
  const open: SimulatedPlace["open"] = ({ runtime, onChange }) => {
    const send = fetchFrom((asked) => {
      // The double answers before anybody else has a turn.
      asking = onChange;
      const answered = azure.answer(asked);
      asking = null;
      return answered;
    });
    return castCloud(azureCloud({ fetch: send, now: runtime.clock.now, credential }), castsOf(troupe));
  };
  const { capabilities, resourceType } = castCloud(azureCloud(), castsOf(troupe));
  return {
    provider: "provider-a",
    types: typesOf(troupe),
    location: "westeurope",
    scope: "3f2504e0-4f89-41d3-9a0c-0305e82c3302",
    capabilities: { ...capabilities, conditionalWrites: troupe.isBound },
    factsOf: resourceType,
    open,
    onHand: (tell) => {
      told = tell;
    },
    hand: {
      async get(id) {
        const kept = azure.get(id);
        if (kept === null) return null;
        const { tags, parameters } = truthOf(stateOf(kept), castOf(kept));
        return { tags, parameters, outputs: { id, ...parametersIn(castOf(kept), kept.body as JsonObject) } };
      },
      async put(id, { type, tags, parameters }) {
        const cast = castIn(troupe, type);
        azure.make(id, { ...bodyOf(cast, parameters as JsonObject), ...(Object.keys(tags).length > 0 && { tags }) });
      },
      putTags: async (id, tags) => azure.setTags(id, tags),
      async patchParameters(id, patch) {
        const kept = azure.get(id);
        if (kept !== null) azure.patch(id, patchOf(castOf(kept), patch));
      },
      delete: async (id) => azure.remove(id),
    },
  };
}

function castsOf({ net, app, rule }: Troupe) {
  return [net, app, rule];
}

function stateOf(kept: Kept): KeptState;
function stateOf(kept: Kept | null): KeptState | null;
function stateOf(kept: Kept | null): KeptState | null {
  if (kept === null) return null;
  const { id, tags, body, incarnation } = kept;
  return { resourceId: id, tags, body: body as JsonObject, identity: String(incarnation) };
}
