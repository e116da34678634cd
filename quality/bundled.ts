import { join } from "node:path";
import { build, type Rolldown } from "vite";

/** How sources of the workspace are bundled. */
export interface BundledOptions {
  /** The file that is bundled, from the root of the workspace. */
  readonly entry: string;
  /** `iife`: one script, whose exports are at this name. @default modules, with what loads later in chunks of its own */
  readonly name?: string;
}

/** Bundles sources as a host's bundler does, and gives its chunks; nothing is written. */
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
