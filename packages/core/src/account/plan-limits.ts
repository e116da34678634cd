import { LiveplaneError } from "../errors.ts";
import type { PlanLimits } from "../host.ts";
import { collection } from "../records/collection.ts";
import { listAll } from "../records/list-all.ts";
import type { Change, Reader } from "../records/records.ts";

/** What somebody subscribed to: the part of a subscription that its limits follow from. */
export interface Plan {
  readonly subscriptionType: "Discover" | "Workgroup" | "Enterprise";
  readonly workgroupSubscriptionDetails: { readonly multiplicator: number; readonly expirationDate: string } | null;
  readonly enterpriseSubscriptionDetails: {
    readonly maxNumberOfAccounts: number;
    readonly maxNumberOfOrganizations: number;
    readonly expirationDate: string;
  } | null;
}

/** So many accounts and organizations. */
export interface Counts {
  readonly accounts: number;
  readonly organizations: number;
}

/** How much of a subscription is used. Read and written in the change's own commit: two can't both take the last place. */
interface Usage extends Counts {
  readonly subscriptionId: string;
}

/** An account's place in a subscription, held by so many grants. */
interface Seat {
  readonly subscriptionId: string;
  readonly accountId: string;
  readonly grants: number;
}

const usages = collection<Usage>()("plan-usage", { key: ({ subscriptionId }) => [subscriptionId] });
const seats = collection<Seat>()("plan-seat", { key: ({ subscriptionId, accountId }) => [subscriptionId, accountId] });

/** What a plan allows. */
function limitsOf(plan: Plan, limits: PlanLimits): Counts {
  const { workgroupSubscriptionDetails: workgroup, enterpriseSubscriptionDetails: enterprise } = plan;
  switch (plan.subscriptionType) {
    case "Discover":
      return limits.discover;
    case "Workgroup":
      return times(limits.workgroup, workgroup?.multiplicator ?? 0);
    case "Enterprise":
      return {
        accounts: enterprise?.maxNumberOfAccounts ?? 0,
        organizations: enterprise?.maxNumberOfOrganizations ?? 0,
      };
  }
}

/** When a plan ends, in milliseconds of the epoch; `null`: never. */
export function expiryOf(plan: Plan): number | null {
  const details = plan.workgroupSubscriptionDetails ?? plan.enterpriseSubscriptionDetails;
  return details === null ? null : Date.parse(details.expirationDate);
}

export function isExpired(plan: Plan, now: number): boolean {
  const expiry = expiryOf(plan);
  return expiry !== null && expiry <= now;
}

/** Counts what is used of subscriptions, in the same commit as the change that uses it. */
export interface Seats {
  /** One grant more of an account. Throws `SubscriptionLimitReached` where that takes a place that isn't there. */
  take(change: Change, subscriptionId: string | null, accountId: string): Promise<void>;
  /** One grant less (or `grants` at once). */
  leave(change: Change, subscriptionId: string | null, accountId: string, grants?: number): Promise<void>;
  /** One organization more. Throws `SubscriptionLimitReached`. */
  open(change: Change, subscriptionId: string | null): Promise<void>;
  /** One organization less. */
  close(change: Change, subscriptionId: string | null): Promise<void>;
}

/** Builds the count. Without a subscription there is nothing to count. */
export function createSeats(
  planOf: (reader: Reader, subscriptionId: string) => Promise<Plan | null>,
  limits: PlanLimits,
): Seats {
  async function use(change: Change, subscriptionId: string, by: Partial<Counts>): Promise<void> {
    const used = await usageOf(change, subscriptionId);
    const next = {
      accounts: used.accounts + (by.accounts ?? 0),
      organizations: used.organizations + (by.organizations ?? 0),
    };
    const grows = next.accounts > used.accounts || next.organizations > used.organizations;
    if (grows) await requireRoom(change, subscriptionId, used, next);
    if (next.accounts === 0 && next.organizations === 0) change.delete(usages, [subscriptionId]);
    else change.put(usages, { subscriptionId, ...next });
  }

  async function requireRoom(change: Change, subscriptionId: string, used: Counts, next: Counts): Promise<void> {
    const plan = await planOf(change, subscriptionId);
    const limit = plan === null ? { accounts: 0, organizations: 0 } : limitsOf(plan, limits);
    const refused =
      (next.accounts > used.accounts && next.accounts > limit.accounts) ||
      (next.organizations > used.organizations && next.organizations > limit.organizations);
    if (refused)
      throw new LiveplaneError(
        "SubscriptionLimitReached",
        "The subscription has no place left. Free one, or choose a larger plan.",
        { details: countsOf(used, limit) },
      );
  }

  return {
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
    open: async (change, subscriptionId) =>
      subscriptionId === null ? undefined : use(change, subscriptionId, { organizations: 1 }),
    close: async (change, subscriptionId) =>
      subscriptionId === null ? undefined : use(change, subscriptionId, { organizations: -1 }),
  };
}

/** What is used of a subscription. Read through a `Change`, the answer still holds when that is committed. */
export async function usageOf(reader: Reader, subscriptionId: string): Promise<Counts> {
  const usage = await reader.get(usages, [subscriptionId]);
  return { accounts: usage?.accounts ?? 0, organizations: usage?.organizations ?? 0 };
}

/** Refuses a plan that is too small for what is used: `InvalidState`, with the counts. */
export function requireFits(used: Counts, plan: Plan, limits: PlanLimits): void {
  const limit = limitsOf(plan, limits);
  if (used.accounts <= limit.accounts && used.organizations <= limit.organizations) return;
  throw new LiveplaneError("InvalidState", "More is in use than this plan allows. Free some of it first.", {
    details: countsOf(used, limit),
  });
}

/**
 * Moves everything that is used of one subscription to another. The organizations must have been read through the change
 * before: it is their records that tell when a seat is taken meanwhile.
 */
export async function moveUsage(change: Change, from: string, to: string): Promise<void> {
  const used = await usageOf(change, from);
  change.delete(usages, [from]);
  if (used.accounts > 0 || used.organizations > 0) change.put(usages, { subscriptionId: to, ...used });
  for (const { accountId, grants } of await listAll(change, seats, { prefix: [from] })) {
    change.delete(seats, [from, accountId]);
    change.put(seats, { subscriptionId: to, accountId, grants });
  }
}

function countsOf(used: Counts, limit: Counts) {
  return {
    counts: {
      accounts: { used: used.accounts, limit: limit.accounts },
      organizations: { used: used.organizations, limit: limit.organizations },
    },
  };
}

function times({ accounts, organizations }: Counts, by: number): Counts {
  return { accounts: accounts * by, organizations: organizations * by };
}
