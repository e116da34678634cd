import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Makes an empty folder, which is removed after the test; pass `afterAll` where a whole file uses it. */
export function emptyFolder(atEnd: (remove: () => void) => void = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), "liveplane-"));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
