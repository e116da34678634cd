// The published form of `#files`: the bundled files are beside it.
import { readdir, readFile } from "node:fs/promises";
import type { SiteFile } from "./bundle.ts";

export async function readFiles(): Promise<SiteFile[]> {
  const folder = new URL("../site/", import.meta.url);
  const paths = (await readdir(folder, { recursive: true })).filter((path) => /\.\w+$/.test(path));
  return Promise.all(
    paths.map(async (path) => ({ path: path.replaceAll("\\", "/"), bytes: await readFile(new URL(path, folder)) })),
  );
}
