// The control plane in an existing Express app with its own login. Its router answers below /control-plane and also accepts another
// issuer's tokens. Prints its address, and a token of that issuer for ada once she has logged in.
import type { AddressInfo } from "node:net";
import { externalIssuer } from "@liveplane/adapters/external-issuer";
import { nodeDefaults } from "@liveplane/adapters/node";
import { createLiveplane } from "@liveplane/core";
import { createApp, type People } from "./app.ts";
import { startIssuer } from "./issuer.ts";

const audience = "shop";
const people: People = new Map();
const { issuer, jwksUrl, tokenFor, close } = await startIssuer(audience);

const liveplane = createLiveplane({
  ...(await nodeDefaults({ dataDir: ".liveplane" })),
  externalVerifier: await externalIssuer({
    issuer,
    audience,
    jwksUrl,
    accountFor: ({ sub }) => people.get(String(sub)) ?? null,
  }),
});
await liveplane.start();

const server = createApp(liveplane, people).listen(Number(process.env.PORT ?? 3000), "127.0.0.1", async () => {
  const { port } = server.address() as AddressInfo;
  console.log(JSON.stringify({ url: `http://127.0.0.1:${port}`, token: await tokenFor("ada") }));
});

process.once("SIGTERM", async () => {
  await liveplane.drain();
  server.close();
  close();
  await liveplane.stop();
});
