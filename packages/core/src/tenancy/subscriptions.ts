import type { EventData } from "../contract/event-data.ts";
import type { Call, Handlers } from "../contract/handler.ts";
import { invalid } from "../contract/invalid.ts";
import { checkPreconditions } from "../contract/preconditions.ts";
import type { SubscriptionInput } from "../contract/schemas/account-schemas.ts";
import { actorName } from "../contract/target.ts";
import { nowText } from "../encoding.ts";
import { LiveplaneError, type Violation } from "../errors.ts";
import { accountOf, isOperator } from "../permissions/actors.ts";
import { authorizations } from "../permissions/grants.ts";
import { listAll } from "../records/list-all.ts";
import type { Change, Stored } from "../records/records.ts";
import { shownOnce } from "../records/shown-once.ts";
import type { Services } from "../services.ts";
import { organizations } from "./organization-record.ts";
import { type Plan, requireFits, shownCounts } from "./plan-limits.ts";
import { expectExpiry } from "./subscription-expiry.ts";
import { type SubscriptionRecord, subscriptions, toSubscription } from "./subscription-record.ts";

/** Subscriptions: their operations, and the start of an account. */
export interface Subscriptions {
  readonly handlers: Handlers<"subscriptions">;
  /** Starts an account on its own Discover subscription, and returns the ID for the account's record. */
  startDiscover(change: Change, accountId: string): Promise<string>;
  /** Ends the subscription of a purged account, unless organizations use it. */
  end(change: Change, accountId: string): Promise<void>;
}

export function createSubscriptions(
  deps: Pick<Services, "records" | "pages" | "runtime" | "settings" | "accounts" | "principals" | "seats">,
): Subscriptions {
  const { records, pages, runtime, settings, seats } = deps;
  const withUse = async (found: Stored<SubscriptionRecord>) => ({
    ...shown(found),
    counts: shownCounts(await seats.used(records, found.id), found, settings),
  });

  return {
    startDiscover: async (change, accountId) => {
      const made = await put(deps, change, { id: runtime.newId(), accountId, by: accountId, plan: discover });
      return made.id;
    },
    async end(change, accountId) {
      const known = await change.find(subscriptions, "account", [accountId]);
      if (known === null || (await seats.used(change, known.id)).organizations > 0) return;
      seats.forget(change, known.id);
      await expectExpiry(change, known.id, discover);
      change.delete(subscriptions, [known.id]);
    },
    handlers: {
      "subscriptions.create": async (call) => {
        const made = await records.change(call.cause, (change) => create(deps, change, call));
        return { value: toSubscription(made), made: true, location: `/subscriptions/${made.id}` };
      },

      "subscriptions.update": async ({ params, body, preconditions, cause }) => {
        const updated = await records.change(cause, async (change) => {
          const known = await change.get(subscriptions, [params.subscriptionId]);
          if (known === null) throw new LiveplaneError("NotFound");
          const plan = planOf({ subscriptionType: known.subscriptionType, ...body }, known, runtime.clock.now());
          checkPreconditions(preconditions, known);
          const changed = changedIn(plan, known);
          if (changed.length === 0) return known;
          requireFits(await seats.used(change, known.id), { ...known, ...plan }, settings);
          emitSubscription(change, "subscription.updated", known, { changed });
          await expectExpiry(change, known.id, plan);
          return change.put(subscriptions, { ...known, ...plan, ...stampOf(deps, cause.actor) });
        });
        return { value: toSubscription(updated) };
      },

      "subscriptions.list": async ({ actor, query }) => {
        const bind = [actorName(actor), "subscriptions.list"];
        const page = await pages.page<SubscriptionRecord>(
          (range) => records.list(subscriptions, { index: "byCreation", ...range }),
          { ...query, bind },
        );
        const items = page.items.map(async (found) => ({ ...(await withUse(found)), accountId: found.accountId }));
        return { value: { ...page, items: await Promise.all(items) } };
      },

      "subscriptions.get": async ({ params }) => {
        const found = await records.get(subscriptions, [params.subscriptionId]);
        if (found === null) throw new LiveplaneError("NotFound");
        return { value: await withUse(found) };
      },
    },
  };
}

const shown = shownOnce(toSubscription);
const discover: Plan = {
  subscriptionType: "Discover",
  workgroupSubscriptionDetails: null,
  enterpriseSubscriptionDetails: null,
};

async function create(
  deps: Pick<Services, "runtime" | "settings" | "accounts" | "principals" | "seats">,
  change: Change,
  call: Call<"subscriptions.create">,
): Promise<Stored<SubscriptionRecord>> {
  const { body, query, actor, cause, preconditions } = call;
  const operates = isOperator(actor, deps.settings);
  const own = await accountOf(actor, change, deps.principals);
  const accountId = query.accountId ?? own;
  const isOther = query.accountId !== undefined && query.accountId !== own;
  if (accountId === null || (!operates && (isOther || body.subscriptionType !== "Discover")))
    throw new LiveplaneError("PermissionDenied", "Only operators may do this for others, or with a paid type.");
  const plan = planOf(body, null, deps.runtime.clock.now());
  const [status] = await deps.accounts.statuses(change, [accountId]);
  if (!status || status === "Deleted") throw new LiveplaneError("NotFound", "There is no such account.");
  checkPreconditions(preconditions, null, { creates: true });
  const known = await change.find(subscriptions, "account", [accountId]);
  if (known !== null && !isBorn(known) && !(operates && query.accountId !== undefined))
    throw new LiveplaneError("AlreadyExists", "The account already has a subscription.");
  const id = deps.runtime.newId();
  if (known !== null) await replace(deps, change, { known, id, plan, by: cause.actor });
  await deps.accounts.setSubscription(change, accountId, id);
  return put(deps, change, { id, accountId, by: cause.actor, plan, chosen: true });
}

/** Whether it is the initial subscription of an account, which a chosen one replaces. */
function isBorn({ subscriptionType, chosen }: SubscriptionRecord): boolean {
  return subscriptionType === "Discover" && chosen !== true;
}

interface Replacing {
  readonly known: SubscriptionRecord;
  readonly id: string;
  readonly plan: Plan;
  readonly by: string;
}

/** Replaces a subscription by a new one, to which its organizations move. */
async function replace(
  { settings, runtime, seats }: Pick<Services, "runtime" | "settings" | "seats">,
  change: Change,
  { known, id, plan, by }: Replacing,
): Promise<void> {
  // Opening or closing an organization writes the usage, which is read first, so the list can't be stale at the commit.
  requireFits(await seats.used(change, known.id), { ...known, ...plan }, settings);
  for (const { id: organizationId } of await listAll(change, organizations, {
    index: "bySubscription",
    prefix: [known.id],
  })) {
    const organization = await change.get(organizations, [organizationId]);
    const authorization = await change.get(authorizations, [organizationId]);
    if (organization === null || authorization === null) continue;
    change.put(authorizations, { ...authorization, subscriptionId: id });
    change.put(organizations, { ...organization, subscriptionId: id, ...stampOf({ runtime }, by) });
  }
  await seats.move(change, known.id, id);
  await expectExpiry(change, known.id, discover);
  change.delete(subscriptions, [known.id]);
}

async function put(
  { runtime }: Pick<Services, "runtime">,
  change: Change,
  { by, plan, ...of }: Pick<SubscriptionRecord, "id" | "accountId" | "chosen"> & { by: string; plan: Plan },
) {
  const stamp = stampOf({ runtime }, by);
  const record: SubscriptionRecord = { ...of, ...plan, createdAt: stamp.updatedAt, createdBy: by, ...stamp };
  emitSubscription(change, "subscription.created", record, { subscriptionType: plan.subscriptionType });
  await expectExpiry(change, of.id, plan);
  return change.put(subscriptions, record);
}

/** The plan that a body asks for: omitted members stay unless the type changes. Throws `SubscriptionDetailsMismatch`. */
function planOf(input: SubscriptionInput, before: Plan | null, now: number): Plan {
  const { subscriptionType } = input;
  const kept = before?.subscriptionType === subscriptionType ? before : discover;
  const workgroup =
    input.workgroupSubscriptionDetails === undefined
      ? kept.workgroupSubscriptionDetails
      : input.workgroupSubscriptionDetails;
  const enterprise =
    input.enterpriseSubscriptionDetails === undefined
      ? kept.enterpriseSubscriptionDetails
      : input.enterpriseSubscriptionDetails;
  const errors = [
    ...mismatches("workgroupSubscriptionDetails", workgroup, subscriptionType),
    ...mismatches("enterpriseSubscriptionDetails", enterprise, subscriptionType),
  ];
  const [first, ...rest] =
    errors.length > 0
      ? errors
      : [...past("workgroupSubscriptionDetails", input, now), ...past("enterpriseSubscriptionDetails", input, now)];
  if (first !== undefined) throw invalid([first, ...rest]);
  return { subscriptionType, workgroupSubscriptionDetails: workgroup, enterpriseSubscriptionDetails: enterprise };
}

type DetailsName = "workgroupSubscriptionDetails" | "enterpriseSubscriptionDetails";

const typeOf = { workgroupSubscriptionDetails: "Workgroup", enterpriseSubscriptionDetails: "Enterprise" } as const;

function mismatches(name: DetailsName, details: object | null, type: Plan["subscriptionType"]): Violation[] {
  const wanted = typeOf[name] === type;
  if ((details !== null) === wanted) return [];
  const detail = wanted
    ? "This type of subscription needs these details."
    : "This type of subscription does not accept these details.";
  return [{ pointer: `#/${name}`, code: "SubscriptionDetailsMismatch", detail }];
}

function past(name: DetailsName, input: SubscriptionInput, now: number): Violation[] {
  const details = input[name];
  if (!details || Date.parse(details.expirationDate) > now) return [];
  return [{ pointer: `#/${name}/expirationDate`, code: "TooSmall", detail: "This date has passed." }];
}

function changedIn(after: Plan, before: Plan): string[] {
  return (Object.keys(after) as (keyof Plan)[]).filter(
    (member) => JSON.stringify(after[member]) !== JSON.stringify(before[member]),
  );
}

function stampOf(deps: Pick<Services, "runtime">, by: string) {
  return { updatedAt: nowText(deps), updatedBy: by };
}

type AboutSubscription = "subscription.created" | "subscription.updated";

function emitSubscription<Type extends AboutSubscription>(
  change: Change,
  type: Type,
  { id, accountId }: Pick<SubscriptionRecord, "id" | "accountId">,
  data: Omit<EventData[Type], "accountId">,
): void {
  const about = { kind: "subscription", id, accountId } as const;
  change.emit({ type, subject: id, about, data: { accountId, ...data } as EventData[Type] });
}
