import { fakeRuntime } from "@liveplane/core/testing";
import { expect, test } from "vitest";
import type { Component, DeployPlan } from "../../../core/src/contract/schemas/live-system-schemas.ts";
import type { ExistingResource } from "../../../core/src/contract/schemas/resource-schemas.ts";
import { environmentId, overrideWorld } from "../../../core/test/builders/override.ts";
import { declaredIn } from "./drawn-groups.ts";
import { azureVendor } from "./vendors.ts";

const group = "/subscriptions/3f2504e0-4f89-41d3-9a0c-0305e82c3302/resourceGroups/dev";
const net = `${group}/providers/Microsoft.Network/virtualNetworks/net`;
const subnet = (name: string) => `${net}/subnets/${name}`;
const files = `${group}/providers/Microsoft.Storage/storageAccounts/files`;
const grant = `${files}/providers/Microsoft.Authorization/roleAssignments/3f2504e0-4f89-41d3-9a0c-0305e82c3309`;
const container = `${files}/blobServices/default/containers/logs`;

test("a network is declared apart from its subnets, and a change of one of these is corrected there alone", async () => {
  const runtime = fakeRuntime();
  const vendor = azureVendor(runtime.clock.now);
  const world = overrideWorld({ runtime, clouds: () => [vendor.cloud] });
  const make = (id: string, body: object) => vendor.make(vendor.cloud.typeOf?.(id) ?? "", id, { ...body });
  const location = "westeurope";
  make(net, { location, properties: { addressSpace: { addressPrefixes: ["10.0.0.0/16"] } } });
  for (const [at, name] of ["web", "db"].entries())
    make(subnet(name), { properties: { addressPrefix: `10.0.${at}.0/24` } });
  make(files, { location, kind: "StorageV2", sku: { name: "Standard_LRS" }, properties: {} });
  make(container, { properties: { publicAccess: "None" } });
  const reader = `${group.split("/resourceGroups")[0]}/providers/Microsoft.Authorization/roleDefinitions/reader`;
  make(grant, { properties: { roleDefinitionId: reader, principalId: "3f2504e0-4f89-41d3-9a0c-0305e82c3308" } });

  const found: string[] = [];
  for (let cursor: string | null = null; ; ) {
    const query = { provider: "provider-a", nested: true, ...(cursor !== null && { cursor }) };
    const page = (await world.call("environments.resources.list", { params: environmentId, query })) as {
      readonly items: readonly ExistingResource[];
      readonly nextCursor: string | null;
    };
    found.push(...page.items.map(({ id }) => id));
    cursor = page.nextCursor;
    if (cursor === null) break;
  }
  const all = [net, subnet("web"), subnet("db"), files, grant, container];
  expect(found.toSorted()).toEqual(all.toSorted());

  const { declared, warnings } = await declaredIn(world, vendor.cloud, all);
  expect(warnings).toEqual([]);
  const { components } = declared;
  expect(Object.fromEntries(components.map(({ path, overrideWith = null }) => [path, overrideWith]))).toEqual({
    net: null,
    "net/db": "net",
    "net/web": "net",
    files: null,
    "files/default/logs": "files",
    [grant.split("/").at(-1) ?? ""]: "files",
  });
  for (const { type } of components) expect(type).toMatch(/^Microsoft\.[\w./]+@\d{4}-\d\d-\d\d/);
  expect(components.find(({ path }) => path === "net")?.parameters).not.toHaveProperty("properties.subnets");
  const { livesystemId } = await world.passing(world.create({ ...declared, components: [] }));
  const params = { id: livesystemId };
  const plan = (await world.passing(world.call("liveSystems.planDeploy", { params, body: declared }))) as DeployPlan;
  expect(plan.components.map(({ action, changes }) => [action, changes])).toEqual(all.map(() => ["adopt", []]));
  expect(await world.passing(world.deploy(livesystemId, declared))).toMatchObject({ status: "Succeeded", held: [] });
  expect(vendor.writes).toEqual([net, files].map((resourceId) => ({ resourceId, isMore: false })));

  vendor.make("", subnet("web"), { properties: { addressPrefix: "10.0.9.0/24" } });
  vendor.writes.length = 0;
  for (let at = 0; at < 2; at++) {
    await runtime.advance(180_000);
    await world.cycle();
  }
  expect(vendor.writes).toEqual([{ resourceId: subnet("web"), isMore: true }]);
  expect(vendor.at("", subnet("web")).body).toMatchObject({ properties: { addressPrefix: "10.0.0.0/24" } });
  const status = async (path: string) => ((await world.component(`${livesystemId}/${path}`)) as Component).conditions;
  for (const { path } of components) expect(await status(path), path).toMatchObject({ inSync: { value: true } });
});
