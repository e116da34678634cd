import { generateKeyPairSync, randomUUID } from "node:crypto";
import { createClient, waitForInitialization, waitForMutation } from "@liveplane/client";
import type { Api } from "@liveplane/core";
import type { EnvironmentId, IssuedSecret } from "@liveplane/core/contract";
import { afterAll, expect, test } from "vitest";
import { cloudA, cloudB } from "./every-operation/script-environments.ts";
import { startServer } from "./running-server.ts";

const server = await startServer({ LIVEPLANE_CHECK_SECONDS: "1" });
afterAll(server.end);

const placeA = { subscriptionId: "0b8a1a52-7a3e-4b7e-9a9e-0d6f6b1f0c01", region: "westeurope" };
const placeB = { projectId: "project", region: "europe-west3" };
const { privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
});

/** A client that has nothing but what a pipeline's vault has. */
function machine(clientId: string | null, { secret }: IssuedSecret): Api {
  return createClient({ baseUrl: server.url, credentials: { clientId: clientId ?? "", clientSecret: secret } });
}

/** From an environment to what became of the deploy, and again: a pipeline that is started anew ends as the first did. */
async function pipeline(api: Api, environment: EnvironmentId): Promise<{ readonly id: string }> {
  await api.environments.providerA.initialize(environment, placeA, cloudA);
  await api.environments.providerB.initialize(environment, placeB, cloudB);
  for (const provider of ["provider-a", "provider-b"] as const) {
    const run = await waitForInitialization(api, environment, provider, { intervalMs: 100 });
    expect([provider, run.status]).toEqual([provider, "Completed"]);
  }
  const [secret] = await api.environments.secrets.upsertMany(environment, [{ shortName: "db", value: "päss" }]);
  expect(secret).toMatchObject({ shortName: "db", currentVersion: 1 });
  const [profile] = await api.environments.ciCdProfiles.upsertMany(environment, [
    { shortName: "deploy", sshPrivateKeyData: privateKey },
  ]);
  expect(profile?.fingerprint).toMatch(/^SHA256:/);

  const declared = {
    name: "shop",
    environmentId: environment,
    components: [
      {
        path: "plan",
        provider: "provider-a",
        type: "Microsoft.Web/serverfarms@2024-04-01",
        resourceName: `plan-${environment.shortName}`,
        parameters: { sku: { name: "P1v3" } },
      },
      {
        path: "bucket",
        provider: "provider-b",
        type: "storage.v1.bucket",
        resourceName: `bucket-${environment.shortName}`,
        parameters: { location: "EU" },
      },
    ],
  };
  const begun = await api.liveSystems.create(declared);
  const ended = await waitForMutation(api, begun, { intervalMs: 100 });
  expect(ended).toMatchObject({ status: "Succeeded", error: null });
  const at = { id: begun.livesystemId };
  const { items } = await api.liveSystems.components.list(at);
  const shown = items.map(({ id, status, conditions }) => [id.split("/")[1], status, conditions.inSync.value]);
  expect(shown.sort()).toEqual([
    ["bucket", "Active", true],
    ["plan", "Active", true],
  ]);
  const types: string[] = [];
  for await (const { type } of api.events.follow({ after: 0, livesystem: at.id })) {
    types.push(type);
    if (type === "livesystem.mutation.succeeded") break;
  }
  expect(types[0]).toBe("livesystem.mutation.started");
  const again = await api.liveSystems.deploy(at, declared);
  expect(await waitForMutation(api, again, { intervalMs: 100 })).toMatchObject({ status: "Succeeded" });
  return at;
}

async function removal(api: Api, at: { readonly id: string }): Promise<void> {
  const removed = await api.liveSystems.delete(at);
  expect(await waitForMutation(api, removed, { intervalMs: 100 })).toMatchObject({ status: "Succeeded" });
}

test("a person's service account does it all in the person's scope", { timeout: 60_000 }, async () => {
  const ada = await server.person("ada");
  const { serviceAccountId } = await ada.api.accounts.serviceAccount();
  const api = machine(serviceAccountId, await ada.api.accounts.issueServiceAccountSecret({}));
  const environment = { type: "Personal", ownerId: ada.id, shortName: "own" } as const;
  await api.environments.create(environment, { name: "Own" });
  await removal(api, await pipeline(api, environment));
});

test("an organization's service account that may edit does it all there", { timeout: 60_000 }, async () => {
  const { api: bob } = await server.person("bob");
  const { id: organizationId, serviceAccountId } = await bob.organizations.create({ name: "Works" });
  const api = machine(serviceAccountId, await bob.organizations.issueServiceAccountSecret({ organizationId }, {}));
  const environment = { type: "Organizational", ownerId: organizationId, shortName: "works" } as const;
  await expect(api.environments.create(environment, { name: "Works" })).rejects.toMatchObject({ code: "NotFound" });
  const grant = { principalType: "Account", principalId: serviceAccountId, permissionType: "Admin" } as const;
  await bob.organizations.permissions.grant({ organizationId }, grant);
  await api.environments.create(environment, { name: "Works" });
  await removal(api, await pipeline(api, environment));
});

test("a role CiCd in one environment does all but make and end things", { timeout: 60_000 }, async () => {
  const eve = await server.person("eve");
  const environment = { type: "Personal", ownerId: eve.id, shortName: "role" } as const;
  await eve.api.environments.create(environment, {});
  const robot = { ...environment, principalId: randomUUID() };
  await eve.api.environments.serviceAccounts.assign(robot, { serviceAccountRole: "CiCd" });
  const api = machine(robot.principalId, await eve.api.environments.serviceAccounts.issueSecret(robot, {}));
  const at = await pipeline(api, environment);
  await expect(api.liveSystems.delete(at)).rejects.toMatchObject({ code: "PermissionDenied" });
  const elsewhere = { ...environment, shortName: "elsewhere" };
  await expect(api.environments.create(elsewhere, {})).rejects.toMatchObject({ code: "InsufficientScope" });
  await expect(
    api.environments.providerA.initialize(environment, { ...placeA, subscriptionId: randomUUID() }, cloudA),
  ).rejects.toMatchObject({ code: "PermissionDenied" });
});
