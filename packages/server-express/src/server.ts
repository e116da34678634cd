import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import type { Liveplane } from "@liveplane/core";
import type { SimulatedConsole } from "@liveplane/core/clouds";
import { LiveplaneError } from "@liveplane/core/errors";
import express, { type ErrorRequestHandler, type Express } from "express";
import { sendProblem } from "./answers.ts";
import { answerBroken } from "./broken-requests.ts";
import { allowOrigins } from "./cors.ts";
import type { Answered } from "./exchange.ts";
import { setCommonHeaders } from "./headers.ts";
import { takeLeaveOf } from "./leave-taking.ts";
import { isParting, part } from "./lingering-close.ts";
import type { ServerMetrics } from "./observability.ts";
import { createProbes } from "./probes.ts";
import { type ContractHandlers, contractHandlers, type LiveplaneRouterOptions } from "./router.ts";
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
  /** So long an ending server answers 503 on the connections that are open, before it closes them. @default 3000 */
  readonly drainMs?: number;
}

/** A server: the contract, health, metrics, and the console of simulated clouds. */
export interface LiveplaneServer {
  /** Resolves with the address once it listens. */
  listen(port: number, host?: string): Promise<string>;
  /** Refuses new requests, lets those under way finish, ends the streams of events, closes when they had time to see it. Idempotent. */
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
  const leaveTaking = takeLeaveOf(server, { drainMs: options.drainMs ?? 3_000 });
  const answer = createAnswering(options, leaveTaking.begun);
  server.on("request", (request, response) => {
    if (isParting(request)) return;
    response.once("finish", () => part(request));
    answer(request, response);
  });
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
  server.on("clientError", answerBroken);
  return {
    listen: (port, host = "127.0.0.1") => listen(server, port, host),
    close: () => leaveTaking.close(),
  };
}

/** What is asked most goes to the contract by the shortest way; Express has the rest. */
function createAnswering(options: ServerOptions, stopping: AbortSignal): RequestListener {
  const { metrics, onAnswer = () => {}, corsOrigins = [] } = options;
  const tell = (answered: Answered) => {
    metrics?.onAnswer(answered);
    onAnswer(answered);
  };
  const contract = contractHandlers(options.liveplane, { ...options, stopping, onAnswer: tell });
  const rest = createRest(options, contract);
  const secure = securityHeaders();
  const isPreflight = allowOrigins(corsOrigins);
  return (request, response) => {
    secure(response);
    if (isPreflight(request, response)) return;
    if (stopping.aborted) tell(refuseLate(request, response));
    else if (namesHost(request))
      void (contract.operations(request, response, request.url ?? "/", "") ?? rest(request, response));
    else refuseHostless(request, response);
  };
}

function createRest(options: ServerOptions, { documents, nobody }: ContractHandlers): Express {
  const { liveplane, consoles = [], metrics, needsAgent = true, onAnswer = () => {} } = options;
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.use(createProbes({ liveplane, needsAgent, ...(metrics && { metrics }) }));
  if (consoles.length > 0) app.use("/simulator", createSimulator({ liveplane, consoles }));
  app.use(documents);
  app.use(nobody);
  app.use(answerFailure(onAnswer));
  return app;
}

const namesHost = ({ headers, httpVersion }: IncomingMessage) => headers.host !== undefined || httpVersion === "1.0";

function refuseHostless(request: IncomingMessage, response: ServerResponse): void {
  response.setHeader("Connection", "close");
  const detail = "The request names no host.";
  const errors = [{ header: "Host", code: "Required" as const, detail }];
  const error = new LiveplaneError("ValidationFailed", detail, { details: { errors } });
  sendProblem(request, response, error, setCommonHeaders(request, response));
}

function refuseLate(request: IncomingMessage, response: ServerResponse): Answered {
  const error = new LiveplaneError("Unavailable", "This server is stopping. Try again, over another connection.", {
    details: { retryAfterSeconds: 1 },
  });
  const requestId = setCommonHeaders(request, response);
  const code = sendProblem(request, response, error, requestId);
  const { method = "" } = request;
  return { operation: "unknown", method, status: response.statusCode, code, requestId, seconds: 0 };
}

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
