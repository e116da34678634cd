import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { root } from "./run-example.ts";

/** A document of the project. */
export interface Document {
  /** From the top of the repository. */
  readonly path: string;
  readonly text: string;
}

/** A block of code in a document. */
export interface Block {
  readonly language: string;
  readonly code: string;
  /** The file or the command that stands in a comment right above it; `null`: none does. */
  readonly from: string | null;
}

const rooms = ["tutorials", "how-to", "explanation", "reference", "decisions"];
const folders = [
  "",
  "docs",
  ...rooms.map((name) => `docs/${name}`),
  "examples",
  ...namesIn("packages").map((name) => `packages/${name}`),
];

/** Every document that somebody reads: at the top, in `docs`, of the examples and of each package. */
export const documents: readonly Document[] = folders.flatMap((folder) =>
  namesIn(folder)
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name))
    .map((path) => ({ path, text: read(path) })),
);

/** The text of a file of the repository. */
export function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/** The names in a folder of the repository. */
export function namesIn(folder: string): readonly string[] {
  return readdirSync(join(root, folder)).toSorted();
}

/** The blocks of code of a document, in order. */
export function blocksOf({ text }: Document): Block[] {
  const blocks = text.matchAll(/^(?:<!-- (.+) -->\n)?```([^\n]*)\n([\s\S]*?)^```$/gm);
  return [...blocks].map(([, from = null, language = "", code = ""]) => ({ from, language, code }));
}

/** The commands of a document: each line of its shell blocks, and what stands in the text as `pnpm …`. */
export function commandsOf(document: Document): string[] {
  const shell = blocksOf(document).filter(({ language }) => language === "sh");
  const lines = shell.flatMap(({ code }) => code.split("\n"));
  const inText = [...document.text.matchAll(/`((?:npx -y )?pnpm[@ ][^`]+)`/g)].map(([, command = ""]) => command);
  return [...lines, ...inText].map((line) => line.replace(/\s+#.*$/, "").trim()).filter(Boolean);
}

/** The links of a document that lead nowhere: a file that isn't there, or a heading. Other sites aren't asked. */
export function deadLinksOf({ path, text }: Document): string[] {
  const links = [...text.matchAll(/\]\(([^)\s]+)[^)]*\)/g)].map(([, link = ""]) => link);
  return links
    .filter((link) => !/^[a-z]+:/.test(link))
    .filter((link) => {
      const [file = "", anchor] = link.split("#");
      const target = file === "" ? path : relative(root, join(root, dirname(path), file));
      if (!existsSync(join(root, target))) return true;
      return anchor !== undefined && !anchorsIn(read(target)).includes(anchor);
    });
}

/** The anchors that headings get. */
function anchorsIn(text: string): string[] {
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => heading);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}
