import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

/** Where Node keeps compiled code, for the processes of this run and later ones. */
export const compiled = join(import.meta.dirname, "../node_modules/.cache/compiled");

const keptMs = 86_400_000;

/** Vitest loads a test file from a new address in each run, and Node would cache it again each time. */
export function setup(): void {
  mkdirSync(compiled, { recursive: true });
  forgetOld(compiled);
}

/** Deletes what no run of the last day has written. */
export function forgetOld(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: Number.POSITIVE_INFINITY };
    if (entry.isFile() && mtimeMs < Date.now() - keptMs) rmSync(path, { force: true });
  }
}
