import { expect, test } from "vitest";
import type { Resources } from "../../src/tenancy/plan-usage.ts";
import { failure, type TenantsOptions, tenantsWorld } from "../builders/tenants.ts";

const amounts = { accounts: 9, organizations: 9, liveSystems: 3, components: 10 };
const plans = { discover: amounts, workgroup: amounts };
const enterprise = (places: { maxNumberOfLiveSystems?: number | null; maxNumberOfComponents?: number | null }) =>
  // What comes over HTTP may be null, which the client's types leave out.
  ({
    subscriptionType: "Enterprise",
    enterpriseSubscriptionDetails: {
      maxNumberOfAccounts: 9,
      maxNumberOfOrganizations: 9,
      expirationDate: "2027-01-01T00:00:00.000Z",
      ...(places as { maxNumberOfLiveSystems?: number; maxNumberOfComponents?: number }),
    },
  }) as const;

async function setUp(options: TenantsOptions = {}) {
  const world = tenantsWorld({ plans, ...options });
  const [alice, root] = [await world.person("alice"), await world.operator()];
  const { id: organizationId } = await alice.api.organizations.create({ name: "Acme" });
  const personal = { type: "Personal", id: alice.id } as const;
  const organizational = { type: "Organizational", id: organizationId } as const;
  const count = (owner: typeof personal | typeof organizational, by: Partial<Resources>) =>
    world.records.change({ actor: "test", requestId: "test" }, (change) => world.seats.count(change, owner, by));
  const subscriptionId = async () => (await world.accountOf(alice.id))?.subscriptionId ?? "";
  return { ...world, alice, root, personal, organizational, count, subscriptionId };
}

test("an account's live systems and its organizations' count in one plan", async () => {
  const { count, personal, organizational } = await setUp();
  await count(personal, { liveSystems: 1, components: 4 });
  await count(organizational, { liveSystems: 2, components: 6 });
  expect(await failure(count(personal, { liveSystems: 1 }))).toBe("SubscriptionLimitReached");
  expect(await failure(count(organizational, { components: 1 }))).toBe("SubscriptionLimitReached");
  await count(organizational, { liveSystems: -1, components: -3 });
  expect(await failure(count(personal, { liveSystems: 1, components: 3 }))).toBe("nothing failed");
});

test("a plan below the live systems or components in use is refused with the counts, one that is large enough isn't", async () => {
  const { count, organizational, root, subscriptionId } = await setUp();
  await count(organizational, { liveSystems: 2, components: 6 });
  const update = async (places: Parameters<typeof enterprise>[0]) =>
    root.api.subscriptions.update({ subscriptionId: await subscriptionId() }, enterprise(places));
  await expect(update({ maxNumberOfLiveSystems: 1 })).rejects.toMatchObject({
    code: "InvalidState",
    status: 409,
    details: { counts: { liveSystems: { used: 2, limit: 1 } } },
  });
  await expect(update({ maxNumberOfComponents: 5 })).rejects.toMatchObject({
    details: { counts: { components: { used: 6, limit: 5 } } },
  });
  const { enterpriseSubscriptionDetails: details } = await update({
    maxNumberOfLiveSystems: 2,
    maxNumberOfComponents: null,
  });
  expect(details).toEqual(enterprise({ maxNumberOfLiveSystems: 2 }).enterpriseSubscriptionDetails);
  expect(await failure(count(organizational, { components: 1000 }))).toBe("nothing failed");
});

test("what is used goes along when a subscription is replaced", async () => {
  const { count, personal, organizational, root, alice } = await setUp();
  await count(personal, { liveSystems: 1, components: 1 });
  await count(organizational, { liveSystems: 2, components: 2 });
  const smaller = root.api.subscriptions.create(enterprise({ maxNumberOfLiveSystems: 2 }), { accountId: alice.id });
  expect(await failure(smaller)).toBe("InvalidState");
  await root.api.subscriptions.create(enterprise({ maxNumberOfLiveSystems: 3 }), { accountId: alice.id });
  expect(await failure(count(organizational, { liveSystems: 1 }))).toBe("SubscriptionLimitReached");
  await count(organizational, { liveSystems: -2 });
  expect(await failure(count(personal, { liveSystems: 2 }))).toBe("nothing failed");
});

test("what was there before anything was counted is counted with the first change, all owners together", async () => {
  const { count, personal, organizational, root, subscriptionId, store } = await setUp({
    resourcesOf: async (_reader, { type }) => ({ liveSystems: type === "Personal" ? 1 : 2, components: 8 }),
  });
  for (const { key } of await store.list({ prefix: ["record", "plan-usage"] })) await store.commit({ deletes: [key] });
  const update = async (components: number) =>
    root.api.subscriptions.update(
      { subscriptionId: await subscriptionId() },
      enterprise({ maxNumberOfComponents: components }),
    );
  expect(await failure(update(15))).toBe("InvalidState");
  expect(await failure(count(personal, { components: 1 }))).toBe("SubscriptionLimitReached");
  expect(await failure(count(organizational, { components: -1 }))).toBe("nothing failed");
});
