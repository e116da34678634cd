import { expect, test } from "vitest";
import { toAccount } from "../builders/principals.ts";
import { failure, tenantsWorld } from "../builders/tenants.ts";

const small = { discover: { accounts: 2, organizations: 1 }, workgroup: { accounts: 2, organizations: 1 } };
const later = "2027-01-01T00:00:00.000Z";
const workgroup = (multiplicator: number, expirationDate = later) =>
  ({ subscriptionType: "Workgroup", workgroupSubscriptionDetails: { multiplicator, expirationDate } }) as const;
const enterprise = (accounts: number, organizations: number, expirationDate = later) =>
  ({
    subscriptionType: "Enterprise",
    enterpriseSubscriptionDetails: {
      maxNumberOfAccounts: accounts,
      maxNumberOfOrganizations: organizations,
      expirationDate,
    },
  }) as const;

async function setUp(plans = small) {
  const world = tenantsWorld({ plans });
  const [alice, bob, root] = [await world.person("alice"), await world.person("bob"), await world.operator()];
  const subscriptionOf = async (id: string) => (await world.accountOf(id))?.subscriptionId ?? "";
  const grant = (organizationId: string, principalId: string) =>
    alice.api.organizations.permissions.grant({ organizationId }, toAccount(principalId, "View"));
  return { ...world, alice, bob, root, subscriptionOf, grant };
}

test("starts every account on a Discover subscription of its own, which shows to it and to operators", async () => {
  const { alice, bob, root, subscriptionOf } = await setUp();
  const subscriptionId = await subscriptionOf(alice.id);
  const own = await alice.api.subscriptions.get({ subscriptionId });
  expect(own).toMatchObject({
    id: subscriptionId,
    subscriptionType: "Discover",
    workgroupSubscriptionDetails: null,
    enterpriseSubscriptionDetails: null,
    createdBy: alice.id,
  });
  expect(await root.api.subscriptions.get({ subscriptionId })).toEqual(own);
  expect(await failure(bob.api.subscriptions.get({ subscriptionId }))).toBe("NotFound");
  const { items } = await root.api.subscriptions.list();
  expect(items.map(({ accountId }) => accountId).sort()).toEqual([alice.id, bob.id, root.id].sort());
  expect(items).toContainEqual({ ...own, accountId: alice.id });
  expect(await failure(alice.api.subscriptions.list())).toBe("PermissionDenied");
  expect(await failure(bob.api.subscriptions.update({ subscriptionId }, workgroup(1)))).toBe("NotFound");
  expect(await failure(alice.api.subscriptions.update({ subscriptionId }, workgroup(1)))).toBe("PermissionDenied");
});

test("takes the details of its type, whole and in the future", async () => {
  const { root, alice, subscriptionOf } = await setUp();
  const subscriptionId = await subscriptionOf(alice.id);
  const update = (body: object) => failure(root.api.subscriptions.update({ subscriptionId }, body as never));
  const mismatch = (name: string) => `SubscriptionDetailsMismatch at #/${name}SubscriptionDetails`;
  expect(await update({ subscriptionType: "Workgroup" })).toBe(mismatch("workgroup"));
  expect(await update({ subscriptionType: "Enterprise" })).toBe(mismatch("enterprise"));
  expect(await update({ ...workgroup(1), subscriptionType: "Discover" })).toBe(mismatch("workgroup"));
  expect(await update({ ...workgroup(1), ...enterprise(1, 1) })).toBe(mismatch("workgroup"));
  expect(await update({ ...workgroup(1), workgroupSubscriptionDetails: null })).toBe(mismatch("workgroup"));
  expect(await update(workgroup(1, "2025-01-01T00:00:00Z"))).toBe(
    "ValidationFailed at #/workgroupSubscriptionDetails/expirationDate",
  );
  expect(await update(workgroup(0))).toBe("ValidationFailed at #/workgroupSubscriptionDetails/multiplicator");
  expect(await update(enterprise(1_000_001, 1))).toBe(
    "ValidationFailed at #/enterpriseSubscriptionDetails/maxNumberOfAccounts",
  );
  expect(await root.api.subscriptions.update({ subscriptionId }, workgroup(3))).toMatchObject({
    workgroupSubscriptionDetails: { multiplicator: 3, expirationDate: later },
  });
  expect(await root.api.subscriptions.update({ subscriptionId }, { subscriptionType: "Workgroup" })).toMatchObject({
    workgroupSubscriptionDetails: { multiplicator: 3 },
  });
  expect(await root.api.subscriptions.update({ subscriptionId }, enterprise(5, 5))).toMatchObject({
    workgroupSubscriptionDetails: null,
  });
});

test("keeps what an update leaves out, the type too", async () => {
  const { root, alice, subscriptionOf } = await setUp();
  const subscriptionId = await subscriptionOf(alice.id);
  await root.api.subscriptions.update({ subscriptionId }, workgroup(3));
  const { workgroupSubscriptionDetails } = workgroup(4);
  expect(await root.api.subscriptions.update({ subscriptionId }, { workgroupSubscriptionDetails })).toMatchObject({
    subscriptionType: "Workgroup",
    workgroupSubscriptionDetails: { multiplicator: 4 },
  });
  expect(await root.api.subscriptions.update({ subscriptionId }, {})).toMatchObject({
    subscriptionType: "Workgroup",
    workgroupSubscriptionDetails: { multiplicator: 4 },
  });
});

test("shows what is used of what it allows, and an operator has no limits", async () => {
  const { alice, bob, root, grant, subscriptionOf } = await setUp();
  const { id: organizationId } = await alice.api.organizations.create({ name: "Acme" });
  await grant(organizationId, bob.id);
  const countsOf = async ({ id, api }: Pick<typeof alice, "id" | "api">) =>
    (await api.subscriptions.get({ subscriptionId: await subscriptionOf(id) })).counts;
  expect(await countsOf(alice)).toMatchObject({
    accounts: { used: 2, limit: 2 },
    organizations: { used: 1, limit: 1 },
    liveSystems: { used: 0, limit: null },
  });
  for (const name of ["First", "Second"]) await root.api.organizations.create({ name });
  expect(await countsOf(root)).toMatchObject({ accounts: { limit: null }, organizations: { used: 2, limit: null } });
});

test("counts each account once, however it came by its grants, and organizations", async () => {
  const { alice, bob, person, grant, serviceAccount } = await setUp();
  const carol = await person("carol");
  const { id: organizationId } = await alice.api.organizations.create({ name: "Acme" });
  expect(await failure(alice.api.organizations.create({ name: "Second" }))).toBe("SubscriptionLimitReached");
  await alice.api.organizations.teams.upsert({ organizationId }, { shortName: "t" });
  await alice.api.organizations.teams.permissions.grant({ organizationId, shortName: "t" }, toAccount(bob.id, "View"));
  await grant(organizationId, bob.id);
  const robot = await serviceAccount({ type: "Account", id: alice.id });
  await grant(organizationId, robot.id);
  const refused = grant(organizationId, carol.id);
  await expect(refused).rejects.toMatchObject({
    code: "SubscriptionLimitReached",
    details: { counts: { accounts: { used: 2, limit: 2 }, organizations: { used: 1, limit: 1 } } },
  });
  expect(await failure(grant(organizationId, "invited@example.com"))).toBe("SubscriptionLimitReached");
  await alice.api.organizations.permissions.revoke({ organizationId }, toAccount(bob.id, "View"));
  expect(await failure(grant(organizationId, carol.id))).toBe("SubscriptionLimitReached");
  await alice.api.organizations.teams.delete({ organizationId, shortName: "t" });
  expect(await failure(grant(organizationId, carol.id))).toBe("nothing failed");
});

test("frees the places of an organization at once when it is deleted", async () => {
  const { alice, bob, grant } = await setUp();
  const first = await alice.api.organizations.create({ name: "First" });
  await grant(first.id, bob.id);
  await alice.api.organizations.delete({ organizationId: first.id });
  const second = await alice.api.organizations.create({ name: "Second" });
  expect(await failure(grant(second.id, bob.id))).toBe("nothing failed");
});

test("refuses to go below what is used, with the counts", async () => {
  const { alice, bob, root, subscriptionOf, grant } = await setUp();
  const { id: organizationId } = await alice.api.organizations.create({ name: "Acme" });
  await grant(organizationId, bob.id);
  const subscriptionId = await subscriptionOf(alice.id);
  await expect(root.api.subscriptions.update({ subscriptionId }, enterprise(1, 1))).rejects.toMatchObject({
    code: "InvalidState",
    details: { counts: { accounts: { used: 2, limit: 1 }, organizations: { used: 1, limit: 1 } } },
  });
  await expect(root.api.subscriptions.create(enterprise(1, 1), { accountId: alice.id })).rejects.toMatchObject({
    code: "InvalidState",
  });
  expect(await failure(root.api.subscriptions.update({ subscriptionId }, enterprise(2, 1)))).toBe("nothing failed");
});

test("is replaced by an operator, and takes the organizations and what they use along", async () => {
  const { alice, bob, person, root, subscriptionOf, grant } = await setUp();
  const { id: organizationId } = await alice.api.organizations.create({ name: "Acme" });
  await grant(organizationId, bob.id);
  const before = await subscriptionOf(alice.id);
  const made = await root.api.subscriptions.create(enterprise(3, 1), { accountId: alice.id });
  expect(await subscriptionOf(alice.id)).toBe(made.id);
  expect((await alice.api.organizations.get({ organizationId })).subscriptionId).toBe(made.id);
  expect(await failure(root.api.subscriptions.get({ subscriptionId: before }))).toBe("NotFound");
  const [carol, dave] = [await person("carol"), await person("dave")];
  expect(await failure(grant(organizationId, carol.id))).toBe("nothing failed");
  expect(await failure(grant(organizationId, dave.id))).toBe("SubscriptionLimitReached");
  expect(await failure(alice.api.organizations.create({ name: "Second" }))).toBe("SubscriptionLimitReached");
});

test("is made by operators for others, and by each account once for itself", async () => {
  const { alice, bob, root } = await setUp();
  const discover = { subscriptionType: "Discover" } as const;
  await alice.api.subscriptions.create(discover, { accountId: alice.id });
  expect(await failure(alice.api.subscriptions.create(discover))).toBe("AlreadyExists");
  expect(await failure(alice.api.subscriptions.create(discover, { accountId: bob.id }))).toBe("PermissionDenied");
  expect(await failure(alice.api.subscriptions.create(workgroup(1)))).toBe("PermissionDenied");
  await root.api.subscriptions.create(workgroup(1), { accountId: bob.id });
  expect(await failure(bob.api.subscriptions.create(discover))).toBe("AlreadyExists");
  expect(
    await failure(root.api.subscriptions.create(workgroup(1), { accountId: "8c5e4b1a-0000-4000-8000-00000000dead" })),
  ).toBe("NotFound");
});

test("tells once that it has expired, and moves no version for it", async () => {
  const { alice, root, runtime, subscriptionOf, events, housekeep } = await setUp();
  const subscriptionId = await subscriptionOf(alice.id);
  await root.api.subscriptions.update({ subscriptionId }, workgroup(2, "2026-01-02T00:00:00Z"));
  const { version } = await alice.api.subscriptions.get({ subscriptionId });
  await housekeep();
  expect(await events("subscription.expired")).toHaveLength(0);
  await runtime.advance(24 * 3600 * 1000);
  await housekeep();
  await housekeep();
  expect(await events("subscription.expired")).toHaveLength(1);
  expect(await alice.api.subscriptions.get({ subscriptionId })).toMatchObject({ version });
});
