import { createServer as createHttpServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { Server as NetServer, Socket } from "node:net";
import type { Liveplane } from "@liveplane/core";
import type { SimulatedConsole } from "@liveplane/core/clouds";
import { type Answered, createExchanges, type Exchanges, securityHeaders, sessionPath } from "@liveplane/core/http";
import express, { type ErrorRequestHandler, type Express } from "express";
import { documents } from "./documents.ts";
import { createGracefulShutdown } from "./graceful-shutdown.ts";
import { sendProblem, writeAnswer } from "./http/answers.ts";
import { type ConnectionKeeper, limitConnections } from "./http/connection-limits.ts";
import { followConnections, type OpenConnection } from "./http/connections.ts";
import { answerBroken, refusalOf } from "./http/early-refusals.ts";
import { setCommonHeaders, setHeaders } from "./http/headers.ts";
import { isParting, part } from "./http/lingering-close.ts";
import { NodeRequest } from "./http/node-request.ts";
import { listenOn } from "./listening.ts";
import type { ServerMetrics } from "./observing/observability.ts";
import { createProbes } from "./observing/probes.ts";
import { judgeServer } from "./option-judges.ts";
import { answerContract, type LiveplaneRouterOptions, nobody } from "./router.ts";
import { createSimulator } from "./simulator.ts";
import { keepSignedIn, type Site, sitePages } from "./site.ts";

/** Options of a whole server. */
export interface ServerOptions extends Omit<LiveplaneRouterOptions, "stopping"> {
  readonly liveplane: Liveplane;
  /** Consoles of simulated clouds, for operators; editors change tags of their own live systems' resources there. @default none */
  readonly consoles?: readonly SimulatedConsole[];
  /** Pages to serve at the root, with a session cookie: those of `@liveplane/console`. @default none */
  readonly site?: Site;
  /** Metrics for operators. @default not served */
  readonly metrics?: ServerMetrics;
  /**
   * Also serves metrics to this machine without a credential. Never use it behind trusted proxies: a local proxy that adds no header is
   * treated as the machine itself.
   * @default false
   */
  readonly metricsForMachine?: boolean;
  /** A bearer token that only reads metrics. @default none */
  readonly metricsToken?: string;
  /** Whether only probes and metrics are served, for a process with only the agent. @default false */
  readonly probesAlone?: boolean;
  /** Where to report a vulnerability of this installation, for `/.well-known/security.txt`. @default not served */
  readonly securityContact?: string;
  /** Origins that browsers may call from. @default none */
  readonly corsOrigins?: readonly string[];
  /** Whether the process is ready only if the agent runs in it. @default true */
  readonly needsAgent?: boolean;
  /** How long a closing server answers 503 on open connections. @default 3000 */
  readonly drainMs?: number;
  /** The most connections; beyond it, the one that has been idle the longest is closed. @default 4096 */
  readonly maxConnections?: number;
  /** The same for one address; not applied behind trusted proxies. @default 512 */
  readonly maxConnectionsPerAddress?: number;
  /** How long a request's headers may take. @default 10000 */
  readonly headersTimeoutMs?: number;
  /** How long a whole request may take. @default 60000 */
  readonly requestTimeoutMs?: number;
}

/** A server: the contract, health, metrics, and the console of simulated clouds. */
export interface LiveplaneServer {
  /** Resolves with the address once it listens: by default at `localhost`, by IPv4 and IPv6. */
  listen(port: number, host?: string): Promise<string>;
  /** Refuses new requests, finishes running ones, ends event streams, and closes connections after they had time to notice. Idempotent. */
  close(): Promise<void>;
}

/**
 * Creates a server around a control plane, which the host starts and stops.
 *
 * @throws {ConfigurationInvalid} naming each missing, unknown or invalid option, with an example.
 */
export function createServer(options: ServerOptions): LiveplaneServer {
  judgeServer(options);
  const { headersTimeoutMs = 10_000, requestTimeoutMs = 60_000 } = options;
  const server = createHttpServer({
    maxHeaderSize: 32 * 1024,
    requestTimeout: requestTimeoutMs,
    headersTimeout: Math.min(headersTimeoutMs, requestTimeoutMs),
    connectionsCheckingInterval: 1_000,
    keepAliveTimeout: 75_000,
    // A request without a body needs no body stream.
    optimizeEmptyRequests: true,
    // Node's own refusal isn't a problem document.
    requireHostHeader: false,
  });
  // Disconnects a reader that accepts nothing; event streams are written more often.
  server.timeout = 120_000;
  // Headers are counted here, because Node silently drops those above its own limit.
  server.maxHeadersCount = 0;
  const open = followConnections(server);
  let listeners: readonly NetServer[] = [server];
  const { drainMs = 3_000 } = options;
  const shutdown = createGracefulShutdown(server, open, { drainMs, listeners: () => listeners });
  const answer = createAnswering(options, shutdown.begun, keepConnections(server, open, options));
  server.on("request", (request, response) => {
    if (isParting(request)) return;
    if (hasBody(request)) response.on("finish", () => part(request));
    answer(request, response);
  });
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
  server.on("clientError", answerBroken);
  return {
    async listen(port, host = "localhost") {
      const { url, ...listening } = await listenOn(server, port, host);
      ({ listeners } = listening);
      return url;
    },
    close: () => shutdown.close(),
  };
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
}

function keepConnections(
  server: Server,
  open: ReadonlyMap<Socket, OpenConnection>,
  options: ServerOptions,
): ConnectionKeeper {
  const { maxConnections = 4096, maxConnectionsPerAddress = 512, trustedProxies = 0 } = options;
  return limitConnections(server, open, {
    most: maxConnections,
    mostPerAddress: trustedProxies === 0 ? maxConnectionsPerAddress : null,
  });
}

/** Frequent requests take the shortest path to the contract; Express handles the rest. */
function createAnswering(options: ServerOptions, stopping: AbortSignal, keeper: ConnectionKeeper): RequestListener {
  const { metrics, onAnswer = () => {}, trustedProxies = 0, probesAlone = false } = options;
  // Whoever signs in at a provider returns to a page of this server, and stays signed in there.
  const keepsSessions = !probesAlone && (options.site !== undefined || options.liveplane.signIn !== null);
  const tell = (answered: Answered) => {
    metrics?.onAnswer(answered);
    onAnswer(answered);
  };
  const exchanges = createExchanges({ ...options, standing: securityHeaders, stopping, onAnswer: tell });
  const rest = createRest(options, exchanges);
  return (request, response) => {
    const asked = new NodeRequest({ request, response, target: request.url ?? "/", base: "", trustedProxies });
    const isOwn = keepsSessions && asked.target === sessionPath;
    const preflight = isOwn ? null : exchanges.preflight(asked);
    if (preflight !== null) return void writeAnswer(asked, preflight);
    const refusal = refusalOf(request, { isStopping: stopping.aborted, isSurplus: keeper.isSurplus(request) });
    if (refusal !== null) {
      response.setHeader("Connection", "close");
      return void writeAnswer(asked, exchanges.turnAway(asked, refusal));
    }
    if (isOwn) return void keepSignedIn(exchanges, asked);
    if (!probesAlone && answerContract(exchanges, asked) !== null) return;
    setHeaders(response, exchanges.standing(asked));
    rest(request, response);
  };
}

function createRest(options: ServerOptions, exchanges: Exchanges): Express {
  const { liveplane, consoles = [], needsAgent = true, onAnswer = () => {}, trustedProxies = 0 } = options;
  const { metrics, metricsToken, probesAlone = false } = options;
  const metricsForMachine = options.metricsForMachine === true && trustedProxies === 0;
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  const readers = { metricsForMachine, ...(metricsToken !== undefined && { metricsToken }) };
  app.use(createProbes({ liveplane, needsAgent, ...readers, ...(metrics && { metrics }) }));
  if (!probesAlone) {
    const hasConsole = options.site !== undefined;
    if (consoles.length > 0) app.use("/simulator", createSimulator({ liveplane, consoles, hasConsole }));
    const { securityContact } = options;
    app.use(documents({ hasConsole, ...(securityContact !== undefined && { securityContact }) }));
    if (options.site !== undefined) app.use(sitePages(options.site));
  }
  app.use(nobody(exchanges, trustedProxies));
  app.use(answerFailure(onAnswer));
  return app;
}

/** Answers a failure outside the contract. */
function answerFailure(onAnswer: (answered: Answered) => void): ErrorRequestHandler {
  return (error, request, response, _next) => {
    const requestId = setCommonHeaders(request, response);
    const code = sendProblem(request, response, error, requestId);
    if (response.statusCode < 500) return;
    const { method } = request;
    const { statusCode: status } = response;
    onAnswer({ operation: "unknown", method, status, code, caller: null, requestId, seconds: 0, cause: error });
  };
}
