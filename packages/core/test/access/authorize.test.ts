import { expect, test } from "vitest";
import type { Containers } from "../../src/access/access.ts";
import { operationsById } from "../../src/contract/operations/operations.ts";
import type { OperationId } from "../../src/contract/routes.ts";
import type { Actor, EnvironmentRef } from "../../src/contract/target.ts";
import { failure, tenantsWorld } from "../builders/tenants.ts";

type Permission = "Admin" | "Edit" | "Terminate" | "View";
const liveSystem = "8c5e4b1a-0000-4000-8000-0000000000f1";

async function setUp() {
  const world = tenantsWorld();
  const [alice, bob] = [await world.person("alice"), await world.person("bob")];
  const { id: ownerId } = await alice.api.organizations.create({ name: "Acme" });
  for (const shortName of ["x", "y"])
    await alice.api.organizations.resourceGroups.upsert({ organizationId: ownerId, shortName }, {});
  const environment: EnvironmentRef = { type: "Organizational", ownerId, shortName: "dev" };
  const put = (shortName: string, groups: readonly string[]) => {
    const scope: Containers = {
      owner: { type: "Organizational", id: ownerId },
      groups: groups.map((group) => `Organizational/${ownerId}/${group}`),
    };
    world.environments.set(`Organizational/${ownerId}/${shortName}`, scope);
  };
  put("dev", ["x"]);
  world.liveSystems.set(liveSystem, environment);
  const onGroup = (shortName: string, permissionType: Permission) =>
    alice.api.organizations.resourceGroups.permissions.grant(
      { organizationId: ownerId, shortName },
      { principalType: "Account", principalId: bob.id, permissionType },
    );
  const onOrganization = (permissionType: Permission) =>
    alice.api.organizations.permissions.grant(
      { organizationId: ownerId },
      { principalType: "Account", principalId: bob.id, permissionType },
    );
  /** What authorizing an operation says, before the body and with it. */
  async function judge(actor: Actor, id: OperationId, params: Record<string, string>, body?: unknown) {
    const row = operationsById[id];
    const before = await failure(world.access.authorize(actor, row, { params, query: {} }));
    if (before !== "nothing failed" || body === undefined) return before;
    const byBody = world.access.authorizeBody(actor, row, { params, query: {}, body });
    return byBody === undefined ? before : failure(byBody);
  }
  return {
    ...world,
    alice,
    bob,
    ownerId,
    environment,
    params: { ...environment },
    put,
    onGroup,
    onOrganization,
    judge,
  };
}

const allowed = "nothing failed";

test("flows down from the organization and from its groups to environments and live systems", async () => {
  const { bob, params, onGroup, onOrganization, judge } = await setUp();
  expect(await judge(bob.actor, "environments.get", params)).toBe("NotFound");
  expect(await judge(bob.actor, "liveSystems.get", { id: liveSystem })).toBe("NotFound");
  await onGroup("y", "Admin");
  expect(await judge(bob.actor, "environments.get", params)).toBe("NotFound");
  await onGroup("x", "View");
  expect(await judge(bob.actor, "environments.get", params)).toBe(allowed);
  expect(await judge(bob.actor, "environments.update", params)).toBe("PermissionDenied");
  expect(await judge(bob.actor, "liveSystems.deploy", { id: liveSystem })).toBe("PermissionDenied");
  await onGroup("x", "Edit");
  expect(await judge(bob.actor, "environments.update", params)).toBe(allowed);
  expect(await judge(bob.actor, "liveSystems.deploy", { id: liveSystem.toUpperCase() })).toBe(allowed);
  expect(await judge(bob.actor, "environments.delete", params)).toBe("PermissionDenied");
  expect(await judge(bob.actor, "environments.secrets.reveal", { ...params, secretShortName: "s" })).toBe(
    "PermissionDenied",
  );
  await onOrganization("Terminate");
  expect(await judge(bob.actor, "environments.delete", params)).toBe(allowed);
});

test("takes Edit on the owner to make an environment", async () => {
  const { alice, bob, params, onGroup, onOrganization, judge } = await setUp();
  const fresh = { ...params, shortName: "new" };
  expect(await judge(alice.actor, "environments.create", fresh, {})).toBe(allowed);
  await onGroup("x", "Admin");
  expect(await judge(bob.actor, "environments.create", fresh, {})).toBe("NotFound");
  expect(await judge(bob.actor, "environments.create", params, {})).toBe("PermissionDenied");
  await onOrganization("View");
  expect(await judge(bob.actor, "environments.create", fresh, {})).toBe("PermissionDenied");
  await onOrganization("Edit");
  expect(await judge(bob.actor, "environments.create", fresh, {})).toBe(allowed);
});

test("leaves a personal scope to its owner, and to the service account that stands for them", async () => {
  const { alice, bob, operator, judge, serviceAccount } = await setUp();
  const root = await operator();
  const robot = await serviceAccount({ type: "Account", id: alice.id });
  const own = { type: "Personal", ownerId: alice.id.toUpperCase(), shortName: "dev" };
  expect(await judge(alice.actor, "environments.create", own, {})).toBe(allowed);
  expect(await judge(robot.actor, "environments.create", own, {})).toBe(allowed);
  const foreign = await serviceAccount({ type: "Account", id: bob.id });
  for (const other of [bob, root, foreign])
    expect(await judge(other.actor, "environments.create", own, {})).toBe("NotFound");
});

test("takes Edit on every group that is added or taken away", async () => {
  const { alice, bob, ownerId, params, put, onGroup, judge } = await setUp();
  const group = (shortName: string) => `Organizational/${ownerId}/${shortName}`;
  const update = (...resourceGroups: string[]) => judge(bob.actor, "environments.update", params, { resourceGroups });
  await onGroup("x", "Edit");
  expect(await update(group("x"))).toBe(allowed);
  expect(await update(group("X"))).toBe(allowed);
  const missing = await update(group("x"), group("none"));
  expect(missing).toBe("ValidationFailed at #/resourceGroups/1");
  expect(await update(group("x"), group("y"))).toBe(missing);
  expect(await update(group("x"), `Organizational/${bob.id}/y`)).toBe(missing);
  await onGroup("y", "View");
  expect(await update(group("x"), group("y"))).toBe("PermissionDenied");
  put("dev", ["x", "y"]);
  expect(await update(group("x"))).toBe("PermissionDenied");
  expect(await judge(bob.actor, "environments.update", params, { resourceGroups: null })).toBe("PermissionDenied");
  await onGroup("y", "Edit");
  expect(await judge(bob.actor, "environments.update", params, { resourceGroups: null })).toBe(allowed);
  expect(await judge(bob.actor, "environments.update", params, {})).toBe(allowed);
  await alice.api.organizations.resourceGroups.delete({ organizationId: ownerId, shortName: "y" });
  expect(await update(group("x"))).toBe(allowed);
});

test("judges what the body names once it is read", async () => {
  const { bob, environment, onGroup, judge, alice } = await setUp();
  const create = (environmentId: EnvironmentRef) => judge(bob.actor, "liveSystems.create", {}, { environmentId });
  expect(await judge(bob.actor, "liveSystems.create", {})).toBe(allowed);
  expect(await create(environment)).toBe("NotFound");
  expect(await create({ ...environment, shortName: "none" })).toBe("NotFound");
  expect(await create({ ...environment, type: "Unknown" })).toBe("NotFound");
  await onGroup("x", "View");
  expect(await create(environment)).toBe("PermissionDenied");
  await onGroup("x", "Edit");
  expect(await create(environment)).toBe(allowed);
  expect(await judge(alice.actor, "environments.get", { ...environment, type: "Unknown" })).toBe("NotFound");
});

test("gives a role's token exactly its role in its environment", async () => {
  const { environment, params, put, ownerId, roles, liveSystems, judge, access, serviceAccount } = await setUp();
  const robot = await serviceAccount({ type: "Organization", id: ownerId });
  const key = `Organizational/${ownerId}/dev/${robot.id}`;
  const actor: Actor = { kind: "serviceAccount", principalId: robot.id, environment };
  const other = "8c5e4b1a-0000-4000-8000-0000000000f2";
  put("prod", []);
  liveSystems.set(other, { ...environment, shortName: "prod" });
  const secret = { ...params, secretShortName: "s" };
  const expected = {
    CloudAgent: [allowed, "PermissionDenied", "PermissionDenied", allowed],
    CiCd: [allowed, allowed, "PermissionDenied", "PermissionDenied"],
    Bot: [allowed, "PermissionDenied", "PermissionDenied", "PermissionDenied"],
    BasicAuthKeyVaultOnly: ["NotFound", "NotFound", "NotFound", allowed],
    Custom: ["NotFound", "NotFound", "NotFound", "NotFound"],
  } as const;
  for (const [role, answers] of Object.entries(expected)) {
    roles.set(key, { role: role as keyof typeof expected, active: true });
    expect([
      await judge(actor, "environments.get", params),
      await judge(actor, "liveSystems.deploy", { id: liveSystem }),
      await judge(actor, "environments.serviceAccounts.list", params),
      await judge(actor, "environments.secrets.reveal", secret),
    ]).toEqual(answers);
    for (const shortName of ["prod", "none"])
      expect(await judge(actor, "environments.get", { ...params, shortName })).toBe("InsufficientScope");
    for (const id of [other, "8c5e4b1a-0000-4000-8000-0000000000f3"])
      expect(await judge(actor, "liveSystems.get", { id })).toBe("InsufficientScope");
    expect(await judge(actor, "liveSystems.create", {}, { environmentId: { ...environment, shortName: "prod" } })).toBe(
      "InsufficientScope",
    );
    for (const id of [
      "organizations.get",
      "organizations.list",
      "accounts.me",
      "subscriptions.get",
      "accounts.list",
    ] as const) {
      expect(await judge(actor, id, { organizationId: ownerId, subscriptionId: other })).toBe("InsufficientScope");
    }
    expect(await judge(actor, "environments.list", {})).toBe(allowed);
  }
  expect(await access.reach(actor)).toEqual({ everything: false, owners: [], environment });
  roles.set(key, { role: "Bot", active: false });
  expect(await judge(actor, "environments.get", params)).toBe("ServiceAccountDisabled");
  roles.delete(key);
  expect(await judge(actor, "environments.get", params)).toBe("TokenRevoked");
});

test("gives a Custom role what its principal was granted, there and nowhere else", async () => {
  const { alice, environment, params, put, ownerId, roles, judge, serviceAccount } = await setUp();
  const robot = await serviceAccount({ type: "Organization", id: ownerId });
  roles.set(`Organizational/${ownerId}/dev/${robot.id}`, { role: "Custom", active: true });
  put("prod", ["x"]);
  await alice.api.organizations.permissions.grant(
    { organizationId: ownerId },
    { principalType: "Account", principalId: robot.id, permissionType: "Edit" },
  );
  const actor: Actor = { kind: "serviceAccount", principalId: robot.id, environment };
  expect(await judge(actor, "environments.update", params, {})).toBe(allowed);
  expect(await judge(actor, "environments.delete", params)).toBe("PermissionDenied");
  expect(await judge(actor, "environments.get", { ...params, shortName: "prod" })).toBe("InsufficientScope");
  expect(await judge(robot.actor, "environments.update", { ...params, shortName: "prod" }, {})).toBe(allowed);
});

test("names the scope that a token lacks, before it says what is there", async () => {
  const { alice, params, ownerId, judge, access } = await setUp();
  const actor: Actor = { kind: "account", accountId: alice.id, scopes: ["environments"] };
  expect(await judge(actor, "environments.get", params)).toBe(allowed);
  expect(await judge(actor, "environments.create", { ...params, shortName: "new" }, {})).toBe(allowed);
  for (const [id, missing] of [
    ["organizations.get", "organizations"],
    ["permissions.explain", "organizations"],
    ["accounts.me", "accounts"],
    ["sessions.list", "accounts"],
    ["subscriptions.create", "subscriptions"],
    ["liveSystems.list", "livesystems"],
    ["overrides.digest", "livesystems"],
  ] as const) {
    const call = access.authorize(actor, operationsById[id], { params: { organizationId: ownerId }, query: {} });
    await expect(call).rejects.toMatchObject({ code: "InsufficientScope", details: { scope: missing } });
  }
  expect(await access.sees(actor, { kind: "organization", organizationId: ownerId })).toBe(false);
  expect(await judge(actor, "events.follow", {})).toBe(allowed);
});

test("keeps operators' rows to operators, and hides what strangers ask about", async () => {
  const { alice, bob, operator, ownerId, judge } = await setUp();
  const root = await operator();
  const accountId = bob.id;
  for (const id of ["accounts.suspend", "accounts.resume", "accounts.delete"] as const) {
    expect(await judge(alice.actor, id, { accountId })).toBe("NotFound");
    expect(await judge(root.actor, id, { accountId })).toBe(allowed);
  }
  expect(await judge(bob.actor, "accounts.delete", { accountId })).toBe(allowed);
  expect(await judge(bob.actor, "accounts.suspend", { accountId })).toBe("NotFound");
  expect(await judge(alice.actor, "accounts.list", {})).toBe("PermissionDenied");
  expect(await judge(alice.actor, "organizations.suspend", { organizationId: ownerId })).toBe("PermissionDenied");
  expect(await judge(bob.actor, "organizations.suspend", { organizationId: ownerId })).toBe("NotFound");
  const narrow: Actor = { kind: "account", accountId: root.id, scopes: ["accounts"] };
  expect(await judge(narrow, "accounts.list", {})).toBe("InsufficientScope");
});

test("keeps accounts' rows to accounts and to the service accounts that stand for them", async () => {
  const { alice, ownerId, judge, serviceAccount } = await setUp();
  const own = await serviceAccount({ type: "Account", id: alice.id });
  const foreign = await serviceAccount({ type: "Organization", id: ownerId });
  expect(await judge(own.actor, "accounts.me", {})).toBe(allowed);
  expect(await judge(foreign.actor, "accounts.me", {})).toBe("PermissionDenied");
  expect(await judge({ kind: "anonymous" }, "accounts.me", {})).toBe("Unauthenticated");
  expect(await judge({ kind: "anonymous" }, "accounts.createWithEmail", {})).toBe(allowed);
  expect(await judge({ kind: "system", name: "host" }, "accounts.list", {})).toBe(allowed);
});

test("shows events to who may View what they are about, gone or not, and all of them to operators", async () => {
  const { alice, bob, operator, ownerId, access, onOrganization } = await setUp();
  const root = await operator();
  const { api } = alice;
  await api.organizations.teams.upsert({ organizationId: ownerId }, { shortName: "open" });
  await api.organizations.teams.upsert({ organizationId: ownerId }, { shortName: "secret", isPrivate: true });
  await onOrganization("View");
  for (const shortName of ["open", "secret"])
    await api.organizations.teams.delete({ organizationId: ownerId, shortName });
  const team = (shortName: string) => ({ kind: "team", organizationId: ownerId, shortName }) as const;
  const gone = { kind: "environment", type: "Organizational", ownerId, shortName: "gone" } as const;
  expect(await access.sees(bob.actor, team("open"))).toBe(true);
  expect(await access.sees(bob.actor, team("secret"))).toBe(false);
  expect(await access.sees(alice.actor, team("secret"))).toBe(true);
  expect(await access.sees(bob.actor, gone)).toBe(true);
  expect(await access.can(bob.actor, gone, "View")).toBe(false);
  expect(await access.sees(bob.actor, { kind: "account", accountId: alice.id })).toBe(false);
  expect(await access.sees(bob.actor, { kind: "account", accountId: bob.id })).toBe(true);
  expect(await access.sees(bob.actor, { kind: "installation" })).toBe(false);
  for (const about of [team("secret"), { kind: "account", accountId: alice.id }, { kind: "installation" }] as const) {
    expect(await access.sees(root.actor, about)).toBe(true);
  }
});

test("reaches the owners in whose things somebody sees anything", async () => {
  const { alice, bob, ownerId, access, onGroup } = await setUp();
  expect(await access.reach(bob.actor)).toEqual({
    everything: false,
    owners: [{ type: "Personal", id: bob.id }],
    environment: null,
  });
  await onGroup("x", "View");
  expect((await access.reach(bob.actor)).owners).toContainEqual({ type: "Organizational", id: ownerId });
  expect((await access.reach(alice.actor)).owners).toHaveLength(2);
  expect((await access.reach({ kind: "system", name: "host" })).everything).toBe(true);
});

test("lets a suspended organization's environments be read, and not be written", async () => {
  const { alice, operator, ownerId, params, judge } = await setUp();
  const root = await operator();
  await root.api.organizations.suspend({ organizationId: ownerId });
  expect(await judge(alice.actor, "environments.get", params)).toBe(allowed);
  expect(await judge(alice.actor, "liveSystems.planDeploy", { id: liveSystem })).toBe(allowed);
  expect(await judge(alice.actor, "environments.update", params)).toBe("AccountNotActive");
  expect(await judge(alice.actor, "environments.delete", params)).toBe("AccountNotActive");
  expect(await judge(alice.actor, "liveSystems.deploy", { id: liveSystem })).toBe("AccountNotActive");
  expect(await judge(alice.actor, "liveSystems.create", {}, { environmentId: params })).toBe("AccountNotActive");
});
