import type { CallEffect } from "../contract/row.ts";
import { LiveplaneError } from "../errors.ts";
import type { PermissionGraphs, Tenancy } from "../permissions/permission-graph.ts";
import type { Runtime } from "../ports/runtime.ts";
import type { Reader } from "../records/records.ts";
import { isExpired } from "../tenancy/plan-limits.ts";
import { subscriptions } from "../tenancy/subscription-record.ts";

/**
 * Refuses what the owner's own state forbids: writes in a suspended organization, creates and updates under an expired plan. An
 * organization that this call has already read isn't read again.
 */
export type RequireOwnerState = (
  reader: Reader,
  owner: { readonly type: string; readonly id: string; readonly tenancy?: Tenancy | null },
  effect: CallEffect,
) => Promise<void>;

/** Reads are allowed in every state. */
export function createOwnerState({
  graphs,
  runtime,
}: {
  readonly graphs: PermissionGraphs;
  readonly runtime: Pick<Runtime, "clock">;
}): RequireOwnerState {
  return async (reader, owner, effect) => {
    if (effect === "reads") return;
    const isOrganization = owner.type === "Organizational";
    const found = isOrganization ? (owner.tenancy ?? (await graphs.read(reader, owner.id))) : null;
    if (found?.authorization.status === "Suspended" && effect !== "closes") {
      throw new LiveplaneError("AccountNotActive", "The organization is suspended. You can read it but not change it.");
    }
    if (effect !== "writes") return;
    const id = found?.authorization.subscriptionId ?? null;
    const ofOrganization = id === null ? null : reader.get(subscriptions, [id]);
    const subscription = await (isOrganization ? ofOrganization : reader.find(subscriptions, "account", [owner.id]));
    if (subscription !== null && isExpired(subscription, runtime.clock.now())) {
      throw new LiveplaneError(
        "SubscriptionExpired",
        "The subscription has expired. You can read and delete what exists but not change it.",
      );
    }
  };
}
