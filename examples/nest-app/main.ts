// The control plane in a Nest app, below its own path. As a provider it can be injected and called in process. Prints its address; anybody
// may register there.
import "reflect-metadata";
import type { AddressInfo } from "node:net";
import { nodeDefaults } from "@liveplane/adapters/node";
import { liveplaneRouter } from "@liveplane/server-express";
import { NestFactory } from "@nestjs/core";
import type { NestExpressApplication } from "@nestjs/platform-express";
import { controlPlane, LIVEPLANE } from "./control-plane-module.ts";

const options = await nodeDefaults({ dataDir: ".liveplane", settings: { openRegistration: true } });
const app = await NestFactory.create<NestExpressApplication>(controlPlane(options), { logger: ["error", "warn"] });
const liveplane = app.get(LIVEPLANE);
app.use("/control-plane", liveplaneRouter(liveplane));
app.enableShutdownHooks();

await liveplane.start();
const server = await app.listen(Number(process.env.PORT ?? 3000), "127.0.0.1");
console.log(JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }));
