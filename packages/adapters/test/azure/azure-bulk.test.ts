import { describe, expect, test } from "vitest";
import { azureUnderTest, typesUnderTest } from "./azure-under-test.ts";

const [, network] = typesUnderTest as [(typeof typesUnderTest)[0], (typeof typesUnderTest)[0]];
const subnets = "Microsoft.Network/virtualNetworks/subnets";

async function filled(options: { readonly graphPage?: number } = {}) {
  const under = await azureUnderTest(network, options);
  const { cloud, azure, target, parameters } = under;
  const at = (type: string, name: string) => ({ type, resourceId: cloud.resourceIdFor(type, name, target) ?? "" });
  const networks = Array.from({ length: 30 }, (_, index) => at(network.type, `net-${index}`));
  for (const { resourceId } of networks) azure.make(resourceId, { ...parameters, tags: { team: "blue" } });
  const group = at("Microsoft.Resources/resourceGroups", "group");
  azure.make(group.resourceId, { location: "westeurope", tags: {} });
  const parts = ["a", "b", "c"].map((name) => at(subnets, `net-0/${name}`));
  for (const { resourceId } of parts.slice(0, 2))
    azure.make(resourceId, { properties: { addressPrefix: "10.0.0.0/24" } });
  return { ...under, at, networks, group, parts };
}

describe("Resource Graph", () => {
  test("reads networks and their group in one call, without columns of its own", async () => {
    const { cloud, call, azure, networks, group } = await filled();
    const readings = await cloud.readMany([...networks, group], call);
    expect(readings.map(({ state }) => state)).toEqual(Array(31).fill("present"));
    expect(azure.seen).toEqual(["POST /providers/Microsoft.ResourceGraph/resources"]);
    const [first] = readings;
    expect(first?.state === "present" && Object.keys(first.parameters).sort()).toEqual(["location", "properties"]);
  });

  test("is read page by page, and what may stand on a page that wasn't read isn't missing", async () => {
    const { cloud, call, azure, networks } = await filled({ graphPage: 10 });
    expect((await cloud.readMany(networks, call)).every(({ state }) => state === "present")).toBe(true);
    expect(azure.seen).toHaveLength(3);
    const endless = await filled({ graphPage: 1 });
    const states = (await endless.cloud.readMany(endless.networks, endless.call)).map(({ state }) => state);
    expect(states.filter((state) => state === "unreadable")).toHaveLength(10);
    expect(states).not.toContain("missing");
  });

  test("is shown as a direct read had it, where it spells the same otherwise, until its row is another", async () => {
    const { cloud, call, azure, networks } = await filled();
    const [ref] = networks;
    if (ref === undefined) return;
    await cloud.readMany([ref], call);
    const direct = await cloud.read(ref, call);
    const [bulk] = await cloud.readMany([ref], call);
    expect(bulk).toEqual(direct);
    azure.setTags(ref.resourceId, {});
    expect((await cloud.readMany([ref], call))[0]).toMatchObject({ state: "present", tags: {} });
  });

  test("lags, and says then what was", async () => {
    const { cloud, call, azure, networks } = await filled();
    const [ref] = networks;
    if (ref === undefined) return;
    azure.lag();
    azure.remove(ref.resourceId);
    expect((await cloud.readMany([ref], call))[0]?.state).toBe("present");
    azure.catchUp();
    expect((await cloud.readMany([ref], call))[0]?.state).toBe("missing");
  });

  test("a quote in a name stays in the query where it stands", async () => {
    const { cloud, call } = await filled();
    const resourceId =
      "/subscriptions/3f2504e0-4f89-41d3-9a0c-0305e82c3301/resourceGroups/o'k/providers/Microsoft.Network/virtualNetworks/x";
    expect(await cloud.readMany([{ type: network.type, resourceId }], call)).toEqual([{ state: "missing" }]);
  });
});

test("parts of a network are read by the list that they stand in, one alone directly", async () => {
  const { cloud, call, azure, parts, networks } = await filled();
  const states = async (refs: typeof parts) => (await cloud.readMany(refs, call)).map(({ state }) => state);
  expect(await states([...parts, ...networks.slice(0, 1)])).toEqual(["present", "present", "missing", "present"]);
  const list = `GET ${networks[0]?.resourceId}/subnets`;
  expect([...azure.seen].sort()).toEqual([list, "POST /providers/Microsoft.ResourceGraph/resources"]);
  azure.seen.length = 0;
  expect(await states(parts.slice(0, 1))).toEqual(["present"]);
  expect(azure.seen).toEqual([`GET ${parts[0]?.resourceId}`]);
});

test("what leads elsewhere is asked of nobody", async () => {
  const { cloud, call, azure } = await filled();
  const refs = [{ type: network.type, resourceId: "/subscriptions/a/../b" }];
  expect(await cloud.readMany(refs, call)).toEqual([{ state: "unreadable", reason: "ForeignAddress" }]);
  expect(azure.seen).toEqual([]);
});
