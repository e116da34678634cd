import { nodeDefaults } from "@liveplane/adapters/node";
import { LiveplaneError } from "@liveplane/core/errors";
import type { ServerConfig } from "./config.ts";
import { resetOperator } from "./operator.ts";

/** Gives the operator a new one-time password, and prints it. The server must not run. */
export async function renewOperator({ dataDir }: ServerConfig): Promise<void> {
  const defaults = await nodeDefaults({ dataDir });
  const password = await resetOperator(defaults);
  await defaults.store.close();
  process.stdout.write(`The operator's one-time password: ${password}\n`);
}

/** Writes everything to a file of JSON lines. */
export async function exportTo(_config: ServerConfig, _file: string): Promise<void> {
  throw new LiveplaneError("FeatureDisabled", "Not yet.");
}

/** Reads a file of JSON lines into an empty store. */
export async function importFrom(_config: ServerConfig, _file: string): Promise<void> {
  throw new LiveplaneError("FeatureDisabled", "Not yet.");
}
