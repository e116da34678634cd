import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { defineConfig } from "tsup";
import { base } from "../../tsup.base.ts";
import { bundleElements, bundleFiles } from "./src/files/bundle.ts";

/** What browsers load is bundled once, when the package is built. */
async function writeSite(): Promise<void> {
  for (const { path, bytes } of await bundleFiles()) {
    const file = join("dist/site", path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, bytes);
  }
  await writeFile("dist/elements/index.js", await bundleElements());
  // Of what stood there before.
  await rm("dist/elements/index.js.map");
}

export default defineConfig({
  ...base,
  entry: ["src/index.ts", "src/files/built-files.ts", "src/elements/index.ts"],
  external: [/^#/],
  onSuccess: writeSite,
});
