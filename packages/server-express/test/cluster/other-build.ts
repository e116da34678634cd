import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

/**
 * Installs the packed packages of another build, from a folder of tarballs, and puts the node's program beside them, so that it runs over
 * that build. Returns the program.
 */
export function installBuild(tarballs: string): string {
  const files = readdirSync(tarballs).filter((name) => name.endsWith(".tgz"));
  if (files.length === 0) throw new TypeError(`${tarballs} contains no packed packages. Write them with pnpm pack.`);
  const project = mkdtempSync(join(tmpdir(), "liveplane-other-build-"));
  writeFileSync(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const paths = files.map((name) => resolve(tarballs, name));
  // Without a shell; npm puts all packages into one folder, where the adapters find the vendors of the server.
  execFileSync("npm", ["install", "--no-audit", "--no-fund", ...paths], { cwd: project, stdio: "pipe" });
  for (const file of programFiles) {
    mkdirSync(join(project, dirname(file)), { recursive: true });
    copyFileSync(join(root, file), join(project, file));
  }
  return join(project, programFiles[0]);
}

const root = join(import.meta.dirname, "../../../..");
const programFiles = [
  "packages/server-express/test/cluster/cluster-node-process.ts",
  "packages/server-express/test/cluster/cluster-cloud.ts",
  "packages/core/test/builders/plain-cloud.ts",
] as const;
