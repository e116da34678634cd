import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@liveplane/client";
import type { Api } from "@liveplane/core";
import { type Component, waitFor, waitForMutation } from "@liveplane/core/contract";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { azureDoubleServer } from "../../adapters/test/azure/double-server.ts";
import { departures } from "../../adapters/test/descriptions/departures.ts";
import { fakeGoogle } from "../../adapters/test/google/fake-google.ts";
import { goodToken, pathOf, serviceAccount } from "../../adapters/test/google/google-double.ts";
import { request } from "./running-server.ts";
import { startProcess } from "./server-process.ts";

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const privateKeyPem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
const azureCredentials = {
  providerAClientId: "9f5a8f6e-6a64-4f62-8a58-0d8a7f6b2c02",
  providerAClientSecret: "canary-client-secret",
};
const googleCredentials = {
  providerBServiceAccountEmail: serviceAccount,
  providerBServiceAccountCredentials: JSON.stringify({
    type: "service_account",
    project_id: "project-one",
    private_key_id: "canary-key-id",
    private_key: privateKeyPem,
    client_email: serviceAccount,
  }),
};
const inAzure = { subscriptionId: "3f2504e0-4f89-41d3-9a0c-0305e82c3301", region: "westeurope" };
const inGoogle = { projectId: "project-one", region: "europe-west1" };
const managed = { "managed-by": "platform" };
const patience = { timeout: 30_000, interval: 100 };

const judged = { azure: departures(), google: departures() };
afterAll(() => {
  expect(judged.azure.list()).toEqual([]);
  expect(judged.google.list()).toEqual([]);
});

/** The program against both clouds on loopback, and somebody with an environment. */
async function started(environment: Readonly<Record<string, string>> = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), "liveplane-clouds-"));
  let aheadMs = 0;
  const [azure, google] = await Promise.all([
    azureDoubleServer({ judged: judged.azure, now: () => Date.now() + aheadMs }),
    fakeGoogle({ privateKey, judged: judged.google }),
  ]);
  const settings = {
    LIVEPLANE_SIMULATED_CLOUDS: "off",
    LIVEPLANE_AZURE_URL: azure.url,
    LIVEPLANE_AZURE_LOGIN_URL: azure.url,
    LIVEPLANE_GOOGLE_URL: `${google.url}/{service}`,
    LIVEPLANE_GOOGLE_TOKEN_URL: `${google.url}/token`,
    LIVEPLANE_CHECK_SECONDS: "0.5",
    LIVEPLANE_LOG: "debug",
    ...environment,
  };
  const server = await startProcess(dataDir, settings);
  onTestFinished(async () => {
    server.child.kill("SIGKILL");
    await server.ended;
    await Promise.all([azure.close(), google.close()]);
    rmSync(dataDir, { recursive: true, force: true });
  });
  const ada = { username: "ada", password: "correct horse battery" };
  const { id: ownerId } = await createClient({ baseUrl: server.url }).accounts.createWithCredentials(ada);
  const api = createClient({ baseUrl: server.url, credentials: ada });
  const environmentId = { type: "Personal", ownerId, shortName: "production" } as const;
  await api.environments.create(environmentId, {});
  /** Kills the server as it stands, and starts another over what it left. */
  const restarted = async () => {
    server.child.kill("SIGKILL");
    await server.ended;
    const next = await startProcess(dataDir, settings);
    onTestFinished(async () => {
      next.child.kill("SIGKILL");
      await next.ended;
    });
    return createClient({ baseUrl: next.url, credentials: ada });
  };
  /** Lets what Azure has begun come to its end. */
  const passInAzure = (ms: number) => {
    azure.state.slowness = null;
    aheadMs += ms;
  };
  return { azure, google, server, api, environmentId, restarted, passInAzure };
}

/** What the portal sends for a resource's tags, and `az tag update`. */
async function tagUpdate(
  { url }: { readonly url: string },
  resourceId: string,
  operation: "Delete" | "Merge",
  tags: Readonly<Record<string, string>>,
) {
  const response = await fetch(
    `${url}${resourceId}/providers/Microsoft.Resources/tags/default?api-version=2025-04-01`,
    {
      method: "PATCH",
      headers: { authorization: "Bearer token-of-azure", "content-type": "application/json" },
      body: JSON.stringify({ operation, properties: { tags } }),
    },
  );
  expect(response.status).toBe(200);
}

/** What `gcloud compute disks update --update-labels` sends: the labels that were read, changed, under their fingerprint. */
async function labelUpdate({ url }: { readonly url: string }, path: string, change: (labels: object) => object) {
  const headers = { authorization: `Bearer ${goodToken}`, "content-type": "application/json" };
  const read = await fetch(`${url}${path}`, { headers });
  const { labels, labelFingerprint } = (await read.json()) as { labels?: object; labelFingerprint: string };
  const body = JSON.stringify({ labels: change(labels ?? {}), labelFingerprint });
  expect((await fetch(`${url}${path}/setLabels`, { method: "POST", headers, body })).status).toBe(200);
}

type EnvironmentId = Awaited<ReturnType<typeof started>>["environmentId"];

const completed = (api: Api, environmentId: EnvironmentId, provider: "providerA" | "providerB") =>
  expect
    .poll(async () => (await api.environments[provider].status(environmentId)).initializationRun.status, patience)
    .toBe("Completed");

test("a component is handed over and taken back in Azure and in Google Cloud", { timeout: 120_000 }, async () => {
  const { azure, google, server, api, environmentId } = await started();
  await api.environments.providerA.initialize(environmentId, inAzure, azureCredentials);
  await api.environments.providerB.initialize(environmentId, inGoogle, googleCredentials);
  await completed(api, environmentId, "providerA");
  await completed(api, environmentId, "providerB");

  const deploy = await api.liveSystems.create({
    name: "shop",
    environmentId,
    components: [
      {
        path: "app",
        provider: "provider-a",
        type: "Microsoft.Web/sites@2024-04-01",
        parameters: { location: "westeurope", properties: { httpsOnly: true } },
      },
      {
        path: "files",
        provider: "provider-b",
        type: "storage.v1.bucket",
        parameters: { location: "europe-west1", storageClass: "STANDARD" },
      },
    ],
  });
  const signal = AbortSignal.timeout(60_000);
  expect((await waitForMutation(api, deploy, { intervalMs: 100, signal })).status).toBe("Succeeded");

  const components = [
    { path: "app", setTags: (id: string, tags: Record<string, string>) => azure.setTags(id, tags) },
    {
      path: "files",
      setTags: (id: string, labels: Record<string, string>) =>
        google.byHand(pathOf("storage.v1.bucket", id), (body) => ({ ...body, labels })),
    },
  ];
  for (const { path, setTags } of components) {
    const componentId = `${deploy.livesystemId}/${path}`;
    const reaches = (status: Component["status"]) => waitFor(api, componentId, status, { intervalMs: 100, signal });
    const resourceId = (await reaches("Active")).resourceId ?? "";
    setTags(resourceId, {});
    await reaches("ManualOverride");
    setTags(resourceId, { ...managed, platform: "reconcile" });
    await reaches("Active");
  }

  for (const secret of ["canary", "token-of-", privateKeyPem.split("\n")[1] ?? ""])
    expect(server.log()).not.toContain(secret);
});

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
  for (const path of ["/simulator", "/simulator/page.js", "/simulator/provider-a/resources"])
    expect((await request(`${server.url}${path}`)).status).toBe(404);
  await expect(api.environments.providerA.authenticate(environmentId)).rejects.toMatchObject({
    code: "FeatureDisabled",
  });
});
