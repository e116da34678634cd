// The control plane in a new Express app. Prints its address; anybody may register there.
import type { AddressInfo } from "node:net";
import { nodeDefaults } from "@liveplane/adapters/node";
import { createLiveplane } from "@liveplane/core";
import { liveplaneRouter } from "@liveplane/server-express";
import express from "express";

const liveplane = createLiveplane(await nodeDefaults({ dataDir: ".liveplane", settings: { openRegistration: true } }));
await liveplane.start();

const app = express();
app.get("/", (_request, response) => void response.send("The app's own page."));
app.use("/control-plane", liveplaneRouter(liveplane));

const server = app.listen(Number(process.env.PORT ?? 3000), "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` }));
});

process.once("SIGTERM", async () => {
  await liveplane.drain();
  server.close();
  await liveplane.stop();
});
