import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLiveplane } from "@liveplane/core";
import { LiveplaneError } from "@liveplane/core/errors";
import type { ServerConfig } from "./configuration/config.ts";
import { codeOf } from "./configuration/settings.ts";
import { resetOperator } from "./operator.ts";
import { openPorts } from "./ports.ts";
import { readInto, restoreInto } from "./verbs.ts";

/**
 * Restores a backup or an export into an empty folder, opens it with the configured keys, verifies the chain of events, makes a change, and
 * verifies it again. The agent doesn't run, and the folder is removed.
 */
export async function drillWith(config: ServerConfig, file: string): Promise<void> {
  const isBackup = await isDatabase(file);
  const dataDir = mkdtempSync(join(tmpdir(), "liveplane-drill-"));
  try {
    const place = placeOf(config, dataDir);
    await (isBackup ? restoreInto(place, file) : readInto(place, file));
    const ring = join(config.dataDir, "key-ring");
    if (config.masterKey === null && existsSync(ring)) copyFileSync(ring, join(dataDir, "key-ring"));
    process.stdout.write(`${await proof(place)}\n`);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** The same keys, and nothing that reaches outside. */
function placeOf(config: ServerConfig, dataDir: string): ServerConfig {
  const apart = {
    scheduler: "interval",
    simulatedClouds: true,
    webhooks: false,
    mail: null,
    oidcIssuer: null,
  } as const;
  return { ...config, ...apart, dataDir, store: { kind: "sqlite", at: null } };
}

async function proof(place: ServerConfig): Promise<string> {
  const ports = await openPorts(place);
  try {
    const liveplane = createLiveplane(ports);
    await liveplane.requireKeys();
    const restored = await verified(liveplane);
    const [newest] = await liveplane.log.read((await liveplane.log.head()) - 1, 1);
    await resetOperator(ports);
    const changed = await verified(liveplane);
    if (changed <= restored)
      throw new LiveplaneError("StoreFailed", "The restored copy took a change without an event.");
    return `It can be restored. Its keys fit, ${restored} events are unbroken, the newest is of ${newest?.time ?? "never"}, and a change continued them. The copy was removed.`;
  } finally {
    await ports.store.close();
  }
}

/** Verifies the chain, and counts its events. */
async function verified({ log }: ReturnType<typeof createLiveplane>): Promise<number> {
  await log.sequence();
  const { verified, broken } = await log.verify();
  if (broken === null) return verified;
  throw new LiveplaneError(
    "StoreFailed",
    `The chain of events is broken at event ${broken}. Somebody changed the backup or its source.`,
  );
}

/** Whether a file is a SQLite database, by its first bytes. Otherwise it is an export. */
async function isDatabase(file: string): Promise<boolean> {
  try {
    await using handle = await open(file, "r");
    const { buffer } = await handle.read({ buffer: Buffer.alloc(15), position: 0 });
    return buffer.toString("latin1") === "SQLite format 3";
  } catch (cause) {
    throw new LiveplaneError("ConfigurationInvalid", `The file ${file} can't be read${codeOf(cause)}.`, { cause });
  }
}
