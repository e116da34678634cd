import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Liveplane } from "@liveplane/core";
import { callerOf, requireOperator } from "@liveplane/core/http";
import { Router } from "express";
import { setCommonHeaders } from "../http/headers.ts";
import { serveReadOnly } from "../http/read-only.ts";
import type { ServerMetrics } from "./observability.ts";

export interface ProbeOptions {
  readonly liveplane: Liveplane;
  /** Whether readiness requires the agent in this process. */
  readonly needsAgent: boolean;
  /** Absent: no metrics are served. */
  readonly metrics?: ServerMetrics;
  /** Whether this machine may read metrics without a credential. */
  readonly metricsForMachine: boolean;
  /** A bearer token that only reads metrics. */
  readonly metricsToken?: string;
}

/** The endpoints for machines: liveness, readiness and metrics. */
export function createProbes(options: ProbeOptions): Router {
  const { liveplane, needsAgent, metrics } = options;
  const router = Router();
  serveReadOnly(router, "/healthz", (request, response) => {
    setCommonHeaders(request, response);
    response.json({ status: "ok" });
  });
  serveReadOnly(router, "/readyz", async (request, response) => {
    const ready = await liveplane.ready();
    setCommonHeaders(request, response);
    const { store, keys, clouds, agent, jobs } = ready;
    const isReady = store && keys && clouds && ((agent && jobs) || !needsAgent) && !liveplane.stopping.aborted;
    response.status(isReady ? 200 : 503).json(ready);
  });
  if (metrics !== undefined) {
    const isScraper = scrapersOf(options);
    serveReadOnly(router, "/metrics", async (request, response) => {
      if (!isScraper(request)) await requireOperator(liveplane, callerOf(request.headers.authorization));
      liveplane.measure();
      setCommonHeaders(request, response);
      response.type(metrics.contentType).send(await metrics.text());
    });
  }
  return router;
}

/** Who may read metrics without being an operator. */
function scrapersOf({ metricsForMachine, metricsToken }: ProbeOptions): (request: IncomingMessage) => boolean {
  const expected = metricsToken === undefined ? null : digestOf(metricsToken);
  return (request) => {
    if (metricsForMachine && isNeighbour(request)) return true;
    if (expected === null) return false;
    const caller = callerOf(request.headers.authorization);
    return caller.kind === "bearer" && timingSafeEqual(digestOf(caller.token), expected);
  };
}

/** Equal lengths, whatever was sent. */
const digestOf = (token: string) => createHash("sha256").update(token).digest();

const forwarding =
  /^(forwarded|via|x-forwarded-.*|x-real-ip|x-client-ip|x-cluster-client-ip|true-client-ip|.*-connecting-ip)$/;

/**
 * Whether a request comes from this machine itself and not through a proxy on it: the peer is local, the host header names this machine,
 * and no forwarding header is present. A proxy that adds no header looks the same, so this is opt-in.
 */
function isNeighbour({ socket, headers }: IncomingMessage): boolean {
  const isLocal = /^(127\.|::1$|::ffff:127\.)/.test(socket.remoteAddress ?? "");
  const asksLocally = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i.test(headers.host ?? "");
  return isLocal && asksLocally && !Object.keys(headers).some((name) => forwarding.test(name));
}
