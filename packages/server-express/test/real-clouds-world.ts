import { generateKeyPairSync } from "node:crypto";
import { createClient } from "@liveplane/client";
import type { Api } from "@liveplane/core";
import { afterAll, expect, onTestFinished } from "vitest";
import { azureDoubleServer } from "../../adapters/test/azure/double-server.ts";
import { departures } from "../../adapters/test/descriptions/departures.ts";
import { emptyFolder } from "../../adapters/test/empty-folder.ts";
import { fakeGoogle } from "../../adapters/test/google/fake-google.ts";
import { goodToken, serviceAccount } from "../../adapters/test/google/google-double.ts";
import { startProcess } from "./server-process.ts";

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const privateKeyPem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
export const azureCredentials = {
  providerAClientId: "9f5a8f6e-6a64-4f62-8a58-0d8a7f6b2c02",
  providerAClientSecret: "canary-client-secret",
};
export const googleCredentials = {
  providerBServiceAccountEmail: serviceAccount,
  providerBServiceAccountCredentials: JSON.stringify({
    type: "service_account",
    project_id: "project-one",
    private_key_id: "canary-key-id",
    private_key: privateKeyPem,
    client_email: serviceAccount,
  }),
};
export const inAzure = { subscriptionId: "3f2504e0-4f89-41d3-9a0c-0305e82c3301", region: "westeurope" };
export const inGoogle = { projectId: "project-one", region: "europe-west1" };
export const managed = { "managed-by": "platform" };
/** How long a test waits for what a server does by itself. */
export const patience = { timeout: 30_000, interval: 100 };

const secrets = ["canary", "token-of-", privateKeyPem.split("\n")[1] ?? ""];

const judged = { azure: departures(), google: departures() };
afterAll(() => {
  expect(judged.azure.list()).toEqual([]);
  expect(judged.google.list()).toEqual([]);
});

/** The program against both clouds on loopback, and somebody with an environment. */
export async function started(environment: Readonly<Record<string, string>> = {}) {
  const dataDir = emptyFolder();
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
  onTestFinished(() => Promise.all([azure.close(), google.close()]).then(() => {}));
  /** A process whose log must show no secret. */
  const process = async () => {
    const started = await startProcess(dataDir, settings);
    onTestFinished(async () => {
      started.child.kill("SIGKILL");
      await started.ended;
      for (const secret of secrets) expect(started.log()).not.toContain(secret);
    });
    return started;
  };
  const server = await process();
  const ada = { username: "ada", password: "correct horse battery" };
  const { id: ownerId } = await createClient({ baseUrl: server.url }).accounts.createWithCredentials(ada);
  const api = createClient({ baseUrl: server.url, credentials: ada });
  const environmentId = { type: "Personal", ownerId, shortName: "production" } as const;
  await api.environments.create(environmentId, {});
  /** Kills the server as it stands, and starts another over what it left. */
  const restarted = async () => {
    server.child.kill("SIGKILL");
    await server.ended;
    return createClient({ baseUrl: (await process()).url, credentials: ada });
  };
  /** Lets what Azure has begun come to its end. */
  const passInAzure = (ms: number) => {
    azure.state.slowness = null;
    aheadMs += ms;
  };
  return { azure, google, server, api, environmentId, restarted, passInAzure };
}

/** What the portal sends for a resource's tags, and `az tag update`. */
export async function tagUpdate(
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
export async function labelUpdate({ url }: { readonly url: string }, path: string, change: (labels: object) => object) {
  const headers = { authorization: `Bearer ${goodToken}`, "content-type": "application/json" };
  const read = await fetch(`${url}${path}`, { headers });
  const { labels, labelFingerprint } = (await read.json()) as { labels?: object; labelFingerprint: string };
  const body = JSON.stringify({ labels: change(labels ?? {}), labelFingerprint });
  expect((await fetch(`${url}${path}/setLabels`, { method: "POST", headers, body })).status).toBe(200);
}

export type EnvironmentId = Awaited<ReturnType<typeof started>>["environmentId"];

export const completed = (api: Api, environmentId: EnvironmentId, provider: "providerA" | "providerB") =>
  expect
    .poll(async () => (await api.environments[provider].status(environmentId)).initializationRun.status, patience)
    .toBe("Completed");
