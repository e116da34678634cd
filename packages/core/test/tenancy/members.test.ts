import { expect, test } from "vitest";
import { identityWorld, password, refusal } from "../builders/identity.ts";
import { toAccount, toTeam } from "../builders/principals.ts";

const wide = { accounts: 1000, organizations: 1000 };

/** An organization with people who are in it in every way, and a team that shows to some of them alone. */
async function setUp() {
  const world = await identityWorld({ plans: { discover: wide, workgroup: wide } });
  const alice = await world.person("alice");
  await alice.api.accounts.update({ name: "Alice", surname: "Moor" });
  const { organizations } = alice.api;
  const { id: organizationId, serviceAccountId } = await organizations.create({
    name: "Works",
    icon: "https://a.test/i",
  });
  const group = { organizationId, shortName: "tools" };
  await organizations.resourceGroups.upsert(group, {});
  const [viewer, insider, both, guest, stranger] = await Promise.all(
    ["viewer", "insider", "both", "guest", "stranger"].map((name) => world.person(name)),
  );
  if (!viewer || !insider || !both || !guest || !stranger) throw new RangeError("Somebody is missing.");
  const to = (principalId: string, permissionType: "View" | "Edit" | "Admin" = "View") =>
    toAccount(principalId, permissionType);
  await organizations.permissions.grant({ organizationId }, to(viewer.account.id));
  await organizations.permissions.grant({ organizationId }, to(both.account.id));
  await organizations.permissions.grant({ organizationId }, to(serviceAccountId ?? "", "Edit"));
  await organizations.resourceGroups.permissions.grant(group, to(guest.account.id));
  const team = async (shortName: string, isPrivate: boolean, permissionType: "View" | "Edit") => {
    const { principalId } = await organizations.teams.upsert({ organizationId }, { shortName, isPrivate });
    await organizations.permissions.grant({ organizationId }, toTeam(principalId, permissionType));
    return { organizationId, shortName };
  };
  const [secret, open] = [await team("secret", true, "Edit"), await team("open", false, "Edit")];
  await organizations.teams.permissions.grant(secret, to(insider.account.id));
  await organizations.teams.permissions.grant(open, to(both.account.id));
  return { world, organizationId, alice, viewer, insider, both, guest, stranger };
}

const sorted = <One extends { readonly name: string | null }>(members: readonly One[]) =>
  members.toSorted((one, other) => (String(one.name) < String(other.name) ? -1 : 1));

test("somebody invited is listed as invited until they have activated the account", async () => {
  const { world, organizationId, alice } = await setUp();
  const grant = { principalType: "Account", principalId: "new@example.com", permissionType: "View" } as const;
  await alice.api.organizations.permissions.grant({ organizationId }, grant);
  const invited = async () => {
    const { items } = await alice.api.organizations.members.list({ organizationId });
    return items.filter(({ isInvited }) => isInvited).map(({ email }) => email);
  };
  expect(await invited()).toEqual(["new@example.com"]);
  const challenge = world.mailer.last("new@example.com").challenge ?? "";
  await world.bearer(challenge).accounts.activate({ password: "vK9-mQ2-xPLw-7d" });
  expect(await invited()).toEqual([]);
});

test("an organization's members are listed by name, with what they may, whether directly, and through which teams", async () => {
  const { organizationId, alice } = await setUp();
  const { items } = await alice.api.organizations.members.list({ organizationId });
  expect(items.every(({ isInvited }) => !isInvited)).toBe(true);
  expect(sorted(items.map(({ principalId: _, isInvited: __, ...member }) => member))).toEqual([
    {
      // Who makes a team is its Admin.
      ...{
        kind: "Account",
        name: "Alice Moor",
        email: null,
        direct: true,
        through: expect.arrayContaining(["open", "secret"]),
      },
      permissions: expect.arrayContaining(["Admin", "Edit", "Terminate", "View"]),
    },
    {
      kind: "ServiceAccount",
      name: "Works",
      email: null,
      permissions: expect.arrayContaining(["Edit"]),
      direct: true,
      through: [],
    },
    {
      ...{ kind: "Account", name: "both", email: null, direct: true, through: ["open"] },
      permissions: expect.arrayContaining(["View", "Edit"]),
    },
    {
      kind: "Account",
      name: "insider",
      email: null,
      permissions: expect.arrayContaining(["Edit"]),
      direct: false,
      through: ["secret"],
    },
    { kind: "Account", name: "viewer", email: null, permissions: ["View"], direct: true, through: [] },
  ]);
});

test("the grants on a team and on a resource group are listed by name; one without a name shows an address to Admins", async () => {
  const { organizationId, alice, guest } = await setUp();
  const { organizations } = alice.api;
  const [core, tools] = [
    { organizationId, shortName: "core" },
    { organizationId, shortName: "tools" },
  ];
  const { principalId } = await organizations.teams.upsert({ organizationId }, { shortName: "core" });
  await organizations.teams.permissions.grant(core, toAccount("new@example.com", "Edit"));
  await organizations.resourceGroups.permissions.grant(tools, toTeam(principalId, "View"));
  const named = (items: readonly { readonly name: string | null; readonly permissionType: string }[]) =>
    items.map(({ name, permissionType }) => `${name}: ${permissionType}`).toSorted();
  expect(named((await organizations.teams.permissions.list(core)).items)).toEqual([
    "Alice Moor: Admin",
    "new@example.com: Edit",
  ]);
  expect(named((await organizations.resourceGroups.permissions.list(tools)).items)).toEqual([
    "Alice Moor: Admin",
    "core: View",
    "guest: View",
  ]);
  const seen = await guest.api.organizations.resourceGroups.permissions.list(tools);
  expect(named(seen.items)).toEqual(["Alice Moor: Admin", "core: View", "guest: View"]);
});

test("a private team tells by nobody that it is there: neither its name, nor who is here through it alone", async () => {
  const { organizationId, viewer, insider } = await setUp();
  const seen = async (api: typeof viewer.api) =>
    (await api.organizations.members.list({ organizationId })).items.map(({ name }) => name).sort();
  expect(await seen(viewer.api)).toEqual(["Alice Moor", "Works", "both", "viewer"]);
  expect(await seen(insider.api)).toEqual(["Alice Moor", "Works", "both", "insider", "viewer"]);
});

test("an organization counts the members that its list shows to the same caller", async () => {
  const { organizationId, alice, viewer, insider } = await setUp();
  for (const { api } of [alice, viewer, insider]) {
    const { items } = await api.organizations.members.list({ organizationId });
    const [listed] = (await api.organizations.list()).items;
    expect(listed).toMatchObject({ memberCount: items.length });
    expect((await api.organizations.get({ organizationId })).memberCount).toBe(items.length);
  }
});

test("addresses are for Admins, and for whose they are", async () => {
  const { world, organizationId, alice, viewer } = await setUp();
  const { challenge } = await world.registered("eve@example.com");
  await world.bearer(challenge).accounts.activate({ password });
  const eve = world.bearer((await world.signIn("eve@example.com")).accessToken);
  await alice.api.organizations.permissions.grant({ organizationId }, toAccount("eve@example.com", "View"));
  const addresses = async (api: typeof viewer.api) =>
    (await api.organizations.members.list({ organizationId })).items.flatMap(({ email }) => email ?? []);
  expect(await addresses(alice.api)).toEqual(["eve@example.com"]);
  expect(await addresses(viewer.api)).toEqual([]);
  expect(await addresses(eve)).toEqual(["eve@example.com"]);
});

test("members come in pages, and every page is good for whom it was made", async () => {
  const { organizationId, alice, viewer } = await setUp();
  const names: unknown[] = [];
  for await (const { name } of alice.api.organizations.members.list.all({ organizationId }, { limit: 2 }))
    names.push(name);
  expect(names).toHaveLength(5);
  const { nextCursor } = await alice.api.organizations.members.list({ organizationId }, { limit: 2 });
  const other = viewer.api.organizations.members.list({ organizationId }, { cursor: nextCursor ?? "" });
  expect(await refusal(other)).toMatchObject({ code: "InvalidCursor" });
});
