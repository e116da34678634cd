import { azureCloud } from "@liveplane/adapters/azure-cloud";
import type { JsonObject } from "@liveplane/core/clouds";
import type { CloudVariation } from "@liveplane/simulator";
import { azureDouble, type DoubleSlowness } from "../azure/azure-double.ts";
import type { Kept } from "../azure/double-resources.ts";
import type { DoubleKind } from "../azure/double-shapes.ts";
import type { Departures } from "../descriptions/departures.ts";
import { azureTroupe, pickOf } from "./casts.ts";
import type { DoubledVendor, DoubleHooks, DrawnSlowness, PlacedDouble } from "./double-place.ts";
import type { KeptState } from "./place.ts";

const credential = {
  getToken: async () => ({ token: "token-of-azure", expiresOnTimestamp: Number.POSITIVE_INFINITY }),
};

/** Azure by its double. */
export function azurePlace(variation: CloudVariation, judged: Departures): DoubledVendor<readonly Kept[]> {
  return {
    provider: "provider-a",
    location: "westeurope",
    scope: "3f2504e0-4f89-41d3-9a0c-0305e82c3302",
    troupe: azureTroupe(pickOf(variation)),
    adapter: (options) => azureCloud({ ...options, ...(options && { credential }) }),
    double: (hooks) => doubled(hooks, judged),
  };
}

function doubled({ now, onChange, slownessOf }: DoubleHooks, judged: Departures): PlacedDouble<readonly Kept[]> {
  let begun = 0;
  const azure = azureDouble({
    now,
    judged,
    onChange({ by, before, after }) {
      const { type } = (before ?? after ?? { kind: { type: "" } }).kind;
      onChange({ by: by === "azure" ? "cloud" : by, type, before: stateOf(before), after: stateOf(after) });
    },
    slownessOf: (kind) => slownessIn(slownessOf(), kind, begun++),
  });
  return {
    answer: azure.answer,
    all: azure.all,
    show(index) {
      azure.state.indexed = index;
    },
    get(id) {
      const kept = azure.get(id);
      return kept && { type: kept.kind.type, state: stateOf(kept) };
    },
    make: (id, _type, body, tags) => azure.make(id, { ...body, ...(Object.keys(tags).length > 0 && { tags }) }),
    setTags: azure.setTags,
    patch(id, patch) {
      azure.patch(id, patch);
    },
    remove: (id) => azure.remove(id),
  };
}

/** Azure tells of a write in one of three ways; a type without a state of its own, or a failure that leaves no mark, by its operation alone. */
function slownessIn(drawn: DrawnSlowness, { properties }: DoubleKind, nth: number): DoubleSlowness | null {
  if (drawn === null) return null;
  const { takesMs, hidden = false, fails, marksFailed = true } = drawn;
  const hasState = properties.provisioningState !== undefined;
  const ways = ["state", "result", ...(hasState && marksFailed ? (["resource"] as const) : [])] as const;
  return {
    takesMs,
    tells: ways[nth % ways.length] ?? "state",
    hides: hidden,
    ...(fails && { fails, isUnmarked: !marksFailed }),
  };
}

function stateOf(kept: Kept): KeptState;
function stateOf(kept: Kept | null): KeptState | null;
function stateOf(kept: Kept | null): KeptState | null {
  if (kept === null) return null;
  const { id, kind, tags, body, incarnation, underway, state } = kept;
  const isFailed = state === "Failed" && kind.properties.provisioningState !== undefined && underway === undefined;
  const words = { Creating: "create", Updating: "update", Deleting: "remove" } as const;
  return {
    resourceId: id,
    tags,
    body: body as JsonObject,
    identity: String(incarnation),
    ...(underway && { underway: { operation: words[underway.word], fails: underway.fails !== null } }),
    ...(isFailed && { failed: { state } }),
  };
}
