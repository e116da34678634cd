import { expect, test } from "vitest";
import type { Api } from "../../src/contract/api.ts";
import { LiveplaneError } from "../../src/errors.ts";
import { callers, otherCallers } from "./expected-answers.ts";
import { scopes, worldOfCallers } from "./world.ts";

const world = await worldOfCallers();
const again = await world.again();
const { known } = world;
const organizations = [known.organization ?? "", known.elsewhere ?? ""];

/** Service accounts, with the account or the organization that each belongs to. */
const ownerOfService = new Map(
  ["cloudAgent", "ciCd", "keyVault", "bot", "custom", "customEdit", "disabled"].map((name) => [
    known[name] ?? "",
    known.organization ?? "",
  ]),
);
for (const who of ["owner", "stranger", "orgView", "groupView", "orgAdmin"])
  ownerOfService.set((await again.as(who).accounts.me()).serviceAccountId ?? "", known[who] ?? "");
const people = [...callers, ...otherCallers].flatMap((who) => known[who] ?? []);
const things = [
  "organization",
  "elsewhere",
  "liveSystem",
  "otherLiveSystem",
  "smiths",
  "subscription",
  "webhook",
].flatMap((name) => known[name] ?? []);
const ownWebhooks = Object.keys(known).flatMap((name) => (name.endsWith("Webhook") ? (known[name] ?? []) : []));
const ids = [
  ...new Set([...people, ...things, ...ownWebhooks, ...ownerOfService.keys(), "9f1f7a3e-9d5b-4c62-8d6f-3a1b2c3d4e5e"]),
];

const namesFor = async (api: Api) =>
  new Map((await api.names.find({ id: ids })).items.map(({ id, name }) => [id, name] as const));

async function orNothing<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof LiveplaneError) return null;
    throw error;
  }
}

/** The names that a caller reads with the other operations. */
async function readBy(api: Api): Promise<ReadonlyMap<string, string>> {
  const read = new Map<string, string>();
  const note = (id: string | null, name: string | null) => id !== null && name !== null && read.set(id, name);
  const me = await orNothing(api.accounts.me());
  if (me !== null) note(me.id, me.name ?? me.username);
  for (const accountId of people) {
    const account = await orNothing(api.accounts.get({ accountId }));
    if (account !== null) note(accountId, account.name ?? account.username);
  }
  for (const organizationId of organizations) {
    for (const one of (await orNothing(api.organizations.members.list({ organizationId }, { limit: 200 })))?.items ??
      [])
      note(one.principalId, one.name);
    for (const one of (await orNothing(api.organizations.teams.list({ organizationId })))?.items ?? [])
      note(one.principalId, one.id.shortName);
  }
  for (const one of (await orNothing(api.organizations.list()))?.items ?? []) note(one.id, one.name);
  for (const one of (await orNothing(api.liveSystems.list()))?.items ?? []) note(one.id, one.name);
  for (const one of (await orNothing(api.accounts.webhooks.list()))?.items ?? []) note(one.id, one.name);
  for (const organizationId of organizations)
    for (const one of (await orNothing(api.organizations.webhooks.list({ organizationId })))?.items ?? [])
      note(one.id, one.name);
  const plan = await orNothing(api.subscriptions.get({ subscriptionId: known.subscription ?? "" }));
  if (plan !== null) note(plan.id, read.get(known.owner ?? "") ?? null);
  for (const [id, owner] of ownerOfService) {
    const isOrganization = organizations.includes(owner);
    const name = isOrganization
      ? (await orNothing(api.organizations.get({ organizationId: owner })))?.name
      : read.get(owner);
    note(id, name ?? null);
  }
  return read;
}

const everybody = [...callers, ...otherCallers].filter(
  (who) => !["nobody", "disabled", "suspended", "mustChange", "operator"].includes(who),
);
const inOrder = (names: ReadonlyMap<string, string>) =>
  Object.fromEntries(ids.flatMap((id) => (names.has(id) ? [[id, names.get(id)]] : [])));

test.each(everybody)("%s gets exactly the names that other operations show them", async (who) => {
  const api = again.as(who);
  expect(inOrder(await namesFor(api))).toEqual(inOrder(await readBy(api)));
});

test.each(scopes)("a token for %s alone gets no other names", async (scope) => {
  for (const who of ["owner", "orgView", "groupEdit", "teamView", "stranger", "operator"]) {
    const api = again.withScopes(who, [scope]);
    expect(inOrder(await namesFor(api)), who).toEqual(inOrder(await readBy(api)));
  }
});

test("operators get every name", async () => {
  const names = await namesFor(again.as("operator"));
  expect(ids.filter((id) => !names.has(id))).toEqual(["9f1f7a3e-9d5b-4c62-8d6f-3a1b2c3d4e5e"]);
  expect(names.get(known.smiths ?? "")).toBe("smiths");
});

test("service accounts go by their owner's name, and nothing is said of IDs that nothing has", async () => {
  const asked = ["ciCd", "owner", "stranger", "liveSystem"].map((name) => known[name] ?? "");
  const { items } = await again.as("owner").names.find({ id: asked });
  expect(items).toEqual([
    { id: known.ciCd, kind: "ServiceAccount", name: "Works" },
    { id: known.owner, kind: "Account", name: "owner" },
    { id: known.liveSystem, kind: "LiveSystem", name: "shop" },
  ]);
});
