import { azureCloud } from "@liveplane/adapters/azure-cloud";
import { SecretValue } from "@liveplane/core/clouds";
import { type CloudUnderTest, cloudConformance } from "@liveplane/core/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { departures, expectKnown } from "./descriptions/departures.ts";
import { fakeAzure } from "./fake-azure.ts";

const type = "Microsoft.Web/sites@2024-04-01";
const target = { scope: "3f2504e0-4f89-41d3-9a0c-0305e82c3301", region: "westeurope", container: "group" };

const judged = departures(["size", "odd~1~0name"]);

async function azureUnderTest() {
  const azure = await fakeAzure(judged);
  const cloud = azureCloud({ managementUrl: azure.url, loginUrl: azure.url, sleep: async () => {} });
  const credentials = (secret: string) =>
    ({ kind: "servicePrincipal", name: "client", secret: new SecretValue(secret) }) as const;
  const under: CloudUnderTest = {
    cloud,
    call: { credentials: credentials("canary-client-secret") },
    rejected: { credentials: credentials("reject") },
    target,
    otherTarget: { ...target, scope: "3f2504e0-4f89-41d3-9a0c-0305e82c3302" },
    type,
    parameters: {
      location: "westeurope",
      size: "small",
      properties: { "odd/~name": [1, "zwei", null], clientAffinityEnabled: false },
    },
    byHand: {
      setTags: async (id, tags) => azure.setTags(id, tags),
      remove: async (id) => azure.remove(id),
    },
    break: async (kind, fault) => void (fault === null ? azure.faults.clear() : azure.faults.set(kind, fault)),
    close: () => azure.close(),
  };
  return { ...under, azure };
}

async function opened() {
  const under = await azureUnderTest();
  onTestFinished(() => under.azure.close());
  const resourceId = under.cloud.resourceIdFor(type, "site", target) ?? "";
  const resource = {
    type,
    name: "site",
    resourceId,
    target,
    parameters: under.parameters,
    tags: { "Managed-By": "platform" },
    intent: "i",
  };
  await under.cloud.create(resource, under.call);
  return { ...under, ref: { type, resourceId } };
}

describe("Azure on loopback", () => cloudConformance(test, azureUnderTest));

test("is working while Azure is at a resource, and failed where it says so, with the tags", async () => {
  const { cloud, call, ref, azure } = await opened();
  const resource = { tags: { "Managed-By": "platform" }, parameters: { size: "small" } };
  azure.setState(ref.resourceId, "Updating");
  expect(await cloud.read(ref, call)).toMatchObject({ state: "working", resource });
  azure.setState(ref.resourceId, "Failed");
  expect(await cloud.read(ref, call)).toMatchObject({ state: "failed", code: "Failed", resource });
  azure.setState(ref.resourceId, "Succeeded");
  expect(await cloud.read(ref, call)).toMatchObject({
    state: "present",
    outputs: { clientAffinityEnabled: false, location: "westeurope" },
  });
});

test("removes a tag in any spelling, by the tags' own API where nothing binds it", async () => {
  const { cloud, call, ref, azure } = await opened();
  azure.seen.length = 0;
  await cloud.removeTag(ref, "managed-by", {}, call);
  expect(azure.seen.at(-1)).toMatch(/^PATCH .*\/tags\/default$/);
  expect(await cloud.read(ref, call)).toMatchObject({ tags: {} });
});

test("asks for a token once, and reads many in one call", async () => {
  const { cloud, call, ref, azure } = await opened();
  azure.seen.length = 0;
  const readings = await cloud.readMany(
    Array.from({ length: 100 }, () => ref),
    call,
  );
  expect(readings).toHaveLength(100);
  expect(azure.seen).toEqual(["POST /providers/Microsoft.ResourceGraph/resources"]);
});

test("leaves out places that only group others", async () => {
  const { cloud, call } = await opened();
  expect((await cloud.locations(target.scope, null, call)).map(({ name }) => name)).toEqual(["westeurope", "eastus"]);
});

test("acts with a person's delegated token as it is", async () => {
  const { cloud, ref } = await opened();
  const delegated = (token: string) =>
    ({ credentials: { kind: "delegated", name: null, secret: new SecretValue(token) } }) as const;
  expect((await cloud.read(ref, delegated("token-of-azure"))).state).toBe("present");
  expect(await cloud.read(ref, delegated("another"))).toEqual({
    state: "unreadable",
    reason: "ProviderCredentialsRejected",
  });
});

test("says how long Azure asks to wait, in Azure's words, without the secrets that Azure quotes", async () => {
  const { cloud, call, ref, azure } = await opened();
  azure.faults.set("write", "throttle");
  const error = await cloud.remove(ref, {}, call).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    code: "RateLimited",
    details: {
      retryAfterSeconds: 7,
      providerCode: "TooManyRequests",
      providerMessage: "What was sent may stand here: [redacted], [redacted].",
    },
  });
  expect(JSON.stringify(error) + String((error as Error).stack)).not.toMatch(/canary|token-of-azure/);
});

// Stands last: what the tests above sent and were answered is judged.
test("departs from what Microsoft publishes in what is known, and in nothing else", () => expectKnown(judged, "azure"));
