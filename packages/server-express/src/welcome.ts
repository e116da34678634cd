import type { ServerConfig } from "./configuration/config.ts";
import type { Demo } from "./demo.ts";
import type { ReferenceServer, Role } from "./reference.ts";

/** What the welcome tells of. */
export interface WelcomeOptions {
  readonly server: Pick<ReferenceServer, "operator">;
  readonly config: ServerConfig;
  readonly role: Role;
  readonly url: string;
  /** What there is to play with; `null`: nothing. */
  readonly demo: Demo | null;
  /** Names of variables that look like settings and aren't. */
  readonly unknown: readonly string[];
}

/** Says what to do next, on standard error: standard output stays for whoever starts the server. */
export function welcome(options: WelcomeOptions): void {
  const { server, config } = options;
  if (config.logLevel === "silent" && server.operator.oneTimePassword === null) return;
  process.stderr.write(`${welcomeLines(options).join("\n")}\n`);
}

/** The welcome, line by line. Lines that begin with two spaces are to paste into a shell, as they are and in this order. */
function welcomeLines({ server, config, role, url, demo, unknown }: WelcomeOptions): string[] {
  return [
    ...unknown,
    ...(config.simulatedClouds
      ? ["", "*** SIMULATED CLOUDS: nothing outside this server is created, changed or deleted. ***"]
      : [
          "",
          "*** REAL CLOUDS: Azure and Google Cloud. What is deployed is made there and costs; what is deleted is gone. ***",
          ...(config.clouds.azure.clientId === null
            ? ["Nobody can sign in to Azure by device: LIVEPLANE_AZURE_CLIENT_ID names no client."]
            : []),
        ]),
    "",
    ...(role === "agent"
      ? [`The agent runs; probes and metrics are answered at ${url}`]
      : [
          `liveplane listens at ${url}`,
          ...signIn(server.operator.oneTimePassword, config, url),
          ...(demo === null ? [] : tryOut(demo, url)),
          "",
          `Documentation: ${url}/docs${config.simulatedClouds ? `   The clouds' console: ${url}/simulator` : ""}`,
        ]),
    "",
  ];
}

const json = "-H 'content-type: application/json'";
const bearer = '-H "authorization: Bearer $TOKEN"';

function signIn(oneTimePassword: string | null, config: ServerConfig, url: string): string[] {
  if (oneTimePassword !== null) {
    const change = `curl -sSf -o /dev/null ${url}/accounts/me/password ${json} ${bearer}`;
    return [
      "",
      `The first account is "operator". Its one-time password, shown this once: ${oneTimePassword}`,
      "Sign in with it, and get a password of your own (the token lasts ten minutes):",
      "",
      `  PASSWORD=$(head -c 18 /dev/urandom | base64); ${token(url, oneTimePassword)}; ` +
        `${change} -d "{\\"oldPassword\\":\\"${oneTimePassword}\\",\\"newPassword\\":\\"$PASSWORD\\"}" && ` +
        'echo "Your password: $PASSWORD"',
    ];
  }
  if (config.operatorPassword === null) {
    return [
      "",
      "Sign in with the password that you gave it (the token lasts ten minutes). Should it be lost, the command reset-operator gives a new one:",
      "",
      `  ${token(url, "$PASSWORD")}`,
    ];
  }
  return ["", "Sign in:", "", `  ${token(url, "$LIVEPLANE_OPERATOR_PASSWORD")}`];
}

function token(url: string, password: string): string {
  const body = `"{\\"username\\":\\"operator\\",\\"password\\":\\"${password}\\"}"`;
  return `TOKEN=$(curl -s ${url}/auth/sessions ${json} -d ${body} | sed 's/.*"accessToken":"\\([^"]*\\)".*/\\1/')`;
}

function tryOut({ livesystemId, componentId, resourceId }: Demo, url: string): string[] {
  const component = `${url}/livesystems/${livesystemId}/components/${encodeURIComponent(componentId)}`;
  const resource = `${url}/simulator/provider-a/resources/${encodeURIComponent(resourceId)}`;
  const check = `curl -s -X POST ${component}/check ${bearer}`;
  const inConsole = (request: string, body: string) =>
    `curl -sSf -o /dev/null -X ${request} ${json} ${bearer} -d '${body}'`;
  return [
    "",
    "A demo runs on a simulated cloud. Look at one of its components:",
    "",
    `  curl -s ${component} ${bearer}; echo`,
    "",
    "Take it over: remove its tags in the cloud's console, change what you like, and let the agent look now. It is yours, for as long as you need it:",
    "",
    `  ${inConsole(`PUT ${resource}/tags`, "{}")} && ${inConsole(`PATCH ${resource}/parameters`, '{"workers":5}')} && ` +
      `${check} | grep -Eo '"status":"[^"]*"|"drift":[^}]*}}|"acknowledgement":.*'`,
    "",
    "Give it back: set both tags. At its first look the agent sees the request, then it puts the resource back to the declaration:",
    "",
    `  ${inConsole(`PUT ${resource}/tags`, '{"managed-by":"platform","platform":"reconcile"}')} && ` +
      `${check} | grep -o '"status":"[^"]*"' && ${check} | grep -Eo '"status":"[^"]*"|"outputFields":[^}]*"workers":[0-9]*'`,
  ];
}
