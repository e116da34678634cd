import { deployAndWait, type Liveplane, waitForInitialization } from "@liveplane/core";

/** A small live system on the simulated clouds, to try things out. */
export interface Demo {
  readonly livesystemId: string;
  readonly componentId: string;
  readonly resourceId: string;
}

/**
 * Creates a personal environment, initializes it in provider A, and deploys two components. It takes some seconds and needs the agent; the
 * signal ends only the waiting.
 */
export async function createDemo(
  liveplane: Pick<Liveplane, "as">,
  accountId: string,
  signal: AbortSignal,
): Promise<Demo> {
  const api = liveplane.as({ kind: "account", accountId });
  const environmentId = { type: "Personal", ownerId: accountId, shortName: "demo" } as const;
  await api.environments.create(environmentId, { name: "Demo" });
  const soon = { intervalMs: 100, signal };
  // The simulation accepts any credentials.
  await api.environments.providerA.initialize(
    environmentId,
    { subscriptionId: crypto.randomUUID(), region: "westeurope" },
    { providerAClientId: crypto.randomUUID(), providerAClientSecret: crypto.randomUUID() },
  );
  await waitForInitialization(api, environmentId, "provider-a", soon);
  const definition = {
    name: "demo",
    description: "Two resources of a simulated cloud, to try the override on.",
    environmentId,
    components: [
      {
        path: "network/vnet",
        provider: "provider-a",
        type: "Microsoft.Network/virtualNetworks@2024-05-01",
        parameters: { location: "westeurope", addressSpace: "10.0.0.0/16" },
      },
      {
        path: "web",
        provider: "provider-a",
        type: "Microsoft.Web/sites@2024-04-01",
        parameters: { location: "westeurope", workers: 2, network: { $output: "network/vnet#id" } },
      },
    ],
  };
  const { livesystemId } = await deployAndWait(api, definition, soon);
  const componentId = `${livesystemId}/web`;
  const { resourceId } = await api.liveSystems.components.get({ id: livesystemId, componentId });
  return { livesystemId, componentId, resourceId: resourceId ?? "" };
}
