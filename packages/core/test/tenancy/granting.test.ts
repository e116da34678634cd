import { expect, test } from "vitest";
import { toAccount, toTeam } from "../builders/principals.ts";
import { failure, tenantsWorld } from "../builders/tenants.ts";

type Permission = "Admin" | "Edit" | "Terminate" | "View";

async function setUp() {
  const world = tenantsWorld();
  const [alice, bob, carol] = [await world.person("alice"), await world.person("bob"), await world.person("carol")];
  const { id: organizationId } = await alice.api.organizations.create({ name: "Acme" });
  const input = (
    principalId: string | null,
    permissionType: Permission,
    principalType: "Account" | "Team" = "Account",
  ) => ({ principalType, principalId, permissionType });
  const grant = (principalId: string | null, permissionType: Permission, type?: "Account" | "Team") =>
    alice.api.organizations.permissions.grant({ organizationId }, input(principalId, permissionType, type));
  const revoke = (principalId: string | null, permissionType: Permission, type?: "Account" | "Team") =>
    alice.api.organizations.permissions.revoke({ organizationId }, input(principalId, permissionType, type));
  return { ...world, alice, bob, carol, organizationId, grant, revoke };
}

test("answers true and stays silent when it is repeated", async () => {
  const { bob, grant, revoke, events, alice, organizationId } = await setUp();
  const before = await alice.api.organizations.get({ organizationId });
  expect(await grant(bob.id, "View")).toBe(true);
  const after = await alice.api.organizations.get({ organizationId });
  expect(after.version).not.toBe(before.version);
  expect(await grant(bob.id.toUpperCase(), "View")).toBe(true);
  expect((await alice.api.organizations.get({ organizationId })).version).toBe(after.version);
  expect(await events("permission.granted")).toHaveLength(1);
  expect(await revoke(bob.id, "View")).toBe(true);
  expect(await revoke(bob.id, "View")).toBe(true);
  expect(await events("permission.revoked")).toHaveLength(1);
});

test("revokes nothing that is only implied, was never granted, or belongs to nobody known", async () => {
  const { bob, grant, revoke, organizationId, events } = await setUp();
  await grant(bob.id, "Admin");
  for (const principalId of [bob.id, "8c5e4b1a-0000-4000-8000-00000000dead", "nobody@example.com", "no-id"]) {
    expect(await revoke(principalId, "View")).toBe(true);
  }
  expect(await revoke("core", "View", "Team")).toBe(true);
  expect(await events("permission.revoked")).toHaveLength(0);
  expect(await failure(bob.api.organizations.get({ organizationId }))).toBe("nothing failed");
});

test("refuses principals that aren't there, by the place", async () => {
  const { person, deleteAccount, grant, revoke, alice, organizationId } = await setUp();
  const gone = await person("gone");
  await deleteAccount(gone.id);
  const wrong = "InvalidPrincipal at #/principalId";
  for (const principalId of [null, "", "no-id", "8c5e4b1a-0000-4000-8000-00000000dead", gone.id, gone.email]) {
    expect(await failure(grant(principalId, "View"))).toBe(wrong);
  }
  expect(await failure(revoke(null, "View"))).toBe(wrong);
  const team = await alice.api.organizations.teams.upsert({ organizationId }, { shortName: "core" });
  expect(await failure(grant("core", "View", "Team"))).toBe(wrong);
  expect(await failure(grant(team.principalId, "View"))).toBe(wrong);
  expect(await failure(grant(team.principalId, "View", "Team"))).toBe("nothing failed");
  const other = await alice.api.organizations.create({ name: "Other" });
  const foreign = await alice.api.organizations.teams.upsert({ organizationId: other.id }, { shortName: "core" });
  expect(await failure(grant(foreign.principalId, "View", "Team"))).toBe(wrong);
});

test("invites an address that nobody has, and answers the same for one that somebody has", async () => {
  const { bob, carol, grant, revoke, alice, organizationId, accountOf } = await setUp();
  expect(await grant(bob.email, "View")).toBe(true);
  expect(await failure(bob.api.organizations.get({ organizationId }))).toBe("nothing failed");
  expect(await grant("new@example.com", "View")).toBe(true);
  const { members } = await alice.api.organizations.get({ organizationId });
  const invited = members.filter((id) => id !== alice.id && id !== bob.id);
  expect(await accountOf(invited[0] ?? "")).toMatchObject({ email: "new@example.com", status: "Registered" });
  expect(members).not.toContain(carol.id);
  expect(await revoke(bob.email, "View")).toBe(true);
  expect(await failure(bob.api.organizations.get({ organizationId }))).toBe("NotFound");
});

test("grants to service accounts, who are members but take no place of a person", async () => {
  const { serviceAccount, alice, grant, organizationId } = await setUp();
  const robot = await serviceAccount({ type: "Account", id: alice.id });
  await grant(robot.id, "Edit");
  expect((await alice.api.organizations.get({ organizationId })).members).toContain(robot.id);
  expect(await failure(robot.api.organizations.update({ organizationId, name: "x" }))).toBe("nothing failed");
});

test("keeps the last Active account that was granted Admin directly", async () => {
  const { alice, bob, grant, revoke, serviceAccount, setStatus, suspend, deleteAccount, organizationId } =
    await setUp();
  const robot = await serviceAccount({ type: "Account", id: alice.id });
  const team = await alice.api.organizations.teams.upsert({ organizationId }, { shortName: "core" });
  await alice.api.organizations.teams.permissions.grant(
    { organizationId, shortName: "core" },
    toAccount(bob.id, "Admin"),
  );
  await grant(team.principalId, "Admin", "Team");
  await grant(robot.id, "Admin");
  await grant("invited@example.com", "Admin");
  expect(await failure(revoke(alice.id, "Admin"))).toBe("LastAdmin");
  expect(await failure(suspend(alice.id))).toBe("LastAdmin");
  expect(await failure(deleteAccount(alice.id))).toBe("LastAdmin");
  await grant(bob.id, "Admin");
  await setStatus(bob.id, "Suspended");
  expect(await failure(revoke(alice.id, "Admin"))).toBe("LastAdmin");
  expect(await failure(revoke(bob.id, "Admin"))).toBe("nothing failed");
  await setStatus(bob.id, "Active");
  await grant(bob.id, "Admin");
  expect(await failure(revoke(alice.id, "Admin"))).toBe("nothing failed");
  expect(await failure(bob.api.organizations.permissions.revoke({ organizationId }, toAccount(bob.id, "Admin")))).toBe(
    "LastAdmin",
  );
});

test("lets teams and groups lose their last Admin", async () => {
  const { alice, organizationId } = await setUp();
  const at = { organizationId, shortName: "x" };
  await alice.api.organizations.teams.upsert({ organizationId }, { shortName: "x" });
  await alice.api.organizations.resourceGroups.upsert(at, {});
  const own = toAccount(alice.id, "Admin");
  expect(await alice.api.organizations.teams.permissions.revoke(at, own)).toBe(true);
  expect(await alice.api.organizations.resourceGroups.permissions.revoke(at, own)).toBe(true);
  expect(await alice.api.organizations.resourceGroups.get(at)).toMatchObject({ managersIds: [] });
});

test("ends all grants of an account that is deleted, and tells every record that showed them", async () => {
  const { alice, bob, grant, organizationId, deleteAccount } = await setUp();
  const at = { organizationId, shortName: "g" };
  await grant(bob.id, "View");
  await alice.api.organizations.resourceGroups.upsert(at, {});
  await alice.api.organizations.resourceGroups.permissions.grant(at, toAccount(bob.id, "Edit"));
  const before = await alice.api.organizations.resourceGroups.get(at);
  await deleteAccount(bob.id);
  const after = await alice.api.organizations.resourceGroups.get(at);
  expect(after.membersIds).toEqual([]);
  expect(after.version).not.toBe(before.version);
  expect((await alice.api.organizations.get({ organizationId })).members).toEqual([alice.id]);
});

test("lists the organization's own permissions, in the order in which they were granted", async () => {
  const { alice, bob, grant, organizationId, runtime } = await setUp();
  await runtime.advance(1000);
  await grant(bob.id, "View");
  await alice.api.organizations.resourceGroups.upsert({ organizationId, shortName: "g" }, {});
  expect((await bob.api.organizations.permissions.list({ organizationId })).items).toEqual([
    { ...toAccount(alice.id, "Admin"), name: null },
    { ...toAccount(bob.id, "View"), name: "bob@example.com" },
  ]);
});

test("explains through which grants and teams somebody may do something", async () => {
  const { alice, bob, organizationId } = await setUp();
  const core = await alice.api.organizations.teams.upsert({ organizationId }, { shortName: "core" });
  const all = await alice.api.organizations.teams.upsert({ organizationId }, { shortName: "all" });
  const at = { organizationId, shortName: "Prod" };
  await alice.api.organizations.resourceGroups.upsert(at, {});
  await alice.api.organizations.teams.permissions.grant(
    { organizationId, shortName: "core" },
    toAccount(bob.id, "View"),
  );
  await alice.api.organizations.teams.permissions.grant(
    { organizationId, shortName: "all" },
    toTeam(core.principalId, "View"),
  );
  await alice.api.organizations.resourceGroups.permissions.grant(at, toTeam(all.principalId, "Terminate"));
  const about = { principalType: "Account", principalId: bob.id } as const;
  const expected = {
    permissions: ["Terminate", "View"],
    because: [
      {
        scope: `Organizational/${organizationId}/Prod`,
        principalType: "Team",
        principalId: all.principalId,
        permissionType: "Terminate",
        via: [core.principalId, all.principalId],
      },
    ],
  };
  expect(await alice.api.permissions.explain({ organizationId }, { ...about, resourceGroup: "prod" })).toEqual(
    expected,
  );
  expect(await bob.api.permissions.explain({ organizationId }, { ...about, resourceGroup: "PROD" })).toEqual(expected);
  expect(await alice.api.permissions.explain({ organizationId }, about)).toEqual({ permissions: [], because: [] });
  expect(
    await failure(alice.api.permissions.explain({ organizationId }, { principalType: "Team", principalId: "core" })),
  ).toBe("InvalidPrincipal at principalId");
  expect(await failure(alice.api.permissions.explain({ organizationId }, { ...about, resourceGroup: "none" }))).toBe(
    "NotFound",
  );
});
