import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

/** Where Node keeps what it has compiled, for processes of this run and of the next ones. */
export const compiled = join(import.meta.dirname, "../node_modules/.cache/compiled");

const keptMs = 86_400_000;

/** Vitest loads a test file by another address in each run, and Node keeps it once more for each. */
export function setup(): void {
  mkdirSync(compiled, { recursive: true });
  forgetOld(compiled);
}

/** Takes away what no run of the last day has written. */
export function forgetOld(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: Number.POSITIVE_INFINITY };
    if (entry.isFile() && mtimeMs < Date.now() - keptMs) rmSync(path, { force: true });
  }
}
