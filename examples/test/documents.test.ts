import { existsSync } from "node:fs";
import { join } from "node:path";
import { defaultSettings } from "@liveplane/core";
import { describe, expect, test } from "vitest";
import { cliHelp } from "../../packages/client/src/cli/cli.ts";
import { operationNames } from "../../packages/client/src/cli/operations.ts";
import { settingsHelp } from "../../packages/server-express/src/configuration/config.ts";
import { asvsRequirements } from "./asvs-requirements.ts";
import { blocksOf, commandsOf, deadLinksOf, documents, read } from "./documents.ts";
import { errorsPage, eventTable, settingsInSource, settingsTable } from "./generated-tables.ts";
import { root } from "./run-example.ts";

/** What a reader may type, and what shows that it works: a test that runs the same, or the reason why none does. */
const commands: Readonly<Record<string, string>> = {
  "npx -y pnpm@12 start": "packages/server-express/test/demo.test.ts",
  "npx -y pnpm@12 test": "what is running now",
  "npx -y pnpm@12 check": "runs beside the tests",
  "npx -y pnpm@12 simulate": "packages/simulator/test/simulator.test.ts",
  "npx -y pnpm@12 simulate --seed 4711": "packages/simulator/test/simulator.test.ts",
  "npx -y pnpm@12 --filter example-manual-override start": "examples/test/manual-override.test.ts",
  "npx -y pnpm@12 --filter example-embed-core start": "examples/test/embed-core.test.ts",
  "npx -y pnpm@12 --filter example-test-your-code start": "examples/test/test-your-code.test.ts",
  "npx -y pnpm@12 --filter example-browser-client start": "examples/test/browser-client.test.ts",
  'LIVEPLANE_PIPELINE_ISSUERS=\'[{"issuer":"https://token.actions.githubusercontent.com","audience":"https://liveplane.example"}]\' npx -y pnpm@12 start':
    "packages/server-express/test/pipelines.test.ts",
  "LIVEPLANE_URL=https://liveplane.example LIVEPLANE_CLIENT_ID=<principalId> LIVEPLANE_ID_TOKEN=<the job's token> liveplane plan -f system.yaml":
    "packages/server-express/test/pipelines.test.ts",
  "LIVEPLANE_PASSWORD='the password that you chose' npx -y pnpm@12 --filter example-webhook-receiver start":
    "examples/test/webhook-receiver.test.ts",
  "LIVEPLANE_WEBHOOK_ORIGINS=http://127.0.0.1:8090 npx -y pnpm@12 start": "examples/test/webhook-receiver.test.ts",
  "LIVEPLANE_CORS_ORIGINS=http://localhost:5173 npx -y pnpm@12 start": "examples/test/browser-client.test.ts",
};

/** Blocks that are no programs: where they are from. */
const drawn: Readonly<Record<string, string>> = {
  "ARCHITECTURE.md": "drawn by hand",
  "docs/how-to/ci.md": "packages/server-express/test/pipelines.test.ts",
  "docs/reference/command-line.md": "packages/client/test/cli/declaration-schema.test.ts",
  "docs/reference/lifecycle.md": "packages/core/test/override/lifecycle-page.test.ts",
};

/** A quote proves something only where it is from a file that is run or type-checked with the rest, or by `pnpm check`. */
const running = /^(examples|quality\/consumer|packages\/[\w-]+\/(src|test))\/.+\.ts$/;

describe.each(documents)("$path", (document) => {
  test("quotes each program from a file that runs", () => {
    for (const { language, from, code } of blocksOf(document).filter(({ language }) =>
      /^(ts|js|json)/.test(language),
    )) {
      expect(from, `a block of ${language} names no file: ${code.slice(0, 80)}`).toMatch(running);
      expect(read(from ?? ""), from ?? "").toContain(code);
    }
  });

  test("has no block but programs, commands and what is known where it is from", () => {
    const others = blocksOf(document).filter(({ language }) => !/^(ts|js|json|sh)/.test(language));
    const unknown = others.filter(
      ({ from }) => !/^liveplane(-server --| )help$|\/demo\.test\.ts$/.test(from ?? "") && !(document.path in drawn),
    );
    expect(unknown).toEqual([]);
  });

  test("names no command that nothing runs", () => {
    const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
    for (const command of commandsOf(document)) expect(command).toSatisfy((line: string) => isRun(line, scripts));
  });

  test("links to nothing that isn't there", () => {
    expect(deadLinksOf(document)).toEqual([]);
  });
});

/** Is it in the table, an installation of packages that there are, or a script of the workspace? */
function isRun(command: string, scripts: Readonly<Record<string, string>>): boolean {
  if (command in commands) return true;
  // A vendor's own command line, against an account that no test has.
  if (/^(aws|az|gcloud|kubectl|terraform) /.test(command)) return true;
  const [, typed] = /^(?:npx )?liveplane (.+)$/.exec(command) ?? [];
  if (typed !== undefined) return isTyped(typed.split(" "));
  const [, script] = /^(?:npx -y pnpm@12|pnpm) (?:run )?([\w:-]+)/.exec(command) ?? [];
  if (script !== undefined) return script in scripts || script === "changeset";
  const [, installed] = /^npm install (.+)$/.exec(command) ?? [];
  if (installed?.startsWith("..") === false) return installed.split(" ").every((name) => packages.has(name));
  // From the folders of a clone beside one's own, until the packages are published.
  const [, ofClone] = /^npm install \.\.\/liveplane\/packages\/(\S+)$/.exec(command) ?? [];
  if (ofClone !== undefined) return packages.has(`@liveplane/${ofClone}`);
  const [, run] = /^npx (@liveplane\/[\w-]+)(?: --help)?$/.exec(command) ?? [];
  return run !== undefined && packages.has(run) && "bin" in manifestOf(run);
}

/** Lines of the command line: packages/server-express/test/command-line.test.ts types each command. */
function isTyped(words: readonly string[]): boolean {
  const isOperation = words.some((_, at) => operationNames.has(words.slice(0, at + 1).join(" ")));
  return isOperation || cliHelp().includes(`\n  ${words[0]} `);
}

/** The packages that are published here, and what they take beside them. */
const own = ["core", "simulator", "adapters", "client", "server-express"];
const packages = new Set(
  own.flatMap((name) => [`@liveplane/${name}`, ...Object.keys(manifestOf(name).peerDependencies ?? {})]),
);

function manifestOf(name: string): { bin?: object; peerDependencies?: object; exports: object } {
  return JSON.parse(read(`packages/${name.replace("@liveplane/", "")}/package.json`));
}

test("what shows that a command works is there", () => {
  const tests = [...Object.values(commands), ...Object.values(drawn)].filter((shown) => shown.endsWith(".ts"));
  expect(tests.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

test("the guide to security says of each requirement once what holds, by which test, or why none does", () => {
  const rows = read("docs/reference/security.md").matchAll(/^\| ([\d., ]+) \| (.+) \| (.*) \|$/gm);
  const said = [...rows].map(([, numbers = "", here = "", by = ""]) => ({ numbers: numbers.split(", "), here, by }));
  expect(said.flatMap(({ numbers }) => numbers).toSorted()).toEqual(asvsRequirements.toSorted());
  const outside = /^\*\*(the host|not applicable|not met)\*\*/;
  const held = /^\[[\w-]+\]\([^)]+\.ts\)/;
  expect(said.filter(({ here, by }) => here === "" || !(outside.test(by) || held.test(by)))).toEqual([]);
});

test("the README is short", () => {
  expect(read("README.md").split("\n").length).toBeLessThanOrEqual(120);
});

test("the adapters' README names every adapter, and each package that one needs", () => {
  const text = read("packages/adapters/README.md");
  const { exports, peerDependencies = {} } = manifestOf("adapters");
  const paths = Object.keys(exports).filter((path) => path !== "./package.json");
  const names = [...paths.map((path) => path.slice(2)), ...Object.keys(peerDependencies)];
  expect(names.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});

test("the guide to errors is the code's own table", async () => {
  await expect(errorsPage()).toMatchFileSnapshot("../../docs/reference/errors.md");
});

test("the guide to events names every type", () => {
  expect(read("docs/reference/events.md")).toContain(`\n\n${eventTable()}\n`);
});

test("the guide to embedding lists every setting of the core, each with the default that holds", () => {
  expect(settingsInSource().map(({ name }) => name)).toEqual(Object.keys(defaultSettings));
  expect(read("docs/tutorials/embed-the-core.md")).toContain(`\n\n${settingsTable()}\n`);
});

test("the guide to the command line says what its help says, but for the operations' names", () => {
  const [help = ""] = cliHelp().split("\n\nEvery API operation");
  expect(read("docs/reference/command-line.md")).toContain(`<!-- liveplane help -->\n\`\`\`text\n${help}\n\`\`\``);
});

test("the guide to the server lists every setting, as --help does", () => {
  const guide = read("docs/tutorials/run-the-server.md");
  expect(guide).toContain(`<!-- liveplane-server --help -->\n\`\`\`text\n${settingsHelp()}\n\`\`\``);
});
