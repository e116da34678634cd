import type { ServerConfig } from "./configuration/config.ts";
import type { Demo } from "./demo.ts";
import type { ReferenceServer, Role } from "./reference.ts";

/** The contents of the welcome. */
export interface WelcomeOptions {
  readonly server: Pick<ReferenceServer, "operator" | "hasSite">;
  readonly config: ServerConfig;
  readonly role: Role;
  readonly url: string;
  /** The demo; `null` if there is none. */
  readonly demo: Demo | null;
  /** Warnings about unknown variables, a port in use, and the store. */
  readonly notes: readonly string[];
}

/** Prints what to do next to standard error, which leaves standard output to whatever starts the server. */
export function welcome(options: WelcomeOptions): void {
  const { server, config } = options;
  if (config.logLevel === "silent" && server.operator.oneTimePassword === null) return;
  process.stderr.write(`${welcomeLines(options).join("\n")}\n`);
}

/** The welcome: the address and, last, the one-time password until it was used. The guide shows the same. */
function welcomeLines({ server, config, role, url, demo, notes }: WelcomeOptions): string[] {
  return [
    ...notes,
    ...(config.simulatedClouds
      ? ["", "*** SIMULATED CLOUDS: nothing outside this server is created, changed or deleted. ***"]
      : [
          "",
          "*** REAL CLOUDS: Azure and Google Cloud. Deploying creates real resources and costs money; deleting is permanent. ***",
          ...(config.clouds.azure.clientId === null
            ? ["Signing in to Azure by device is off: LIVEPLANE_AZURE_CLIENT_ID is not set."]
            : []),
        ]),
    "",
    ...(role === "agent"
      ? [`The agent is running. Probes and metrics: ${url}`]
      : [
          server.hasSite
            ? `Open ${config.consoleUrl || url} in a browser, and sign in as "operator".`
            : `The API is at ${url}; its user is "operator". Install @liveplane/console for pages in a browser.`,
          ...(demo === null
            ? []
            : ["A demo runs on a simulated cloud. Take over its component web, change it, and hand it back."]),
          "",
          "Documentation: docs/tutorials/run-the-server.md shows the same with curl; /openapi.json describes the API.",
          "",
          ...passwordLines(server.operator.oneTimePassword, config),
        ]),
    "",
  ];
}

function passwordLines(oneTimePassword: string | null, { operatorPassword }: ServerConfig): string[] {
  if (oneTimePassword !== null)
    return [`One-time password, replaced at each start until you choose your own: ${oneTimePassword}`];
  if (operatorPassword !== null) return ["The password is the value of LIVEPLANE_OPERATOR_PASSWORD."];
  return ["Lost the password? The command reset-operator sets a new one."];
}
