import { expect, test } from "vitest";
import { toAccount, toTeam } from "../builders/principals.ts";
import { failure, tenantsWorld } from "../builders/tenants.ts";

async function setUp() {
  const world = tenantsWorld();
  const [alice, bob, carol] = [await world.person("alice"), await world.person("bob"), await world.person("carol")];
  const { id: organizationId } = await alice.api.organizations.create({ name: "Acme" });
  const team = (shortName: string, isPrivate = false) =>
    alice.api.organizations.teams.upsert({ organizationId }, { shortName, isPrivate });
  const onOrganization = (principalId: string, permissionType: "Admin" | "Edit" | "Terminate" | "View") =>
    alice.api.organizations.permissions.grant({ organizationId }, toAccount(principalId, permissionType));
  const member = (shortName: string, principalId: string, permissionType: "Admin" | "Edit" | "View" = "View") =>
    alice.api.organizations.teams.permissions.grant(
      { organizationId, shortName },
      toAccount(principalId, permissionType),
    );
  const nest = (outer: string, innerId: string) =>
    alice.api.organizations.teams.permissions.grant({ organizationId, shortName: outer }, toTeam(innerId, "View"));
  return { ...world, alice, bob, carol, organizationId, team, onOrganization, member, nest };
}

test("is made by PUT and changed by it, keeping what is left out and the first spelling", async () => {
  const { alice, organizationId, dispatch, team } = await setUp();
  const reply = await dispatch({
    operation: "organizations.teams.upsert",
    caller: alice.actor,
    params: { organizationId },
    query: {},
    credentials: {},
    body: async () => ({ shortName: "Core", name: "The core", description: "d" }),
    preconditions: {},
    requestId: "r",
    from: { address: null, userAgent: null, remote: false },
  });
  expect(reply).toMatchObject({
    status: 200,
    value: { made: true },
    location: `/organizations/${organizationId}/teams/Core`,
  });
  const changed = await alice.api.organizations.teams.upsert(
    { organizationId },
    { shortName: "CORE", description: null },
  );
  expect(changed).toMatchObject({
    id: { organizationId, shortName: "Core" },
    name: "The core",
    description: null,
    isPrivate: false,
    status: "Active",
  });
  expect(await alice.api.organizations.teams.get({ organizationId, shortName: "core" })).toEqual(changed);
  expect(await team("Core")).toEqual(changed);
  expect((await alice.api.organizations.get({ organizationId })).teams).toEqual(["Core"]);
});

test("refuses a team without a short name, once the caller may make one", async () => {
  const { alice, bob, carol, organizationId, onOrganization } = await setUp();
  await onOrganization(bob.id, "View");
  expect(await failure(alice.api.organizations.teams.upsert({ organizationId }, {}))).toBe(
    "ValueRequired at #/shortName",
  );
  expect(await failure(alice.api.organizations.teams.upsert({ organizationId }, { shortName: null }))).toBe(
    "ValueRequired at #/shortName",
  );
  expect(await failure(alice.api.organizations.teams.upsert({ organizationId }, { shortName: "-bad" }))).toBe(
    "ValidationFailed at #/shortName",
  );
  expect(await failure(bob.api.organizations.teams.upsert({ organizationId }, {}))).toBe("PermissionDenied");
  expect(await failure(carol.api.organizations.teams.upsert({ organizationId }, {}))).toBe("NotFound");
});

test("refuses who may change no team by what they see of the one that they name, and before they know what is wrong with it", async () => {
  const { bob, carol, organizationId, team, onOrganization, member } = await setUp();
  await team("open");
  await team("secret", true);
  await onOrganization(bob.id, "View");
  await member("secret", carol.id, "View");
  const upsert = ({ api }: typeof bob, body: object) =>
    failure(api.organizations.teams.upsert({ organizationId }, body));
  for (const [name, toBob, toCarol] of [
    ["open", "PermissionDenied", "NotFound"],
    ["secret", "NotFound", "PermissionDenied"],
    ["new", "PermissionDenied", "NotFound"],
  ]) {
    expect([name, await upsert(bob, { shortName: name })]).toEqual([name, toBob]);
    expect([name, await upsert(carol, { shortName: name })]).toEqual([name, toCarol]);
  }
  expect(await upsert(bob, { shortName: "secret", unknown: true })).toBe("PermissionDenied");
  expect(await upsert(carol, { shortName: "secret", unknown: true })).toBe("NotFound");
  await onOrganization(bob.id, "Edit");
  expect(await upsert(bob, { shortName: "secret", name: "x" })).toBe("NotFound");
  await member("secret", bob.id);
  expect(await upsert(bob, { shortName: "secret", name: "x" })).toBe("nothing failed");
});

test("gives its members what it was granted, through ten teams and no more", async () => {
  const { alice, bob, organizationId, team, member, nest } = await setUp();
  const teams = [];
  for (let at = 0; at < 11; at++) teams.push(await team(`t${at}`));
  for (let at = 0; at < 9; at++) await nest(`t${at + 1}`, teams[at]!.principalId);
  expect(await failure(nest("t10", teams[9]!.principalId))).toBe("ValidationFailed at #/principalId");
  expect(await failure(nest("t0", teams[9]!.principalId))).toBe("TeamCycle");
  expect(await failure(nest("t0", teams[0]!.principalId))).toBe("TeamCycle");
  await member("t0", bob.id);
  expect(await failure(bob.api.organizations.get({ organizationId }))).toBe("NotFound");
  await alice.api.organizations.permissions.grant({ organizationId }, toTeam(teams[9]!.principalId, "View"));
  expect(await bob.api.organizations.get({ organizationId })).toMatchObject({ members: [alice.id] });
  await alice.api.organizations.teams.permissions.revoke(
    { organizationId, shortName: "t5" },
    toTeam(teams[4]!.principalId, "View"),
  );
  expect(await failure(bob.api.organizations.get({ organizationId }))).toBe("NotFound");
});

test("comes back with its id and without its grants", async () => {
  const { alice, bob, carol, organizationId, team, member, onOrganization, dispatch } = await setUp();
  const made = await team("Core");
  await member("core", bob.id);
  await alice.api.organizations.permissions.grant({ organizationId }, toTeam(made.principalId, "View"));
  expect(await failure(bob.api.organizations.teams.delete({ organizationId, shortName: "core" }))).toBe(
    "PermissionDenied",
  );
  expect(await alice.api.organizations.teams.delete({ organizationId, shortName: "core" })).toMatchObject({
    status: "Deleted",
  });
  expect(await failure(alice.api.organizations.teams.get({ organizationId, shortName: "core" }))).toBe("NotFound");
  expect((await alice.api.organizations.permissions.list({ organizationId })).items).toHaveLength(1);
  await onOrganization(carol.id, "Edit");
  const reply = await dispatch({
    operation: "organizations.teams.upsert",
    caller: carol.actor,
    params: { organizationId },
    query: {},
    credentials: {},
    body: async () => ({ shortName: "CORE" }),
    preconditions: {},
    requestId: "r",
    from: { address: null, userAgent: null, remote: false },
  });
  expect(reply).toMatchObject({
    status: 200,
    value: { made: true, id: { shortName: "Core" }, principalId: made.principalId, status: "Active" },
  });
  expect(await failure(bob.api.organizations.teams.get({ organizationId, shortName: "core" }))).toBe("NotFound");
  expect(
    await carol.api.organizations.teams.permissions.grant(
      { organizationId, shortName: "core" },
      toAccount(bob.id, "View"),
    ),
  ).toBe(true);
});

test("answers a malformed name by what the caller may do around it", async () => {
  const { alice, bob, organizationId } = await setUp();
  const body = toAccount(bob.id, "View");
  expect(await failure(alice.api.organizations.teams.get({ organizationId, shortName: "no name" }))).toBe("NotFound");
  expect(await failure(alice.api.organizations.teams.delete({ organizationId, shortName: "no name" }))).toBe(
    "NotFound",
  );
  expect(
    await failure(alice.api.organizations.teams.permissions.grant({ organizationId, shortName: "no name" }, body)),
  ).toBe("ValidationFailed at shortName");
  expect(
    await failure(bob.api.organizations.teams.permissions.grant({ organizationId, shortName: "no name" }, body)),
  ).toBe("NotFound");
  expect(
    await failure(alice.api.organizations.resourceGroups.upsert({ organizationId, shortName: "no name" }, {})),
  ).toBe("ValidationFailed at shortName");
});

test("honours preconditions: If-None-Match makes, If-Match changes", async () => {
  const { alice, organizationId, member, bob } = await setUp();
  const upsert = (options: object) =>
    alice.api.organizations.teams.upsert({ organizationId }, { shortName: "core", name: `${Math.random()}` }, options);
  expect(await failure(upsert({ ifMatch: "1" }))).toBe("PreconditionFailed");
  const made = await upsert({ ifNoneMatch: "*" });
  expect(await failure(upsert({ ifNoneMatch: "*" }))).toBe("PreconditionFailed");
  await member("core", bob.id);
  expect(await failure(upsert({ ifMatch: made.version }))).toBe("PreconditionFailed");
  const { version } = await alice.api.organizations.teams.get({ organizationId, shortName: "core" });
  expect(await failure(upsert({ ifMatch: version }))).toBe("nothing failed");
});
