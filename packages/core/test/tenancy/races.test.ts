import { expect, test } from "vitest";
import { toAccount, toTeam } from "../builders/principals.ts";
import { failure, tenantsWorld } from "../builders/tenants.ts";

const seeds = Array.from({ length: 10 }, (_, at) => at + 1);
const discover = (accounts: number, organizations: number) => ({
  discover: { accounts, organizations },
  workgroup: { accounts: 1, organizations: 1 },
});

test.each(seeds)("gives a plan's last place to one of many (%i)", async (seed) => {
  const { person, atOnce } = tenantsWorld({ plans: discover(3, 1), seed });
  const alice = await person("alice");
  const others = await Promise.all(Array.from({ length: 6 }, (_, at) => person(`p${at}`)));
  const { id: organizationId } = await alice.api.organizations.create({ name: "Acme" });
  const grant = (principalId: string) =>
    alice.api.organizations.permissions.grant({ organizationId }, toAccount(principalId, "View"));
  const outcomes = await atOnce(others.map(({ id }) => failure(grant(id))));
  expect(outcomes.filter((outcome) => outcome === "nothing failed")).toHaveLength(2);
  expect(outcomes.filter((outcome) => outcome === "SubscriptionLimitReached")).toHaveLength(4);
  expect((await alice.api.organizations.get({ organizationId })).members).toHaveLength(3);
});

test.each(seeds)("makes one organization where there is place for one (%i)", async (seed) => {
  const { person, atOnce } = tenantsWorld({ plans: discover(5, 1), seed });
  const alice = await person("alice");
  const outcomes = await atOnce(["a", "b", "c"].map((name) => failure(alice.api.organizations.create({ name }))));
  expect(outcomes.filter((outcome) => outcome === "nothing failed")).toHaveLength(1);
});

test.each(seeds)("counts seats taken while the subscription is replaced (%i)", async (seed) => {
  const { person, operator, atOnce } = tenantsWorld({ plans: discover(4, 2), seed });
  const [alice, root] = [await person("alice"), await operator()];
  const people = await Promise.all(Array.from({ length: 5 }, (_, at) => person(`p${at}`)));
  const { id: organizationId } = await alice.api.organizations.create({ name: "Acme" });
  const grant = (principalId: string) =>
    failure(alice.api.organizations.permissions.grant({ organizationId }, toAccount(principalId, "View")));
  const details = { maxNumberOfAccounts: 4, maxNumberOfOrganizations: 2, expirationDate: "2027-01-01T00:00:00Z" };
  const plan = { subscriptionType: "Enterprise", enterpriseSubscriptionDetails: details } as const;
  const [replaced, ...outcomes] = await atOnce([
    failure(root.api.subscriptions.create(plan, { accountId: alice.id })),
    ...people.map(({ id }) => grant(id)),
  ]);
  expect(replaced).toBe("nothing failed");
  expect(outcomes.filter((outcome) => outcome === "nothing failed")).toHaveLength(3);
  const { members } = await alice.api.organizations.get({ organizationId });
  for (const principalId of members.filter((id) => id !== alice.id)) {
    await alice.api.organizations.permissions.revoke({ organizationId }, toAccount(principalId, "View"));
  }
  const again = await atOnce(people.map(({ id }) => grant(id)));
  expect(again.filter((outcome) => outcome === "nothing failed")).toHaveLength(3);
});

test.each(seeds)("leaves one of the last two Admins, however they go at once (%i)", async (seed) => {
  const { person, suspend, deleteAccount, atOnce } = tenantsWorld({ seed });
  const [alice, bob] = [await person("alice"), await person("bob")];
  const { id: organizationId } = await alice.api.organizations.create({ name: "Acme" });
  const admin = (principalId: string) => toAccount(principalId, "Admin");
  await alice.api.organizations.permissions.grant({ organizationId }, admin(bob.id));
  const ways = [
    (id: string, by: typeof alice) => by.api.organizations.permissions.revoke({ organizationId }, admin(id)),
    (id: string) => suspend(id),
    (id: string) => deleteAccount(id),
  ];
  const [one, other] = [ways[seed % 3]!, ways[(seed + 1 + (seed >> 1)) % 3]!];
  const outcomes = await atOnce([failure(one(alice.id, alice)), failure(other(bob.id, bob))]);
  expect([...outcomes].sort()).toEqual(["LastAdmin", "nothing failed"]);
});

test.each(seeds)("closes no cycle of teams from both ends at once (%i)", async (seed) => {
  const { person, atOnce } = tenantsWorld({ seed });
  const alice = await person("alice");
  const { id: organizationId } = await alice.api.organizations.create({ name: "Acme" });
  const team = async (shortName: string) =>
    (await alice.api.organizations.teams.upsert({ organizationId }, { shortName })).principalId;
  const [a, b, c] = [await team("a"), await team("b"), await team("c")];
  const nest = (shortName: string, principalId: string) =>
    failure(
      alice.api.organizations.teams.permissions.grant({ organizationId, shortName }, toTeam(principalId, "View")),
    );
  const outcomes = await atOnce([nest("a", b), nest("b", c), nest("c", a)]);
  expect([...outcomes].sort()).toEqual(["TeamCycle", "nothing failed", "nothing failed"]);
});

test.each(seeds)("makes a team once when many make it at once (%i)", async (seed) => {
  const { person, events, atOnce } = tenantsWorld({ seed });
  const alice = await person("alice");
  const { id: organizationId } = await alice.api.organizations.create({ name: "Acme" });
  const made = await atOnce(
    ["Core", "core", "CORE"].map((shortName) =>
      alice.api.organizations.teams.upsert({ organizationId }, { shortName }),
    ),
  );
  expect(new Set(made.map(({ principalId }) => principalId)).size).toBe(1);
  expect(await events("team.created")).toHaveLength(1);
});
