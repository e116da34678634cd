import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hostScripts, hostTools, runOnHosts, runOnNext } from "./hosts.ts";
import { type Packed, pnpm, run } from "./pack.ts";
import { readAsEditor } from "./spoken-types.ts";

/** The oldest supported version of Node. The newest is the workspace's own. */
const oldestNode = "22.23.3";

/** The compilers that strict consumers may use, besides the workspace's own. */
const compilers = Object.fromEntries(
  ["5.6.3", "5.7.3", "5.8.3", "5.9.3", "7.0.2"].map((version) => [
    `typescript-${version}`,
    `npm:typescript@${version}`,
  ]),
);

/** Each Keyv backend restricts the version of Keyv, so installing it beside the adapters can fail. */
const keyvBackends = ["@keyv/redis", "@keyv/sqlite", "@keyv/postgres"];

interface Manifest {
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

/**
 * Installs the tarballs into an empty project outside the workspace, imports everything, type-checks it, and runs it on every host. The
 * hosts' programs are downloaded while the tarballs are being packed.
 */
export async function useAsStranger(
  root: string,
  packing: Promise<readonly Packed[]>,
  say: (line: string) => void,
): Promise<void> {
  const project = mkdtempSync(join(tmpdir(), "liveplane-consumer-"));
  try {
    cpSync(join(root, "quality", "consumer"), project, { recursive: true });
    writeProject(root, project, []);
    const [packed] = await Promise.all([packing, install(project)]);
    writeProject(root, project, packed);
    await install(project);
    say("installed into a bare project");
    await Promise.all([runOnNext(root, project, say), compileAndRun(project, say)]);
    await installBesideKeyv(packed, say);
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}

async function install(project: string): Promise<void> {
  // In CI, pnpm would otherwise insist on the lock file from the first of two installations.
  await pnpm(project, "install", "--prefer-offline", "--no-frozen-lockfile");
}

async function compileAndRun(project: string, say: (line: string) => void): Promise<void> {
  readAsEditor(project);
  say("an editor shows what operations say of themselves");

  const tsc = join(project, "node_modules", ".bin", "tsc");
  await Promise.all([
    run(tsc, ["--noEmit", "--module", "preserve", "--moduleResolution", "bundler"], project),
    run(tsc, [], project),
  ]);
  say("type-checked with every strict flag, for a bundler and for Node");
  for (const compiler of Object.keys(compilers)) {
    const program = join(project, "node_modules", compiler, "bin", "tsc");
    await run(process.execPath, [program, "--project", "tsconfig.every-compiler.json"], project);
    say(`type-checked strictly by ${compiler}`);
  }
  await Promise.all([runOnNode(project, say), runOnHosts(project, say)]);
}

/** npm refuses conflicting peers, where pnpm only warns. */
async function installBesideKeyv(packed: readonly Packed[], say: (line: string) => void): Promise<void> {
  for (const backend of keyvBackends) {
    const folder = mkdtempSync(join(tmpdir(), "liveplane-keyv-"));
    try {
      write(folder, "package.json", JSON.stringify({ private: true }));
      const tarballs = packed.map(({ tarball }) => tarball);
      await run("npm", ["install", "--dry-run", "--ignore-scripts", "--no-audit", ...tarballs, backend], folder);
      say(`npm installs the packages beside ${backend}`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

async function runOnNode(project: string, say: (line: string) => void): Promise<void> {
  for (const node of [join(project, "node_modules", "node", "bin", "node"), process.execPath]) {
    const version = (await run(node, ["--version"], project)).trim();
    await run(node, ["every-import.js"], project);
    const said = (await run(node, ["compiled/app.js"], project)).trim();
    const wanted =
      '{"names":["Production"],"missing":"NotFound","status":"Succeeded","event":"livesystem.mutation.succeeded"}';
    if (said !== wanted) throw new TypeError(`On ${version} the app said: ${said}`);
    say(`every module imported and an app run on Node ${version}`);
  }
}

function writeProject(root: string, project: string, packed: readonly Packed[]): void {
  const tarballs = Object.fromEntries(packed.map(({ name, tarball }) => [name, `file:${tarball}`]));
  const { peerDependencies, devDependencies } = read(join(root, "packages", "adapters", "package.json"));
  const vendors = Object.keys(peerDependencies ?? {}).flatMap((name) => [name, `@types/${name}`]);
  const known = { ...read(join(root, "package.json")).devDependencies, ...devDependencies };
  const dependencies = {
    ...tarballs,
    ...Object.fromEntries(
      ["fast-check", "typescript", "@types/node", "@types/express", ...vendors].flatMap((name) => {
        const version = known[name];
        return version === undefined ? [] : [[name, version]];
      }),
    ),
    ...compilers,
    node: oldestNode,
  };
  write(
    project,
    "package.json",
    JSON.stringify({ name: "stranger", private: true, type: "module", dependencies, optionalDependencies: hostTools }),
  );
  const allowBuilds = { node: true, ...hostScripts };
  write(project, "pnpm-workspace.yaml", JSON.stringify({ overrides: tarballs, allowBuilds }));

  const modules = packed.flatMap(({ imports }) => imports);
  const lines = modules.map((module, at) => `import * as module${at} from "${module}";`);
  const names = modules.map((_, at) => `module${at}`).join(", ");
  write(
    project,
    "every-import.js",
    `${lines.join("\n")}\nif ([${names}].some((module) => Object.keys(module).length === 0)) process.exit(1);\n`,
  );
  write(project, "every-import.ts", `${lines.join("\n")}\nexport const modules: readonly object[] = [${names}];\n`);
}

function read(file: string): Manifest {
  return JSON.parse(readFileSync(file, "utf8")) as Manifest;
}

function write(project: string, file: string, text: string): void {
  writeFileSync(join(project, file), text);
}
