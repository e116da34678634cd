import type { IncomingMessage } from "node:http";
import type { Liveplane } from "@liveplane/core";
import { Router } from "express";
import { callerOf, requireOperator } from "./credentials.ts";
import { setCommonHeaders } from "./headers.ts";
import type { ServerMetrics } from "./observability.ts";
import { serveReadOnly } from "./read-only.ts";

/** What the probes look at. */
export interface ProbeOptions {
  readonly liveplane: Liveplane;
  /** Whether the agent has to run here for this process to be ready. */
  readonly needsAgent: boolean;
  /** Absent: none are served. */
  readonly metrics?: ServerMetrics;
}

/** What machines ask a server: whether it lives, whether it is ready, and what it has counted. */
export function createProbes({ liveplane, needsAgent, metrics }: ProbeOptions): Router {
  const router = Router();
  serveReadOnly(router, "/healthz", (request, response) => {
    setCommonHeaders(request, response);
    response.json({ status: "ok" });
  });
  serveReadOnly(router, "/readyz", async (request, response) => {
    const ready = await liveplane.ready();
    setCommonHeaders(request, response);
    const isReady = ready.store && ready.clouds && (ready.agent || !needsAgent) && !liveplane.stopping.aborted;
    response.status(isReady ? 200 : 503).json(ready);
  });
  if (metrics !== undefined) {
    serveReadOnly(router, "/metrics", async (request, response) => {
      if (!isNeighbour(request)) await requireOperator(liveplane, callerOf(request));
      setCommonHeaders(request, response);
      response.type(metrics.contentType).send(await metrics.text());
    });
  }
  return router;
}

/** Whether a request comes from this very machine, and not through a proxy on it. */
function isNeighbour({ socket, headers }: IncomingMessage): boolean {
  const local = /^(127\.|::1$|::ffff:127\.)/.test(socket.remoteAddress ?? "");
  return local && headers["x-forwarded-for"] === undefined && headers.forwarded === undefined;
}
