import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Plugin, Rolldown } from "vite";
import type { TestProject } from "vitest/node";
import { forgetOld } from "./compiled.ts";

const root = join(import.meta.dirname, "..");
const folder = join(root, "packages/server-express/node_modules/.cache/bundled");

/** The server's program as one file. Trials start it about forty times, and each start from the sources loads four hundred files. */
export const bundledServer = join(folder, "bin.js");

/** Installed packages are loaded from where they are; files that a source reads stay beside it. */
const inPlace: Plugin = {
  name: "in-place",
  enforce: "pre",
  async resolveId(source, importer) {
    if (importer === undefined || /^(\.|node:|#|@liveplane\/)/.test(source)) return null;
    const found = await this.resolve(source, importer, { skipSelf: true });
    return found === null ? null : { id: found.id, external: "absolute" };
  },
  transform: (code, id) =>
    code.includes("import.meta.url")
      ? code.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href))
      : null,
};

/** Bundles it for this run, and again before watched files are run again. */
export async function setup(project: TestProject): Promise<void> {
  await write();
  project.onTestsRerun(write);
}

async function write(): Promise<void> {
  const { build } = await import("vite");
  const { output } = (await build({
    configFile: false,
    logLevel: "silent",
    root,
    plugins: [inPlace],
    ssr: { noExternal: [/^@liveplane\//], resolve: { conditions: ["@liveplane/source", "node"] } },
    build: {
      write: false,
      ssr: join(root, "packages/server-express/src/bin.ts"),
      rollupOptions: { output: { entryFileNames: "bin.js" } },
    },
  })) as Rolldown.RolldownOutput;
  // The program comes last: whoever starts it meanwhile, in another run, finds everything it loads.
  for (const part of output.toReversed()) {
    const file = join(folder, part.fileName);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(`${file}.${process.pid}`, part.type === "chunk" ? part.code : part.source);
    renameSync(`${file}.${process.pid}`, file);
  }
  forgetOld(folder);
}
