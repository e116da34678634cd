import { expect, test } from "vitest";
import { toAccount, toTeam } from "../builders/principals.ts";
import { failure, tenantsWorld } from "../builders/tenants.ts";

async function setUp() {
  const world = tenantsWorld();
  const [alice, bob, carol] = [await world.person("alice"), await world.person("bob"), await world.person("carol")];
  const { id: organizationId } = await alice.api.organizations.create({ name: "Acme" });
  return { ...world, alice, bob, carol, organizationId };
}

test("shows who is in an organization's group by the grants on it", async () => {
  const { alice, bob, carol, organizationId } = await setUp();
  const at = { organizationId, shortName: "Prod" };
  const made = await alice.api.organizations.resourceGroups.upsert(at, { displayName: "Production" });
  expect(made).toMatchObject({
    id: { resourceGroupType: "Organizational", ownerId: organizationId, shortName: "Prod" },
    displayName: "Production",
    description: null,
    icon: null,
    status: "Active",
    livesystems: [],
    blueprints: [],
    managersIds: [alice.id],
    membersIds: [],
    teamsIds: [],
    createdBy: alice.id,
  });
  const team = await alice.api.organizations.teams.upsert({ organizationId }, { shortName: "core" });
  const grant = (body: ReturnType<typeof toAccount> | ReturnType<typeof toTeam>) =>
    alice.api.organizations.resourceGroups.permissions.grant(at, body);
  await grant(toAccount(bob.id, "View"));
  await grant(toAccount(carol.id, "View"));
  await grant(toAccount(carol.id, "Admin"));
  await grant(toTeam(team.principalId, "Admin"));
  const now = await bob.api.organizations.resourceGroups.get({ organizationId, shortName: "prod" });
  expect([...now.managersIds].sort()).toEqual([alice.id, carol.id].sort());
  expect(now).toMatchObject({ membersIds: [bob.id], teamsIds: [team.principalId] });
  expect(now.version).not.toBe(made.version);
  expect((await alice.api.organizations.get({ organizationId })).resourceGroups).toEqual([
    `Organizational/${organizationId}/Prod`,
  ]);
});

test("comes back without its grants, with its restorer as Admin", async () => {
  const { alice, bob, organizationId } = await setUp();
  const at = { organizationId, shortName: "g" };
  await alice.api.organizations.resourceGroups.upsert(at, { displayName: "old" });
  await alice.api.organizations.resourceGroups.permissions.grant(at, toAccount(bob.id, "View"));
  expect(await alice.api.organizations.resourceGroups.delete(at)).toMatchObject({ status: "Deleted", managersIds: [] });
  expect(await failure(bob.api.organizations.resourceGroups.get(at))).toBe("NotFound");
  expect((await alice.api.organizations.get({ organizationId })).resourceGroups).toEqual([]);
  expect(await alice.api.organizations.resourceGroups.upsert({ organizationId, shortName: "G" }, {})).toMatchObject({
    id: { shortName: "g" },
    displayName: null,
    status: "Active",
    managersIds: [alice.id],
    membersIds: [],
  });
  expect(await failure(bob.api.organizations.resourceGroups.get(at))).toBe("NotFound");
});

test("keeps one's own groups to oneself, by both paths", async () => {
  const { alice, bob } = await setUp();
  const made = await alice.api.accounts.resourceGroups.upsert({ shortName: "Mine" }, { displayName: "m" });
  expect(made).toMatchObject({
    id: { resourceGroupType: "Personal", ownerId: alice.id, shortName: "Mine" },
    livesystems: [],
    blueprints: [],
  });
  expect(made).not.toHaveProperty("membersIds");
  expect(await alice.api.accounts.resourceGroups.getByShortName({ shortName: "mine" })).toEqual({
    ...made,
    made: undefined,
  });
  expect(
    await alice.api.accounts.resourceGroups.upsertByShortName({ shortName: "mine" }, { description: "d" }),
  ).toMatchObject({ displayName: "m", description: "d" });
  expect(await failure(bob.api.accounts.resourceGroups.get({ shortName: "mine" }))).toBe("NotFound");
  expect((await alice.api.accounts.resourceGroups.list()).items).toHaveLength(1);
  expect((await bob.api.accounts.resourceGroups.list()).items).toHaveLength(0);
  expect(await alice.api.accounts.resourceGroups.delete({ shortName: "mine" })).toMatchObject({ status: "Deleted" });
  expect(await failure(alice.api.accounts.resourceGroups.get({ shortName: "mine" }))).toBe("NotFound");
});
