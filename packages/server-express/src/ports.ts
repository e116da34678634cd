import { join } from "node:path";
import { fileKeyRing, staticKeyRing } from "@liveplane/adapters/key-rings";
import { type NodeDefaults, nodeDefaults } from "@liveplane/adapters/node";
import type { Logger, Mailer, Metrics, Settings } from "@liveplane/core";
import { isLiveplaneError, LiveplaneError } from "@liveplane/core/errors";
import type { Store } from "@liveplane/core/store";
import type { ServerConfig } from "./config.ts";
import { realClouds } from "./real-clouds.ts";

/** Opens every port that the configuration names. */
export async function openPorts(
  config: ServerConfig,
  observers: { readonly logger?: Logger; readonly metrics?: Metrics } = {},
): Promise<NodeDefaults> {
  return nodeDefaults({
    ...observers,
    dataDir: config.dataDir,
    settings: settingsOf(config),
    keyRing: await keyRingOf(config),
    mailer: await mailerOf(config),
    ...(config.databaseUrl !== null && { store: await postgres(config.databaseUrl) }),
    ...(!config.simulatedClouds && { clouds: realClouds(config.clouds) }),
  });
}

function settingsOf(config: ServerConfig): Partial<Settings> {
  return {
    checkSeconds: config.checkSeconds,
    openRegistration: config.openRegistration,
    revealOverHttp: config.reveal,
    requireIfMatch: config.requireIfMatch,
    validateAnswers: config.validateAnswers,
    overdueHours: config.overdueHours,
    restoredTag: config.restoredTag,
    keptMutations: config.keptMutations,
    keptDefinitionBytes: config.keptDefinitionBytes,
    keptEpisodes: config.keptEpisodes,
    episodeSeconds: config.episodeSeconds,
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
    if (isLiveplaneError(cause)) throw cause;
    throw new LiveplaneError("StoreFailed", "The Postgres of DATABASE_URL can't be used.", { cause });
  }
}
