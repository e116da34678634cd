import { describe, expect, test } from "vitest";
import { azureFacts } from "../../src/clouds/facts/azure-facts.ts";
import type { DeclaredResources, ExistingResource } from "../../src/contract/schemas/resource-schemas.ts";
import { type DeclarableResource, declareResources } from "../../src/override/protocol/declared-resources.ts";
import { markedBy } from "../../src/override/protocol/marked-by.ts";
import { definition } from "../builders/handed-over.ts";
import { environmentId, overrideWorld } from "../builders/override.ts";

const group = "/subscriptions/3f2504e0-4f89-41d3-9a0c-0305e82c3302/resourceGroups/dev/providers";
const idOf = (type: string, name: string) => `${group}/${type}/${name}`;
const site = "Microsoft.Web/sites";
const plan = "Microsoft.Web/serverfarms";

function read(type: string, name: string, seen: Partial<DeclarableResource["seen"]> = {}): DeclarableResource {
  const resourceId = idOf(type, name);
  const facts = { ...azureFacts.resourceType(type), readOnly: ["/properties/state", "/properties/parts/*/state"] };
  const cloud = { facts, tagParameter: "tags", caselessTagKeys: true, scope: "s" };
  const outputs = { id: resourceId, name };
  return {
    provider: "provider-a",
    type,
    resourceId,
    name,
    seen: { tags: {}, parameters: {}, outputs, ...seen },
    ...cloud,
  };
}

describe("what manages a resource", () => {
  test.each([
    [{ "Managed-By": "platform" }, { kind: "marked" }],
    [{ "managed-by": "terraform" }, { kind: "tool", name: "terraform" }],
    [{ "goog-terraform-provisioned": "true" }, { kind: "tool", name: "Terraform" }],
    [{ "aws:cloudformation:stack-name": "shop" }, { kind: "tool", name: "CloudFormation" }],
    [{ "managed-by-cnrm": "true" }, { kind: "tool", name: "Config Connector" }],
    [
      { "managed-by": "", managed_by: "terraform" },
      { kind: "tool", name: "terraform" },
    ],
    [{ "app.kubernetes.io/managed-by": "Helm" }, { kind: "tool", name: "Helm" }],
    [{ team: "blue" }, null],
    [{ "managed-by": "" }, null],
  ])("tags %j mean %j", (tags, manager) => {
    expect(markedBy({ tags }, { caselessTagKeys: true })).toEqual(manager);
  });

  test("a manager that the cloud records counts where no tag tells", () => {
    expect(markedBy({ tags: {}, managedBy: "/stack" }, { caselessTagKeys: true })).toEqual({
      kind: "tool",
      name: "/stack",
    });
  });
});

describe("a declaration of existing resources", () => {
  test("leaves out what only the cloud sets, marks that move, and the protocol's tags", () => {
    const seen = {
      tags: { "managed-by": "x", Platform: "y", team: "blue" },
      parameters: {
        location: "westeurope",
        properties: { state: "Running", size: 1, gone: null, parts: [{ state: "up", etag: "1", name: "a" }] },
      },
    };
    expect(declareResources([read(site, "shop", seen)]).components).toEqual([
      {
        path: "shop",
        provider: "provider-a",
        type: site,
        resourceId: idOf(site, "shop"),
        parameters: { location: "westeurope", properties: { size: 1, parts: [{ name: "a" }] }, tags: { team: "blue" } },
        deletionPolicy: "Retain",
      },
    ]);
  });

  test("names the type as its cloud declares it, with the version of its API", () => {
    const plain = read(site, "shop");
    const declaredAs = `${site}@2024-04-01`;
    const { components } = declareResources([{ ...plain, facts: { ...plain.facts, declaredAs } }]);
    expect(components.map(({ path, type }) => [path, type])).toEqual([["shop", declaredAs]]);
  });

  test("leaves out what the vendor documents as the default, but nothing of lists", () => {
    const parameters = {
      properties: { tier: "standard", mode: "Manual", net: { bypass: "All" }, pools: [{ name: "a", size: 3 }] },
      other: { bypass: "All" },
    };
    const defaults = {
      "/properties/tier": "Standard",
      "/properties/mode": "Auto",
      "/properties/net/bypass": "All",
      "/properties/pools/*/size": 3,
    };
    const plain = read(site, "shop", { parameters });
    const facts = { ...plain.facts, defaults, caseless: ["/properties/tier"] };
    const { components } = declareResources([{ ...plain, facts }]);
    expect(components[0]?.parameters).toEqual({
      properties: { mode: "Manual", pools: [{ name: "a", size: 3 }] },
      other: { bypass: "All" },
    });
  });

  test("refers to other chosen resources by their outputs, and never in a circle", () => {
    const to = (type: string, name: string) => ({ parameters: { properties: { other: idOf(type, name) } } });
    const { components } = declareResources([read(site, "shop", to(plan, "big")), read(plan, "big", to(site, "shop"))]);
    expect(components.map(({ parameters }) => parameters.properties)).toEqual([
      { other: { $output: "shop#id" } },
      { other: idOf(plan, "big") },
    ]);
  });

  test("declares what is inside another resource once, where it is chosen too, and says which items of the list it isn't", () => {
    const net = "Microsoft.Network/virtualNetworks";
    const subnetId = (name: string) => `${idOf(net, "net")}/subnets/${name}`;
    const subnet = { ...read(`${net}/subnets`, "a"), resourceId: subnetId("a"), name: "net/a" };
    const inside = { ...subnet, seen: { ...subnet.seen, outputs: { id: subnetId("a") } } };
    const shown = (...names: string[]) => ({
      parameters: { properties: { subnets: names.map((name) => ({ id: subnetId(name), name })), size: 1 } },
    });
    const declared = (...all: DeclarableResource[]) => {
      const { components, warnings } = declareResources(all);
      const own = components.find(({ path }) => path === "net");
      return { own: own?.parameters, overrideWith: components.map((one) => one.overrideWith), warnings };
    };
    const whole = { own: { properties: { size: 1 } }, overrideWith: [undefined, "net"], warnings: [] };
    expect(declared(read(net, "net", shown("a")), inside)).toEqual(whole);
    const detail =
      "/parameters/properties/subnets was left out, because some of its items are components. Not declared: b.";
    expect(declared(read(net, "net", shown("a", "b")), inside)).toEqual({
      ...whole,
      warnings: [{ resourceId: idOf(net, "net"), detail }],
    });
    expect(declared(read(net, "net", shown("a"))).own).toEqual(shown("a").parameters);
  });

  test("turns texts that are named like secrets into references, and says what to store", () => {
    const { components, secrets } = declareResources([
      read(site, "shop", { parameters: { properties: { adminPassword: "hunter2" } } }),
    ]);
    expect(components[0]?.parameters).toEqual({ properties: { adminPassword: { $secret: "shop-adminPassword" } } });
    const pointer = "/parameters/properties/adminPassword";
    expect(secrets).toEqual([{ shortName: "shop-adminPassword", resourceId: idOf(site, "shop"), pointer }]);
  });

  test("names a secret by its item where it is the item's value", () => {
    const settings = [
      { name: "DB_PASSWORD", value: "hunter2" },
      { name: "COLOR", value: "blue" },
    ];
    const { components, secrets } = declareResources([read(site, "shop", { parameters: { settings } })]);
    expect(components[0]?.parameters).toEqual({
      settings: [{ name: "DB_PASSWORD", value: { $secret: "shop-DB-PASSWORD" } }, settings[1]],
    });
    expect(secrets).toMatchObject([{ shortName: "shop-DB-PASSWORD", pointer: "/parameters/settings/0/value" }]);
  });

  test("never takes over a reference that stands in the cloud", () => {
    const parameters = {
      a: { $secret: "db" },
      b: { $output: "x#y" },
      c: "[redacted]",
      d: [{ $secret: "db" }],
      e: { "$output:x#y": {} },
    };
    const { components, warnings } = declareResources([read(site, "shop", { parameters })]);
    expect(components[0]?.parameters).toEqual({ d: [null] });
    expect(warnings.map(({ detail }) => detail.split(" ")[0])).toEqual(
      ["a", "b", "c", "d/0", "e"].map((place) => `/parameters/${place}`),
    );
  });

  test("gives every resource a path of its own that doesn't depend on their order", () => {
    const resources = [read(site, "Shop!"), read(plan, "shop"), read(site, "overrides"), read(plan, "ü")];
    const paths = (all: DeclarableResource[]) => declareResources(all).components.map(({ path }) => path);
    expect(paths(resources).toSorted()).toEqual(["overrides-resource", "resource", "serverfarms/shop", "sites/Shop"]);
    expect(paths(resources.toReversed())).toEqual(paths(resources));
  });

  test("holds what can't have tags with what contains it, else with the first that can, and says so", () => {
    const net = "Microsoft.Network/virtualNetworks";
    const subnet = { ...read(`${net}/subnets`, "a"), resourceId: `${idOf(net, "net")}/subnets/a` };
    const lock = read("Microsoft.Authorization/locks", "lock");
    const { components, warnings } = declareResources([subnet, lock, read(net, "net")]);
    expect(components.map(({ path, overrideWith }) => [path, overrideWith])).toEqual([
      ["lock", "net"],
      ["net", undefined],
      ["a", "net"],
    ]);
    const detail = "It can't have tags, so net governs it. Choose another in overrideWith if that fits better.";
    expect(warnings).toEqual([{ resourceId: lock.resourceId, detail }]);
    expect(declareResources([lock])).toMatchObject({ components: [], warnings: [{ resourceId: lock.resourceId }] });
  });
});

test("holds what can't have tags with what refers to it, where nothing contains it", () => {
  const lock = "Microsoft.Authorization/locks";
  const { components } = declareResources([
    read(lock, "lock"),
    read(plan, "big"),
    read(site, "shop", { parameters: { properties: { lock: idOf(lock, "lock") } } }),
  ]);
  expect(components.find(({ path }) => path === "lock")?.overrideWith).toBe("shop");
});

describe("the resources that exist", () => {
  async function existing() {
    const world = overrideWorld();
    const console = world.consoles["provider-a"];
    const put = (name: string, tags = {}) =>
      console.put(idOf(site, name), { type: site, tags, parameters: { location: "westeurope" } });
    await put("free", { team: "blue" });
    await put("theirs", { "managed-by": "terraform" });
    await put("elsewhere", { "managed-by": "platform" });
    await console.put(idOf(site, "far").replace("/dev/", "/other/"), { type: site });
    const mutation = await world.create(definition([{ path: "app", type: site }]));
    const own = mutation.components[0]?.id ?? "";
    const list = async (query: object = {}) =>
      (await world.call("environments.resources.list", {
        params: environmentId,
        query: { provider: "provider-a", ...query },
      })) as { items: ExistingResource[]; nextCursor: string | null };
    const declare = async (...resourceIds: string[]) =>
      (await world.call("environments.resources.declare", {
        params: environmentId,
        body: { resourceIds },
      })) as DeclaredResources;
    return { world, own, list, declare };
  }

  test("are listed with what manages each", async () => {
    const { list, own } = await existing();
    const { items, nextCursor } = await list();
    expect(nextCursor).toBeNull();
    expect(items.map(({ name, managedBy }) => [name.slice(0, 9), managedBy])).toEqual([
      ["app-" + items[0]?.name.slice(4, 9), { kind: "component", componentId: own }],
      ["elsewhere", { kind: "marked" }],
      ["free", null],
      ["theirs", { kind: "tool", name: "terraform" }],
    ]);
    expect(items[2]).toMatchObject({ type: site, location: "westeurope", tags: { team: "blue" }, declarable: true });
  });

  test("come page by page, each once", async () => {
    const { list } = await existing();
    const found: string[] = [];
    for (let cursor: string | null = null; ; ) {
      const page = await list({ limit: 2, ...(cursor !== null && { cursor }) });
      found.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
      if (cursor === null) break;
    }
    expect(new Set(found).size).toBe(4);
    expect(found).toHaveLength(4);
  });

  test("are filtered by type, in which * stands for any text", async () => {
    const { list } = await existing();
    expect((await list({ type: ["microsoft.web/*"] })).items).toHaveLength(4);
    expect((await list({ type: ["Microsoft.Storage/*", "*/virtualMachines"] })).items).toHaveLength(0);
  });

  test("are listed of the environment's own place alone", async () => {
    const { list } = await existing();
    expect((await list({ scope: "dev" })).items).toHaveLength(4);
    await expect(list({ scope: "other" })).rejects.toMatchObject({ details: { errors: [{ parameter: "scope" }] } });
  });

  test("are declared where nobody manages them, with a reason for each that isn't", async () => {
    const { declare } = await existing();
    const there = ["free", "theirs", "elsewhere", "none"].map((name) => idOf(site, name));
    const far = idOf(site, "far").replace("/dev/", "/other/");
    const { definition: declared, warnings } = await declare(...there, far);
    expect(declared.components.map(({ path, resourceId }) => [path, resourceId])).toEqual([
      ["free", there[0]],
      ["theirs", there[1]],
    ]);
    expect(warnings.map(({ resourceId, detail }) => [resourceId, detail.slice(0, 30)]).toSorted()).toEqual(
      [
        [there[1], "terraform manages this resourc"],
        [there[2], "It has the tag managed-by=plat"],
        [there[3], "The resource can't be declared"],
        [far, "The ID is outside the environm"],
      ].toSorted(),
    );
  });
});
