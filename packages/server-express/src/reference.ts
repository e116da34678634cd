import { createLiveplane, type Liveplane } from "@liveplane/core";
import { simulatedConsole } from "@liveplane/core/clouds";
import { LiveplaneError } from "@liveplane/core/errors";
import type { Logger as Pino } from "pino";
import type { ServerConfig } from "./configuration/config.ts";
import { type StoreAddress, servesOneProcess } from "./configuration/store-address.ts";
import { installedSite } from "./installed-site.ts";
import { withNamedSettings } from "./named-settings.ts";
import { logEvents } from "./observing/event-lines.ts";
import { createLog, createMetrics, logAnswer, loggerOver } from "./observing/observability.ts";
import { openTracing, type Tracing } from "./observing/tracing.ts";
import { ensureOperator, type Operator } from "./operator.ts";
import { openPorts } from "./ports.ts";
import { createServer, type LiveplaneServer } from "./server.ts";

/** What a process runs: requests, the agent, or both. */
export type Role = "api" | "agent" | "all";

/** The reference server, wired but not started. */
export interface ReferenceServer {
  readonly liveplane: Liveplane;
  readonly operator: Operator;
  readonly log: Pino;
  /** Whether the console is served at its root. */
  readonly hasSite: boolean;
  /** Starts what the role requires. Resolves with the address; a process with only the agent answers probes there. */
  start(): Promise<string>;
  /** Accepts no new requests, finishes running ones, drains the agent, and closes the store. */
  stop(): Promise<void>;
}

/** Wires the reference server from its configuration. */
export async function createReferenceServer(config: ServerConfig, role: Role = "all"): Promise<ReferenceServer> {
  if (role !== "all" && servesOneProcess(config.store)) throw alone(config.store, role);
  const log = createLog(config.logLevel);
  const metrics = createMetrics({ role });
  const logger = loggerOver(log);
  const tracing = await openTracing(config, logger);
  const ports = await openPorts(config, { logger, metrics: metrics.port, ...tracing });
  const operator = await ensureOperator(ports, config.operatorPassword).catch(async (error: unknown) => {
    await ports.store.close();
    throw error;
  });
  const liveplane = createLiveplane({
    ...ports,
    settings: { ...ports.settings, operators: [operator.accountId] },
  });
  const site = await installedSite();
  const server = createServer({
    liveplane: withNamedSettings(liveplane),
    metrics,
    ...(site && { site }),
    consoles: ports.simulatedClouds.map(simulatedConsole),
    rateLimits: config.rateLimits,
    trustedProxies: config.trustedProxies,
    corsOrigins: config.corsOrigins,
    maxConnections: config.maxConnections,
    maxConnectionsPerAddress: config.maxConnectionsPerAddress,
    metricsForMachine: config.metricsForMachine,
    ...(config.metricsToken !== null && { metricsToken: config.metricsToken }),
    ...(config.securityContact !== null && { securityContact: config.securityContact }),
    probesAlone: role === "agent",
    drainMs: config.drainSeconds * 1000,
    needsAgent: role !== "api",
    onAnswer: (answered) => logAnswer(log, answered, config.slowSeconds),
  });
  logEvents(liveplane, log);
  return {
    liveplane,
    operator,
    log,
    hasSite: site !== null,
    ...lifeOf({ liveplane, server, tracing, log, config, role }),
  };
}

function alone({ kind }: StoreAddress, role: Role): LiveplaneError {
  const message = `--role ${role} needs a store that several processes can share, and this one is ${kind}. Use Postgres, or one process without --role.`;
  return new LiveplaneError("ConfigurationInvalid", message);
}

interface Parts {
  readonly liveplane: Liveplane;
  readonly server: LiveplaneServer;
  readonly tracing: Tracing | null;
  readonly log: Pino;
  readonly config: ServerConfig;
  readonly role: Role;
}

function lifeOf({ liveplane, server, tracing, log, config, role }: Parts): Pick<ReferenceServer, "start" | "stop"> {
  async function stop(): Promise<void> {
    const closed = server.close();
    await liveplane.drain();
    await closed;
    await liveplane.stop();
    await tracing?.end();
    log.flush();
  }

  return {
    async start() {
      try {
        if (role !== "api") await liveplane.start();
        return await server.listen(config.port, config.host);
      } catch (error) {
        await stop();
        throw error;
      }
    },
    stop,
  };
}
