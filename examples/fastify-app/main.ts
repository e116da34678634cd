// The control plane in a Fastify app, below its own path. Bodies are passed on unread, and every request becomes a web Request. Prints its
// address; anybody may register there.
import { nodeDefaults } from "@liveplane/adapters/node";
import { createLiveplane } from "@liveplane/core";
import { fetchHandler } from "@liveplane/core/fetch";
import fastify from "fastify";
import { toRequest } from "./to-request.ts";

const liveplane = createLiveplane(await nodeDefaults({ dataDir: ".liveplane", settings: { openRegistration: true } }));
await liveplane.start();

const handle = fetchHandler(liveplane, {
  basePath: "/control-plane",
  addressOf: (_request, ip: string) => ip,
});

const app = fastify({ forceCloseConnections: "idle" });
app.get("/", async () => "The app's own page.");
await app.register(async (scope) => {
  // Bodies are passed on unread: the contract decides what may be sent, and how much.
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("*", (_request, _payload, done) => done(null));
  scope.all("/control-plane/*", async (request, reply) =>
    reply.send(await handle(toRequest(request, reply), request.ip)),
  );
});

const url = await app.listen({ port: Number(process.env.PORT ?? 3000), host: "127.0.0.1" });
console.log(JSON.stringify({ url }));

process.once("SIGTERM", async () => {
  await liveplane.drain();
  // Node doesn't count a connection without a first request as idle, and would wait for it.
  setTimeout(() => app.server.closeAllConnections(), 1_000).unref();
  await app.close();
  await liveplane.stop();
});
