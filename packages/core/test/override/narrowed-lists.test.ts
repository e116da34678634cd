import { expect, test } from "vitest";
import type { Api, Query } from "../../src/contract/api.ts";
import { worldOfCallers } from "../callers/world.ts";

const { again, known } = await worldOfCallers();
const { as } = await again();
const ownerId = known.organization ?? "";

/** Two environments, each with live systems in two groups and in none; `shop` is in `web` already. */
async function shops() {
  const api = as("owner");
  const organization = { organizationId: ownerId };
  await api.organizations.resourceGroups.upsert({ ...organization, shortName: "stores" }, {});
  const resourceGroups = ["tools", "stores"].map((name) => `Organizational/${ownerId}/${name}`);
  const named = (shortName: string) => ({ type: "Organizational", ownerId, shortName }) as const;
  await api.environments.update(named("web"), { resourceGroups });
  await api.environments.create(named("api"), { resourceGroups });
  const create = async (name: string, environment: string, shortName?: string) => {
    const resourceGroupId = shortName ? { resourceGroupType: "Organizational" as const, ownerId, shortName } : null;
    await api.liveSystems.create({ name, environmentId: named(environment), resourceGroupId, components: [] });
  };
  await create("bakery", "web", "tools");
  await create("cafe", "api", "Tools");
  await create("gallery", "web", "stores");
  await create("garage", "api");
  await create("florist", "web", "tools");
}
await shops();

const tools = `Organizational/${ownerId.toUpperCase()}/TOOLS`;
const [web, other] = [`Organizational/${ownerId}/web`, `Organizational/${ownerId.toUpperCase()}/web`];
const api = `Organizational/${ownerId}/api`;

const lists: readonly [string, (api: Api, query: Query<"liveSystems.list">) => Promise<string[]>][] = [
  ["live systems", async (api, query) => (await api.liveSystems.list(query)).items.map(({ name }) => name).sort()],
  ["their health", async (api, query) => (await api.liveSystems.health(query)).items.map(({ name }) => name).sort()],
];

test.each(lists)("%s can be listed by resource group, over all environments or in one", async (_, list) => {
  const owner = as("owner");
  expect(await list(owner, { resourceGroup: tools })).toEqual(["bakery", "cafe", "florist"]);
  expect(await list(owner, { resourceGroup: tools, environment: other })).toEqual(["bakery", "florist"]);
  expect(await list(owner, { resourceGroup: `${tools}s` })).toEqual([]);
  expect(await list(as("groupView"), { resourceGroup: tools })).toEqual(["bakery", "cafe", "florist"]);
  expect(await list(as("bot"), { resourceGroup: tools })).toEqual(["bakery", "florist"]);
  for (const who of ["stranger", "maker", "operator"])
    expect(await list(as(who), { resourceGroup: tools })).toEqual([]);
});

test("a list by resource group comes page by page", async () => {
  const first = await as("owner").liveSystems.list({ resourceGroup: tools, limit: 2 });
  const rest = { resourceGroup: tools, limit: 2, cursor: first.nextCursor ?? "" };
  const second = await as("owner").liveSystems.list(rest);
  expect([first.items.length, second.items.length]).toEqual([2, 1]);
  expect([...first.items, ...second.items].map(({ name }) => name).sort()).toEqual(["bakery", "cafe", "florist"]);
  expect(second.nextCursor).toBeNull();
});

test.each(lists)("%s can be listed by environment, by a role's token in its own alone", async (_, list) => {
  const inWeb = ["bakery", "florist", "gallery", "shop"];
  expect(await list(as("owner"), { environment: other })).toEqual(inWeb);
  expect(await list(as("bot"), { environment: other })).toEqual(inWeb);
  expect(await list(as("bot"), { environment: web })).toEqual(inWeb);
  expect(await list(as("bot"), {})).toEqual(inWeb);
  expect(await list(as("bot"), { environment: api })).toEqual([]);
  expect(await list(as("owner"), { environment: api })).toEqual(["cafe", "garage"]);
  expect(await list(as("stranger"), { environment: web })).toEqual([]);
});
