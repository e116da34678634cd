import { expect, test } from "vitest";
import type { LiveSystem } from "../../src/contract/schemas/live-system-schemas.ts";
import type { JsonObject } from "../../src/json-pointer.ts";
import { itemsApplied } from "../../src/override/protocol/extra-items.ts";
import { plainType } from "../../src/ports/resource-type.ts";
import type { Json } from "../../src/ports/store.ts";
import { both, busyWhile, definition, deployed, planOf } from "../builders/handed-over.ts";
import { overrideWorld } from "../builders/override.ts";

const flavour = { provider: "provider-a", type: "Microsoft.Network/virtualNetworks@2024-05-01" } as const;
const net = (name: string, prefix = "10.0.0.0/24") => ({ name, properties: { addressPrefix: prefix } });
const of = (...subnets: JsonObject[]) => ({ properties: { subnets } });
const allowExtraItems = ["/properties/subnets"];

async function world(...subnets: JsonObject[]) {
  return around(await deployed({ ...flavour, parameters: of(...subnets), allowExtraItems }));
}

function around(made: Awaited<ReturnType<typeof deployed>>) {
  const { world: own, system, id, resourceId, console } = made;
  const there = async () => {
    const { properties } = (await console.get(resourceId))?.parameters ?? {};
    return (properties as { subnets: { name: string }[] }).subnets;
  };
  const redeploy = (parameters: JsonObject, more: object = { allowExtraItems }) =>
    own.deploy(system, definition([{ path: "app", ...flavour, parameters, ...more }]));
  const byHand = (...subnets: JsonObject[]) => console.patchParameters(resourceId, of(...subnets));
  const inSync = async () => (await own.component(id)).conditions.inSync;
  return { ...made, there, redeploy, byHand, inSync };
}

test("items that the cloud adds stay, and those that are no longer declared are removed", async () => {
  const { there, redeploy, byHand, inSync, world: own } = await world(net("web"), net("db"));
  await byHand(net("web"), net("db"), net("gateway"));
  await own.cycle();
  expect(await inSync()).toMatchObject({ value: true });
  expect(await redeploy(of(net("web")))).toMatchObject({ status: "Succeeded" });
  expect(await there()).toEqual([net("web"), net("gateway")]);
  await own.cycle();
  expect(await inSync()).toMatchObject({ value: true });
  // What was removed isn't the agent's any more.
  await byHand(net("web"), net("db"));
  await own.cycle();
  expect(await there()).toEqual([net("web"), net("db")]);
});

test("a declared item is corrected beside the cloud's own", async () => {
  const { there, byHand, world: own, params, console, resourceId } = await world(net("web"));
  await byHand(net("gateway"), net("web", "10.9.0.0/16"));
  await own.cycle();
  expect(await there()).toEqual([net("gateway"), net("web")]);
  await console.putTags(resourceId, {});
  await byHand(net("gateway"), net("web", "10.8.0.0/16"));
  await own.cycle();
  const { changes, keepPatch } = await planOf(own, params);
  expect(changes.map(({ pointer }) => pointer)).toEqual(["/properties/subnets/name=web/properties/addressPrefix"]);
  expect(keepPatch.map(({ path }) => path).at(-1)).toBe(
    "/components/0/parameters/properties/subnets/0/properties/addressPrefix",
  );
  await console.putTags(resourceId, both);
  await own.cycle();
  expect(await there()).toEqual([net("gateway"), net("web")]);
});

test("without it an item that the cloud adds is drift, and is removed", async () => {
  const { there, redeploy, byHand, world: own } = await world(net("web"));
  await byHand(net("web"), net("gateway"));
  await own.cycle();
  expect(await there()).toHaveLength(2);
  await redeploy(of(net("web")), {});
  expect(await there()).toEqual([net("web")]);
});

test("what was applied is remembered through a take-over", async () => {
  const { there, redeploy, byHand, world: own, console, resourceId } = await world(net("web"), net("db"));
  await console.putTags(resourceId, {});
  await byHand(net("web"), net("db"), net("mine"));
  await own.cycle();
  await redeploy(of(net("web")));
  await console.putTags(resourceId, both);
  await own.cycle();
  expect(await there()).toEqual([net("web"), net("mine")]);
});

test("an item that leaves the declaration during a take-over stays liveplane's, though it is gone for a while", async () => {
  const { there, redeploy, byHand, world: own, console, resourceId } = await world(net("web"), net("db"));
  await console.putTags(resourceId, {});
  await byHand(net("web"));
  await own.cycle();
  await redeploy(of(net("web")));
  await own.cycle();
  await byHand(net("web"), net("db"));
  await console.putTags(resourceId, both);
  await own.cycle();
  expect(await there()).toEqual([net("web")]);
});

test("an item that was there in its declared form is liveplane's, though it was written before extra items were allowed", async () => {
  const { there, redeploy, world: own } = await world(net("web"), net("db"));
  await redeploy(of(net("web"), net("db")), {});
  await redeploy(of(net("web"), net("db")));
  await own.cycle();
  await redeploy(of(net("web")));
  expect(await there()).toEqual([net("web")]);
});

test("an item that was written stays liveplane's while another place can't be corrected", async () => {
  const { there, redeploy, console, resourceId } = await world(net("web"));
  await console.patchParameters(resourceId, { location: "elsewhere" });
  const parameters = (...subnets: JsonObject[]) => ({ location: "here", ...of(...subnets) });
  await redeploy(parameters(net("web"), net("db")));
  expect(await there()).toEqual([net("web"), net("db")]);
  await redeploy(parameters(net("web")));
  expect(await there()).toEqual([net("web")]);
});

test("an item stays liveplane's through a time in which its cloud can't be read", async () => {
  const { there, redeploy, console, world: own } = await world(net("web"), net("db"));
  await console.setFaults({ read: "fail", bulk: "fail" });
  await own.cycle();
  await console.setFaults({});
  await redeploy(of(net("web")));
  expect(await there()).toEqual([net("web")]);
});

test("an item that was declared and never written isn't liveplane's", async () => {
  let busy = false;
  const {
    there,
    byHand,
    world: own,
    system,
    id,
  } = around(
    await deployed({ ...flavour, parameters: of(net("web")), allowExtraItems }, { clouds: busyWhile(() => busy) }),
  );
  const deploy = async (...subnets: JsonObject[]) => {
    const app = { path: "app", ...flavour, parameters: of(...subnets), allowExtraItems };
    await own.call("liveSystems.deploy", { params: { id: system }, body: definition([app]) });
    await own.check(id);
  };
  busy = true;
  await deploy(net("web"), net("db"));
  await byHand(net("web"), net("db"));
  await deploy(net("web"));
  busy = false;
  await own.cycle();
  expect(await there()).toEqual([net("web"), net("db")]);
});

test("an item is liveplane's from its creation on, though its resource was taken over in the very moment", async () => {
  const own = overrideWorld();
  const { create } = own.clouds.a;
  Object.assign(own.clouds.a, {
    create: async (...call: Parameters<typeof create>) => {
      const made = await create(...call);
      await own.consoles["provider-a"].putTags(made.resourceId, {});
      return made;
    },
  });
  const app = { path: "app", ...flavour, parameters: of(net("web"), net("db")), allowExtraItems };
  const { livesystemId, components } = await own.passing(own.create(definition([app])));
  const [{ id, resourceId } = { id: "", resourceId: null }] = components;
  expect(await own.component(id)).toMatchObject({ status: "ManualOverride" });
  await own.deploy(livesystemId, definition([{ ...app, parameters: of(net("web")) }]));
  await own.consoles["provider-a"].putTags(resourceId ?? "", both);
  await own.cycle();
  expect((await own.consoles["provider-a"].get(resourceId ?? ""))?.parameters).toEqual(of(net("web")));
});

test("a place that can't hold extra items is refused, and named", async () => {
  const { redeploy } = await world(net("web"));
  const refused = redeploy(of(net("web")), { allowExtraItems: ["/properties/subnets/0", "/properties"] });
  await expect(refused).rejects.toMatchObject({
    details: {
      errors: [
        { pointer: "#/components/0/allowExtraItems/0", detail: expect.stringContaining("name=") },
        { pointer: "#/components/0/allowExtraItems/1", detail: expect.stringContaining("list") },
      ],
    },
  });
});

test("of a list, the names of its own items are remembered as long as they are there, and no secret as a name", () => {
  const applied = (
    declared: readonly Json[],
    there: readonly Json[],
    before: readonly string[],
    secrets: string[] = [],
    isApplied = true,
  ) => {
    const of = { parameters: { list: [...declared] }, type: plainType, extraItems: { "/list": before }, secrets };
    return itemsApplied(of, { list: [...there] }, { isApplied })["/list"];
  };
  const keyed = [
    [net("web"), net("db")],
    [net("web"), net("old"), net("his")],
    ["name=gone", "name=old"],
  ] as const;
  expect(applied(...keyed)).toEqual(["name=db", "name=old", "name=web"]);
  expect(applied(...keyed, [], false)).toEqual(["name=old"]);
  expect(applied(...keyed, ["/list/0/properties"])).toEqual(["name=db", "name=old", "name=web"]);
  const plain = [
    ["a", "b"],
    ["a", "old", "his"],
    ['"gone"', '"old"'],
  ] as const;
  expect(applied(...plain)).toEqual(['"a"', '"b"', '"old"']);
  expect(applied(...plain, ["/list/1"])).toEqual(['"old"']);
});

test("a declaration is read back with every list that was declared", async () => {
  const lists = { allowExtraItems, ignoreChanges: ["/size"], muteDrift: ["size"], dependsOn: ["base"] };
  const app = { path: "app", ...flavour, parameters: of(net("web")), ...lists };
  const own = overrideWorld();
  const { livesystemId: id } = await own.create(definition([{ path: "base" }, app]));
  const shown = (await own.call("liveSystems.get", { params: { id } })) as unknown as LiveSystem;
  expect(shown.definition.components[1]).toEqual(app);
  expect(await own.plan(id, shown.definition)).toMatchObject({ warnings: [] });
});
