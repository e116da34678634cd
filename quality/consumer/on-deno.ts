import { story } from "./story.js";
import { webHandler } from "./web-handler.js";

interface DenoServer {
  readonly addr: { readonly port: number };
  shutdown(): Promise<void>;
}
declare const Deno: {
  serve(
    options: { readonly port: number; readonly hostname: string; readonly onListen: () => void },
    handle: (request: Request) => Promise<Response>,
  ): DenoServer;
};

const { handle, stop } = await webHandler();
const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => handle(request));
console.log(JSON.stringify(await story(`http://127.0.0.1:${server.addr.port}`)));
await stop();
await server.shutdown();
