import { createRequire } from "node:module";
import { isLiveplaneError, type LiveplaneError, sentenceOf } from "@liveplane/core/errors";
import { UsageError } from "../usage-error.ts";
import { takeFlags } from "./arguments.ts";
import { signInAgain } from "./browser-sign-in.ts";
import { type Command, exitCodes, type SignInlessCommand } from "./command.ts";
import { declaration, deploy, keep, plan } from "./commands/declarations.ts";
import { declare, discover } from "./commands/existing-resources.ts";
import { guard } from "./commands/guard.ts";
import { handBack, overrides, takeOver, why } from "./commands/overrides.ts";
import { receive } from "./commands/receive.ts";
import { schema } from "./commands/schema.ts";
import { secretsRun } from "./commands/secrets-run.ts";
import { link, login, logout, status } from "./commands/session.ts";
import { verifyAudit } from "./commands/verify-audit.ts";
import { drift, watch } from "./commands/watching.ts";
import { completionScript, completionsOf } from "./completion.ts";
import { connect } from "./connection.ts";
import type { CliHost } from "./host.ts";
import { suggestion, unknownWords } from "./mistyped.ts";
import { dashed } from "./operation-fields.ts";
import { callOperation, namedOperation, operationHelp, operationNames, operationsUnder } from "./operations.ts";
import { inTwoColumns, wrapped } from "./tables.ts";

/** The commands; operations are also available under their own names. */
const commands: Readonly<Record<string, Command>> = {
  status,
  overrides,
  why,
  plan,
  "take-over": takeOver,
  "hand-back": handBack,
  keep,
  deploy,
  declaration,
  discover,
  declare,
  guard,
  drift,
  watch,
  "secrets run": secretsRun,
  link,
  logout,
};

/** The commands that run without a sign-in. They take their own words, after `--help` has been answered here. */
const signInless = {
  login: {
    takes: "[<user name> | --username NAME | --browser | --oidc] [--device] [--fresh] [--url URL] [--code CODE]",
    summary:
      "signs in; prompts for the password, and for the code of a second factor, or reads them from standard input; --browser: sign in on the console's page, by a passkey too; --oidc: at the service's provider, in a browser; --device: in a browser on another machine; --fresh: sign in again at the provider, even if you are still signed in there",
    run: login,
  },
  "verify-audit": {
    takes: "[--after HASH] <file…>",
    summary: "checks that files written by events log --json form an unbroken chain; works offline",
    run: verifyAudit,
  },
  receive: {
    takes: "[--port 8090]",
    summary: "receives webhooks on this machine and prints them, to see what one sends",
    run: receive,
  },
  schema: {
    takes: "[--schemas <folder>]",
    summary: "prints the JSON Schema of a declaration file, for editors; --schemas <folder>: with these types of AWS",
    run: schema,
  },
  "aws policy": {
    takes: "--types <type,…> | -f <file>",
    summary:
      "prints the IAM policy that a role needs for types of AWS; --schemas <folder>: only the rights in their schemas",
    run: async (host, args) => (await import("./commands/aws-policy.ts")).awsPolicy(host, args),
  },
  completion: {
    takes: "bash|zsh|fish",
    summary: "prints a shell completion script",
    async run(host, args) {
      const { words } = await takeFlags(args, {});
      host.print(completionScript(words.join(" ")).split("\n"));
      return exitCodes.done;
    },
  },
} satisfies Readonly<Record<string, SignInlessCommand>>;

const groups: Readonly<Record<string, readonly string[]>> = {
  Start: ["login", "status", "link", "logout"],
  "Who has what": ["overrides", "why", "drift", "watch"],
  "Hand over": ["take-over", "hand-back", "keep"],
  Deploy: ["plan", "deploy", "declaration", "discover", "declare", "guard", "schema", "aws policy"],
  "Secrets, audit": ["secrets run", "verify-audit"],
  Events: ["receive"],
};

/** The output of the bare command: every command by group, and where to read more. @internal */
function briefHelp(): string[] {
  const grouped = new Set(Object.values(groups).flat());
  const others = Object.keys(commands).filter((name) => !grouped.has(name));
  const areas = [...new Set([...operationNames.keys()].map((name) => name.split(" ")[0]))].sort();
  const rows = { ...groups, More: [...others, "completion"], "The API": areas };
  return [
    "liveplane: the command line of a liveplane service",
    "",
    ...Object.entries(rows).map(([group, names]) => `  ${group.padEnd(16)}${names.join(", ")}`),
    "",
    "Examples:",
    "  liveplane login",
    "  liveplane overrides",
    "  liveplane organizations create --name Acme",
    "",
    "liveplane <command> --help explains a command; liveplane help lists all of them.",
  ];
}

/** The text of `--help`. @internal */
export function cliHelp(): string {
  const { login: first, ...others } = signInless;
  const listed = Object.entries({ login: first, ...commands, ...others }).flatMap(([name, { takes, summary }]) =>
    inTwoColumns(`${name} ${takes}`.trimEnd(), summary),
  );
  return [
    "liveplane: the command line of a liveplane service",
    "",
    ...listed,
    "",
    ...wrapped(
      "A component is <live system>/<path>. A live system is its ID or its name. An environment is Type/owner/name.",
    ),
    ...wrapped(
      "--json prints JSON, one value per line. Tables and sentences show people and live systems by name, except in columns of IDs; --ids shows IDs everywhere. A single record is printed as JSON, and JSON has the API's IDs.",
    ),
    "",
    ...wrapped(
      "Every API operation is also a command, followed by its path parameters: liveplane environments get Organizational/Acme/production",
    ),
    ...wrapped(
      "Organizations and live systems go by ID or name. Accounts go by ID; in place of <account-id>, operators can also use user names and e-mail addresses.",
    ),
    ...wrapped(
      `Pass query parameters, call options and fields of the body as --limit 10, --if-match 3 or --name Acme. Pass a whole body as --body '{"…": …}', --body @file or --body -. With --help an operation lists its fields. As an owner or account, me is your own: Personal/me/production, --account-id me.`,
    ),
    ...[...operationNames.keys()].map((name) => `  ${name}`),
    "",
    ...wrapped(
      "Variables that replace a sign-in: LIVEPLANE_URL with LIVEPLANE_TOKEN, or with LIVEPLANE_CLIENT_ID and LIVEPLANE_CLIENT_SECRET. A pipeline needs no secret: set LIVEPLANE_CLIENT_ID and LIVEPLANE_ID_TOKEN, its OpenID token. On a GitHub runner the token is requested for you (audience: LIVEPLANE_AUDIENCE, default the URL).",
    ),
    "Exit codes: 0 success, 1 failure, 2 usage, 3 drift found.",
  ].join("\n");
}

/** Runs one command line. Resolves with the exit code. */
export async function runCli(host: CliHost): Promise<number> {
  try {
    return await run(host);
  } catch (error) {
    if (host.signal.aborted) return exitCodes.failed;
    const isJson = optionsOf(host.args).includes("--json");
    if (error instanceof UsageError) {
      host.say(isJson ? JSON.stringify({ code: "Usage", message: error.message }) : error.message);
      return exitCodes.misused;
    }
    if (!isLiveplaneError(error)) throw error;
    const { code, message, details, requestId } = error;
    host.say(isJson ? JSON.stringify({ code, message, requestId, errors: details.errors }) : told(error));
    if (code === "SignInNotFresh" && !isJson) host.say(await signInAgain(host));
    return exitCodes.failed;
  }
}

/** The words before `--`: the rest belongs to another program. */
function optionsOf(args: readonly string[]): readonly string[] {
  const end = args.indexOf("--");
  return end === -1 ? args : args.slice(0, end);
}

async function run(host: CliHost): Promise<number> {
  const { args } = host;
  const [first, second = ""] = args;
  if (first === undefined) {
    host.print(briefHelp());
    return exitCodes.done;
  }
  if (first === "--version") {
    host.print(createRequire(import.meta.url)("@liveplane/client/package.json").version);
    return exitCodes.done;
  }
  if (first === "help" && second !== "") return run({ ...host, args: [...args.slice(1), "--help"] });
  if (["help", "--help", "-h"].includes(first)) {
    host.print(cliHelp().split("\n"));
    return exitCodes.done;
  }
  const alone = Object.entries(signInless).find(([name]) => name === first || name === `${first} ${second}`);
  if (alone !== undefined) return runWithoutSignIn(host, alone);
  if (first === "__complete") {
    host.print(completionsOf(allNames(), args.slice(1)));
    return exitCodes.done;
  }
  // An operation's full name takes precedence over a command with its first word: `overrides list` over `overrides`.
  const operation = namedOperation(args);
  if (operation !== null) {
    if (operation.rest.some((word) => word === "--help" || word === "-h")) {
      host.print(await operationHelp(operation));
      return exitCodes.done;
    }
    await callOperation(host, operation);
    return exitCodes.done;
  }
  const name = `${first} ${second}` in commands ? `${first} ${second}` : first;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  return command === undefined ? areaOf(host) : runCommand(host, name, command);
}

/** The names of all commands and operations. */
function allNames(): string[] {
  return [...Object.keys(commands), ...Object.keys(signInless), ...operationNames.keys()];
}

/** Lists the operations of an area, such as `accounts webhooks`. */
async function areaOf({ args, print, say }: CliHost): Promise<number> {
  const at = args.findIndex((word) => word.startsWith("-"));
  const words = (at === -1 ? args : args.slice(0, at)).map(dashed);
  await requireFlagsOfArea(words, at === -1 ? [] : args.slice(at));
  const area = words.join(" ");
  const lines = await operationsUnder(area);
  if (lines.length === 0) throw await unknownWords(words, allNames());
  if (args.includes("--json")) throw new UsageError(`${area} needs an operation. Run liveplane ${area} --help.`);
  const isAsked = args.includes("--help") || args.includes("-h");
  (isAsked ? print : say)([`${area} needs one of these operations:`, ...lines]);
  return isAsked ? exitCodes.done : exitCodes.misused;
}

/** Refuses a flag that looks like a misspelled one. Any other may belong to the operation that is missing. */
async function requireFlagsOfArea(words: readonly string[], [flag]: readonly string[]): Promise<void> {
  const known = ["--help", "--json", "--ids", ...(words.length === 0 ? ["--version"] : [])];
  if (flag === undefined || flag === "-h" || known.includes(flag)) {
    if (words.length > 0) return;
    throw new UsageError("A command comes before its flags. Run liveplane help for a list.");
  }
  const meant = await suggestion(flag, known);
  if (meant !== "") throw new UsageError(`There is no flag ${flag}${meant}`);
  if (words.length === 0) throw new UsageError(`There is no flag ${flag}. Run liveplane help for a list of commands.`);
}

function runWithoutSignIn(host: CliHost, [name, { takes, summary, run }]: readonly [string, SignInlessCommand]) {
  const args = host.args.slice(name.split(" ").length);
  if (!args.some((word) => word === "--help" || word === "-h")) return run(host, args);
  host.print(commandHelp(`liveplane ${name} ${takes}`, summary));
  return Promise.resolve(exitCodes.done);
}

function commandHelp(line: string, summary: string): string[] {
  return [...wrapped(line.trimEnd()), "", ...wrapped(summary)];
}

async function runCommand(host: CliHost, name: string, command: Command): Promise<number> {
  const given = await takeFlags(host.args.slice(name.split(" ").length), command.flags ?? {});
  const line = `liveplane ${name} ${command.takes}`.trimEnd();
  if (given.isSet("help")) {
    host.print(commandHelp(line, command.summary));
    return exitCodes.done;
  }
  const [least, most] = command.words;
  const stray = given.words.slice(most).join(" ");
  if (stray !== "") throw new UsageError(`${name} doesn't take ${stray}. Usage: ${line}`);
  if (given.words.length < least) throw new UsageError(`Usage: ${line}`);
  return command.run({ host, given, ...(await connect(host)) });
}

/** A failure as lines: what, where, and what to look up. */
function told({ code, message, details, requestId }: LiveplaneError): string[] {
  const errors = details.errors ?? [];
  const all = errors.map((violation) => `${wherein(violation)}${violation.detail}`);
  const [first = "", ...others] = all;
  const after = errors[0] === undefined ? null : afterFirst(message, sentenceOf(errors[0]));
  const [head, listed] = after === null ? [message, all] : [`${first}${after}`, others];
  const lines = [`${code}: ${head}`, ...listed.map((place) => `  ${place}`)];
  return [...lines, ...(requestId === undefined ? [] : [`request ${requestId}`])];
}

/** What a message says after the first violation, which it repeats, sometimes without where it is; `null` if it doesn't. */
function afterFirst(message: string, first: string): string | null {
  if (message.startsWith(first)) return message.slice(first.length);
  return first.endsWith(message) ? "" : null;
}

function wherein(violation: object): string {
  const place = ["inFile", "pointer", "parameter", "header"]
    .map((name) => Reflect.get(violation, name))
    .find((found) => typeof found === "string");
  return place === undefined ? "" : `${place}: `;
}
