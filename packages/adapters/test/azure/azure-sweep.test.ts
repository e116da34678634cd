import { azureCloud } from "@liveplane/adapters/azure-cloud";
import { expect, test } from "vitest";
import { environmentId, overrideWorld } from "../../../core/test/builders/override.ts";
import { departures } from "../descriptions/departures.ts";
import { azureDouble } from "./azure-double.ts";

const scope = "3f2504e0-4f89-41d3-9a0c-0305e82c3302";
const target = { scope, region: "westeurope", container: "dev" };
const located = { location: "westeurope" };

/** Twenty types, two of them parts of others, and what is declared of each. */
const types: Readonly<Record<string, object>> = {
  "Microsoft.Network/virtualNetworks": {
    ...located,
    properties: { addressSpace: { addressPrefixes: ["10.0.0.0/16"] } },
  },
  "Microsoft.Network/networkSecurityGroups": located,
  "Microsoft.Network/publicIPAddresses": located,
  "Microsoft.Network/routeTables": located,
  "Microsoft.Network/loadBalancers": located,
  "Microsoft.Network/networkInterfaces": located,
  "Microsoft.Network/privateDnsZones": { location: "global" },
  "Microsoft.Compute/disks": { ...located, properties: { diskSizeGB: 32 } },
  "Microsoft.Compute/virtualMachines": { ...located, properties: { hardwareProfile: { vmSize: "Standard_B1s" } } },
  "Microsoft.Storage/storageAccounts": { ...located, sku: { name: "Standard_LRS" }, kind: "StorageV2" },
  "Microsoft.KeyVault/vaults": { ...located, properties: { enableRbacAuthorization: true } },
  "Microsoft.ManagedIdentity/userAssignedIdentities": located,
  "Microsoft.Web/sites": { ...located, properties: { httpsOnly: true } },
  "Microsoft.Web/serverfarms": located,
  "Microsoft.Sql/servers": located,
  "Microsoft.Cache/redis": located,
  "Microsoft.ServiceBus/namespaces": located,
  "Microsoft.ContainerRegistry/registries": { ...located, sku: { name: "Basic" } },
  "Microsoft.Network/virtualNetworks/subnets": { properties: { addressPrefix: "10.0.1.0/24" } },
  "Microsoft.Network/networkSecurityGroups/securityRules": { properties: { priority: 100 } },
};
const systems = 25;
const ofEach = 10;

/** Resources that are there already, and live systems that adopt them. */
async function fleet() {
  const judged = departures();
  const azure = azureDouble({ judged });
  const credential = { getToken: async () => ({ token: "token-of-azure", expiresOnTimestamp: 0 }) };
  const cloud = azureCloud({ fetch: azure.fetch, credential });
  const world = overrideWorld({ clouds: ([, b]) => (b === undefined ? [cloud] : [cloud, b]) });
  for (let system = 0; system < systems; system++) {
    const components = Object.entries(types).flatMap(([type, parameters], at) =>
      Array.from({ length: ofEach }, (_, number) => {
        const isPart = type.split("/").length > 2;
        const parent = isPart ? `s${system}t${type.includes("subnets") ? 0 : 1}n0/` : "";
        const resourceId = cloud.resourceIdFor(type, `${parent}s${system}t${at}n${number}`, target) ?? "";
        azure.make(resourceId, { ...parameters, ...(!isPart && { tags: { "managed-by": "platform" } }) });
        const tagOwner = isPart ? { overrideWith: type.includes("subnets") ? "t0/n0" : "t1/n0" } : {};
        return { path: `t${at}/n${number}`, provider: "provider-a", type, resourceId, parameters, ...tagOwner };
      }),
    );
    const mutation = await world.passing(world.create({ name: `s${system}`, environmentId, components } as never));
    expect(mutation).toMatchObject({ status: "Succeeded" });
  }
  return { azure, world, judged };
}

test("five thousand components of twenty types are swept in a hundred read calls", { timeout: 600_000 }, async () => {
  const { azure, world, judged } = await fleet();
  const sweep = async (round: string) => {
    azure.seen.length = 0;
    await world.cycle();
    const graph = azure.seen.filter((line) => line.startsWith("POST /providers/Microsoft.ResourceGraph")).length;
    const lists = azure.seen.filter((line) => /^GET .*\/(subnets|securityRules)$/.test(line)).length;
    const direct = azure.seen.length - graph - lists;
    process.stdout.write(
      `${round} sweep of 5,000: ${graph} calls of Resource Graph, ${lists} lists, ${direct} direct reads\n`,
    );
    return { graph, lists, direct };
  };
  // Vaults tell their incarnations apart by what Resource Graph doesn't show: a process looks at each of them once.
  expect(await sweep("first")).toMatchObject({ lists: 2 * systems, direct: systems * ofEach });
  const { graph, lists, direct } = await sweep("second");
  expect(direct).toBe(0);
  expect(graph + lists).toBeLessThanOrEqual(100);
  expect(judged.list()).toEqual([]);
});
