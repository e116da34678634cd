import { registerHooks } from "node:module";
import { createClient, deployAndWait } from "@liveplane/client";
import { expect, onTestFinished, test } from "vitest";
import { initialized } from "../manual-override/set-up.ts";
import { controlPlane } from "../next-app/liveplane.ts";
import { emptyFolder, startExample } from "./run-example.ts";

/** Starts an example, and gives its address once it says it. */
async function started(file: string) {
  const child = startExample(file, { PORT: "0" });
  const exited = new Promise((resolve) => child.once("exit", (code, signal) => resolve(code ?? signal)));
  let said = "";
  child.stdout?.on("data", (chunk) => {
    said += chunk;
  });
  await expect.poll(() => said, { timeout: 30_000 }).toContain("\n");
  const { url } = JSON.parse(said) as { url: string };
  return { url, end: async () => (child.kill("SIGTERM") ? exited : null) };
}

/** What anybody does with a control plane: signs in, deploys, and reads along. */
async function story(baseUrl: string, fetch?: typeof globalThis.fetch): Promise<void> {
  const credentials = { username: "ada", password: "correct horse battery" };
  const over = { baseUrl, ...(fetch && { fetch }) };
  const { id: ownerId } = await createClient(over).accounts.createWithCredentials(credentials);
  const api = createClient({ ...over, credentials });
  const events: string[] = [];
  const leaving = new AbortController();
  const following = (async () => {
    for await (const { type } of api.events.follow({ after: 0, signal: leaving.signal })) events.push(type);
  })();

  const environment = await initialized(api, ownerId);
  const definition = {
    name: "shop",
    environmentId: environment,
    components: [
      {
        path: "plan",
        provider: "provider-a",
        type: "Microsoft.Web/serverfarms@2024-04-01",
        resourceName: "shop-plan",
        parameters: { sku: { name: "P1v3" } },
      },
    ],
  };
  expect(await deployAndWait(api, definition, { intervalMs: 100 })).toMatchObject({ status: "Succeeded" });
  await expect.poll(() => events, { timeout: 10_000 }).toContain("environment.created");
  await expect.poll(() => events, { timeout: 10_000 }).toContain("livesystem.mutation.succeeded");
  await expect(api.accounts.list()).rejects.toMatchObject({ code: "PermissionDenied" });
  await expect(createClient(over).accounts.me()).rejects.toMatchObject({ code: "Unauthenticated" });
  leaving.abort();
  await following;
}

const hosts = [
  "examples/express-app/smallest.ts",
  "examples/fastify-app/main.ts",
  "examples/hono-app/main.ts",
  "examples/nest-app/main.ts",
];

test.each(hosts)(
  "%s: somebody signs in, deploys and follows events below the app's own path",
  { timeout: 90_000 },
  async (file) => {
    const { url, end } = await started(file);
    await story(`${url}/control-plane`);
    const answer = await fetch(`${url}/control-plane/nothing`);
    expect([answer.status, await answer.json()]).toMatchObject([404, { code: "NotFound" }]);
    // Nest ends by the signal that it was sent, once all is closed.
    expect(await end()).toBe(file.includes("nest") ? "SIGTERM" : 0);
  },
);

type Handlers = Readonly<Record<string, (request: Request) => Promise<Response>>>;

/** The handlers of the Next app. Like Next and unlike Node, its modules import each other without extensions. */
async function routeOfNext(): Promise<Handlers> {
  const hooks = registerHooks({
    resolve: (name, from, next) =>
      next(from.parentURL?.includes("/next-app/") && name.startsWith(".") ? `${name}.ts` : name, from),
  });
  onTestFinished(() => hooks.deregister());
  // Unknown to the types of this workspace, which need the extensions.
  const route = "../next-app/app/control-plane/[...path]/route.ts";
  return (await import(route)) as Handlers;
}

test("next-app: the route's handlers do the same, as Next calls them", { timeout: 90_000 }, async () => {
  process.env.LIVEPLANE_DATA = emptyFolder();
  onTestFinished(() => void delete process.env.LIVEPLANE_DATA);
  const handlers = await routeOfNext();
  onTestFinished(async () => (await controlPlane()).stop());
  await story("https://app.example/control-plane", async (input, init) => {
    const request = new Request(input, init);
    return handlers[request.method]?.(request) ?? new Response(null, { status: 405 });
  });
});
