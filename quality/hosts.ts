import { cpSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { run } from "./pack.ts";

/** The hosts' own programs. They are optional: if one isn't available for this machine, it is skipped with a message. */
export const hostTools: Readonly<Record<string, string>> = {
  "@types/react": "19.3.0",
  bun: "1.4.5",
  deno: "2.9.6",
  miniflare: "4.20260730.0",
  next: "16.4.6",
  react: "19.3.1",
  "react-dom": "19.3.1",
  vite: "8.3.8",
};

/** Those that run scripts when they are installed. */
export const hostScripts: Readonly<Record<string, boolean>> = {
  bun: true,
  deno: true,
  esbuild: false,
  sharp: false,
  workerd: true,
};

const wanted = '{"status":"Succeeded","event":"livesystem.mutation.succeeded"}';
const localNetwork = "--allow-net=127.0.0.1";

type Say = (line: string) => void;

/** The Next app, from its sources to an answering server. Next alone compiles it, so it needn't wait for the others. */
export async function runOnNext(root: string, project: string, say: Say): Promise<void> {
  await on(project, "Next", ["next", "react", "react-dom", "@types/react"], say, async (node) => {
    const app = join(project, "next-app");
    cpSync(join(root, "examples", "next-app"), app, { recursive: true });
    // The workspace's; here everything is installed one folder above.
    for (const name of ["node_modules", "package.json", ".next"])
      rmSync(join(app, name), { recursive: true, force: true });
    await node("../node_modules/next/dist/bin/next", ["build"], app);
    return () => node("run-next.mjs");
  });
}

/** Runs the compiled programs, each on its host. */
export async function runOnHosts(project: string, say: Say): Promise<void> {
  const bin = (name: string) => join(project, "node_modules", ".bin", name);
  await Promise.all([
    on(project, "Bun", ["bun"], say, async () => () => run(bin("bun"), ["compiled/on-bun.js"], project)),
    on(project, "Deno", ["deno"], say, async () => {
      const flags = ["--node-modules-dir=manual", "--no-remote", "--no-prompt", localNetwork];
      return () => run(bin("deno"), ["run", ...flags, "compiled/on-deno.js"], project);
    }),
    on(project, "a bundle of Vite", ["vite"], say, async (node) => {
      await node("bundle.mjs");
      await on(project, "workerd", ["miniflare"], say, async () => () => node("run-workerd.mjs"));
      return () => node("run-page.mjs");
    }),
  ]);
}

type RunNode = (script: string, args?: readonly string[], cwd?: string) => Promise<string>;

/** Prepares a host and runs its program there, which must report the whole story; skips a missing host with a message. */
async function on(
  project: string,
  host: string,
  tools: readonly string[],
  say: Say,
  prepare: (node: RunNode) => Promise<() => Promise<string>>,
): Promise<void> {
  const missing = tools.filter((name) => !existsSync(join(project, "node_modules", name)));
  if (missing.length > 0) return say(`NOT CHECKED on ${host}: the registry gave no ${missing.join(", ")}`);
  const node: RunNode = (script, args = [], cwd = project) => run(process.execPath, [script, ...args], cwd);
  const told = (await (await prepare(node))()).trim().split("\n").at(-1);
  if (told !== wanted) throw new TypeError(`On ${host} the story went: ${told}`);
  say(`signed in, deployed and followed an event on ${host}`);
}
