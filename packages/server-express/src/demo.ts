import { setTimeout } from "node:timers/promises";
import type { Api, Liveplane } from "@liveplane/core";
import { waitForMutation } from "@liveplane/core/routes";

/** A small live system on the simulated clouds, for a newcomer to play with. */
export interface Demo {
  readonly livesystemId: string;
  readonly componentId: string;
  readonly resourceId: string;
}

/**
 * Makes an environment of the account's own, initializes it in provider A, and deploys two components there.
 * It takes some seconds and needs the agent; the signal ends the waiting, not the work.
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

/** Begins the run, and resolves when it has ended, well or not: the deploy judges that. The simulation takes any credentials. */
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
