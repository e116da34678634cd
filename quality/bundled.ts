import { join } from "node:path";
import { build, type Rolldown } from "vite";

/** How the workspace's sources are bundled. */
export interface BundledOptions {
  /** The file to bundle, from the root of the workspace. */
  readonly entry: string;
  /** `iife`: one script with its exports under this name. @default modules, with separate chunks for what loads later */
  readonly name?: string;
}

/** Bundles sources as a host's bundler does, and returns the chunks; nothing is written. */
export async function bundled({ entry, name }: BundledOptions): Promise<readonly Rolldown.OutputChunk[]> {
  const lib = { entry: join(import.meta.dirname, "..", entry) };
  const [built] = (await build({
    configFile: false,
    logLevel: "silent",
    resolve: { conditions: ["@liveplane/source"] },
    build: {
      write: false,
      minify: false,
      lib: name === undefined ? { ...lib, formats: ["es"] } : { ...lib, formats: ["iife"], name },
    },
  })) as Rolldown.RolldownOutput[];
  return (built?.output ?? []).flatMap((part) => (part.type === "chunk" ? [part] : []));
}
