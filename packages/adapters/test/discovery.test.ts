import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { azureCloud } from "@liveplane/adapters/azure-cloud";
import { googleCloud } from "@liveplane/adapters/google-cloud";
import {
  type Cloud,
  type CloudCall,
  type CloudTarget,
  type ListedResource,
  type ListedResources,
  SecretValue,
} from "@liveplane/core/clouds";
import { expect, test } from "vitest";
import { azureDouble } from "./azure/azure-double.ts";
import { goodToken, googleDouble } from "./google/google-double.ts";
import { fetchFrom } from "./simulator/in-process.ts";

const call = (token: string): CloudCall => ({
  credentials: { kind: "delegated", name: null, secret: new SecretValue(token) },
});

async function allListed({ discover }: Cloud, target: CloudTarget, token: string) {
  const items: ListedResource[] = [];
  const warnings: string[] = [];
  for (let after: string | null = null; ; ) {
    const page: ListedResources | undefined = await discover?.(target, { after, limit: 200 }, call(token));
    items.push(...(page?.items ?? []));
    warnings.push(...(page?.warnings ?? []));
    after = page?.next ?? null;
    if (after === null) return { names: items.map(({ resourceId }) => resourceId).sort(), warnings, items };
  }
}

const project = { scope: "project-one", region: "europe-west1" };

async function googleWorld() {
  const double = googleDouble();
  const cloud = googleCloud({
    fetch: fetchFrom(double.answer),
    urlOf: (service) => `https://google.invalid/${service}`,
  });
  const make = async (type: string, resourceId: string) => {
    const name = resourceId.split("/").at(-1) ?? "";
    const tags = { team: "blue" };
    await cloud.create({ type, name, resourceId, target: project, parameters: {}, tags, intent: "i" }, call(goodToken));
  };
  await make("storage.v1.bucket", "projects/project-one/buckets/shop-data");
  await make("compute.v1.disk", "projects/project-one/zones/europe-west1-b/disks/data");
  await make("compute.v1.address", "projects/project-one/regions/europe-west1/addresses/front");
  await make("compute.v1.address", "projects/project-one/global/addresses/world");
  await make("compute.v1.disk", "projects/project-one/zones/us-central1-a/disks/far");
  await make(
    "artifactregistry.v1.repository",
    "projects/project-one/locations/us-central1/artifactregistry/repositories/far",
  );
  await make("container.v1.cluster", "projects/project-one/locations/us-central1-a/container/clusters/far");
  return { double, cloud };
}

test("Google: where Cloud Asset Inventory is disabled, the kinds' own lists show the same, and the answer says so", async () => {
  const { double, cloud } = await googleWorld();
  const before = await allListed(cloud, project, goodToken);
  expect(before.warnings).toEqual([]);
  expect(before.names).toHaveLength(7);
  double.seen.length = 0;
  double.switchOff("project-one", "cloudasset");
  const after = await allListed(cloud, project, goodToken);
  expect(after.names).toEqual(before.names);
  expect(new Set(after.items.map(({ tags }) => JSON.stringify(tags)))).toEqual(new Set(['{"team":"blue"}']));
  expect(after.items.map(({ location }) => location)).toEqual(
    expect.arrayContaining([null, "europe-west1", "us-central1", "us-central1-a"]),
  );
  // The number of calls is said beforehand: one more was refused.
  expect(after.warnings).toEqual([expect.stringContaining(`so ${double.seen.length - 1} lists are read instead`)]);
  const place = { ...project, location: "us-central1" };
  const there = await allListed(cloud, place, goodToken);
  expect(there.names).toEqual(before.names.filter((name) => name.endsWith("/far")));
  double.switchOff("project-one", "compute");
  expect((await allListed(cloud, project, goodToken)).names).toEqual([
    "projects/project-one/buckets/shop-data",
    "projects/project-one/locations/us-central1-a/container/clusters/far",
  ]);
});

test("Azure: the answer says where the credentials may read only some types", async () => {
  const double = azureDouble();
  const cloud = azureCloud({ fetch: fetchFrom(double.answer) });
  const target = { scope: "3f2504e0-4f89-41d3-9a0c-0305e82c3302", region: "westeurope" };
  const warningsOf = async (...actions: string[]) => {
    double.state.actions = actions;
    return (await allListed(cloud, target, "token-of-azure")).warnings;
  };
  expect(await warningsOf("*")).toEqual([]);
  expect(await warningsOf("*/read", "Microsoft.Web/sites/write")).toEqual([]);
  expect(await warningsOf("Microsoft.Web/*/read")).toEqual([expect.stringContaining("only some types")]);
});

test("10,000 resources are listed within a minute and 300 MiB, with at most 0.02 calls each", () => {
  const script = fileURLToPath(new URL("./azure/discover-many.ts", import.meta.url));
  const flags = ["--conditions=@liveplane/source", "--max-old-space-size=300", "--disable-warning=ExperimentalWarning"];
  const said = execFileSync(process.execPath, [...flags, script, "10000"], { encoding: "utf8" });
  const { found, calls, seconds } = JSON.parse(said) as { found: number; calls: number; seconds: number };
  expect(found).toBe(10_000);
  expect(calls).toBeLessThanOrEqual(200);
  expect(seconds).toBeLessThan(60);
}, 90_000);
