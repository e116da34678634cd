import { expect, test } from "vitest";
import type { Api } from "../../src/contract/api.ts";
import type { EnvironmentRef } from "../../src/contract/target.ts";
import { environments } from "../../src/environment/environment-record.ts";
import { componentId } from "../../src/override/declarations/definition.ts";
import { newComponent } from "../../src/override/operations/deployment.ts";
import { components } from "../../src/override/records/component-record.ts";
import { digested, referTo } from "../../src/override/records/definition-record.ts";
import { liveSystems, namesOf } from "../../src/override/records/live-system-record.ts";
import { memoryStore } from "../../src/ports/memory-store.ts";
import type { Store } from "../../src/ports/store.ts";
import { createRecords } from "../../src/records/create-records.ts";
import type { Change } from "../../src/records/records.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";
import { identityWorld } from "../builders/identity.ts";

/** How many entries were read. */
function counting(now: () => number) {
  const store = memoryStore({ now });
  let entries = 0;
  const counted: Store = {
    ...store,
    async get(keys, options) {
      entries += keys.length;
      return store.get(keys, options);
    },
    async list(range, options) {
      const found = await store.list(range, options);
      entries += found.length;
      return found;
    },
  };
  const readBy = async (work: () => Promise<unknown>) => {
    const before = entries;
    await work();
    return entries - before;
  };
  return { store: counted, readBy };
}

/** An environment with a live system of one overridden component; a later number is a later creation. */
async function put(change: Change, environmentId: EnvironmentRef, number: number, newId: () => string) {
  const at = new Date(Date.UTC(2026, 0, 1) + number * 1000).toISOString();
  const stamps = { createdAt: at, createdBy: "test", updatedAt: at, updatedBy: "test" };
  change.put(environments, {
    id: environmentId,
    incarnation: newId(),
    managementEnvironmentId: null,
    name: null,
    resourceGroups: [],
    parameters: {},
    resourceScopes: [],
    defaultCiCdProfileShortName: null,
    initializations: {},
    deletedAt: null,
    ...stamps,
  });
  const id = newId();
  const definition = { name: "shop", environmentId, components: [] };
  const deploys = await digested(fakeRuntime(), definition);
  await referTo(change, id, deploys);
  const names = { ...namesOf(definition), inForce: deploys.digest };
  change.put(liveSystems, { id, status: "Active", ...names, lastMutationId: newId(), ...stamps });
  const declared = { path: "app", provider: "provider-a", type: "thing", parameters: { size: 1 } };
  const place = { id: componentId(id, "app"), name: "app", given: true, target: { scope: "s", region: "r" } };
  const planned = { declared, dependsOn: [], references: [], overrideWith: null };
  const facts = { liveSystemId: id, environment: environmentId, place, mutationId: newId(), at, by: "test" };
  const component = newComponent(planned, facts);
  change.put(components, {
    ...component,
    status: "ManualOverride",
    override: {
      episodeId: newId(),
      since: at,
      awaiting: "management-tag",
      reason: null,
      ticket: null,
      remindAt: null,
      claimedBy: null,
      said: null,
      reminded: [],
    },
    conditions: { ...component.conditions, exists: { ...component.conditions.exists, value: true } },
    observed: { ...component.observed, drift: { size: { declared: 1, actual: 2 } } },
  });
}

/** Ada, who has things of her own and in an organization, among strangers' things. */
async function among(strangers: number) {
  const runtime = fakeRuntime();
  const { store, readBy } = counting(runtime.clock.now);
  const world = await identityWorld({}, undefined, { store, runtime });
  const ada = await world.person("ada");
  const works = await ada.api.organizations.create({ name: "Works" });
  const records = createRecords({ store, runtime: world.runtime });
  const cause = { actor: "test", requestId: "test" };
  const owners = [
    { type: "Personal", ownerId: ada.account.id },
    { type: "Organizational", ownerId: works.id },
  ] as const;
  await records.change(cause, async (change) => {
    for (let number = 0; number < 7; number++) {
      const owner = owners[number % 2] ?? owners[0];
      await put(change, { ...owner, shortName: `e${(number * 3) % 7}` }, number, world.runtime.newId);
    }
  });
  for (let done = 0; done < strangers; done += 100) {
    await records.change(cause, async (change) => {
      for (let number = done; number < Math.min(done + 100, strangers); number++)
        await put(
          change,
          { type: number % 2 ? "Personal" : "Organizational", ownerId: world.runtime.newId(), shortName: "e3" },
          number / 1000,
          world.runtime.newId,
        );
    });
  }
  return { world, ada, api: ada.api, works, readBy };
}

const lists: readonly [
  string,
  (api: Api, page?: object) => Promise<{ items: readonly object[]; nextCursor: string | null }>,
][] = [
  ["environments", (api, page) => api.environments.list(page)],
  ["live systems", (api, page) => api.liveSystems.list(page)],
  ["the health of live systems", (api, page) => api.liveSystems.health(page)],
  ["overrides", (api, page) => api.overrides.list(page)],
  ["the digest of overrides", (api, page) => api.overrides.digest(page)],
];

test.each(lists)("a list of %s reads what its caller can reach, however much there is besides", async (_, list) => {
  const [few, many] = [await among(4), await among(400)];
  const read = [await few.readBy(() => list(few.api)), await many.readBy(() => list(many.api))];
  expect(read[1]).toBe(read[0]);
  expect(read[0]).toBeLessThan(200);
});

test.each(lists.slice(0, 4))("%s of all owners come in one order, page by page as at once", async (_, list) => {
  const { api, world } = await among(20);
  const { items } = await list(api);
  expect(items).toHaveLength(7);
  const paged: object[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await list(api, { limit: 2, ...(cursor && { cursor }) });
    paged.push(...page.items);
    cursor = page.nextCursor;
  }
  expect(paged).toEqual(items);
  const everything = await list(world.host, { limit: 200 });
  const own = new Set(items.map((item) => JSON.stringify(item)));
  expect(everything.items).toHaveLength(27);
  expect(everything.items.filter((item) => own.has(JSON.stringify(item)))).toEqual(items);
});

test("a named environment that can't be reached is not read", async () => {
  const { world, api, readBy, works } = await among(4);
  const stranger = (await world.host.environments.list({ limit: 200 })).items.find(
    ({ id }) => id.type === "Organizational" && id.ownerId !== works.id,
  );
  const { type, ownerId, shortName } = stranger?.id ?? { type: "", ownerId: "", shortName: "" };
  const environment = `${type}/${ownerId}/${shortName}`;
  const own = `Organizational/${works.id}/e3`;
  expect((await api.liveSystems.list({ environment: own })).items).toHaveLength(1);
  expect(await readBy(() => api.liveSystems.list({ environment }))).toBeLessThan(20);
});

test("a digest counts every override in force, however many there are, and names the hundred oldest", async () => {
  const { world, ada } = await among(600);
  const counted = async (api: Api) => (await api.overrides.digest()).items.map(({ count }) => count);
  expect(await counted(world.host)).toEqual([607]);
  expect(await counted(ada.api)).toEqual([7]);
  const [{ componentIds } = { componentIds: [] }] = (await world.host.overrides.digest()).items;
  const oldest = await world.host.overrides.list({ limit: 100 });
  expect(componentIds).toEqual(oldest.items.map(({ component }) => component.id));
});
