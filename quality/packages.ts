/** Packs the packages and uses them as a stranger would: checked by publint and attw, imported and type-checked outside the workspace. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { useAsStranger } from "./consumer.ts";
import { type Packed, packAll, pnpm } from "./pack.ts";

const root = join(import.meta.dirname, "..");
const begun = performance.now();

const tarballs = mkdtempSync(join(tmpdir(), "liveplane-tarballs-"));
try {
  const packing = packAll(root, tarballs).then((packed) => {
    say("built and packed");
    return packed;
  });
  await Promise.all([packing.then((packed) => Promise.all(packed.map(judge))), useAsStranger(root, packing, say)]);
} finally {
  rmSync(tarballs, { recursive: true, force: true });
}

async function judge({ name, tarball }: Packed): Promise<void> {
  await pnpm(root, "exec", "publint", "--strict", tarball);
  await pnpm(root, "exec", "attw", "--profile", "esm-only", tarball);
  say(`${name}: publint and attw have nothing to say`);
}

function say(line: string): void {
  process.stdout.write(`${((performance.now() - begun) / 1000).toFixed(0).padStart(4)} s  ${line}\n`);
}
