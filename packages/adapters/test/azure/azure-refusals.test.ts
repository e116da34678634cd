import { azureCloud } from "@liveplane/adapters/azure-cloud";
import { type JsonObject, SecretValue } from "@liveplane/core/clouds";
import { isLiveplaneError, type LiveplaneError } from "@liveplane/core/errors";
import { expect, test } from "vitest";
import { azureUnderTest, typesUnderTest } from "./azure-under-test.ts";

const [redis, network] = typesUnderTest as [(typeof typesUnderTest)[0], (typeof typesUnderTest)[0]];

async function made(type = redis) {
  const under = await azureUnderTest(type);
  const { cloud, call, target, parameters } = under;
  const resourceId = cloud.resourceIdFor(type.type, "first", target) ?? "";
  const tags = { "Managed-By": "platform", team: "blue" };
  const resource = { type: type.type, name: "first", resourceId, target, parameters, tags, intent: "i" };
  await cloud.create(resource, call);
  under.azure.seen.length = 0;
  const change = { parameters: [{ pointer: type.changing, value: "changed" }], tags: {} };
  return { ...under, resource, change, ref: { type: type.type, resourceId } };
}

async function thrown(work: Promise<unknown>): Promise<LiveplaneError> {
  const error = await work.then(
    () => null,
    (failure: unknown) => failure,
  );
  if (!isLiveplaneError(error)) throw new RangeError("Nothing was refused.");
  return error;
}

test("says how long Azure asks to wait, in Azure's words, without the secrets that Azure quotes", async () => {
  const { cloud, call, ref, azure } = await made();
  azure.faults.set("write", "throttle");
  const error = await thrown(cloud.remove(ref, {}, call));
  expect(error).toMatchObject({
    code: "RateLimited",
    details: {
      retryAfterSeconds: 7,
      providerCode: "TooManyRequests",
      providerMessage: "TooManyRequests: what was sent may stand here: [redacted], [redacted].",
    },
  });
  expect(JSON.stringify(error) + String(error.stack)).not.toMatch(/canary|token-of-azure/);
});

test.each([
  ["ResourceNotFound", "missing"],
  ["ResourceGroupNotFound", "missing"],
  ["ParentResourceNotFound", "missing"],
  ["NotFound", "missing"],
  ["SubscriptionNotFound", "unreadable"],
  ["InvalidResourceType", "unreadable"],
  ["InvalidResourceNamespace", "unreadable"],
  ["SomethingNew", "unreadable"],
])("a 404 of %s reads %s", async (code, state) => {
  const { cloud, call, ref, azure } = await made();
  azure.state.refusal = { path: /redis/, status: 404, code };
  expect((await cloud.read(ref, call)).state).toBe(state);
});

test.each([
  [403, "AuthorizationFailed", "ProviderCredentialsRejected", false],
  [403, "RequestDisallowedByPolicy", "ProviderError", false],
  [403, "SkuNotAvailable", "ProviderError", false],
  [409, "QuotaExceeded", "ProviderError", false],
  [409, "ScopeLocked", "ProviderError", false],
  [409, "AnotherOperationInProgress", "InvalidState", false],
  [409, "Conflict", "ProviderError", true],
  [400, "LocationNotAvailableForResourceType", "ProviderError", false],
  [400, "PrincipalNotFound", "ProviderError", true],
  [400, "ReferencedResourceNotProvisioned", "ProviderError", true],
  [412, "PreconditionFailed", "PreconditionFailed", false],
])("a %i %s is told as %s", async (status, code, expected, retryable) => {
  const { cloud, call, ref, change, azure } = await made();
  azure.state.refusal = { path: /redis/, status, code, message: "In Azure's words." };
  const error = await thrown(cloud.update(ref, change, {}, call));
  expect(error).toMatchObject({ code: expected, retryable });
  expect(error.details).toMatchObject({
    providerCode: code,
    providerMessage: "In Azure's words.",
    providerRequestId: /^request-/,
  });
});

test("a token that Azure refuses is got anew, once, and the request repeated", async () => {
  const { cloud, call, ref, azure } = await made();
  azure.revoke();
  expect((await cloud.read(ref, call)).state).toBe("present");
  expect(azure.seen).toHaveLength(1);
});

test("a person's own token is sent as it is, and can't be got anew", async () => {
  const { cloud, ref, azure } = await made();
  const delegated = {
    credentials: { kind: "delegated", name: null, secret: new SecretValue("token-of-azure") },
  } as const;
  expect((await cloud.read(ref, delegated)).state).toBe("present");
  azure.revoke();
  expect(await cloud.read(ref, delegated)).toEqual({ state: "unreadable", reason: "ProviderCredentialsRejected" });
});

test("the host's own identity is asked for Azure's scope, and what its library says stays inside", async () => {
  const { azure, ref, call } = await made();
  const asked: string[] = [];
  const workload = { ...call, credentials: { kind: "workload", name: null, secret: null } } as const;
  const credential = {
    async getToken(scope: string) {
      asked.push(scope);
      return { token: "token-of-azure", expiresOnTimestamp: 0 };
    },
  };
  expect((await azureCloud({ fetch: azure.fetch, credential }).read(ref, workload)).state).toBe("present");
  expect(asked).toEqual(["https://management.azure.com/.default"]);
  const failing = { getToken: () => Promise.reject(new RangeError("canary")) };
  const refused = await thrown(
    azureCloud({ fetch: azure.fetch, credential: failing }).locations(
      ref.resourceId.split("/")[2] ?? "",
      null,
      workload,
    ),
  );
  expect(refused).toMatchObject({ code: "ProviderCredentialsRejected" });
  expect(refused.cause).toBeUndefined();
  expect(String(refused.stack)).not.toContain("canary");
});

test("an unregistered resource provider is registered, and the creation is tried again", async () => {
  const { cloud, call, resource, azure, ahead } = await made();
  azure.state.unregistered.add("Microsoft.Cache");
  const another = {
    ...resource,
    name: "second",
    resourceId: cloud.resourceIdFor(redis.type, "second", resource.target),
  };
  expect(await thrown(cloud.create(another, call))).toMatchObject({
    code: "ProviderError",
    retryable: true,
    details: { providerCode: "MissingSubscriptionRegistration", retryAfterSeconds: 15 },
  });
  ahead(30_000);
  await thrown(cloud.create(another, call));
  await cloud.create(another, call);
});

test("a registration that is refused says what somebody has to do", async () => {
  const { cloud, call, resource, azure } = await made();
  azure.state.unregistered.add("Microsoft.Cache");
  const another = {
    ...resource,
    name: "second",
    resourceId: cloud.resourceIdFor(redis.type, "second", resource.target),
  };
  azure.state.refusal = { path: /\/register$/, status: 403, code: "AuthorizationFailed" };
  const { message } = await thrown(cloud.create(another, call));
  expect(message).toContain("az provider register --namespace Microsoft.Cache");
});

test("a member that PATCH doesn't take is refused before anything is sent", async () => {
  const { cloud, call, ref, azure } = await made();
  const change = { parameters: [{ pointer: "/properties/subnetId", value: "x" }], tags: {} };
  expect((await thrown(cloud.update(ref, change, {}, call))).message).toContain("/properties/subnetId");
  expect(azure.seen).toEqual([]);
});

test("a PATCH names what Azure requires with a member, as it is, and nothing else", async () => {
  const { cloud, call, ref, azure } = await made();
  const sent: unknown[] = [];
  azure.state.arriving = ({ method, text }) => void (method === "PATCH" && sent.push(JSON.parse(text)));
  const update = (pointer: string, value: JsonObject[string]) =>
    cloud.update(ref, { parameters: [{ pointer, value }], tags: {} }, {}, call);
  await update("/properties/sku/capacity", 2);
  expect(sent).toEqual([{ properties: { sku: { name: "Basic", family: "C", capacity: 2 } } }]);
});

test("a PATCH without such members names the one that differs, and reads nothing before", async () => {
  const { cloud, call, ref, change, azure } = await made();
  await cloud.update(ref, change, {}, call);
  expect(azure.seen.filter((line) => line.startsWith("GET"))).toEqual([]);
});

test("an item of a list is found by its key, wherever it is", async () => {
  const { cloud, call, ref, azure } = await made(typesUnderTest[2]);
  const disk = (name: string, lun: number) => ({ name, lun });
  azure.patch(ref.resourceId, { properties: { storageProfile: { dataDisks: [disk("own", 1), disk("other", 2)] } } });
  const root = "/properties/storageProfile/dataDisks";
  const parameters = [
    { pointer: `${root}/name=other/lun`, value: 7 },
    { pointer: `${root}/name=own`, value: null },
    { pointer: `${root}/name=new`, value: disk("new", 3) },
  ];
  await cloud.update(ref, { parameters, tags: {} }, {}, call);
  expect(azure.get(ref.resourceId)?.body.properties).toMatchObject({
    storageProfile: { dataDisks: [disk("other", 7), disk("new", 3)] },
  });
});

test("of a list all is sent, with what a person has added", async () => {
  const { cloud, call, ref, azure } = await made(typesUnderTest[2]);
  const nics = [{ id: "one" }, { id: "two" }];
  azure.patch(ref.resourceId, { properties: { networkProfile: { networkInterfaces: nics } } });
  const pointer = "/properties/networkProfile/networkInterfaces/1/id";
  await cloud.update(ref, { parameters: [{ pointer, value: "three" }], tags: {} }, {}, call);
  expect(azure.get(ref.resourceId)?.body.properties).toMatchObject({
    networkProfile: { networkInterfaces: [{ id: "one" }, { id: "three" }] },
  });
});

test("an operation at an address outside of Azure is never followed", async () => {
  const { cloud, call, ref, azure } = await made();
  for (const address of [
    "state https://evil.invalid/subscriptions/a/b",
    "state //evil.invalid/x",
    "elsewhere",
    "state /providers/x",
  ])
    expect(await cloud.follow?.(ref, { address }, call)).toEqual({ state: "gone" });
  expect(azure.seen).toEqual([]);
});

test("a tag is removed by its own operation, in the spelling that Azure has, and a whole body carries no other tags than it was read with", async () => {
  const { cloud, call, ref, change, azure } = await made(network);
  azure.state.before = ({ method }) => {
    if (method === "PUT") azure.state.before = null;
  };
  await cloud.removeTag(ref, "managed-by", {}, call);
  expect(azure.seen.at(-1)).toMatch(/^PATCH .*\/Microsoft.Resources\/tags\/default$/);
  expect(azure.get(ref.resourceId)?.tags).toEqual({ team: "blue" });
  await cloud.update(ref, change, {}, call);
  expect(azure.get(ref.resourceId)?.tags).toEqual({ team: "blue" });
});

test("a signed statement stands in the place of a client's secret", async () => {
  const { cloud, ref, azure } = await made();
  azure.revoke();
  const secret = new SecretValue("canary.of.assertion");
  const asked = azure.forms.length;
  await cloud.read(ref, { credentials: { kind: "clientAssertion", name: "client", secret } });
  expect(Object.fromEntries(azure.forms[asked] ?? [])).toMatchObject({
    client_id: "client",
    client_assertion: "canary.of.assertion",
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
  });
});
