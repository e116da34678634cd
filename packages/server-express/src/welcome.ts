import type { ServerConfig } from "./config.ts";
import type { ReferenceServer } from "./reference.ts";

/** What the welcome tells of. */
export interface WelcomeOptions {
  readonly server: ReferenceServer;
  readonly config: ServerConfig;
  readonly url: string | null;
}

/** Prints what to do next, on standard error: standard output stays for whoever starts the server. */
export async function welcome({ server, config, url }: WelcomeOptions): Promise<void> {
  const say = (line = "") => process.stderr.write(`${line}\n`);
  if (config.simulatedClouds)
    say("\n*** SIMULATED CLOUDS: nothing outside this server is created, changed or deleted. ***");
  if (url === null) return;
  const { oneTimePassword } = server.operator;
  say(`\nliveplane listens at ${url}`);
  if (oneTimePassword === null) return;
  const password = config.operatorPassword ?? oneTimePassword;
  say(`\nThe first account is "operator". Its one-time password, shown this once: ${oneTimePassword}`);
  say("\nSign in, and change it:\n");
  say(`  curl -s ${url}/auth/sessions -H 'content-type: application/json' \\`);
  say(`    -d '{"username":"operator","password":"${password}"}'`);
  say(`\nDocumentation: ${url}/docs\n`);
}
