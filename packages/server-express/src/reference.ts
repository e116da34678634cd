import { join } from "node:path";
import { fileKeyRing, staticKeyRing } from "@liveplane/adapters/key-rings";
import { nodeDefaults } from "@liveplane/adapters/node";
import { createLiveplane, type Liveplane, type LiveplaneOptions, type Mailer } from "@liveplane/core";
import { simulatedConsole } from "@liveplane/core/clouds";
import { LiveplaneError } from "@liveplane/core/errors";
import type { Store } from "@liveplane/core/store";
import type { Logger as Pino } from "pino";
import type { ServerConfig } from "./config.ts";
import { createLog, createMetrics, loggerOver } from "./observability.ts";
import { ensureOperator, type Operator } from "./operator.ts";
import { createServer, type LiveplaneServer } from "./server.ts";

/** What runs in one process: requests, the agent, or both. */
export type Role = "api" | "agent" | "all";

/** The reference server, wired but not started. */
export interface ReferenceServer {
  readonly liveplane: Liveplane;
  readonly operator: Operator;
  readonly log: Pino;
  /** Starts what the role says. Resolves with the address, or `null` where nothing listens. */
  start(): Promise<string | null>;
  /** No new requests; what is under way finishes; the agent drains; the store closes. */
  stop(): Promise<void>;
}

/** Wires the reference server from its configuration. */
export async function createReferenceServer(config: ServerConfig, role: Role = "all"): Promise<ReferenceServer> {
  const log = createLog(config.logLevel);
  const metrics = createMetrics();
  const defaults = await nodeDefaults({
    dataDir: config.dataDir,
    logger: loggerOver(log),
    metrics: metrics.port,
    settings: settingsOf(config),
    keyRing: await keyRingOf(config),
    mailer: await mailerOf(config),
    ...(config.databaseUrl !== null && { store: await postgres(config.databaseUrl) }),
    ...(!config.simulatedClouds && { clouds: { adapters: [] } }),
  });
  const operator = await ensureOperator(defaults, config.operatorPassword);
  const liveplane = createLiveplane({
    ...defaults,
    settings: { ...settingsOf(config), operators: [operator.accountId] },
  });
  const server = createServer({
    liveplane,
    metrics,
    consoles: defaults.simulatedClouds.map(simulatedConsole),
    rateLimits: config.rateLimits,
    trustedProxies: config.trustedProxies,
    corsOrigins: config.corsOrigins,
    onAnswer: ({ cause, ...answered }) =>
      cause === undefined ? log.debug(answered, "answered") : log.error({ ...answered, cause }, "failed"),
  });
  return { liveplane, operator, log, ...lifeOf({ liveplane, server, log, config, role }) };
}

interface Parts {
  readonly liveplane: Liveplane;
  readonly server: LiveplaneServer;
  readonly log: Pino;
  readonly config: ServerConfig;
  readonly role: Role;
}

function lifeOf({ liveplane, server, log, config, role }: Parts): Pick<ReferenceServer, "start" | "stop"> {
  return {
    async start() {
      if (role !== "api") await liveplane.start();
      return role === "agent" ? null : server.listen(config.port, config.host);
    },
    async stop() {
      const closed = server.close();
      await liveplane.drain();
      await closed;
      await liveplane.stop();
      log.flush();
    },
  };
}

function settingsOf(config: ServerConfig): NonNullable<LiveplaneOptions["settings"]> {
  return {
    checkSeconds: config.checkSeconds,
    openRegistration: config.openRegistration,
    revealOverHttp: config.reveal,
    requireIfMatch: config.requireIfMatch,
    overdueHours: config.overdueHours,
    restoredTag: config.restoredTag,
  };
}

function keyRingOf({ masterKey, dataDir }: ServerConfig) {
  return masterKey === null
    ? fileKeyRing({ file: join(dataDir, "key-ring") })
    : staticKeyRing({ keys: masterKey.split(",") });
}

async function mailerOf({ mail, mailFrom }: ServerConfig): Promise<Mailer> {
  if (mail?.kind === "folder")
    return (await import("@liveplane/adapters/folder-mailer")).folderMailer({ folder: mail.folder });
  if (mail?.kind === "smtp")
    return (await import("@liveplane/adapters/smtp-mailer")).smtpMailer({ url: mail.url, from: mailFrom });
  return (await import("@liveplane/adapters/log-mailer")).logMailer();
}

async function postgres(connectionString: string): Promise<Store> {
  try {
    const { postgresStore } = await import("@liveplane/adapters/postgres-store");
    return await postgresStore({ connectionString });
  } catch (cause) {
    if (cause instanceof LiveplaneError) throw cause;
    throw new LiveplaneError("StoreFailed", "The Postgres of DATABASE_URL can't be used.", { cause });
  }
}
