import { LiveplaneError } from "../errors.ts";
import type { Runtime } from "../ports/runtime.ts";
import type { Reader } from "../records/records.ts";
import type { Effect } from "./access-targets.ts";
import type { PermissionGraphs } from "./permission-graph.ts";
import { isExpired } from "./plan-limits.ts";
import { subscriptions } from "./subscription-record.ts";

/** Refuses what the owner's own state forbids: writes in a suspended organization, creates and updates under an expired plan. */
export type RequireWritable = (
  reader: Reader,
  owner: { readonly type: string; readonly id: string },
  effect: Effect,
) => Promise<void>;

/** Builds the refusal. Reads go on whatever the state. */
export function createWritable({
  graphs,
  runtime,
}: {
  readonly graphs: PermissionGraphs;
  readonly runtime: Pick<Runtime, "clock">;
}): RequireWritable {
  async function subscriptionOf(reader: Reader, owner: { readonly type: string; readonly id: string }) {
    if (owner.type !== "Organizational") return reader.find(subscriptions, "account", [owner.id]);
    const found = await graphs.read(reader, owner.id);
    const id = found?.authorization.subscriptionId ?? null;
    return id === null ? null : reader.get(subscriptions, [id]);
  }

  return async (reader, owner, effect) => {
    if (effect === "reads") return;
    const organization = owner.type === "Organizational" ? await graphs.read(reader, owner.id) : null;
    if (organization?.authorization.status === "Suspended" && effect !== "closes") {
      throw new LiveplaneError(
        "AccountNotActive",
        "The organization is suspended: it can be read, and not be changed.",
      );
    }
    if (effect !== "writes") return;
    const subscription = await subscriptionOf(reader, owner);
    if (subscription !== null && isExpired(subscription, runtime.clock.now())) {
      throw new LiveplaneError(
        "SubscriptionExpired",
        "The subscription has expired: what is there can be read and deleted, and not be changed.",
      );
    }
  };
}
