import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { defineConfig } from "vitepress";

const docs = join(import.meta.dirname, "..");
const root = join(docs, "..");
const summary =
  "An embeddable control plane for live systems, whose agent hands resources over to people and takes them back.";

const rooms = [
  ["Tutorials", "tutorials"],
  ["How to", "how-to"],
  ["Explanation", "explanation"],
  ["Reference", "reference"],
  ["API: operations", "reference/operations"],
  ["API: modules", "reference/api"],
  ["Types of resources", "reference/types"],
  ["Decisions", "decisions"],
];

/** The pages of a folder, by title. */
function pagesIn(folder) {
  const names = readdirSync(join(docs, folder), { recursive: folder === "reference/api" });
  return names
    .filter((name) => name.endsWith(".md"))
    .sort()
    .map((name) => join(folder, name))
    .map((page) => ({ text: titleOf(page), link: `/${page.slice(0, -3)}` }));
}

function titleOf(page) {
  const [, title = page] = /^# (.+)$/m.exec(readFileSync(join(docs, page), "utf8")) ?? [];
  return title.replaceAll("\\", "");
}

const sections = rooms.map(([text, folder]) => ({ text, folder, items: pagesIn(folder) }));

/** Long lists are shown on their own pages only, because every page contains its list. */
const long = ["reference/api", "decisions"];
const short = sections.map(({ text, folder, items }, at) =>
  long.includes(folder) ? { text, link: items.at(-1).link } : { text, items, collapsed: at > 0 },
);
const sidebar = Object.fromEntries(
  sections.map((section) => [`/${section.folder}/`, long.includes(section.folder) ? [section] : short]),
);

/** Links from a page to a file outside the site lead to the repository. They are refused if the file doesn't exist. */
function linksOut(markdown) {
  markdown.core.ruler.push("links-out", ({ tokens, env }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.attrGet("href");
      if (token.type !== "link_open" || href === null || /^(#|\/|[a-z]+:)/.test(href)) continue;
      const [path, fragment] = href.split("#");
      const target = join(dirname(join(docs, env.relativePath)), path);
      if (target.startsWith(docs) && target.endsWith(".md")) continue;
      if (!existsSync(target)) throw new TypeError(`${env.relativePath}: ${href} doesn't exist.`);
      const address = `https://github.com/liveplane/liveplane/blob/main/${relative(root, target)}`;
      token.attrSet("href", fragment === undefined ? address : `${address}#${fragment}`);
    }
  });
}

/** Each page as Markdown too, and a list of them for programs that read. */
function forReaders({ outDir, pages }) {
  for (const page of pages) {
    mkdirSync(dirname(join(outDir, page)), { recursive: true });
    copyFileSync(join(docs, page), join(outDir, page));
  }
  const lists = sections.map(({ text, items }) =>
    [`## ${text}`, "", ...items.map((item) => `- [${item.text}](${item.link}.md)`)].join("\n"),
  );
  writeFileSync(join(outDir, "llms.txt"), `${["# liveplane", `> ${summary}`, ...lists].join("\n\n")}\n`);
}

export default defineConfig({
  title: "liveplane",
  description: summary,
  lang: "en",
  head: [["link", { rel: "icon", href: "data:," }]],
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    sidebar: { ...sidebar, "/": short },
    socialLinks: [{ icon: "github", link: "https://github.com/liveplane/liveplane" }],
    footer: { message: "MIT" },
  },
  markdown: { config: linksOut },
  // The index of the search is one file.
  vite: { build: { chunkSizeWarningLimit: 4000 } },
  buildEnd: forReaders,
});
