import { createClient, waitForMutation } from "@liveplane/client";

/** The result of a story: the end of the deploy, and its event. */
export interface Told {
  readonly status: string;
  readonly event: string;
}

/** What a user does over HTTP: registers, signs in, initializes a cloud, deploys, and follows the events. */
export async function story(baseUrl: string, fetch: typeof globalThis.fetch = globalThis.fetch): Promise<Told> {
  const credentials = { username: "ada", password: "correct horse battery" };
  const stranger = createClient({ baseUrl, fetch });
  const { id: ownerId } = await stranger.accounts.createWithCredentials(credentials);
  const api = createClient({ baseUrl, fetch, credentials });

  const environment = { type: "Personal", ownerId, shortName: "production" } as const;
  await api.environments.create(environment, { name: "Production" });
  await api.environments.providerA.initialize(
    environment,
    { subscriptionId: "0b8a1a52-7a3e-4b7e-9a9e-0d6f6b1f0c01", region: "westeurope" },
    { providerAClientId: "9f5a8f6e-6a64-4f62-8a58-0d8a7f6b2c02", providerAClientSecret: "any will do in a simulation" },
  );
  const look = async () => (await api.environments.providerA.status(environment)).initializationRun.status;
  while ((await look()) !== "Completed") await new Promise((resolve) => setTimeout(resolve, 100));

  const plan = {
    path: "plan",
    provider: "provider-a",
    type: "Microsoft.Web/serverfarms@2024-04-01",
    resourceName: "shop-plan",
    parameters: { sku: { name: "P1v3" } },
  } as const;
  const mutation = await api.liveSystems.create({ name: "shop", environmentId: environment, components: [plan] });
  const { status } = await waitForMutation(api, mutation, { intervalMs: 100 });
  for await (const { type } of api.events.follow({ after: 0, livesystem: mutation.livesystemId }))
    if (type === "livesystem.mutation.succeeded") return { status, event: type };
  throw new TypeError("The stream of events ended by itself.");
}
