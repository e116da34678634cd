import type { Options } from "tsup";

/** What every published package shares: ESM, types, source maps into the sources beside them, nothing bundled that npm can install. */
export const base: Options = {
  format: "esm",
  target: "es2023",
  dts: true,
  sourcemap: true,
  clean: true,
  treeshake: true,
  splitting: true,
  // `node:sqlite` exists under no other name.
  removeNodeProtocol: false,
  esbuildOptions(options) {
    options.sourcesContent = false;
  },
};
