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

async function allListed(
  { discover }: Cloud,
  target: CloudTarget,
  token: string,
  more: { readonly nested?: (type: string) => boolean } = {},
) {
  const items: ListedResource[] = [];
  const warnings: string[] = [];
  for (let after: string | null = null; ; ) {
    const page: ListedResources | undefined = await discover?.(target, { after, limit: 200, ...more }, call(token));
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

test("Google: bindings of IAM policies are listed with their resources, but for those of Google's own agents", async () => {
  const { double, cloud } = await googleWorld();
  const account = "projects/project-one/serviceAccounts/web@project-one.iam.gserviceaccount.com";
  double.putAt(`/iam/v1/${account}`, "project-one", {});
  const grant = (holder: string, name: string, condition?: object) =>
    double.putAt(`${holder}/iamBindings/${name}`, "project-one", { members: ["user:ada@example.com"], condition });
  const own = "/cloudresourcemanager/v3/projects/project-one";
  grant(own, "roles:viewer");
  grant(own, "roles:compute.serviceAgent");
  grant(own, "roles:editor@until may", { title: "until may", expression: "true" });
  grant("/storage/storage/v1/b/shop-data", "roles:storage.objectViewer@may", { title: "may", expression: "true" });
  grant("/compute/compute/v1/projects/project-one/zones/us-central1-a/disks/far", "roles:compute.viewer");
  grant(`/iam/v1/${account}`, "roles:iam.serviceAccountUser");
  double.seen.length = 0;
  const { items, warnings } = await allListed(cloud, project, goodToken);
  const found = items.filter(({ type }) => type.endsWith("IamBinding"));
  expect(found.map(({ type, resourceId }) => [type, resourceId.replace("projects/project-one/", "")])).toEqual([
    ["cloudresourcemanager.v3.projectIamBinding", "iamBindings/roles:viewer"],
    ["compute.v1.diskIamBinding", "zones/us-central1-a/disks/far/iamBindings/roles:compute.viewer"],
    [
      "iam.v1.serviceAccountIamBinding",
      "serviceAccounts/web@project-one.iam.gserviceaccount.com/iamBindings/roles:iam.serviceAccountUser",
    ],
    ["storage.v1.bucketIamBinding", "buckets/shop-data/iamBindings/roles:storage.objectViewer@may"],
  ]);
  for (const { type, resourceId } of found) {
    expect(cloud.parseResourceId(type, resourceId, project)).toMatchObject({ id: resourceId });
    expect(await cloud.read({ type, resourceId }, call(goodToken))).toMatchObject({ state: "present" });
  }
  expect(warnings).toEqual(["1 IAM bindings can't be named by an ID, so they are left out."]);
  expect(double.seen.filter((line) => line.includes("searchAllIamPolicies"))).toHaveLength(1);
});

/** A Google that lacks one right: it refuses what the pattern matches. */
function without(double: ReturnType<typeof googleDouble>, pattern: RegExp): Cloud {
  const refusing = async (input: string | URL | Request, init?: RequestInit) =>
    pattern.test(String(input))
      ? Response.json({ error: { code: 403, status: "PERMISSION_DENIED", message: "No." } }, { status: 403 })
      : fetchFrom(double.answer)(input, init);
  return googleCloud({ fetch: refusing as typeof fetch, urlOf: (service) => `https://google.invalid/${service}` });
}

test("Google: what the credentials lack the right to list is said", async () => {
  const { double, cloud } = await googleWorld();
  const { names } = await allListed(cloud, project, goodToken);
  const bindings = await allListed(without(double, /searchAllIamPolicies/), project, goodToken);
  expect(bindings.names).toEqual(names);
  expect(bindings.warnings).toEqual([expect.stringContaining("Grant cloudasset.assets.searchAllIamPolicies")]);
  const resources = await allListed(without(double, /cloudasset|aggregated\/disks/), project, goodToken);
  expect(resources.names).toEqual(names.filter((name) => !name.includes("/disks/")));
  expect(resources.warnings).toEqual([
    expect.stringContaining("Cloud Asset Inventory can't be used"),
    "The credentials can't list compute.disk.",
  ]);
});

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

test("Google: what is inside others and in no inventory is listed on request, instance by instance", async () => {
  const { double, cloud } = await googleWorld();
  const sql = "projects/project-one/instances/db";
  const inside = [`${sql}/databases/orders`, `${sql}/users/app`];
  const pool = "projects/project-one/locations/us-central1-a/container/clusters/far/nodePools/big";
  double.putAt(`/sqladmin/v1/${sql}`, "project-one", {});
  for (const id of inside) double.putAt(`/sqladmin/v1/${id}`, "project-one", {});
  double.putAt(`/container/v1/${pool.replace("container/", "")}`, "project-one", {});
  const plain = await allListed(cloud, project, goodToken);
  expect(plain.names).toEqual(expect.arrayContaining([sql, pool]));
  double.seen.length = 0;
  const all = await allListed(cloud, project, goodToken, { nested: () => true });
  expect(all.names).toEqual([...plain.names, ...inside].sort());
  for (const { type, resourceId } of all.items)
    expect(cloud.parseResourceId(type, resourceId, project)).toMatchObject({ id: resourceId });
  // The inventory, its policies, and the two lists of the instance.
  expect(double.seen).toHaveLength(4);
  const users = await allListed(cloud, project, goodToken, { nested: (type) => type.endsWith(".user") });
  expect(users.names).toEqual([...plain.names, inside[1] ?? ""].sort());
  const refused = await allListed(without(double, /\/users/), project, goodToken, { nested: () => true });
  expect(refused.warnings).toEqual(["The credentials can't list sqladmin.user."]);

  double.switchOff("project-one", "cloudasset");
  const lists = await allListed(cloud, project, goodToken, { nested: () => true });
  expect(lists.names).toEqual(all.names);
  expect(lists.warnings).toEqual([expect.stringContaining("DNS records and IAM bindings are left out")]);
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
