import { createHash } from "node:crypto";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build } from "esbuild";
import { texts } from "../texts.ts";

export interface SiteFile {
  /** Relative to the mount, without a leading slash. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

const sources = fileURLToPath(new URL("..", import.meta.url));

/** The settings shared by everything that browsers load. */
const shared = {
  absWorkingDir: sources,
  bundle: true,
  write: false,
  minify: true,
  format: "esm",
  target: "es2023",
  jsx: "automatic",
  jsxImportSource: "preact",
  conditions: ["@liveplane/source"],
  legalComments: "none",
  logLevel: "error",
} satisfies BuildOptions;

/** Bundles the site. Each name except the page's contains the digest of its content. */
export async function bundleFiles(): Promise<SiteFile[]> {
  const { outputFiles } = await build({
    ...shared,
    entryPoints: ["app/main.tsx", "styles/console.css"],
    outdir: "console",
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    splitting: true,
  });
  const files = outputFiles.map(({ path, contents }) => ({
    path: `console/${path.slice(path.lastIndexOf("/") + 1)}`,
    bytes: contents,
  }));
  const icon = { path: `console/icon-${digestOf(iconMarkup)}.svg`, bytes: new TextEncoder().encode(iconMarkup) };
  return [pageOf([...files, icon]), ...files, icon];
}

/** Bundles the custom elements with their styles into one module, so that an embedding page loads nothing else. @internal */
export async function bundleElements(): Promise<Uint8Array> {
  const styles = await build({ ...shared, entryPoints: ["styles/elements.css"] });
  const define = { ELEMENT_STYLES: JSON.stringify(styles.outputFiles[0]?.text) };
  const { outputFiles } = await build({ ...shared, entryPoints: ["elements/index.ts"], define });
  return outputFiles[0]?.contents ?? new Uint8Array();
}

/** The page. Its addresses are relative, so that it can be mounted anywhere. */
function pageOf(files: readonly SiteFile[]): SiteFile {
  const named = (extension: string) => files.find(({ path }) => extname(path) === extension)?.path ?? "";
  const main = files.find(({ path }) => path.startsWith("console/main-"))?.path ?? "";
  const markup = `<!doctype html>
<html lang="${texts.language.page}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>liveplane</title>
<meta name="color-scheme" content="light dark"><link rel="icon" href="${named(".svg")}"><link rel="stylesheet" href="${named(".css")}">
<script type="module" src="${main}"></script></head><body><div id="console"></div><noscript>${texts.noScript}</noscript></body></html>
`;
  return { path: "index.html", bytes: new TextEncoder().encode(markup) };
}

/** A tag with its string off, the sign of a take-over. */
const iconMarkup = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1d4ed8"/><path d="M8 9h10l6 7-6 7H8z" fill="none" stroke="#fff" stroke-width="2.5" stroke-linejoin="round"/><circle cx="13" cy="16" r="2.2" fill="#fff"/></svg>`;

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 8);
}
