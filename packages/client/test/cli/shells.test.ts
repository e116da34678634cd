import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { completionScript } from "../../src/cli/completion.ts";

const home = mkdtempSync(join(tmpdir(), "liveplane-shells-"));
const typed = join(home, "typed");
const bin = fileURLToPath(new URL("../../src/cli/bin.ts", import.meta.url));

/** How a shell is started with a file of its owner's, and where that lies. */
interface Shell {
  readonly line: string;
  readonly file: string;
  readonly setUp: string;
}

const load = (shell: string) => join(home, `completion.${shell}`);
const shells: Readonly<Record<string, Shell>> = {
  bash: {
    line: `bash --noprofile --rcfile ${home}/rc.bash -i`,
    file: "rc.bash",
    setUp: `PS1='ready: '\nsource ${load("bash")}`,
  },
  zsh: {
    line: "zsh -d -i",
    file: ".zshrc",
    setUp: `PS1='ready: '\nautoload -U compinit\ncompinit -u -D\nsource ${load("zsh")}`,
  },
  fish: {
    line: "fish -i",
    file: "fish/config.fish",
    setUp: `function fish_prompt; echo 'ready: '; end\nsource ${load("fish")}`,
  },
};

beforeAll(() => {
  const program = join(home, "liveplane");
  const real = `exec '${process.execPath}' --conditions=@liveplane/source '${bin}' "$@"`;
  writeFileSync(program, `#!/bin/sh\n[ "$1" = __complete ] && ${real}\necho "$@" >> '${typed}'\n`);
  chmodSync(program, 0o755);
  for (const [name, { file, setUp }] of Object.entries(shells)) {
    mkdirSync(dirname(join(home, file)), { recursive: true });
    writeFileSync(join(home, file), `${setUp}\n`);
    writeFileSync(load(name), completionScript(name));
  }
  // Without it fish reads every manual page of the machine when it starts for the first time.
  mkdirSync(join(home, ".local/share/fish/generated_completions"), { recursive: true });
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const hasTerminals = spawnSync("script", ["--version"]).status === 0;

/** A shell on a terminal of its own. */
function open({ line }: Shell) {
  const env = { PATH: `${home}:${process.env.PATH}`, HOME: home, ZDOTDIR: home, XDG_CONFIG_HOME: home, TERM: "xterm" };
  const child = spawn("script", ["-qfec", line, "/dev/null"], { env });
  let shown = "";
  child.stdout.on("data", (chunk: Buffer) => {
    shown += chunk;
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return { shown: () => shown, type: (keys: string) => void child.stdin.write(keys) };
}

test.for(Object.entries(shells).map(([name, shell]) => ({ name, shell })))(
  "$name completes what is typed",
  { timeout: 60_000 },
  async ({ name, shell }, { skip }) => {
    if (!hasTerminals || spawnSync(name, ["--version"]).status !== 0) skip(`There is no ${name} here.`);
    rmSync(typed, { force: true });
    const terminal = open(shell);
    const patience = { timeout: 20_000, interval: 50 };
    await expect.poll(terminal.shown, patience).toContain("ready: ");
    terminal.type("liveplane stat\t\n");
    const lines = () => (existsSync(typed) ? readFileSync(typed, "utf8").trim().split("\n") : []);
    await expect.poll(lines, patience).toEqual(["status"]);
    terminal.type("liveplane environments secrets upsert-m\tPersonal/x/y\n");
    await expect.poll(lines, patience).toEqual(["status", "environments secrets upsert-many Personal/x/y"]);
    terminal.type("exit\n");
  },
);
