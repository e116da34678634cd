import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
/** Built from the sources, and not committed. */
const generated = ["docs/.vitepress/dist/**", "docs/reference/{api,operations,types}/**"];
const files = (patterns: readonly string[]) =>
  globSync(patterns, { cwd: root, exclude: ["**/node_modules/**", ...generated] }).sort();

const decisions = /^docs\/decisions\//;
/** Everything a reader opens first. Without decisions, and without CONTRIBUTING, which quotes what to avoid. */
const documents = files(["README.md", "ARCHITECTURE.md", "docs/**/*.md", "packages/*/README.md", "examples/**/*.md"])
  .filter((path) => !decisions.test(path))
  .map((path) => ({ path, text: withoutCode(read(path)) }));

/** The texts that programs show: literals of at least three words, outside comments and test tools. */
const texts = files(["packages/*/src/**/*.{ts,tsx}"])
  .filter((path) => !/\/testing\/|^packages\/simulator\/|common-password-list/.test(path))
  .map((path) => ({ path, text: literalsIn(read(path)).join("\n") }));

/** The occurrences of a pattern, by file, with the words around them. */
export function placesOf(pattern: RegExp): string[] {
  return [...texts, ...documents].flatMap(({ path, text }) =>
    [...text.matchAll(new RegExp(pattern, "gi"))].map(
      ({ index, 0: found }) => `${path}: …${text.slice(Math.max(0, index - 30), index + found.length + 30)}…`,
    ),
  );
}

/** The sentences of a document with more words than this. Tables and headings are skipped. */
export function longerThan(words: number): string[] {
  return documents.flatMap(({ path, text }) =>
    text
      .replace(/^\s*(\||#|<).*$/gm, "")
      .replace(/\]\([^)]*\)/g, "]")
      .split(/\n\s*\n|\n\s*(?:[-*]|\d+\.) |(?<=[.!?:])\s+/)
      .filter((sentence) => sentence.split(/\s+/).length > words)
      .map((sentence) => `${path}: ${sentence.trim()}`),
  );
}

function withoutCode(text: string): string {
  return text.replace(/^ *```.*?^ *```/gms, "").replace(/`[^`\n]*`/g, "code");
}

function literalsIn(source: string): string[] {
  const code = source.replace(/\/\*.*?\*\//gs, "").replace(/(^|\s)\/\/.*/g, "");
  return (code.match(/"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g) ?? []).filter((literal) => /\S \S+ \S/.test(literal));
}
