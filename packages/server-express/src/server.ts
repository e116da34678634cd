import { randomUUID } from "node:crypto";
import { createServer as createHttpServer, type Server, STATUS_CODES } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Liveplane } from "@liveplane/core";
import type { SimulatedConsole } from "@liveplane/core/clouds";
import { LiveplaneError, toProblem } from "@liveplane/core/errors";
import express, { type Express } from "express";
import helmet from "helmet";
import { allowOrigins } from "./cors.ts";
import type { ServerMetrics } from "./observability.ts";
import { type LiveplaneRouterOptions, liveplaneRouter } from "./router.ts";
import { createSimulator } from "./simulator.ts";
import { simulatorScript } from "./simulator-page.ts";

/** Options of a whole server. */
export interface ServerOptions extends LiveplaneRouterOptions {
  readonly liveplane: Liveplane;
  /** Consoles of simulated clouds to serve to operators. @default none */
  readonly consoles?: readonly SimulatedConsole[];
  /** @default none are served */
  readonly metrics?: ServerMetrics;
  /** Origins that browsers may call from. @default none */
  readonly corsOrigins?: readonly string[];
}

/** A server: the contract, health, metrics, and the console of simulated clouds. */
export interface LiveplaneServer {
  readonly app: Express;
  /** Resolves with the address once it listens. */
  listen(port: number, host?: string): Promise<string>;
  /** Takes no new requests, lets those under way finish, ends the streams of events. Idempotent. */
  close(): Promise<void>;
}

/** Builds a server around a control plane; starting and stopping that is the host's own. */
export function createServer(options: ServerOptions): LiveplaneServer {
  const app = createApp(options);
  const server = createHttpServer({ maxHeaderSize: 32 * 1024, requestTimeout: 60_000, headersTimeout: 20_000 }, app);
  server.on("clientError", answerBroken);
  return {
    app,
    listen: (port, host = "127.0.0.1") => listen(server, port, host),
    async close() {
      if (!server.listening) return;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      await closed;
    },
  };
}

function createApp({
  liveplane,
  consoles = [],
  metrics,
  corsOrigins = [],
  onAnswer = () => {},
  ...router
}: ServerOptions): Express {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.use(helmet({ crossOriginResourcePolicy: false }));
  if (corsOrigins.length > 0) app.use(allowOrigins(corsOrigins));
  app.get("/healthz", (_request, response) => void response.json({ status: "ok" }));
  app.get("/readyz", async (_request, response) => {
    const ready = await liveplane.ready();
    response.status(Object.values(ready).every(Boolean) ? 200 : 503).json(ready);
  });
  if (metrics !== undefined) {
    app.get(
      "/metrics",
      async (_request, response) => void response.type(metrics.contentType).send(await metrics.text()),
    );
  }
  if (consoles.length > 0) {
    const simulator = createSimulator({ liveplane, consoles });
    app.get("/simulator/page.js", (_request, response) => void response.type("js").send(simulatorScript));
    app.use("/simulator", (request, response) => simulator(request, response, request.url));
  }
  const answered: typeof onAnswer = (answer) => {
    metrics?.onAnswer(answer);
    onAnswer(answer);
  };
  app.use(liveplaneRouter(liveplane, { ...router, onAnswer: answered }));
  return app;
}

function listen(server: Server, port: number, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const failed = (cause: NodeJS.ErrnoException) => {
      const why =
        cause.code === "EADDRINUSE" ? "the port is taken; PORT=0 picks a free one" : "the address can't be used";
      reject(new LiveplaneError("ConfigurationInvalid", `Could not listen at ${host}:${port}: ${why}.`, { cause }));
    };
    server.once("error", failed);
    server.listen(port, host, () => {
      server.off("error", failed);
      const address = server.address() as AddressInfo;
      const name = address.family === "IPv6" ? `[${address.address}]` : address.address;
      resolve(`http://${name}:${address.port}`);
    });
  });
}

const brokenCodes: Readonly<Record<string, { readonly status: number; readonly detail: string }>> = {
  HPE_HEADER_OVERFLOW: { status: 431, detail: "The headers are too large." },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, detail: "The request took too long." },
};

/** What Node refuses before any handler runs, in the same form as every other refusal. */
function answerBroken(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const { status, detail } = brokenCodes[error.code ?? ""] ?? { status: 400, detail: "The request is not valid HTTP." };
  const requestId = randomUUID();
  const problem = { ...toProblem(new LiveplaneError("ValidationFailed", detail), requestId), status };
  const body = JSON.stringify(problem);
  const headers = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "Content-Type: application/problem+json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    "Cache-Control: no-store",
    "Api-Version: 1",
    "Connection: close",
  ];
  socket.end(`${headers.join("\r\n")}\r\n\r\n${body}`);
}
