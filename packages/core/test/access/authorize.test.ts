import { expect, test } from "vitest";
import { operationsById } from "../../src/contract/operations/operations.ts";
import type { OperationId } from "../../src/contract/routes.ts";
import type { Actor } from "../../src/contract/target.ts";
import { toAccount } from "../builders/principals.ts";
import { failure, tenantsWorld } from "../builders/tenants.ts";

async function setUp() {
  const world = tenantsWorld();
  const [alice, bob] = [await world.person("alice"), await world.person("bob")];
  const { id: ownerId } = await alice.api.organizations.create({ name: "Acme" });
  for (const shortName of ["x", "y"])
    await alice.api.organizations.resourceGroups.upsert({ organizationId: ownerId, shortName }, {});
  const group = (shortName: string) => `Organizational/${ownerId}/${shortName}`;
  const put = (shortName: string, groups: readonly string[]) =>
    world.environments.set(`Organizational/${ownerId}/${shortName}`, {
      owner: { type: "Organizational", id: ownerId },
      groups: groups.map(group),
    });
  put("dev", ["x"]);
  const onGroup = (shortName: string, right: "Edit" | "View") =>
    alice.api.organizations.resourceGroups.permissions.grant(
      { organizationId: ownerId, shortName },
      toAccount(bob.id, right),
    );
  /** What authorizing an operation says, before the body and with it. */
  async function judge(actor: Actor, id: OperationId, params: Record<string, string>, body?: unknown) {
    const row = operationsById[id];
    const before = await failure(world.access.authorize(actor, row, { params, query: {} }));
    if (before !== "nothing failed" || body === undefined) return before;
    const byBody = world.access.authorizeBody(actor, row, { params, query: {}, body });
    return byBody === undefined ? before : failure(byBody);
  }
  const params = { type: "Organizational", ownerId, shortName: "dev" };
  return { ...world, alice, bob, ownerId, group, params, put, onGroup, judge };
}

const allowed = "nothing failed";

test("takes Edit on every group that is added or taken away", async () => {
  const { alice, bob, ownerId, group, params, put, onGroup, judge } = await setUp();
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

test("keeps accounts' rows from an organization's service account, and none from the host", async () => {
  const { ownerId, judge, serviceAccount } = await setUp();
  const foreign = await serviceAccount({ type: "Organization", id: ownerId });
  expect(await judge(foreign.actor, "accounts.me", {})).toBe("PermissionDenied");
  expect(await judge({ kind: "system", name: "host" }, "accounts.list", {})).toBe(allowed);
});

test("shows events to who may View what they are about, gone or not, and all of them to operators", async () => {
  const { alice, bob, operator, ownerId, access } = await setUp();
  const root = await operator();
  const { api } = alice;
  await api.organizations.teams.upsert({ organizationId: ownerId }, { shortName: "open" });
  await api.organizations.teams.upsert({ organizationId: ownerId }, { shortName: "secret", isPrivate: true });
  await api.organizations.permissions.grant({ organizationId: ownerId }, toAccount(bob.id, "View"));
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
  const narrow: Actor = { kind: "account", accountId: alice.id, scopes: ["environments"] };
  expect(await access.sees(narrow, { kind: "organization", organizationId: ownerId })).toBe(false);
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
