import { listAll } from "../records/list-all.ts";
import type { Reader } from "../records/records.ts";
import { organizations } from "./organization-record.ts";
import type { ResourceOwner, Resources } from "./plan-usage.ts";
import { subscriptions } from "./subscription-record.ts";

/** Counts an owner's live systems and components one by one. */
export type CountResources = (reader: Reader, owner: ResourceOwner) => Promise<Resources>;

/** Tells in whose plan an owner's live systems count, and what all the owners in a plan use. */
export function planOwners(resourcesOf: CountResources): {
  readonly subscriptionOf: (reader: Reader, owner: ResourceOwner) => Promise<string | null>;
  readonly resourcesIn: (reader: Reader, subscriptionId: string) => Promise<Resources>;
} {
  return {
    async subscriptionOf(reader, { type, id }) {
      const ownerId = id.toLowerCase();
      if (type === "Organizational") return (await reader.get(organizations, [ownerId]))?.subscriptionId ?? null;
      return (await reader.find(subscriptions, "account", [ownerId]))?.id ?? null;
    },
    async resourcesIn(reader, subscriptionId) {
      const total = { liveSystems: 0, components: 0 };
      for (const owner of await ownersIn(reader, subscriptionId)) {
        const { liveSystems, components } = await resourcesOf(reader, owner);
        total.liveSystems += liveSystems;
        total.components += components;
      }
      return total;
    },
  };
}

async function ownersIn(reader: Reader, subscriptionId: string): Promise<ResourceOwner[]> {
  const subscription = await reader.get(subscriptions, [subscriptionId]);
  const own = subscription === null ? [] : [{ type: "Personal", id: subscription.accountId } as const];
  const held = await listAll(reader, organizations, { index: "bySubscription", prefix: [subscriptionId] });
  return [...own, ...held.map(({ id }) => ({ type: "Organizational", id }) as const)];
}
