import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const bin = fileURLToPath(new URL("../src/bin.ts", import.meta.url));

/** The password of the account `operator`. */
const operatorPassword = "a long enough secret";

/** The program in a process of its own, as teams run it. */
export interface ServerProcess {
  /** Empty where nothing listens. */
  readonly url: string;
  readonly child: ChildProcess;
  /** What the first line on standard output said. */
  readonly announced: Readonly<Record<string, unknown>>;
  readonly log: () => string;
  /** Resolves with the exit code, or with the signal that ended it. */
  readonly ended: Promise<number | string>;
}

/** Starts the program over a data folder, and waits until it says that it runs. */
export async function startProcess(
  dataDir: string,
  environment: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
): Promise<ServerProcess> {
  const child = spawn(process.execPath, ["--conditions=@liveplane/source", bin, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      PORT: "0",
      LIVEPLANE_DATA: dataDir,
      LIVEPLANE_OPERATOR_PASSWORD: operatorPassword,
      LIVEPLANE_OPEN_REGISTRATION: "on",
      LIVEPLANE_RATE_LIMITS: "off",
      LIVEPLANE_LOG: "warn",
      ...environment,
    },
  });
  let log = "";
  child.stderr.on("data", (chunk: Buffer) => {
    log += chunk;
  });
  const ended = new Promise<number | string>((resolve) => {
    child.once("exit", (code, signal) => resolve(code ?? signal ?? "unknown"));
  });
  const line = new Promise<string>((resolve) => createInterface(child.stdout).once("line", resolve));
  const first = await Promise.race([
    line,
    ended.then((code) => Promise.reject(new Error(`It ended with ${code}: ${log}`))),
  ]);
  const announced = JSON.parse(first) as Readonly<Record<string, unknown>>;
  return { url: String(announced.url ?? ""), child, announced, log: () => log, ended };
}
