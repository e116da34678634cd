import type { Subscription } from "../contract/schemas/account-schemas.ts";
import { collection } from "../records/collection.ts";
import type { Stored } from "../records/records.ts";
import type { Plan } from "./plan-limits.ts";

export interface SubscriptionRecord extends Plan {
  readonly id: string;
  readonly accountId: string;
  /** Somebody created it to replace the account's initial one. Absent: nobody did. */
  readonly chosen?: true;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly updatedAt: string;
  readonly updatedBy: string;
}

export const subscriptions = collection<SubscriptionRecord>()("subscription", {
  key: ({ id }) => [id],
  indexes: { byCreation: ({ createdAt }) => [[createdAt]] },
  uniques: { account: ({ accountId }) => [[accountId]] },
});

export function toSubscription({
  accountId: _account,
  chosen: _chosen,
  ...subscription
}: Stored<SubscriptionRecord>): Subscription {
  return subscription;
}
