import { credentialHeaders } from "@liveplane/core/routes";
import { afterAll, expect, test } from "vitest";
import { send } from "../raw-http.ts";
import { startServer } from "../running-server.ts";

const server = await startServer();
afterAll(server.end);
const ada = await server.person("ada");
const environment = `/environments/Personal/${ada.id}/dev`;
await ada.api.environments.create({ type: "Personal", ownerId: ada.id, shortName: "dev" }, {});

const { token } = ada;
const subscriptionId = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";
const pairs = {
  a: { "X-ProviderA-SP-Client-ID": "client", "X-ProviderA-SP-Client-Secret": "secret" },
  "a by assertion": { "X-ProviderA-SP-Client-ID": "client", "X-ProviderA-SP-Client-Assertion": "an.assertion" },
  b: {
    "X-ProviderB-Service-Account-Email": "agent@project.iam.gserviceaccount.com",
    "X-ProviderB-Service-Account-Credentials": '{"private_key":"k"}',
  },
  "b by federation": {
    "X-ProviderB-Federated-Token": "a.federated.token",
    "X-ProviderB-Workload-Identity-Provider":
      "projects/1/locations/global/workloadIdentityPools/pool/providers/pipeline",
  },
};
const calls = [
  { pair: "a", method: "POST", path: `${environment}/initializer/provider-a/initialize`, json: { subscriptionId } },
  {
    pair: "a",
    method: "GET",
    path: `${environment}/initializer/provider-a/locations?subscriptionId=${subscriptionId}`,
  },
  {
    pair: "a by assertion",
    method: "GET",
    path: `${environment}/initializer/provider-a/locations?subscriptionId=${subscriptionId}`,
  },
  {
    pair: "b",
    method: "POST",
    path: `${environment}/initializer/provider-b/initialize`,
    json: { projectId: "project" },
  },
  { pair: "b", method: "GET", path: `${environment}/initializer/provider-b/locations?projectName=project` },
  {
    pair: "b by federation",
    method: "GET",
    path: `${environment}/initializer/provider-b/locations?projectName=project`,
  },
] as const;

test.each(calls)(
  "a header of provider $pair that is sent twice is refused: $method $path",
  async ({ pair, ...request }) => {
    for (const [name, value] of Object.entries(pairs[pair]))
      for (const twice of [
        [value, value],
        [value, "another"],
        ["", value],
      ]) {
        const headers = { ...pairs[pair], [name]: twice };
        const { status, json, text } = await send(server.url, { ...request, token, headers });
        expect([status, json?.code, json?.errors], name).toEqual([
          400,
          "ValidationFailed",
          [{ header: name, code: "Duplicate", detail: "The header must be sent once." }],
        ]);
        expect(text).not.toContain("another");
      }
    expect((await send(server.url, { ...request, token, headers: pairs[pair] })).status).toBeLessThan(300);
  },
);

test("every credential header of the contract is one of them", () => {
  const tried = Object.values(pairs).flatMap((pair) => Object.keys(pair));
  expect(Object.values(credentialHeaders).filter((header) => !tried.includes(header))).toEqual([]);
});
