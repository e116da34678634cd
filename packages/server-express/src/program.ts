import { accessSync, constants, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { inspect, parseArgs } from "node:util";
import { didYouMean } from "@liveplane/core";
import { isLiveplaneError, LiveplaneError, visible } from "@liveplane/core/errors";
import { readConfig, type ServerConfig, settingsHelp, unknownSettings } from "./configuration/config.ts";
import { codeOf } from "./configuration/settings.ts";
import { storeWarning } from "./configuration/store-address.ts";
import { createDemo, type Demo } from "./demo.ts";
import { drillWith } from "./drill.ts";
import { freePort } from "./free-port.ts";
import { createReferenceServer, type ReferenceServer, type Role } from "./reference.ts";
import { backUpTo, exportTo, importFrom, raiseStore, renewOperator, restoreFrom } from "./verbs.ts";
import { version } from "./version.ts";
import { welcome } from "./welcome.ts";

const usage = `liveplane-server: the reference server of liveplane

  liveplane-server                    start the server
  liveplane-server check-config       check the configuration and list what is wrong
  liveplane-server reset-operator     set a new one-time password for the operator
  liveplane-server raise-format       after an upgrade: write the newest format, which older releases refuse
  liveplane-server export <file>      write all data to a file of JSON lines
  liveplane-server import <file>      read such a file into an empty store
  liveplane-server backup <file>      copy the SQLite database; the server may be running
  liveplane-server restore <file>     restore such a copy into a data folder without a database
  liveplane-server drill <file>       prove that a backup or an export can be restored, in a temporary folder

Options:
  --role api|agent|all                what runs in this process (all)
  --config <file>                     JSON file of settings; environment variables override it
  --version                           show the version
  --help                              show this help

Settings, as environment variables (default in parentheses):
${settingsHelp()}
`;

/** The inputs of a process: its arguments and its environment. */
export interface Told {
  readonly args: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
}

/** Runs the program. Returns its exit code; a started server continues to run. */
export async function runProgram(told: Told): Promise<number> {
  try {
    await run(told);
    return 0;
  } catch (error) {
    process.stderr.write(`${visible(isLiveplaneError(error) ? error.message : inspect(error))}\n`);
    return 2;
  }
}

async function run({ args, environment }: Told): Promise<void> {
  const { values, positionals } = readArguments(args);
  if (values.help) return void process.stdout.write(usage);
  if (values.version) return void process.stdout.write(`${version}\n`);
  const role = values.role as Role;
  if (!["api", "agent", "all"].includes(role)) throw misuse("--role must be api, agent or all.");
  const config = readConfig({ environment, ...(values.config !== undefined && { file: values.config }) });
  const [verb, file] = positionals;
  const unknown = unknownSettings(environment);
  if (verb === "check-config") {
    return void process.stdout.write(`${["The configuration is valid.", ...unknown].join("\n")}\n`);
  }
  const work = workOf(verb, file) ?? ((read) => serve(read, { role, unknown }));
  makeFolder(config.dataDir);
  await work(config);
}

function readArguments(args: readonly string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        help: { type: "boolean" },
        version: { type: "boolean" },
        role: { type: "string", default: "all" },
        config: { type: "string" },
      },
    });
  } catch (cause) {
    // Node's message continues with advice about passing such a word on, which doesn't apply here.
    const [what = ""] = (cause as Error).message.split(/\.(?:\s|$)|\n/);
    throw misuse(`${what}. See --help.`, cause);
  }
}

/** The work of a verb; `null` if there is no such verb. */
function workOf(verb?: string, file?: string): ((config: ServerConfig) => Promise<void>) | null {
  if (verb === undefined) return null;
  if (verb === "reset-operator") return renewOperator;
  if (verb === "raise-format") return raiseStore;
  const verbs = ["check-config", "reset-operator", "raise-format", ...Object.keys(moves)];
  if (!isMove(verb)) throw misuse(`There is no command "${verb}"${didYouMean(verb, verbs) || "."} See --help.`);
  if (file === undefined) throw misuse(`"${verb}" needs a file: ${verb} <file>.`);
  return (config) => moves[verb](config, file);
}

/** The verbs that take a file. */
const moves = { export: exportTo, import: importFrom, backup: backUpTo, restore: restoreFrom, drill: drillWith };

const isMove = (verb: string): verb is keyof typeof moves => Object.hasOwn(moves, verb);

function misuse(message: string, cause?: unknown): LiveplaneError {
  return new LiveplaneError("ConfigurationInvalid", message, { cause });
}

function makeFolder(folder: string): void {
  try {
    makeMissing(folder);
    accessSync(folder, constants.W_OK);
  } catch (cause) {
    const message = `Can't write to the data folder ${folder}${codeOf(cause)}. Set LIVEPLANE_DATA to another folder.`;
    throw new LiveplaneError("ConfigurationInvalid", message, { cause });
  }
}

/** One level after the other, because Node's own `recursive` never ends below `/proc`. */
function makeMissing(folder: string): void {
  if (isFolder(folder)) return;
  makeMissing(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (cause) {
    // Another process that is starting may have created it.
    if (!isFolder(folder)) throw cause;
  }
}

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

interface Serving {
  readonly role: Role;
  /** Warnings about unknown variables. */
  readonly unknown: readonly string[];
}

async function serve(told: ServerConfig, { role, unknown }: Serving): Promise<void> {
  const config = { ...told, port: await freePort(told) };
  const server = await createReferenceServer(config, role);
  const url = await server.start();
  stopOnSignals(server);
  process.stdout.write(`${JSON.stringify({ event: "listening", url, ...(role !== "all" && { role }) })}\n`);
  const demo = config.demo && role === "all" ? await makeDemo(server) : null;
  const moved =
    config.port === told.port ? [] : [`Port ${told.port} is in use. The server uses ${config.port} instead.`];
  const notes = [...unknown, ...moved, ...[storeWarning(config.store)].filter((warning) => warning !== null)];
  welcome({ server, config, role, url, demo, notes });
}

/** Creates the demo, at the first start only. The server runs without it. */
async function makeDemo({ liveplane, operator, log }: ReferenceServer): Promise<Demo | null> {
  if (!operator.isNew) return null;
  const signal = AbortSignal.any([liveplane.stopping, AbortSignal.timeout(30_000)]);
  try {
    return await createDemo(liveplane, operator.accountId, signal);
  } catch (cause) {
    log.warn({ cause }, "The demo could not be created; everything else works.");
    return null;
  }
}

/** The first signal lets running work finish; a second one exits at once. */
function stopOnSignals(server: ReferenceServer): void {
  let stopping = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      if (stopping) process.exit(130);
      stopping = true;
      server.log.info({ signal }, "Stopping: running requests finish first. Signal again to exit now.");
      server.stop().then(
        () => process.exit(0),
        (cause) => {
          server.log.error({ cause }, "Stopping failed.");
          process.exit(1);
        },
      );
    });
  }
}
