import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { packAll, pnpm, run } from "../../../../quality/pack.ts";

/** Stands for the neighbour that teams upgrade from. */
const neighbour = "neighbour";

/**
 * Installs another build, and puts the node's program beside it, so that it runs over that build. Returns the program. `build`: a folder of
 * packed packages, a commit, or `neighbour`.
 */
export async function installBuild(build: string): Promise<string> {
  const tarballs = existsSync(build) ? build : await packCommit(await commitOf(build));
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

/** The neighbour is the last release before this commit. Without tags it is the last commit that changed the version. */
async function commitOf(build: string): Promise<string> {
  const releases = await git("tag", "--list", "@liveplane/core@*", "--merged", "HEAD^", "--sort", "-version:refname");
  const change = ["-G", '"version":', "HEAD^", "--", "packages/core/package.json"];
  const found = build === neighbour ? (releases[0] ?? (await git("log", "-1", "--format=%H", ...change))[0]) : build;
  const [commit = ""] = await git("rev-parse", "--verify", `${found}^{commit}`);
  process.stdout.write(`The other build is ${commit}.\n`);
  return commit;
}

/** Builds a commit in a folder of its own, and returns a folder with its packed packages. */
async function packCommit(commit: string): Promise<string> {
  const [sources, tarballs] = [
    mkdtempSync(join(tmpdir(), "liveplane-sources-")),
    mkdtempSync(join(tmpdir(), "liveplane-packed-")),
  ];
  try {
    await git("worktree", "add", "--detach", sources, commit);
    await pnpm(sources, "install", "--frozen-lockfile", "--prefer-offline");
    await packAll(sources, tarballs);
  } finally {
    await git("worktree", "remove", "--force", sources).catch(() => rmSync(sources, { recursive: true, force: true }));
  }
  return tarballs;
}

async function git(...words: readonly string[]): Promise<string[]> {
  return (await run("git", words, root)).split("\n").filter((line) => line !== "");
}

const root = join(import.meta.dirname, "../../../..");
const programFiles = [
  "packages/server-express/test/cluster/cluster-node-process.ts",
  "packages/server-express/test/cluster/cluster-cloud.ts",
  "packages/core/test/builders/plain-cloud.ts",
] as const;
