import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import { onTestFinished } from "vitest";

/** What a stranger was sent, as its library read it. */
export interface ToldEvent {
  readonly id: string;
  readonly type: string;
  readonly sequence: number;
  readonly subject: string;
}

/** How a stranger listens. */
export interface StrangerOptions {
  /** @default http */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Called with each message before it is answered; `"nothing"`: it isn't answered. */
  readonly onMessage?: (nth: number) => Promise<"nothing" | undefined>;
}

/** A stranger's receiver: it knows its secret and the library that Standard Webhooks publishes, and nothing of liveplane. */
export async function stranger({ tls, onMessage }: StrangerOptions = {}) {
  const got: { headers: IncomingHttpHeaders; body: string }[] = [];
  let status = 204;
  const take: RequestListener = async (request, response) => {
    let body = "";
    for await (const part of request.setEncoding("utf8")) body += part;
    got.push({ headers: request.headers, body });
    if ((await onMessage?.(got.length)) === "nothing") return void response.destroy();
    response.writeHead(status).end();
  };
  const server = tls === undefined ? createServer(take) : createTlsServer(tls, take);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return {
    got,
    origin: tls === undefined ? `http://127.0.0.1:${port}` : `https://localhost:${port}`,
    answer: (next: number) => {
      status = next;
    },
    verified: (secret: string) =>
      got.map(({ headers, body }) => new Webhook(secret).verify(body, headers as Record<string, string>) as ToldEvent),
  };
}
