import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const execute = promisify(execFile);
/** A hanging program fails the check instead of blocking it. */
const longestMs = 300_000;

/** A package as npm would serve it. */
export interface Packed {
  readonly name: string;
  /** The file to install. */
  readonly tarball: string;
  /** The import specifier of each of its modules. */
  readonly imports: readonly string[];
}

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, unknown>>;
}

/** Builds the packages and packs them into an empty folder. */
export async function packAll(root: string, folder: string): Promise<Packed[]> {
  await pnpm(root, "--recursive", "--filter", "./packages/*", "run", "build");
  await pnpm(root, "--recursive", "--filter", "./packages/*", "pack", "--pack-destination", folder);
  const tarballs = readdirSync(folder);
  return readdirSync(join(root, "packages")).map((directory) => {
    const { name, exports } = JSON.parse(
      readFileSync(join(root, "packages", directory, "package.json"), "utf8"),
    ) as Manifest;
    const file = tarballs.find((tarball) => tarball.startsWith(`${name.slice(1).replace("/", "-")}-`)) ?? "";
    const imports = Object.entries(exports).filter(([, target]) => typeof target === "object");
    return { name, tarball: join(folder, file), imports: imports.map(([path]) => name + path.slice(1)) };
  });
}

/** Runs pnpm. */
export function pnpm(cwd: string, ...args: readonly string[]): Promise<string> {
  return run("pnpm", args, cwd);
}

/** Runs a program and returns its output; rejects with the output if it fails. */
export async function run(program: string, args: readonly string[], cwd: string): Promise<string> {
  try {
    return (await execute(program, args, { cwd, timeout: longestMs, maxBuffer: 64 * 1024 * 1024 })).stdout;
  } catch (cause) {
    const { stdout = "", stderr = "" } = cause as { readonly stdout?: string; readonly stderr?: string };
    process.stderr.write(`${program} ${args.join(" ")}\n${stdout}${stderr}\n`);
    throw new TypeError(`${program} failed.`);
  }
}
