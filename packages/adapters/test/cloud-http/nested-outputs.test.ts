import { expect, test } from "vitest";
import { azureReading } from "../../src/azure/azure-resource.ts";
import { nestedOutputs } from "../../src/cloud-http/cloud-resource.ts";
import { placed } from "../../src/google/google-ids.ts";
import { googleReading } from "../../src/google/google-reading.ts";

const outputsOf = (reading: ReturnType<typeof azureReading>) => (reading.state === "present" ? reading.outputs : null);

test("a storage account's endpoints, a subnet's ID and an identity's principal are outputs", () => {
  const account = azureReading("Microsoft.Storage/storageAccounts", {
    id: "/a",
    name: "a",
    tags: { ownerId: "x" },
    identity: { type: "SystemAssigned", principalId: "p" },
    properties: {
      primaryEndpoints: { blob: "https://a.blob" },
      geoReplicationStats: { lastSyncTime: "2026-01-01T00:00:00Z" },
      networkAcls: { defaultAction: "Deny" },
    },
  });
  expect(outputsOf(account)).toMatchObject({
    identity: { principalId: "p" },
    primaryEndpoints: { blob: "https://a.blob" },
  });
  expect(Object.keys(outputsOf(account) ?? {}).sort()).toEqual(["id", "identity", "name", "primaryEndpoints"]);
  const network = azureReading("Microsoft.Network/virtualNetworks", {
    id: "/n",
    name: "n",
    properties: {
      subnets: [
        { name: "web", id: "/n/web", properties: { addressPrefix: "10.0.0.0/24", ipConfigurations: [{ id: "/x" }] } },
      ],
    },
  });
  expect(outputsOf(network)).toMatchObject({ subnets: [{ name: "web", id: "/n/web" }] });
});

test("an instance of Cloud SQL and a virtual machine show their addresses", () => {
  const sql = placed({ type: "sqladmin.v1.instance", resourceId: "projects/p/instances/i" });
  const body = { ipAddresses: [{ type: "PRIMARY", ipAddress: "203.0.113.7" }], settings: { tier: "db-f1-micro" } };
  expect(outputsOf(googleReading(body, sql))).toEqual({
    id: "projects/p/instances/i",
    name: "i",
    ipAddresses: [{ type: "PRIMARY", ipAddress: "203.0.113.7" }],
  });
});

test("items keep their places, and those of inner and of very long lists are left out", () => {
  const list = [{ name: "a" }, { name: "b", id: "/b", inner: [{ id: "/c" }] }, "text"];
  expect(nestedOutputs({ list, long: Array.from({ length: 101 }, () => ({ id: "x" })) })).toEqual({
    list: [{}, { name: "b", id: "/b" }, {}],
  });
});
