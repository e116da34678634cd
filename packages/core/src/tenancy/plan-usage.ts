import { collection } from "../records/collection.ts";
import { listAll } from "../records/list-all.ts";
import type { Change, Reader } from "../records/records.ts";
import { added, type Counts, type LimitSettings, requireRoom } from "./plan-limits.ts";
import { subscriptions } from "./subscription-record.ts";

/** The owner of environments with live systems. */
export interface ResourceOwner {
  readonly type: "Personal" | "Organizational";
  readonly id: string;
}

/** The number of an owner's live systems and their components. */
export type Resources = Pick<Counts, "liveSystems" | "components">;

/**
 * How much of a subscription is used. Read and written in the change's commit, so two changes can't both take the last seat. It is deleted
 * only with its subscription, because the first count relies on every other count being a write.
 */
interface Usage extends Counts {
  readonly subscriptionId: string;
}

/** An account's seat in a subscription, held by this many grants. */
interface Seat {
  readonly subscriptionId: string;
  readonly accountId: string;
  readonly grants: number;
}

const usages = collection<Usage>()("plan-usage", { key: ({ subscriptionId }) => [subscriptionId] });
const seats = collection<Seat>()("plan-seat", { key: ({ subscriptionId, accountId }) => [subscriptionId, accountId] });

/** Counts the use of subscriptions, in the commit of the change that uses them. */
export interface Seats {
  /** Adds one grant of an account. Throws `SubscriptionLimitReached` if it needs a seat and none is free. */
  take(change: Change, subscriptionId: string | null, accountId: string): Promise<void>;
  /** Removes one grant (or `grants` at once). */
  leave(change: Change, subscriptionId: string | null, accountId: string, grants?: number): Promise<void>;
  /** Adds one organization. Throws `SubscriptionLimitReached`. */
  open(change: Change, subscriptionId: string | null): Promise<void>;
  /** Removes one organization. */
  close(change: Change, subscriptionId: string | null): Promise<void>;
  /**
   * Live systems and components added to an owner's environments or removed from them. Throws `SubscriptionLimitReached` if there is no
   * room.
   */
  count(change: Change, owner: ResourceOwner, by: Partial<Resources>): Promise<void>;
  /** What is used of a subscription. Read through a `Change`, the answer still holds when that is committed. */
  used(reader: Reader, subscriptionId: string): Promise<Counts>;
  /**
   * Moves all use from one subscription to another. The change must have read the organizations before: their records tell if a seat is
   * taken meanwhile.
   */
  move(change: Change, from: string, to: string): Promise<void>;
  /** Drops the counts of a subscription that ends. */
  forget(change: Change, subscriptionId: string): void;
}

/** Creates the counter. Without a subscription there is nothing to count. */
export function createSeats({
  settings,
  subscriptionOf,
  resourcesIn,
}: {
  readonly settings: LimitSettings;
  readonly subscriptionOf: (reader: Reader, owner: ResourceOwner) => Promise<string | null>;
  readonly resourcesIn: (reader: Reader, subscriptionId: string) => Promise<Resources>;
}): Seats {
  async function used(reader: Reader, subscriptionId: string): Promise<Counts> {
    const usage = await reader.get(usages, [subscriptionId]);
    if (usage === null) return { accounts: 0, organizations: 0, ...(await resourcesIn(reader, subscriptionId)) };
    const { accounts, organizations, liveSystems, components } = usage;
    return { accounts, organizations, liveSystems, components };
  }

  async function use(change: Change, subscriptionId: string | null, by: Partial<Counts>): Promise<void> {
    if (subscriptionId === null) return;
    const before = await used(change, subscriptionId);
    const next = added(before, by);
    requireRoom(before, next, await change.get(subscriptions, [subscriptionId]), settings);
    change.put(usages, { subscriptionId, ...next });
  }

  return {
    used,
    forget: (change, subscriptionId) => change.delete(usages, [subscriptionId]),
    async take(change, subscriptionId, accountId) {
      if (subscriptionId === null) return;
      const seat = await change.get(seats, [subscriptionId, accountId]);
      if (seat === null) await use(change, subscriptionId, { accounts: 1 });
      change.put(seats, { subscriptionId, accountId, grants: (seat?.grants ?? 0) + 1 });
    },
    async leave(change, subscriptionId, accountId, grants = 1) {
      if (subscriptionId === null) return;
      const seat = await change.get(seats, [subscriptionId, accountId]);
      if (seat === null) return;
      if (seat.grants > grants) return void change.put(seats, { ...seat, grants: seat.grants - grants });
      change.delete(seats, [subscriptionId, accountId]);
      await use(change, subscriptionId, { accounts: -1 });
    },
    open: (change, subscriptionId) => use(change, subscriptionId, { organizations: 1 }),
    close: (change, subscriptionId) => use(change, subscriptionId, { organizations: -1 }),
    async count(change, owner, by) {
      if ((by.liveSystems ?? 0) !== 0 || (by.components ?? 0) !== 0)
        await use(change, await subscriptionOf(change, owner), by);
    },
    async move(change, from, to) {
      change.put(usages, { subscriptionId: to, ...(await used(change, from)) });
      change.delete(usages, [from]);
      for (const { accountId, grants } of await listAll(change, seats, { prefix: [from] })) {
        change.delete(seats, [from, accountId]);
        change.put(seats, { subscriptionId: to, accountId, grants });
      }
    },
  };
}
