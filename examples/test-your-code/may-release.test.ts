// Tests your own code against simulated clouds: real operations, a real agent, and no account at a cloud.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { nodeDefaults } from "@liveplane/adapters/node";
import { createLiveplane, deployAndWait, waitFor, waitForInitialization } from "@liveplane/core";
import { simulatedConsole } from "@liveplane/core/clouds";
import { mayRelease } from "./may-release.ts";

const soon = { intervalMs: 50, signal: AbortSignal.timeout(60_000) };

test("no release starts while a person has taken over a component", async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), "may-release-"));
  const defaults = await nodeDefaults({ dataDir });
  const liveplane = createLiveplane(defaults);
  await liveplane.start();
  t.after(async () => {
    await liveplane.stop();
    await rm(dataDir, { recursive: true });
  });

  const host = liveplane.as({ kind: "system", name: "test" });
  const { id: ownerId } = await host.accounts.createWithCredentials({
    username: "ada",
    password: "correct horse battery",
  });
  const ada = liveplane.as({ kind: "account", accountId: ownerId });
  const environmentId = { type: "Personal", ownerId, shortName: "test" } as const;
  await ada.environments.create(environmentId, {});
  await ada.environments.providerA.initialize(
    environmentId,
    { subscriptionId: "0b8a1a52-7a3e-4b7e-9a9e-0d6f6b1f0c01", region: "westeurope" },
    { providerAClientId: "9f5a8f6e-6a64-4f62-8a58-0d8a7f6b2c02", providerAClientSecret: "any value works" },
  );
  await waitForInitialization(ada, environmentId, "provider-a", soon);

  const vnet = { path: "vnet", provider: "provider-a", type: "Microsoft.Network/virtualNetworks@2024-05-01" };
  const deployed = await deployAndWait(ada, { name: "shop", environmentId, components: [vnet] }, soon);
  assert.equal(deployed.status, "Succeeded");
  const id = deployed.livesystemId;
  assert.equal(await mayRelease(ada, id), true);

  // A person takes the resource over in the cloud's console, and the agent checks it.
  const cloud = defaults.simulatedClouds.find(({ provider }) => provider === "provider-a");
  assert.ok(cloud);
  const console = simulatedConsole(cloud);
  const at = { id, componentId: `${id}/vnet` };
  const { resourceId } = await ada.liveSystems.components.get(at);
  assert.ok(resourceId);
  await console.patchTags(resourceId, { "managed-by": null });
  await ada.liveSystems.components.check(at);
  assert.equal(await mayRelease(ada, id), false);

  // The person hands it back.
  await console.patchTags(resourceId, { "managed-by": "platform", platform: "reconcile" });
  await ada.liveSystems.components.check(at);
  await waitFor(ada, at.componentId, "Active", soon);
  assert.equal(await mayRelease(ada, id), true);
});
