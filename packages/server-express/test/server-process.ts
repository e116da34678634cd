import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { bundledServer } from "../../../quality/bundled-server.ts";
import { operatorPassword } from "./running-server.ts";

const { PATH, NODE_COMPILE_CACHE } = process.env;

/** What every process of the tests is given. */
export const bareEnvironment = { PATH, NODE_COMPILE_CACHE };

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

/** The program as `pnpm start` runs it, file by file. */
export const serverSources = fileURLToPath(new URL("../src/bin.ts", import.meta.url));

/** Starts the program over a data folder, and waits until it says that it runs. */
export async function startProcess(
  dataDir: string,
  environment: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
  program: string = bundledServer,
): Promise<ServerProcess> {
  const child = spawn(process.execPath, ["--conditions=@liveplane/source", program, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...bareEnvironment,
      PORT: "0",
      LIVEPLANE_DATA: dataDir,
      LIVEPLANE_OPERATOR_PASSWORD: operatorPassword,
      LIVEPLANE_OPEN_REGISTRATION: "on",
      LIVEPLANE_RATE_LIMITS: "off",
      LIVEPLANE_DRAIN_SECONDS: "0.1",
      LIVEPLANE_METRICS: "machine",
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

/**
 * A free port for a server that dies and comes back to it. It lies below those that systems give out by themselves: between the
 * two, such a one could go to anybody.
 */
export async function ownPort(): Promise<string> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    const probe = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      probe.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => probe.close(resolve));
    return String(port);
  }
}
