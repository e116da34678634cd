import type { JudgedRequest } from "./judge.ts";

const group = "/subscriptions/3f2504e0-4f89-41d3-9a0c-0305e82c3301/resourceGroups/shop";
const networks = `${group}/providers/Microsoft.Network/virtualNetworks`;
const project = "projects/project-one";
const run = `/run/v2/${project}/locations/europe-west1`;
const disk = `/compute/compute/v1/${project}/zones/europe-west1-b/disks/data`;

function sent(vendor: JudgedRequest["vendor"], line: string, body: unknown = null, headers = {}): JudgedRequest {
  const [method = "", url = ""] = line.split(" ");
  const own = body === null ? {} : { "content-type": "application/json" };
  return { vendor, method, url, headers: { authorization: "Bearer token", ...own, ...headers }, body };
}

/** Requests as the descriptions have them, one of each sort that the adapters make or will. */
export const rightRequests = {
  group: sent("azure", `PUT ${group}?api-version=2025-04-01`, { location: "westeurope", tags: { a: "b" } }),
  account: sent("azure", `PUT ${group}/providers/Microsoft.Storage/storageAccounts/files?api-version=2024-01-01`, {
    location: "westeurope",
    kind: "StorageV2",
    sku: { name: "Standard_LRS" },
    tags: { "managed-by": "platform" },
    properties: { minimumTlsVersion: "TLS1_2", supportsHttpsTrafficOnly: true },
  }),
  network: sent("azure", `PUT ${networks}/net?api-version=2024-10-01`, {
    location: "westeurope",
    properties: { addressSpace: { addressPrefixes: ["10.0.0.0/16"] } },
  }),
  zone: sent(
    "azure",
    `PUT ${group}/providers/Microsoft.Network/dnsZones/shop.example?api-version=2018-05-01`,
    { location: "global", tags: {} },
    { "if-none-match": "*" },
  ),
  redis: sent("azure", `PATCH ${group}/providers/Microsoft.Cache/redis/cache?api-version=2024-11-01`, {
    properties: { minimumTlsVersion: "1.2" },
  }),
  vault: sent("azure", `DELETE ${group}/providers/Microsoft.KeyVault/vaults/keys?api-version=2024-11-01`),
  tags: sent("azure", `PATCH ${networks}/net/providers/Microsoft.Resources/tags/default?api-version=2025-04-01`, {
    operation: "Delete",
    properties: { tags: { "managed-by": "platform" } },
  }),
  graph: sent("azure", "POST /providers/Microsoft.ResourceGraph/resources?api-version=2021-03-01", {
    subscriptions: ["3f2504e0-4f89-41d3-9a0c-0305e82c3301"],
    query: "resources | where id in~ ('a')",
    options: { $top: 1000, resultFormat: "objectArray" },
  }),
  site: sent("azure", `GET ${group}/providers/Microsoft.Web/sites/app?api-version=2024-04-01`),
  bucket: sent("google", "POST /storage/storage/v1/b?project=project-one", {
    name: "files",
    location: "EU",
    labels: { a: "b" },
    versioning: { enabled: true },
  }),
  bucketChange: sent("google", "PATCH /storage/storage/v1/b/files?ifMetagenerationMatch=3", { labels: { a: null } }),
  disk: sent("google", `POST ${disk.replace("/data", "")}`, { name: "data", sizeGb: "10", labels: { a: "b" } }),
  diskChange: sent("google", `PATCH ${disk}?paths=sizeGb&updateMask=sizeGb`, { sizeGb: "20" }),
  diskLabels: sent("google", `POST ${disk}/setLabels`, { labels: { a: "b" }, labelFingerprint: "abc=" }),
  address: sent("google", `POST /compute/compute/v1/${project}/regions/europe-west1/addresses`, { name: "door" }),
  service: sent("google", `PATCH ${run}/services/web?updateMask=labels`, { labels: { a: "b" }, etag: '"1"' }),
  job: sent("google", `PATCH ${run}/jobs/nightly`, { labels: { a: "b" } }),
  repository: sent(
    "google",
    `POST /artifactregistry/v1/${project}/locations/europe-west1/repositories?repositoryId=images`,
    { format: "DOCKER", labels: { a: "b" } },
  ),
  serviceAccount: sent("google", `POST /iam/v1/${project}/serviceAccounts`, {
    accountId: "runner",
    serviceAccount: { displayName: "Runs" },
  }),
  ring: sent("google", `POST /cloudkms/v1/${project}/locations/europe-west1/keyRings?keyRingId=ring`, {}),
  services: sent("google", `POST /serviceusage/v1/${project}/services:batchEnable`, {
    serviceIds: ["run.googleapis.com"],
  }),
  operation: sent("google", `GET /compute/compute/v1/${project}/zones/europe-west1-b/operations/operation-1`),
} satisfies Record<string, JudgedRequest>;

/** Which of them. */
export type RightRequest = keyof typeof rightRequests;
