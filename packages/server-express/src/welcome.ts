import type { ServerConfig } from "./config.ts";
import type { ReferenceServer } from "./reference.ts";

/** What the welcome tells of. */
export interface WelcomeOptions {
  readonly server: ReferenceServer;
  readonly config: ServerConfig;
  readonly url: string | null;
  /** Names of variables that look like settings and aren't. */
  readonly unknown: readonly string[];
}

/** Says what to do next, on standard error: standard output stays for whoever starts the server. */
export function welcome({ server, config, url, unknown }: WelcomeOptions): void {
  if (config.logLevel === "silent" && server.operator.oneTimePassword === null) return;
  const lines = [
    ...unknown.map((name) => `${name} is no setting of this server; see --help.`),
    ...(config.simulatedClouds
      ? ["", "*** SIMULATED CLOUDS: nothing outside this server is created, changed or deleted. ***"]
      : []),
    ...(url === null ? ["", "The agent runs; nothing listens."] : ["", `liveplane listens at ${url}`]),
    ...(url === null ? [] : firstSteps(server, config, url)),
  ];
  process.stderr.write(`${lines.join("\n")}\n`);
}

function firstSteps({ operator }: ReferenceServer, config: ServerConfig, url: string): string[] {
  const { oneTimePassword } = operator;
  const documents = `Documentation: ${url}/docs${config.simulatedClouds ? `   The clouds' console: ${url}/simulator` : ""}`;
  if (oneTimePassword === null && config.operatorPassword === null) return [documents, ""];
  const password = oneTimePassword ?? "$LIVEPLANE_OPERATOR_PASSWORD";
  const json = "-H 'content-type: application/json'";
  const signIn = `curl -s ${url}/auth/sessions ${json} -d "{\\"username\\":\\"operator\\",\\"password\\":\\"${password}\\"}"`;
  if (oneTimePassword === null) return ["", "Sign in:", "", `  ${signIn}`, "", documents, ""];
  return [
    "",
    `The first account is "operator". Its one-time password, shown this once: ${oneTimePassword}`,
    "Sign in with it, and set one of your own:",
    "",
    `  TOKEN=$(${signIn} | sed 's/.*"accessToken":"\\([^"]*\\)".*/\\1/')`,
    `  curl -s ${url}/accounts/me/password ${json} -H "authorization: Bearer $TOKEN" \\`,
    `    -d '{"oldPassword":"${oneTimePassword}","newPassword":"<at least 12 characters of your own>"}'`,
    "",
    documents,
    "",
  ];
}
