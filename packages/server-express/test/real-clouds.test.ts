import type { Api } from "@liveplane/core";
import { type Component, waitFor, waitForMutation } from "@liveplane/core/contract";
import { expect, test } from "vitest";
import { pathOf } from "../../adapters/test/google/google-double.ts";
import {
  azureCredentials,
  completed,
  googleCredentials,
  inAzure,
  inGoogle,
  labelUpdate,
  managed,
  patience,
  started,
  tagUpdate,
} from "./real-clouds-world.ts";
import { request } from "./running-server.ts";

test("a creation that takes Google ten minutes goes on after the server was killed, and labels are handed over", {
  timeout: 120_000,
}, async () => {
  const { google, api, environmentId, restarted } = await started();
  await api.environments.providerB.initialize(environmentId, inGoogle, googleCredentials);
  await completed(api, environmentId, "providerB");
  google.slow({ takesMs: "until finished" });
  const deploy = await api.liveSystems.create({
    name: "shop",
    environmentId,
    components: [{ path: "data", provider: "provider-b", type: "compute.v1.disk", parameters: { sizeGb: "10" } }],
  });
  const componentId = `${deploy.livesystemId}/data`;
  const where = { id: deploy.livesystemId, componentId };
  const inSync = async (of: Api) => (await of.liveSystems.components.get(where)).conditions.inSync.reason;
  await expect.poll(() => inSync(api), patience).toBe("InTransition");

  const after = await restarted();
  expect(await inSync(after)).toBe("InTransition");
  google.finish();
  const signal = AbortSignal.timeout(60_000);
  expect((await waitForMutation(after, deploy, { intervalMs: 100, signal })).status).toBe("Succeeded");
  expect(google.seen.filter((line) => /^POST .*\/disks$/.test(line))).toHaveLength(1);

  // As gcloud compute disks update --remove-labels and --update-labels do.
  const reaches = (status: Component["status"]) => waitFor(after, componentId, status, { intervalMs: 100, signal });
  const path = pathOf("compute.v1.disk", (await reaches("Active")).resourceId ?? "");
  expect(path).toContain("/zones/europe-west1-b/");
  await labelUpdate(google, path, () => ({}));
  await reaches("ManualOverride");
  await labelUpdate(google, path, () => ({ ...managed, platform: "reconcile" }));
  await reaches("Active");
  await expect.poll(() => google.at(path)?.body.labels, patience).toEqual(managed);
});

test("a creation that takes Azure ten minutes goes on after the server was killed, and tags are handed over", {
  timeout: 120_000,
}, async () => {
  const { azure, api, environmentId, restarted, passInAzure } = await started();
  await api.environments.providerA.initialize(environmentId, inAzure, azureCredentials);
  await completed(api, environmentId, "providerA");
  azure.state.slowness = { takesMs: 600_000, hides: true, retryAfterSeconds: 1 };
  const properties = { sku: { name: "Basic", family: "C", capacity: 1 } };
  const cache = {
    path: "cache",
    provider: "provider-a",
    type: "Microsoft.Cache/redis",
    parameters: { location: "westeurope", properties },
  };
  const deploy = await api.liveSystems.create({ name: "shop", environmentId, components: [cache] });
  const componentId = `${deploy.livesystemId}/cache`;
  const where = { id: deploy.livesystemId, componentId };
  const inSync = async (of: Api) => (await of.liveSystems.components.get(where)).conditions.inSync.reason;
  await expect.poll(() => inSync(api), patience).toBe("InTransition");

  const after = await restarted();
  expect(await inSync(after)).toBe("InTransition");
  passInAzure(600_000);
  const signal = AbortSignal.timeout(60_000);
  expect((await waitForMutation(after, deploy, { intervalMs: 100, signal })).status).toBe("Succeeded");
  expect(azure.seen.filter((line) => /^PUT .*\/redis\/[^/]+$/i.test(line))).toHaveLength(1);

  const reaches = (status: Component["status"]) => waitFor(after, componentId, status, { intervalMs: 100, signal });
  const resourceId = (await reaches("Active")).resourceId ?? "";
  await tagUpdate(azure, resourceId, "Delete", managed);
  await reaches("ManualOverride");
  await tagUpdate(azure, resourceId, "Merge", { ...managed, platform: "reconcile" });
  await reaches("Active");
  await expect.poll(() => azure.get(resourceId)?.tags, patience).toEqual(managed);
});

test("what nothing binds in Azure stays as somebody left it, unless its component takes the risk", {
  timeout: 120_000,
}, async () => {
  const { azure, api, environmentId } = await started();
  await api.environments.providerA.initialize(environmentId, inAzure, azureCredentials);
  await completed(api, environmentId, "providerA");
  const flow = {
    path: "flow",
    provider: "provider-a",
    type: "Microsoft.Logic/workflows",
    parameters: { location: "westeurope", properties: { state: "Enabled" } },
  };
  const deploy = await api.liveSystems.create({ name: "shop", environmentId, components: [flow] });
  const signal = AbortSignal.timeout(60_000);
  await waitForMutation(api, deploy, { intervalMs: 100, signal });
  const where = { id: deploy.livesystemId, componentId: `${deploy.livesystemId}/flow` };
  const { resourceId } = await api.liveSystems.components.get(where);
  azure.patch(resourceId ?? "", { properties: { state: "Disabled" } });
  const inSync = async () => (await api.liveSystems.components.get(where)).conditions.inSync.reason;
  await expect.poll(inSync, patience).toBe("NotCorrectable");
  const state = () => (azure.get(resourceId ?? "")?.body.properties as { state?: string } | undefined)?.state;
  expect(state()).toBe("Disabled");

  const components = [{ ...flow, unconditionalWrites: true }];
  const system = { id: deploy.livesystemId };
  const again = await api.liveSystems.deploy(system, { name: "shop", environmentId, components });
  await waitForMutation(api, again, { intervalMs: 100, signal });
  await expect.poll(state, patience).toBe("Enabled");
  expect(azure.get(resourceId ?? "")?.tags).toEqual(managed);
});

test("somebody signs in to Azure by device, and initializes without credentials of their own", {
  timeout: 60_000,
}, async () => {
  const { azure, api, environmentId } = await started({
    LIVEPLANE_AZURE_CLIENT_ID: "04b07795-8ddb-461a-bbee-02f9e1bf7b46",
  });
  const begun = await api.environments.providerA.authenticate(environmentId);
  expect(begun).toMatchObject({ status: "Pending", userCode: "WDJB-MJHT" });
  azure.signIn();
  await expect
    .poll(async () => (await api.environments.providerA.authentication(environmentId)).status, patience)
    .toBe("Completed");
  await api.environments.providerA.initialize(environmentId, inAzure);
  await completed(api, environmentId, "providerA");
});

test("a server over real clouds says so, is ready, and has neither console nor sign-in without a client", {
  timeout: 60_000,
}, async () => {
  const { server, api, environmentId } = await started();
  expect(server.log()).toContain("*** REAL CLOUDS");
  expect(server.log()).not.toMatch(/SIMULATED CLOUDS|\/simulator/);
  expect(await request(`${server.url}/readyz`)).toMatchObject({
    status: 200,
    json: { store: true, clouds: true, agent: true },
  });
  for (const path of ["/simulator", "/simulator/provider-a/resources"])
    expect((await request(`${server.url}${path}`)).status).toBe(404);
  await expect(api.environments.providerA.authenticate(environmentId)).rejects.toMatchObject({
    code: "FeatureDisabled",
  });
});
