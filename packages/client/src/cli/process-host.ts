import { spawn } from "node:child_process";
import { constants, homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import type { CliHost } from "./host.ts";
import { oneLine } from "./tables.ts";

export function processHost(): CliHost {
  const { stdin, stdout, stderr, env } = process;
  const enough = new AbortController();
  process.once("SIGINT", () => enough.abort());
  // Whoever reads the output has enough, as in `liveplane help | head`.
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit();
    throw error;
  });
  const lines = inputLines();
  return {
    args: process.argv.slice(2),
    environment: env,
    folder: join(env.XDG_CONFIG_HOME || join(homedir(), ".config"), "liveplane"),
    columns: stdout.isTTY === true ? stdout.columns : Number.POSITIVE_INFINITY,
    print: (lines) => void stdout.write(shown(lines)),
    say: (lines) => void stderr.write(shown(lines)),
    ask: (question) => (stdin.isTTY ? asked(question, stderr) : lines()),
    askSecret: (question) => (stdin.isTTY ? askedSecretly(question) : lines()),
    async readInput() {
      let text = "";
      for await (const chunk of stdin.setEncoding("utf8")) text += chunk;
      return text;
    },
    run: (command, environment) => runProgram(command, { ...env, ...environment }),
    openPage,
    signal: enough.signal,
    sleep: (ms, signal) => setTimeout(ms, undefined, { signal }),
  };
}

const shown = (lines: string | readonly string[]) =>
  [lines]
    .flat()
    .map((line) => `${oneLine(line)}\n`)
    .join("");

async function asked(question: string, output: NodeJS.WritableStream): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output, terminal: true });
  try {
    return await terminal.question(question);
  } finally {
    terminal.close();
  }
}

/** Input isn't echoed. */
async function askedSecretly(question: string): Promise<string> {
  process.stderr.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  try {
    return await asked("", nowhere);
  } finally {
    process.stderr.write("\n");
  }
}

/** Lines of standard input, one for each question, if it isn't a terminal. */
function inputLines(): () => Promise<string> {
  let lines: AsyncIterator<string> | null = null;
  return async () => {
    lines ??= createInterface({ input: process.stdin })[Symbol.asyncIterator]();
    const { value, done } = await lines.next();
    return done ? "" : value;
  };
}

/** Runs a program with this one's terminal, signals and exit code. */
function runProgram([file = "", ...args]: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { stdio: "inherit", env });
    const passOn = (signal: NodeJS.Signals) => void child.kill(signal);
    const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
    for (const signal of signals) process.on(signal, passOn);
    const done = () => {
      for (const signal of signals) process.off(signal, passOn);
    };
    child.once("error", (cause) => {
      done();
      reject(cause);
    });
    child.once("exit", (code, signal) => {
      done();
      resolve(code ?? 128 + (constants.signals[signal ?? "SIGTERM"] ?? 0));
    });
  });
}

/** With the system's own opener. Without one, the printed address is enough. */
function openPage(address: string): void {
  const [file, ...args] = openers[process.platform] ?? ["xdg-open"];
  spawn(file, [...args, address], { stdio: "ignore", detached: true })
    .on("error", () => {})
    .unref();
}

const openers: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};
