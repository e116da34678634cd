// The control plane in a Hono app, below its own path. The handler gets the original request; Hono's adapter for Node tells the caller's
// address. Prints its address; anybody may register there.
import { serve } from "@hono/node-server";
import { getConnInfo } from "@hono/node-server/conninfo";
import { nodeDefaults } from "@liveplane/adapters/node";
import { createLiveplane } from "@liveplane/core";
import { fetchHandler } from "@liveplane/core/fetch";
import { type Context, Hono } from "hono";

const liveplane = createLiveplane(await nodeDefaults({ dataDir: ".liveplane", settings: { openRegistration: true } }));
await liveplane.start();

const handle = fetchHandler(liveplane, {
  basePath: "/control-plane",
  addressOf: (_request, context: Context) => getConnInfo(context).remote.address ?? null,
});

const app = new Hono();
app.get("/", (context) => context.text("The app's own page."));
app.all("/control-plane/*", (context) => handle(context.req.raw, context));

const options = { fetch: app.fetch, port: Number(process.env.PORT ?? 3000), hostname: "127.0.0.1" };
const server = serve(options, ({ port }) => console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` })));

process.once("SIGTERM", async () => {
  await liveplane.drain();
  server.close();
  // Node doesn't count a connection without a first request as idle, and would wait for it.
  if ("closeAllConnections" in server) setTimeout(() => server.closeAllConnections(), 1_000).unref();
  await liveplane.stop();
});
