import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The real ssh-keygen, writing into a folder of its own. */
export interface Keygen {
  /** Makes a key, and gives it as text. */
  make(name: string, ...args: readonly string[]): string;
  /** Rewrites a key: another format, another passphrase. */
  rewrite(name: string, ...args: readonly string[]): string;
  /** What `ssh-keygen -lf` prints of it: bits, fingerprint, comment, type. */
  facts(name: string): { readonly bits: number; readonly fingerprint: string };
  /** The public half without its comment. */
  publicKey(name: string): string;
  end(): void;
}

/** Whether there is an ssh-keygen here. */
export const keygenIsHere = spawnSync("ssh-keygen", ["-?"]).error === undefined;

export function keygen(): Keygen {
  const folder = mkdtempSync(join(tmpdir(), "liveplane-keygen-"));
  const path = (name: string) => join(folder, name);
  const run = (...args: readonly string[]): string => {
    const { status, stdout, stderr } = spawnSync("ssh-keygen", args, { encoding: "utf8" });
    if (status !== 0) throw new RangeError(`ssh-keygen ${args.join(" ")}: ${stderr}`);
    return stdout;
  };
  return {
    make(name, ...args) {
      if (!existsSync(path(name))) run("-q", "-f", path(name), ...args);
      return readFileSync(path(name), "utf8");
    },
    rewrite(name, ...args) {
      run("-q", "-p", "-f", path(name), ...args);
      return readFileSync(path(name), "utf8");
    },
    facts(name) {
      const [bits, fingerprint = ""] = run("-l", "-E", "sha256", "-f", `${path(name)}.pub`).split(" ");
      return { bits: Number(bits), fingerprint };
    },
    publicKey: (name) =>
      readFileSync(`${path(name)}.pub`, "utf8")
        .split(" ")
        .slice(0, 2)
        .join(" ")
        .trim(),
    end: () => rmSync(folder, { recursive: true, force: true }),
  };
}
