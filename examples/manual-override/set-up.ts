import { nodeDefaults } from "@liveplane/adapters/node";
import { type Api, createLiveplane, waitForInitialization } from "@liveplane/core";
import { simulatedConsole } from "@liveplane/core/clouds";

/** A control plane whose agent checks every second, a person, and the console of the simulated cloud. */
export async function setUp(dataDir: string) {
  const defaults = await nodeDefaults({ dataDir, settings: { checkSeconds: 1 } });
  const liveplane = createLiveplane(defaults);
  await liveplane.start();
  const [cloud] = defaults.simulatedClouds.filter(({ provider }) => provider === "provider-a");
  if (cloud === undefined) throw new RangeError("Provider A isn't simulated here.");

  const host = liveplane.as({ kind: "system", name: "host" });
  const { id } = await host.accounts.createWithCredentials({ username: "ada", password: "correct horse battery" });
  const ada = liveplane.as({ kind: "account", accountId: id });
  return { liveplane, ada, adaId: id, console: simulatedConsole(cloud) };
}

/** Creates an environment and initializes it in provider A; resolves when the cloud has finished. */
export async function initialized(api: Api, ownerId: string) {
  const environment = { type: "Personal", ownerId, shortName: "production" } as const;
  await api.environments.create(environment, { name: "Production" });
  await api.environments.providerA.initialize(
    environment,
    { subscriptionId: "0b8a1a52-7a3e-4b7e-9a9e-0d6f6b1f0c01", region: "westeurope" },
    { providerAClientId: "9f5a8f6e-6a64-4f62-8a58-0d8a7f6b2c02", providerAClientSecret: "any will do in a simulation" },
  );
  await waitForInitialization(api, environment, "provider-a", { intervalMs: 100 });
  return environment;
}

/** Polls until the condition holds. */
export async function until<T>(look: () => Promise<T>, isThere: (seen: T) => boolean): Promise<T> {
  for (;;) {
    const seen = await look();
    if (isThere(seen)) return seen;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
