import type { JudgedRequest } from "./judge.ts";
import { type RightRequest, rightRequests } from "./right-requests.ts";

/** A request that was right, and what was done to it. */
export type Mutation = readonly [
  what: string,
  of: RightRequest,
  mutate: (request: JudgedRequest) => Partial<JudgedRequest>,
  /** What is at fault; empty: a body where there is none. */
  where: string,
];

const at =
  (from: string | RegExp, to: string) =>
  ({ url }: JudgedRequest) => ({ url: url.replace(from, to) });
const by = (method: string) => () => ({ method });
const headers = (own: Record<string, string | undefined>) => (of: JudgedRequest) => ({
  headers: { ...of.headers, ...own },
});
const body = (own: Record<string, unknown>) => (of: JudgedRequest) => ({ body: { ...(of.body as object), ...own } });

/** Wrong paths, verbs, versions, queries, masks, headers and members, one at a time. */
export const mutations: readonly Mutation[] = [
  ["a type that isn't there", "account", at("storageAccounts", "storageAccount"), "path"],
  ["a provider that isn't there", "account", at("Microsoft.Storage", "Microsoft.Storages"), "path"],
  ["no resource group", "account", at("/resourceGroups/shop", ""), "path"],
  ["a child without its parent", "site", at("/sites/app", "/sites/slots/app"), "path"],
  ["one segment too many", "vault", at("/keys?", "/keys/more?"), "path"],
  ["another scope's tags", "tags", at("/tags/default", "/tags/own"), "path"],
  ["a plural with an s alone", "repository", at("repositories", "repositorys"), "path"],
  ["an address's plural with an s alone", "address", at("addresses", "addresss"), "path"],
  ["a zonal kind in a region", "operation", at("/zones/europe-west1-b", "/areas/europe-west1"), "path"],
  ["a regional kind in a zone", "address", at("regions/europe-west1", "zones/europe-west1-b"), "path"],
  ["capitals in a collection of Google's", "disk", at("/disks", "/Disks"), "path"],
  ["another version of a service of Google's", "service", at("/v2/", "/v1/"), "path"],
  ["another service", "job", at("/run/", "/runs/"), "path"],
  ["a verb behind a slash", "services", at("services:batchEnable", "services/batchEnable"), "method"],
  ["PATCH where there is none", "address", (of) => ({ method: "PATCH", url: `${of.url}/door` }), "method"],
  ["PUT where there is PATCH", "bucket", by("PUT"), "method"],
  [
    "PATCH of a key ring",
    "ring",
    (of) => ({ method: "PATCH", url: of.url.replace("?keyRingId=ring", "/ring") }),
    "method",
  ],
  ["POST for a creation of Azure's", "network", by("POST"), "method"],
  ["no API version", "network", at(/\?.*$/, ""), "query api-version"],
  ["an API version of another type's", "redis", at("2024-11-01", "2021-04-01"), "query api-version"],
  ["a name in the query that isn't described", "vault", at("?", "?force=true&"), "query force"],
  ["no project", "bucket", at("?project=project-one", ""), "query project"],
  [
    "a generation where there is a metageneration",
    "bucketChange",
    at("ifMeta", "ifMeta-"),
    "query ifMeta-generationMatch",
  ],
  ["an id by another name", "repository", at("repositoryId", "repository_id"), "query repository_id"],
  ["no mask", "service", at(/\?.*$/, ""), "query updateMask"],
  ["a mask that names no member", "service", at("labels", "label"), "query updateMask"],
  ["a mask that looks into a map", "service", at("labels", "labels.a"), "query updateMask"],
  ["a mask where there is none", "job", (of) => ({ url: `${of.url}?updateMask=labels` }), "query updateMask"],
  ["a member that the mask leaves out", "service", body({ description: "more" }), "/description"],
  ["no token", "site", headers({ authorization: undefined }), "header authorization"],
  ["a token of another scheme", "site", headers({ authorization: "Basic abc" }), "header authorization"],
  ["a body of no type", "disk", headers({ "content-type": undefined }), "header content-type"],
  ["a condition that a type doesn't know", "account", headers({ "if-match": '"1"' }), "header if-match"],
  ["a condition where Google has none", "diskLabels", headers({ "if-match": '"1"' }), "header if-match"],
  ["no body", "group", () => ({ body: null }), "body"],
  ["a body where there is none", "vault", headers({ "content-type": "application/json" }), ""],
  ["a member that isn't there", "network", body({ size: "small" }), "/size"],
  ["a member in the wrong place", "account", body({ minimumTlsVersion: "TLS1_2" }), "/minimumTlsVersion"],
  ["a read-only member", "network", body({ type: "Microsoft.Network/virtualNetworks" }), "/type"],
  ["what only an answer has", "disk", body({ creationTimestamp: "2026-01-01T00:00:00Z" }), "/creationTimestamp"],
  ["a required member left out", "account", body({ kind: undefined }), "/kind"],
  ["a required part left out", "account", body({ sku: {} }), "/sku/name"],
  [
    "a word where a truth value is",
    "account",
    body({ properties: { supportsHttpsTrafficOnly: "yes" } }),
    "/properties/supportsHttpsTrafficOnly",
  ],
  ["a list where a map is", "bucket", body({ labels: ["a"] }), "/labels"],
  [
    "one where a list is",
    "network",
    body({ properties: { addressSpace: { addressPrefixes: "10.0.0.0/16" } } }),
    "/properties/addressSpace/addressPrefixes",
  ],
  ["a number in a map of words", "group", body({ tags: { a: 1 } }), "/tags/*"],
  ["a number where digits are sent", "disk", body({ sizeGb: 10 }), "/sizeGb"],
];

/** A request after its mutation. */
export function mutated([, of, mutate, where]: Mutation): JudgedRequest {
  const right = rightRequests[of];
  return { ...right, ...mutate(right), ...(where === "" && { body: { a: 1 } }) };
}
