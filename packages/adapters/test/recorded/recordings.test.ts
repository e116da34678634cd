import { expect, test } from "vitest";
import { judgedPair } from "./judged-pairs.ts";
import { exchangesIn, pairsIn } from "./recordings.ts";

const cache =
  "/subscriptions/3f2504e0-4f89-41d3-9a0c-0305e82c3301/resourceGroups/dev/providers/Microsoft.Cache/redis/one";
const sent = {
  location: "westeurope",
  properties: { sku: { name: "Basic", family: "C", capacity: 0 }, redisVersion: "6", redisConfiguration: {} },
};
const shown = (provisioningState: string) => ({
  id: cache,
  name: "one",
  location: "West Europe",
  properties: { ...sent.properties, redisVersion: "6.0", redisConfiguration: { maxclients: "256" }, provisioningState },
});

const entry = (RequestMethod: string, request: unknown, StatusCode: number, answer: unknown) => ({
  RequestMethod,
  RequestUri: `${cache}?api-version=2024-11-01`,
  RequestBody: request === null ? "" : JSON.stringify(request),
  StatusCode,
  ResponseBody: JSON.stringify(answer),
});
const session = JSON.stringify({
  Entries: [
    entry("PUT", sent, 201, shown("Creating")),
    entry("GET", null, 200, shown("Creating")),
    entry("GET", null, 200, shown("Succeeded")),
    entry("PUT", sent, 200, shown("Succeeded")),
  ],
});

const collection = `https://compute.googleapis.com/compute/v1/projects/\${projectId}/global/addresses`;
const log = [
  `GET ${collection}/one`,
  "",
  "404 Not Found",
  "",
  '{ "error": { "code": 404, "message": "" } }',
  "",
  "---",
  "",
  `POST ${collection}`,
  "Content-Type: application/json",
  "",
  JSON.stringify({ name: "one", description: "", networkTier: "premium" }, null, 2),
  "",
  "200 OK",
  "",
  '{\n  "kind": "compute#operation",\n  "operationType": "insert",\n  "name": "a"\n}',
  "",
  "---",
  "",
  `GET ${collection}/one`,
  "",
  "200 OK",
  "",
  '{\n  "kind": "compute#address",\n  "name": "one",\n  "networkTier": "PREMIUM",\n  "status": "RESERVED"\n}',
].join("\n");

test("a creation is paired with what is shown once it is done, and later writes with nothing", () => {
  const [pair, ...rest] = pairsIn(exchangesIn(session));
  expect(pair).toEqual({ path: cache, sent, shown: shown("Succeeded") });
  expect(rest).toEqual([]);
});

test("other spellings of a pair are settled, and another value at any of its leaves is seen", () => {
  const judged = [session, log].flatMap((text) => pairsIn(exchangesIn(text)).map(judgedPair));
  expect(judged).toMatchObject([
    { type: "Microsoft.Cache/redis", unsettled: [], leaves: 5, missed: [] },
    { type: "compute.v1.address", unsettled: [], leaves: 1, missed: [] },
  ]);
});
