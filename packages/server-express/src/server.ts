import { createServer as createHttpServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Liveplane } from "@liveplane/core";
import type { SimulatedConsole } from "@liveplane/core/clouds";
import { LiveplaneError } from "@liveplane/core/errors";
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from "express";
import { sendProblem } from "./answers.ts";
import { answerBroken } from "./broken-requests.ts";
import { allowOrigins } from "./cors.ts";
import type { Answered } from "./exchange.ts";
import { setCommonHeaders } from "./headers.ts";
import { takeLeaveOf } from "./leave-taking.ts";
import type { ServerMetrics } from "./observability.ts";
import { createProbes } from "./probes.ts";
import { contractHandlers, type LiveplaneRouterOptions } from "./router.ts";
import { securityHeaders } from "./security-headers.ts";
import { createSimulator } from "./simulator.ts";

/** Options of a whole server. */
export interface ServerOptions extends Omit<LiveplaneRouterOptions, "stopping"> {
  readonly liveplane: Liveplane;
  /** Consoles of simulated clouds to serve to operators. @default none */
  readonly consoles?: readonly SimulatedConsole[];
  /** Served to operators, and to this machine. @default none are served */
  readonly metrics?: ServerMetrics;
  /** Origins that browsers may call from. @default none */
  readonly corsOrigins?: readonly string[];
  /** Whether the agent has to run in this process for it to be ready. @default true */
  readonly needsAgent?: boolean;
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
  const server = createHttpServer({
    maxHeaderSize: 32 * 1024,
    requestTimeout: 60_000,
    headersTimeout: 20_000,
    // Node's own refusal would be no problem document.
    requireHostHeader: false,
  });
  server.keepAliveTimeout = 75_000;
  const leaveTaking = takeLeaveOf(server);
  const app = createApp(options, leaveTaking.begun);
  server.on("request", app);
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
  server.on("clientError", answerBroken);
  return {
    app,
    listen: (port, host = "127.0.0.1") => listen(server, port, host),
    close: () => leaveTaking.close(),
  };
}

function createApp(options: ServerOptions, stopping: AbortSignal): Express {
  const { liveplane, consoles = [], metrics, corsOrigins = [], needsAgent = true, ...router } = options;
  const { onAnswer = () => {} } = router;
  const contract = contractHandlers(liveplane, {
    ...router,
    stopping,
    onAnswer(answered) {
      metrics?.onAnswer(answered);
      onAnswer(answered);
    },
  });
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.use(securityHeaders());
  if (corsOrigins.length > 0) app.use(allowOrigins(corsOrigins));
  app.use(requireHost);
  app.use(contract.operations);
  app.use(createProbes({ liveplane, needsAgent, ...(metrics && { metrics }) }));
  if (consoles.length > 0) app.use("/simulator", createSimulator({ liveplane, consoles }));
  app.use(contract.documents);
  app.use(contract.nobody);
  app.use(answerFailure(onAnswer));
  return app;
}

const requireHost: RequestHandler = ({ headers, httpVersion }, response, next) => {
  if (headers.host !== undefined || httpVersion === "1.0") return next();
  response.setHeader("Connection", "close");
  const detail = "The request names no host.";
  const errors = [{ header: "Host", code: "Required" as const, detail }];
  throw new LiveplaneError("ValidationFailed", detail, { details: { errors } });
};

/** Answers what failed beside the contract. */
function answerFailure(onAnswer: (answered: Answered) => void): ErrorRequestHandler {
  return (error, request, response, _next) => {
    const requestId = setCommonHeaders(request, response);
    const code = sendProblem(request, response, error, requestId);
    if (response.statusCode < 500) return;
    const { method } = request;
    onAnswer({ operation: "unknown", method, status: response.statusCode, code, requestId, seconds: 0, cause: error });
  };
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
