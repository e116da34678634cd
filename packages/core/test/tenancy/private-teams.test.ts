import { expect, test } from "vitest";
import type { Api } from "../../src/contract/api.ts";
import { identityWorld, refusal } from "../builders/identity.ts";
import { toAccount, toTeam } from "../builders/principals.ts";

const wide = { accounts: 1000, organizations: 1000 };
/** Who may not see the private team: by View, Edit or a group of the organization; and who is in no team at all. */
const others = ["onlooker", "editor", "guest", "keeper"] as const;

/** An organization with a private team and an open one, both granted the same, and people who see different parts of it. */
async function setUp() {
  const world = await identityWorld({ plans: { discover: wide, workgroup: wide }, purgeSeconds: 60 });
  const alice = await world.person("alice");
  const { organizations } = alice.api;
  const { id: organizationId } = await organizations.create({ name: "Works" });
  const group = { organizationId, shortName: "tools" };
  await organizations.resourceGroups.upsert(group, {});
  const person = async (name: string, permissionType: "View" | "Edit" | "Admin", on: "organization" | "group") => {
    const { account, api } = await world.person(name);
    const to = toAccount(account.id, permissionType);
    if (on === "group") await organizations.resourceGroups.permissions.grant(group, to);
    else await organizations.permissions.grant({ organizationId }, to);
    return { id: account.id, api };
  };
  const people = {
    alice: { id: alice.account.id, api: alice.api },
    member: await person("member", "View", "organization"),
    onlooker: await person("onlooker", "View", "organization"),
    editor: await person("editor", "Edit", "organization"),
    guest: await person("guest", "View", "group"),
    keeper: await person("keeper", "Admin", "group"),
  };
  const team = async (shortName: string, isPrivate: boolean) => {
    const { principalId } = await organizations.teams.upsert({ organizationId }, { shortName, isPrivate });
    const to = toTeam(principalId, "View");
    await organizations.permissions.grant({ organizationId }, to);
    await organizations.resourceGroups.permissions.grant(group, to);
    return principalId;
  };
  const secret = await team("secret", true);
  const open = await team("open", false);
  await organizations.teams.permissions.grant(
    { organizationId, shortName: "secret" },
    toAccount(people.member.id, "View"),
  );

  let marks = 0;
  /** All that somebody is told: by every list and record of the organization, and by the events from the first on. */
  async function told(api: Api): Promise<string> {
    // The last to happen, which everybody here sees.
    await organizations.resourceGroups.upsert(group, { description: `mark ${++marks}` });
    await world.liveplane.log.sequence();
    const last = await world.liveplane.log.head();
    const all: unknown[] = [];
    for await (const event of api.events.follow({ after: 0 })) {
      all.push(event);
      if (event.sequence === last) break;
    }
    const asked = [
      api.organizations.list(),
      api.organizations.get({ organizationId }),
      api.organizations.permissions.list({ organizationId }),
      api.organizations.teams.list({ organizationId }),
      api.organizations.teams.permissions.list({ organizationId, shortName: "open" }),
      api.organizations.resourceGroups.list({ organizationId }),
      api.organizations.resourceGroups.permissions.list(group),
      api.organizations.resourceGroups.get(group),
    ];
    for (const answer of await Promise.allSettled(asked)) if (answer.status === "fulfilled") all.push(answer.value);
    return JSON.stringify(all);
  }
  /** Purges what was deleted, and nothing of what happened. */
  async function purge() {
    await world.advance(120_000);
    await world.housekeep();
  }
  return { organizations, organizationId, group, people, secret, open, told, purge };
}

type World = Awaited<ReturnType<typeof setUp>>;

/** Who is told an id anywhere. */
async function knowing({ people, told }: World, id: string): Promise<string[]> {
  const names: string[] = [];
  for (const [name, { api }] of Object.entries(people)) if ((await told(api)).includes(id)) names.push(name);
  return names;
}

test("a private team's principal id shows to nobody who may not see the team, in lists, groups and events alike", async () => {
  const world = await setUp();
  expect(await knowing(world, world.secret)).toEqual(["alice", "member"]);
  expect(await knowing(world, world.open)).toEqual(["alice", "member", ...others]);
});

test("a team that becomes private takes what was told of it back, and one that becomes open gives it", async () => {
  const world = await setUp();
  const { organizations, organizationId } = world;
  await organizations.teams.upsert({ organizationId }, { shortName: "open", isPrivate: true });
  await organizations.teams.upsert({ organizationId }, { shortName: "secret", isPrivate: false });
  expect(await knowing(world, world.open)).toEqual(["alice"]);
  expect(await knowing(world, world.secret)).toEqual(["alice", "member", ...others]);
});

test("a private team's principal id stays hidden once the team is deleted, and once it is purged", async () => {
  const world = await setUp();
  const { organizations, organizationId } = world;
  await organizations.teams.delete({ organizationId, shortName: "secret" });
  await organizations.teams.delete({ organizationId, shortName: "open" });
  expect(await knowing(world, world.secret)).toEqual(["alice"]);
  expect(await knowing(world, world.open)).toEqual(["alice", "member", ...others]);
  await world.purge();
  expect(await knowing(world, world.secret)).toEqual(["alice"]);
});

test("an answer to whoever changes a group holds no private team that doesn't show to them", async () => {
  const { people, group, secret, open } = await setUp();
  const { api } = people.keeper;
  const changed = await api.organizations.resourceGroups.upsert(group, { displayName: "Tools" });
  expect(changed.teamsIds).toEqual([open]);
  const deleted = await api.organizations.resourceGroups.delete(group);
  expect(JSON.stringify(deleted)).not.toContain(secret);
});

test("a private team can be granted nothing by who doesn't see it: it's answered as no team", async () => {
  const { people, group, secret, open } = await setUp();
  const grant = ({ api }: (typeof people)["keeper"], principalId: string) =>
    refusal(api.organizations.resourceGroups.permissions.grant(group, toTeam(principalId, "Edit")));
  const nobody = await grant(people.keeper, "00000000-0000-4000-8000-000000000001");
  expect(nobody).toEqual({ code: "InvalidPrincipal", status: 400, at: "#/principalId" });
  expect(await grant(people.keeper, secret)).toEqual(nobody);
  expect((await grant(people.keeper, open)).code).toBe("InternalError");
  expect((await grant(people.alice, secret)).code).toBe("InternalError");
});

test("an explanation names the private teams on the way, to who is in them and to Admins alone", async () => {
  const { organizations, organizationId, people, secret, open } = await setUp();
  // Whoever is in the open team is in the private one by it.
  const join = (shortName: string, principalType: "Account" | "Team", principalId: string) =>
    organizations.teams.permissions.grant(
      { organizationId, shortName },
      { principalType, principalId, permissionType: "View" },
    );
  await join("secret", "Team", open);
  await join("open", "Account", people.onlooker.id);
  const explain = ({ api }: (typeof people)["alice"], principalId: string) =>
    api.permissions.explain({ organizationId }, { principalType: "Account", principalId });
  const own = await explain(people.onlooker, people.onlooker.id);
  expect(own.because.map(({ via }) => via)).toContainEqual([open, secret]);
  expect(await explain(people.alice, people.onlooker.id)).toEqual(own);
  expect((await people.onlooker.api.organizations.teams.get({ organizationId, shortName: "secret" })).principalId).toBe(
    secret,
  );
  for (const name of ["editor", "keeper"] as const) {
    expect(await refusal(explain(people[name], people.onlooker.id))).toMatchObject({ status: expect.any(Number) });
    const { because } = await explain(people[name], people[name].id);
    expect(JSON.stringify(because)).not.toContain(secret);
  }
});
