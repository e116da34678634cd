import { describe, expect, test } from "vitest";
import { type Settling, settled } from "./settling-world.ts";

const located = { location: "westeurope" };
const lower = (value: unknown) => String(value).toLowerCase();
const upper = (value: unknown) => String(value).toUpperCase();
const suffixed = (suffix: string) => (value: unknown) => `${String(value).replace(suffix, "")}${suffix}`;
const gone = () => undefined;
const site =
  "/subscriptions/3f2504e0-4f89-41d3-9a0c-0305e82c3302/resourceGroups/dev/providers/Microsoft.Web/serverfarms/";
const image = "https://www.googleapis.com/compute/v1/projects/debian-cloud/global/images/";

/** What the services show in another spelling than it was sent in. */
const spelled: readonly Settling[] = [
  {
    type: "Microsoft.Cache/redis",
    parameters: {
      ...located,
      properties: { sku: { name: "Basic", family: "C", capacity: 1 }, redisVersion: "6", minimumTlsVersion: "1.2" },
    },
    forms: { "/properties/redisVersion": suffixed(".0") },
    byHand: { pointer: "/properties/redisVersion", value: "4.0", settled: "6.0" },
  },
  {
    type: "Microsoft.OperationalInsights/workspaces",
    parameters: { ...located, properties: { sku: { name: "PerGB2018" }, retentionInDays: 30 } },
    forms: { "/properties/sku/name": lower },
    byHand: { pointer: "/properties/sku/name", value: "standalone", settled: "pergb2018" },
  },
  {
    type: "Microsoft.Web/sites",
    parameters: { ...located, properties: { serverFarmId: "plan", httpsOnly: true } },
    forms: { "/properties/serverFarmId": (value) => `${site}${String(value).split("/").at(-1)}` },
    byHand: { pointer: "/properties/serverFarmId", value: `${site}other`, settled: `${site}plan` },
  },
  {
    type: "Microsoft.Network/virtualNetworks",
    parameters: {
      ...located,
      properties: { addressSpace: { addressPrefixes: ["10.0.0.0/16"] }, subnets: [], enableDdosProtection: false },
    },
    forms: { "/properties/subnets": gone, "/properties/enableDdosProtection": (value) => value || undefined },
    byHand: { pointer: "/properties/enableDdosProtection", value: true, settled: null },
  },
  {
    type: "compute.v1.forwardingRule",
    parameters: { IPProtocol: "TCP", portRange: "80", description: "shop" },
    forms: {
      "/IPProtocol": lower,
      "/portRange": (value) => `${String(value).split("-")[0]}-${String(value).split("-").at(-1)}`,
    },
    byHand: { pointer: "/portRange", value: "443-443", settled: "80-80" },
  },
  {
    type: "run.v2.service",
    parameters: { template: { containers: [{ image: "shop/web", resources: { limits: { cpu: "1" } } }] } },
    forms: {
      "/template/containers/0/resources/limits/cpu": (value) =>
        String(value).endsWith("m") ? value : `${Number(value) * 1000}m`,
    },
    byHand: { pointer: "/template/containers/0/resources/limits/cpu", value: "2000m", settled: "1000m" },
  },
  {
    type: "storage.v1.bucket",
    parameters: { location: "eu", storageClass: "standard" },
    forms: { "/location": upper, "/storageClass": upper },
    byHand: { pointer: "/storageClass", value: "NEARLINE", settled: "STANDARD" },
  },
  {
    type: "compute.v1.image",
    parameters: { sourceImage: "projects/debian-cloud/global/images/family/debian-12", description: "of the shop" },
    forms: { "/sourceImage": () => `${image}debian-12-bookworm-v20260101` },
    byHand: { pointer: "/description", value: "of somebody", settled: "of the shop" },
  },
];

/** What the services show as another value, under writes that are bound to what was read. */
const [machine, bucket, service] = [
  {
    type: "Microsoft.Compute/virtualMachines",
    parameters: { ...located, properties: { hardwareProfile: { vmSize: "Standard_B1s" }, priority: "Low" } },
    forms: { "/properties/priority": (value) => (value === "Low" ? "Spot" : value) },
    byHand: { pointer: "/properties/priority", value: "Regular", settled: "Spot" },
  },
  {
    type: "storage.v1.bucket",
    parameters: { location: "EU", storageClass: "DURABLE_REDUCED_AVAILABILITY" },
    forms: { "/storageClass": (value) => (String(value).startsWith("DURABLE") ? "STANDARD" : value) },
    byHand: { pointer: "/storageClass", value: "NEARLINE", settled: "STANDARD" },
  },
  {
    type: "run.v2.service",
    parameters: { launchStage: "PRELAUNCH", template: { containers: [{ image: "shop/web" }] } },
    forms: { "/launchStage": (value) => (value === "PRELAUNCH" ? "BETA" : value) },
    byHand: { pointer: "/launchStage", value: "GA", settled: "BETA" },
  },
] as const satisfies readonly Settling[];

const inSync = { status: "Active", conditions: { inSync: { value: true } } };

describe.each([0, 30_000])("where writes take %i ms", (takesMs) => {
  test.each(spelled)(
    "$type comes to rest in its service's spelling, and an edit by hand is corrected",
    async (what) => {
      const { mutation, component, writes, sweep, shown, editByHand, events, judged } = await settled(what, takesMs);
      expect(mutation.status).toBe("Succeeded");
      expect(await component()).toMatchObject(inSync);
      expect(writes()).toBeLessThanOrEqual(1 + 2);
      const before = writes();
      editByHand(what.byHand);
      await sweep(4);
      expect(writes() - before).toBe(1);
      expect(shown(what.byHand.pointer) ?? null).toEqual(what.byHand.settled);
      expect(await component()).toMatchObject(inSync);
      expect(await events()).toContain("component.corrected");
      expect(judged.list()).toEqual([]);
    },
  );
});

/** Deploys what a creation alone can't prove, and edits it by hand. */
async function edited(what: Settling, takesMs: number) {
  const world = await settled(what, takesMs);
  const { component, writes, sweep, shown, editByHand, judged } = world;
  // A creation moves nothing: the service may have ignored the value.
  expect(await component()).toMatchObject({ conditions: { inSync: { value: false, reason: "Ineffective" } } });
  expect(writes()).toBeLessThanOrEqual(1 + 2);
  const correct = async () => {
    const before = writes();
    editByHand(what.byHand);
    await sweep(5);
    expect(shown(what.byHand.pointer)).toBe(what.byHand.settled);
    expect(judged.list()).toEqual([]);
    return writes() - before;
  };
  return { component, correct };
}

test.each([
  { what: machine, takesMs: 0 },
  { what: bucket, takesMs: 0 },
  { what: service, takesMs: 0 },
  { what: service, takesMs: 30_000 },
])("$what.type is learned from a correction of $takesMs ms that moves it", async ({ what, takesMs }) => {
  const { component, correct } = await edited(what, takesMs);
  for (let times = 0; times < 2; times++) {
    expect(await correct()).toBe(1);
    expect(await component()).toMatchObject(inSync);
  }
});

test("nothing is learned of a correction that only later reads show", async () => {
  const { component, correct } = await edited(machine, 30_000);
  expect(await correct()).toBeLessThanOrEqual(2);
  expect(await component()).toMatchObject({ conditions: { inSync: { value: false, reason: "Ineffective" } } });
});
