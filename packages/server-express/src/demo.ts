import { setTimeout } from "node:timers/promises";
import type { Api, Liveplane } from "@liveplane/core";
import { waitForMutation } from "@liveplane/core/routes";

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
  await initialize(api, environmentId, signal);
  const started = await api.liveSystems.create({
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
  });
  await waitForMutation(api, started, { intervalMs: 100, signal });
  const componentId = `${started.livesystemId}/web`;
  const { resourceId } = await api.liveSystems.components.get({ id: started.livesystemId, componentId });
  return { livesystemId: started.livesystemId, componentId, resourceId: resourceId ?? "" };
}

type EnvironmentId = Parameters<Api["environments"]["get"]>[0];

/** Starts the run, and resolves when it has ended, successfully or not: the deploy will tell. The simulation accepts any credentials. */
async function initialize(api: Api, environmentId: EnvironmentId, signal: AbortSignal): Promise<void> {
  let run = await api.environments.providerA.initialize(
    environmentId,
    { subscriptionId: crypto.randomUUID(), region: "westeurope" },
    { providerAClientId: crypto.randomUUID(), providerAClientSecret: crypto.randomUUID() },
  );
  while (run.status === "InProgress") {
    await setTimeout(100, undefined, { signal });
    run = (await api.environments.providerA.status(environmentId)).initializationRun;
  }
}
