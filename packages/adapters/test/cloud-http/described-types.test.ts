import { azureCloud } from "@liveplane/adapters/azure-cloud";
import { googleCloud } from "@liveplane/adapters/google-cloud";
import type { TypeDescription } from "@liveplane/core/clouds";
import { expect, test } from "vitest";
import { azureUnderTest, typesUnderTest } from "../azure/azure-under-test.ts";

async function asking() {
  const [type] = typesUnderTest;
  if (type === undefined) throw new RangeError("There is no type.");
  const under = await azureUnderTest(type);
  const { azure, cloud, target, call } = under;
  azure.state.offered = [
    {
      type: "Microsoft.Monitor/accounts",
      versions: ["2021-06-03-preview", "2023-04-03", "2025-05-03-preview"],
      taggable: true,
    },
    { type: "Microsoft.Monitor/accounts/metricsContainers", versions: ["2025-05-03-preview"], taggable: false },
  ];
  const describeAll = async (...types: string[]): Promise<readonly TypeDescription[]> =>
    (await cloud.describeTypes?.(types, target, call)) ?? [];
  return { ...under, describeAll };
}

test("asks once for each namespace that the tables lack types of, and for none that they know", async () => {
  const { azure, describeAll } = await asking();
  const known = ["Microsoft.Web/sites", "Microsoft.Network/virtualNetworks/subnets@2024-05-01"];
  expect(await describeAll(...known)).toEqual([{ taggable: true }, { taggable: false }]);
  expect(azure.seen).toEqual([]);
  const described = await describeAll(
    "Microsoft.Monitor/accounts@2023-04-03",
    "microsoft.monitor/ACCOUNTS/metricscontainers@2025-05-03-preview",
    ...known,
  );
  expect(described).toEqual([{ taggable: true }, { taggable: false }, { taggable: true }, { taggable: false }]);
  expect(azure.seen).toEqual(["GET /subscriptions/3f2504e0-4f89-41d3-9a0c-0305e82c3301/providers/Microsoft.Monitor"]);
});

test.each([
  ["Microsoft.Monitr/accounts@2023-04-03", "no resource provider Microsoft.Monitr"],
  ["Microsoft.Netwrk/virtualNetworks@2024-05-01", "Did you mean Microsoft.Network?"],
  ["Microsoft.Monitor/acounts@2023-04-03", "Did you mean Microsoft.Monitor/accounts?"],
  ["Microsoft.Network/virtualNetwork@2024-05-01", "Microsoft.Network/virtualNetworks"],
  ["Microsoft.Monitor/accounts", "such as Microsoft.Monitor/accounts@2023-04-03"],
  ["Microsoft.Monitor/accounts@2023-04-04", "Did you mean @2023-04-03?"],
])("refuses %s, and says: %s", async (type, near) => {
  const { describeAll } = await asking();
  expect(await describeAll(type)).toEqual([{ refused: expect.stringContaining(near) }]);
});

test("a part that carries no tags is made without any, and behaves without a table", async () => {
  const { azure, target, call } = await asking();
  const put: unknown[] = [];
  const sends = async (input: string | URL | Request, init: RequestInit = {}) => {
    if (init.method === "PUT") put.push(JSON.parse(String(init.body)));
    return azure.fetch(input, init);
  };
  const cloud = azureCloud({ fetch: sends as typeof fetch });
  const type = "Microsoft.Monitor/accounts/metricsContainers@2025-05-03-preview";
  const resourceId = cloud.resourceIdFor(type, "shop/first", target) ?? "";
  const ref = { type, resourceId };
  const made = { ...ref, name: "shop/first", target, parameters: { properties: { size: 1 } }, intent: "i" };
  await cloud.create({ ...made, tags: { "managed-by": "platform" } }, call);
  expect(put).toEqual([{ properties: { size: 1 } }]);
  await cloud.update(ref, { parameters: [{ pointer: "/properties/size", value: 2 }], tags: {} }, {}, call);
  expect(await cloud.read(ref, call)).toMatchObject({ state: "present", parameters: { properties: { size: 2 } } });
  await cloud.remove(ref, {}, call);
  expect(await cloud.read(ref, call)).toEqual({ state: "missing" });
});

test("asks Google of nothing: its kinds are in the tables, or can't be made", async () => {
  const cloud = googleCloud({
    fetch: async () => {
      throw new RangeError("Google was asked.");
    },
  });
  const types = ["compute.v1.disk", "compute.v1.diks", "compute.v1.network"];
  const call = { credentials: { kind: "workload", name: null, secret: null } } as const;
  expect(await cloud.describeTypes?.(types, { scope: "project-one", region: "europe-west1" }, call)).toEqual([
    { taggable: true },
    { refused: expect.stringContaining("Did you mean compute.v1.disk?") },
    { taggable: false },
  ]);
});
