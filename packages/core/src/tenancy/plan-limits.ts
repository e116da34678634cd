import { LiveplaneError } from "../errors.ts";
import { defaultPlans, type PlanLimits } from "../settings.ts";

/** What somebody subscribed to: the part of a subscription that its limits follow from. */
export interface Plan {
  readonly subscriptionType: "Discover" | "Workgroup" | "Enterprise";
  readonly workgroupSubscriptionDetails: { readonly multiplicator: number; readonly expirationDate: string } | null;
  readonly enterpriseSubscriptionDetails: {
    readonly maxNumberOfAccounts: number;
    readonly maxNumberOfOrganizations: number;
    /** Left out: as many as there may be. */
    readonly maxNumberOfLiveSystems?: number;
    /** Left out: as many as there may be. */
    readonly maxNumberOfComponents?: number;
    readonly expirationDate: string;
  } | null;
}

const amounts = ["accounts", "organizations", "liveSystems", "components"] as const;

/** So many of each. */
export type Counts = Readonly<Record<(typeof amounts)[number], number>>;

/** What a plan allows. What has no limit is infinite. */
function limitsOf(plan: Plan, { discover, workgroup }: PlanLimits): Counts {
  const { workgroupSubscriptionDetails, enterpriseSubscriptionDetails: enterprise } = plan;
  switch (plan.subscriptionType) {
    case "Discover":
      return { ...defaultPlans.discover, ...discover };
    case "Workgroup":
      return times({ ...defaultPlans.workgroup, ...workgroup }, workgroupSubscriptionDetails?.multiplicator ?? 0);
    case "Enterprise":
      return {
        accounts: enterprise?.maxNumberOfAccounts ?? 0,
        organizations: enterprise?.maxNumberOfOrganizations ?? 0,
        liveSystems: enterprise?.maxNumberOfLiveSystems ?? Number.POSITIVE_INFINITY,
        components: enterprise?.maxNumberOfComponents ?? Number.POSITIVE_INFINITY,
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

/** Refuses more than a plan allows: `SubscriptionLimitReached`, with the counts. What is too much already may stay, and not grow. */
export function requireRoom(used: Counts, next: Counts, plan: Plan | null, limits: PlanLimits): void {
  const limit = plan === null ? nothing : limitsOf(plan, limits);
  if (!amounts.some((amount) => next[amount] > used[amount] && next[amount] > limit[amount])) return;
  throw new LiveplaneError(
    "SubscriptionLimitReached",
    "The subscription has no place left. Free a place, or choose a larger plan.",
    { details: countsOf(used, limit) },
  );
}

/** Refuses a plan that is too small for what is used: `InvalidState`, with the counts. */
export function requireFits(used: Counts, plan: Plan, limits: PlanLimits): void {
  const limit = limitsOf(plan, limits);
  if (amounts.every((amount) => used[amount] <= limit[amount])) return;
  throw new LiveplaneError("InvalidState", "More is in use than this plan allows. Free some of it first.", {
    details: countsOf(used, limit),
  });
}

/** So many more of some, or less. No count goes below nothing. */
export function added(used: Counts, by: Partial<Counts>): Counts {
  return mapped((amount) => Math.max(0, used[amount] + (by[amount] ?? 0)));
}

const nothing = mapped(() => 0);

/** What has no limit isn't told: JSON has no such number. */
function countsOf(used: Counts, limit: Counts) {
  const limited = amounts.filter((amount) => limit[amount] < Number.POSITIVE_INFINITY);
  const counts = Object.fromEntries(limited.map((amount) => [amount, { used: used[amount], limit: limit[amount] }]));
  return { counts };
}

function times(counts: Counts, by: number): Counts {
  return mapped((amount) => counts[amount] * by);
}

function mapped(count: (amount: (typeof amounts)[number]) => number): Counts {
  return {
    accounts: count("accounts"),
    organizations: count("organizations"),
    liveSystems: count("liveSystems"),
    components: count("components"),
  };
}
