import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { bundledServer } from "../../quality/bundled-server.ts";

/** Variables for an example, beside those that any program needs. */
export type Environment = Readonly<Record<string, string>>;

/** How an example ended, and all that it said. */
export interface Ended {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The repository's folder. */
export const root = fileURLToPath(new URL("../..", import.meta.url));

/** Makes a folder that is gone after the test. */
export function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "liveplane-example-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;

/** Starts an example as its reader does, in an empty folder. It ends with the test at the latest. */
export function startExample(file: string, environment: Environment = {}, cwd = emptyFolder()): ChildProcess {
  const child = spawn(process.execPath, ["--conditions=@liveplane/source", resolve(root, file)], {
    cwd,
    env: { PATH, HOME, NODE_COMPILE_CACHE, ...environment },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** Runs an example to its end. */
export function runExample(file: string, environment: Environment = {}, cwd = emptyFolder()): Promise<Ended> {
  const child = startExample(file, environment, cwd);
  const said = { stdout: "", stderr: "" };
  child.stdout?.on("data", (chunk) => (said.stdout += chunk));
  child.stderr?.on("data", (chunk) => (said.stderr += chunk));
  return new Promise((ended, reject) => {
    child.once("error", reject);
    child.once("close", (exitCode) => ended({ exitCode, ...said }));
  });
}

/** Starts the reference server with a store of its own. */
export async function runServer(environment: Environment = {}) {
  const password = "a long enough secret";
  const server = startExample(bundledServer, {
    PORT: "0",
    LIVEPLANE_DATA: "data",
    LIVEPLANE_LOG: "silent",
    LIVEPLANE_OPERATOR_PASSWORD: password,
    ...environment,
  });
  const url = await new Promise<string>((told, reject) => {
    let said = "";
    server.stdout?.on("data", (chunk) => {
      said += chunk;
      if (said.includes("\n")) told((JSON.parse(said) as { url: string }).url);
    });
    server.once("exit", (exitCode) => reject(new Error(`The server ended with ${exitCode}.`)));
  });
  return { url, credentials: { username: "operator", password } };
}
