import { expect, test } from "vitest";
import { toAccount } from "../builders/principals.ts";
import { failure, tenantsWorld } from "../builders/tenants.ts";

test("makes its creator the Admin, and answers every field", async () => {
  const { person } = tenantsWorld();
  const alice = await person("alice");
  const made = await alice.api.organizations.create({
    name: "Acme",
    tags: ["a"],
    socialLinks: ["https://acme.example"],
  });
  expect(made).toMatchObject({
    name: "Acme",
    description: null,
    icon: null,
    tags: ["a"],
    socialLinks: ["https://acme.example"],
    admins: [alice.id],
    members: [alice.id],
    teams: [],
    resourceGroups: [],
    status: "Active",
    createdBy: alice.id,
    updatedBy: alice.id,
  });
  expect(await alice.api.organizations.get({ organizationId: made.id })).toEqual(made);
});

test("keeps what an update leaves out, and clears what is null", async () => {
  const { person, events } = tenantsWorld();
  const alice = await person("alice");
  const { id, version } = await alice.api.organizations.create({ name: "Acme", description: "d", tags: ["a"] });
  const updated = await alice.api.organizations.update({ organizationId: id, description: null }, { ifMatch: version });
  expect(updated).toMatchObject({ name: "Acme", description: null, tags: ["a"] });
  expect(updated.version).not.toBe(version);
  expect(await failure(alice.api.organizations.update({ organizationId: id, name: "B" }, { ifMatch: version }))).toBe(
    "PreconditionFailed",
  );
  expect((await events("organization.updated")).map(({ data }) => data)).toEqual([{ changed: ["description"] }]);
});

test("can be suspended twice, resumed, and deleted while it is suspended", async () => {
  const { person, operator } = tenantsWorld();
  const [alice, root] = [await person("alice"), await operator()];
  const { id: organizationId } = await alice.api.organizations.create({ name: "Acme" });
  expect(await root.api.organizations.suspend({ organizationId })).toMatchObject({ status: "Suspended" });
  expect(await root.api.organizations.suspend({ organizationId })).toMatchObject({ status: "Suspended" });
  expect(await alice.api.organizations.get({ organizationId })).toMatchObject({ status: "Suspended" });
  expect(await root.api.organizations.resume({ organizationId })).toMatchObject({ status: "Active" });
  await root.api.organizations.suspend({ organizationId });
  expect(await alice.api.organizations.delete({ organizationId })).toMatchObject({ status: "Deleted" });
});

test("lists by creation, page by page, what the caller may View", async () => {
  const { person, runtime } = tenantsWorld();
  const [alice, bob] = [await person("alice"), await person("bob")];
  const ids: string[] = [];
  for (let at = 0; at < 5; at++) {
    ids.push((await alice.api.organizations.create({ name: `O${at}` })).id);
    await runtime.advance(1000);
  }
  const first = await alice.api.organizations.list({ limit: 2 });
  expect(first.items.map(({ id }) => id)).toEqual(ids.slice(0, 2));
  const second = await alice.api.organizations.list({ limit: 2, cursor: first.nextCursor ?? "" });
  expect(second.items.map(({ id }) => id)).toEqual(ids.slice(2, 4));
  expect(await failure(bob.api.organizations.list({ cursor: first.nextCursor ?? "" }))).toBe("InvalidCursor at cursor");
  const group = { organizationId: ids[0] ?? "", shortName: "g" };
  await alice.api.organizations.resourceGroups.upsert(group, {});
  await alice.api.organizations.resourceGroups.permissions.grant(group, toAccount(bob.id, "Edit"));
  expect((await bob.api.organizations.list()).items).toEqual([
    { id: expect.any(String), name: "O0", icon: null, needsSecondFactor: false },
  ]);
});

test("is purged with all that is in it, and not before its time", async () => {
  const { person, runtime, records, housekeep } = tenantsWorld();
  const alice = await person("alice");
  const { id: organizationId } = await alice.api.organizations.create({ name: "Acme" });
  await alice.api.organizations.teams.upsert({ organizationId }, { shortName: "t" });
  await alice.api.organizations.resourceGroups.upsert({ organizationId, shortName: "g" }, {});
  await alice.api.organizations.delete({ organizationId });
  const left = async () => {
    const names = ["organization", "authorization", "graph-entry", "team", "resource-group"];
    const lists = await Promise.all(
      names.map((name) => records.list({ name, key: () => [], indexes: {}, uniques: {} })),
    );
    return lists.flat().length;
  };
  await housekeep();
  expect(await left()).toBeGreaterThan(0);
  await runtime.advance(2_592_001_000);
  await housekeep();
  await housekeep();
  expect(await left()).toBe(0);
});

test("is seen to end by those who could View it", async () => {
  const { person, access } = tenantsWorld();
  const [alice, mallory] = [await person("alice"), await person("mallory")];
  const { id: organizationId } = await alice.api.organizations.create({ name: "Acme" });
  const deleted = await alice.api.organizations.delete({ organizationId });
  expect(deleted).toMatchObject({ status: "Deleted", admins: [], members: [] });
  const about = { kind: "organization", organizationId } as const;
  expect(await access.can(alice.actor, about, "View")).toBe(false);
  expect(await access.sees(alice.actor, about)).toBe(true);
  expect(await access.sees(mallory.actor, about)).toBe(false);
});

test("belongs to no account's plan when liveplane itself makes it", async () => {
  const { as, person } = tenantsWorld();
  const system = as({ kind: "system", name: "host" });
  const alice = await person("alice");
  const { id: organizationId, subscriptionId } = await system.organizations.create({ name: "Acme" });
  expect(subscriptionId).toBeNull();
  await system.organizations.permissions.grant({ organizationId }, toAccount(alice.id, "Admin"));
  expect(await alice.api.organizations.get({ organizationId })).toMatchObject({ admins: [alice.id] });
});
