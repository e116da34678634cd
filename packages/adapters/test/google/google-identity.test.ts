import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { googleCloud, googleCredential } from "@liveplane/adapters/google-cloud";
import { type CloudCall, SecretValue } from "@liveplane/core/clouds";
import { expect, onTestFinished, test } from "vitest";
import { fakeGoogle } from "./fake-google.ts";
import { federation, goodToken } from "./google-double.ts";

const federated = (token = federation.token, name = federation.provider): CloudCall => ({
  credentials: { kind: "federatedToken", name, secret: new SecretValue(token) },
});

async function opened() {
  const google = await fakeGoogle();
  onTestFinished(() => google.close());
  return { google, urlOf: (service: string) => `${google.url}/${service}` };
}

test("a token of a provider that the project trusts is exchanged once", async () => {
  const { google, urlOf } = await opened();
  const cloud = googleCloud({ urlOf });
  expect(await cloud.locations("project-one", null, federated())).not.toHaveLength(0);
  await cloud.locations("project-one", null, federated());
  expect(google.tokens()).toBe(1);
  google.revoke();
  await cloud.locations("project-one", null, federated());
  expect(google.tokens()).toBe(2);
});

const actingAs = (impersonates: string): CloudCall => ({
  credentials: { ...federated().credentials, impersonates },
});

test("a federated identity acts as the service account that it comes with, by Google's own address", async () => {
  const { google, urlOf } = await opened();
  const cloud = googleCloud({ urlOf });
  expect(await cloud.locations("project-one", null, actingAs(federation.account))).not.toHaveLength(0);
  await cloud.locations("project-one", null, actingAs(federation.account));
  expect(google.tokens()).toBe(2);
  await cloud.locations("project-one", null, federated());
  expect(google.tokens()).toBe(3);
});

test.each([
  ["another service account", actingAs("other@project-one.iam.gserviceaccount.com")],
  ["another token", federated("canary.of.another")],
  ["another provider", federated(federation.token, federation.provider.replace("pipelines", "others"))],
])("%s is refused, and in no error", async (_, call) => {
  const { urlOf } = await opened();
  const refusal = await googleCloud({ urlOf })
    .locations("project-one", null, call)
    .catch((error: unknown) => error);
  expect(refusal).toMatchObject({ code: "ProviderCredentialsRejected" });
  expect(`${JSON.stringify(refusal)} ${(refusal as Error).stack}`).not.toContain("canary");
});

test("the machine's own identity is asked for by Google's library, and serves workloads", async () => {
  const { urlOf } = await opened();
  const metadata = createServer((request, response) => {
    const isToken = request.url?.includes("/service-accounts/default/token");
    const answer = isToken ? { access_token: goodToken, expires_in: 3600, token_type: "Bearer" } : {};
    response.writeHead(200, { "content-type": "application/json", "metadata-flavor": "Google" });
    response.end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => metadata.listen(0, "127.0.0.1", resolve));
  // The library writes there what it found out about the machine.
  const folder = mkdtempSync(join(tmpdir(), "liveplane-gcloud-"));
  const set = {
    GCE_METADATA_HOST: `127.0.0.1:${(metadata.address() as AddressInfo).port}`,
    METADATA_SERVER_DETECTION: "assume-present",
    CLOUDSDK_CONFIG: folder,
  };
  const before = Object.keys(set).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, set);
  onTestFinished(async () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    await new Promise((resolve) => metadata.close(resolve));
    rmSync(folder, { recursive: true, force: true });
  });
  const cloud = googleCloud({ urlOf, authClient: await googleCredential() });
  expect(cloud.capabilities.ownIdentity).toBe(true);
  expect(googleCloud().capabilities.ownIdentity).toBe(false);
  const call: CloudCall = { credentials: { kind: "workload", name: null, secret: null } };
  expect(await cloud.locations("project-one", null, call)).not.toHaveLength(0);
});
