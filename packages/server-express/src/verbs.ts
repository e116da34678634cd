import { LiveplaneError } from "@liveplane/core/errors";
import type { ServerConfig } from "./config.ts";
import { resetOperator } from "./operator.ts";
import { openPorts } from "./ports.ts";

/** Gives the operator a new one-time password, and prints it. On SQLite the server must not run. */
export async function renewOperator(config: ServerConfig): Promise<void> {
  const ports = await openPorts(config);
  try {
    const password = await resetOperator(ports);
    process.stdout.write(`The operator's one-time password: ${password}\n`);
  } finally {
    await ports.store.close();
  }
}

/** Writes everything to a file of JSON lines. */
export async function exportTo(_config: ServerConfig, _file: string): Promise<void> {
  throw new LiveplaneError("FeatureDisabled", "Not yet.");
}

/** Reads a file of JSON lines into an empty store. */
export async function importFrom(_config: ServerConfig, _file: string): Promise<void> {
  throw new LiveplaneError("FeatureDisabled", "Not yet.");
}
