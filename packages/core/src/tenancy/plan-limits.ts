import type { SubscriptionUse } from "../contract/schemas/account-schemas.ts";
import { LiveplaneError } from "../errors.ts";
import { type PlanAmounts, planAmounts, type Settings } from "../settings.ts";

/** The part of a subscription that determines its limits. */
export interface Plan {
  readonly subscriptionType: "Discover" | "Workgroup" | "Enterprise";
  readonly workgroupSubscriptionDetails: { readonly multiplicator: number; readonly expirationDate: string } | null;
  readonly enterpriseSubscriptionDetails: {
    readonly maxNumberOfAccounts: number;
    readonly maxNumberOfOrganizations: number;
    /** Omitted: unlimited. */
    readonly maxNumberOfLiveSystems?: number;
    /** Omitted: unlimited. */
    readonly maxNumberOfComponents?: number;
    readonly expirationDate: string;
  } | null;
}

type Amount = keyof PlanAmounts;

/** A count for each amount. */
export type Counts = Readonly<Record<Amount, number>>;

type OwnedPlan = Plan & { readonly accountId: string };

export type LimitSettings = Pick<Settings, "plans" | "operators">;

/** The limits of a plan. Unlimited amounts are infinite; operators have no limits. */
function limitsOf(plan: OwnedPlan | null, { plans, operators }: LimitSettings): Counts {
  if (plan === null) return nothing;
  if (operators.includes(plan.accountId)) return mapped(() => Number.POSITIVE_INFINITY);
  const { workgroupSubscriptionDetails, enterpriseSubscriptionDetails: enterprise } = plan;
  const limit = (limits: PlanAmounts = {}, by = 1) =>
    mapped((amount) => wholeTimes(limits[amount] ?? Number.POSITIVE_INFINITY, by));
  switch (plan.subscriptionType) {
    case "Discover":
      return limit(plans.discover);
    case "Workgroup":
      return limit(plans.workgroup, workgroupSubscriptionDetails?.multiplicator);
    case "Enterprise":
      return {
        accounts: enterprise?.maxNumberOfAccounts ?? 0,
        organizations: enterprise?.maxNumberOfOrganizations ?? 0,
        liveSystems: enterprise?.maxNumberOfLiveSystems ?? Number.POSITIVE_INFINITY,
        components: enterprise?.maxNumberOfComponents ?? Number.POSITIVE_INFINITY,
      };
  }
}

/** When a plan ends, in epoch milliseconds; `null` if never. */
export function expiryOf(plan: Plan): number | null {
  const details = plan.workgroupSubscriptionDetails ?? plan.enterpriseSubscriptionDetails;
  return details === null ? null : Date.parse(details.expirationDate);
}

export function isExpired(plan: Plan, now: number): boolean {
  const expiry = expiryOf(plan);
  return expiry !== null && expiry <= now;
}

/** Refuses more than a plan allows: `SubscriptionLimitReached`, with the counts. An existing excess may stay but not grow. */
export function requireRoom(used: Counts, next: Counts, plan: OwnedPlan | null, settings: LimitSettings): void {
  const limit = limitsOf(plan, settings);
  const over = planAmounts.find((amount) => next[amount] > used[amount] && next[amount] > limit[amount]);
  if (over === undefined) return;
  throw new LiveplaneError(
    "SubscriptionLimitReached",
    `${allows(plan, over, limit, used)} Remove some first, or ask an operator for a larger plan.`,
    { details: detailsOf(plan, used, limit) },
  );
}

/** Refuses a plan that is too small for the current use: `InvalidState`, with the counts. */
export function requireFits(used: Counts, plan: OwnedPlan, settings: LimitSettings): void {
  const limit = limitsOf(plan, settings);
  const over = planAmounts.find((amount) => used[amount] > limit[amount]);
  if (over === undefined) return;
  throw new LiveplaneError("InvalidState", `${allows(plan, over, limit, used)} Remove some first.`, {
    details: detailsOf(plan, used, limit),
  });
}

function allows(plan: Plan | null, amount: Amount, limit: Counts, used: Counts): string {
  const name = plan === null ? "An ended subscription" : `The ${plan.subscriptionType} plan`;
  const what = amount === "liveSystems" ? "live systems" : amount;
  return `${name} allows at most ${limit[amount]} ${what}, and ${used[amount]} are in use.`;
}

/** What is used of a plan, and what it allows; `null`: there is no limit. */
export function shownCounts(used: Counts, plan: OwnedPlan, settings: LimitSettings): SubscriptionUse["counts"] {
  const limit = limitsOf(plan, settings);
  const count = (amount: Amount) => ({
    used: used[amount],
    limit: Number.isFinite(limit[amount]) ? limit[amount] : null,
  });
  return {
    accounts: count("accounts"),
    organizations: count("organizations"),
    liveSystems: count("liveSystems"),
    components: count("components"),
  };
}

/** This many more of some, or less. No count goes below nothing. */
export function added(used: Counts, by: Partial<Counts>): Counts {
  return mapped((amount) => Math.max(0, used[amount] + (by[amount] ?? 0)));
}

const nothing = mapped(() => 0);

/** Unlimited amounts are omitted, because JSON has no infinity. */
function detailsOf(plan: Plan | null, used: Counts, limit: Counts) {
  const limited = planAmounts.filter((amount) => limit[amount] < Number.POSITIVE_INFINITY);
  const counts = Object.fromEntries(limited.map((amount) => [amount, { used: used[amount], limit: limit[amount] }]));
  return { counts, plan: plan?.subscriptionType ?? null, changeableBy: "operators" };
}

/** Rounds down, but compensates for binary fractions: 10 times 2.3 is 23. */
function wholeTimes(limit: number, by: number): number {
  return Math.floor(Number((limit * by).toFixed(6)));
}

function mapped(count: (amount: Amount) => number): Counts {
  return {
    accounts: count("accounts"),
    organizations: count("organizations"),
    liveSystems: count("liveSystems"),
    components: count("components"),
  };
}
