import { story } from "./story.js";
import { webHandler } from "./web-handler.js";

interface BunServer {
  readonly port: number;
  stop(closeConnections: boolean): Promise<void>;
}
declare const Bun: {
  serve(options: {
    readonly port: number;
    readonly idleTimeout: number;
    readonly fetch: (request: Request) => Promise<Response>;
  }): BunServer;
};

const { handle, stop } = await webHandler();
const server = Bun.serve({ port: 0, idleTimeout: 60, fetch: (request) => handle(request) });
console.log(JSON.stringify(await story(`http://127.0.0.1:${server.port}`)));
await stop();
await server.stop(true);
