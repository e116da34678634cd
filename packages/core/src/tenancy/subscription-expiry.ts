import type { Runtime } from "../ports/runtime.ts";
import { collection } from "../records/collection.ts";
import { type DueWork, dueRecords } from "../records/due.ts";
import type { Change, Records } from "../records/records.ts";
import { expiryOf, type Plan } from "./plan-limits.ts";
import { subscriptions } from "./subscription-record.ts";

/** An expiry that wasn't announced yet. Stored apart, so that announcing it doesn't change the subscription's version. */
interface ExpectedExpiry {
  readonly subscriptionId: string;
  readonly at: number;
}

const expected = collection<ExpectedExpiry>()("expected-expiry", {
  key: ({ subscriptionId }) => [subscriptionId],
  indexes: { byTime: ({ at }) => [[String(at).padStart(16, "0")]] },
});

/** Records when a plan ends, so that it is announced then. */
export async function expectExpiry(change: Change, subscriptionId: string, plan: Plan): Promise<void> {
  const at = expiryOf(plan);
  const known = await change.get(expected, [subscriptionId]);
  if (at !== null) change.put(expected, { subscriptionId, at });
  else if (known !== null) change.delete(expected, [subscriptionId]);
}

/** Expired subscriptions, each announced once. */
export function dueExpiries({ clock, newId }: Pick<Runtime, "clock" | "newId">, records: Records): DueWork {
  return dueRecords({
    ...{ name: "expired-subscriptions", records, clock, collection: expected, index: "byTime" },
    since: ({ at }) => at,
    settle: ({ subscriptionId }) =>
      records.change({ actor: "liveplane", requestId: newId() }, (change) => tell(change, subscriptionId, clock.now())),
  });
}

async function tell(change: Change, subscriptionId: string, now: number): Promise<void> {
  const due = await change.get(expected, [subscriptionId]);
  if (due === null || due.at > now) return;
  change.delete(expected, [subscriptionId]);
  const known = await change.get(subscriptions, [subscriptionId]);
  if (known === null) return;
  const about = { kind: "subscription", id: subscriptionId, accountId: known.accountId } as const;
  change.emit({ type: "subscription.expired", subject: subscriptionId, about, data: {} });
}
