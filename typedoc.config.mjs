import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Converter } from "typedoc";

/** What each package publishes, from its map of exports: the source file, and what one writes to import it. */
const published = new Map(
  ["core", "simulator", "adapters", "client", "server-express"].flatMap((folder) => {
    const { name, exports } = JSON.parse(readFileSync(`packages/${folder}/package.json`, "utf8"));
    return Object.entries(exports)
      .filter(([path, target]) => typeof target === "object" && !path.endsWith("/internal"))
      .map(([path, target]) => [join("packages", folder, target["@liveplane/source"]), name + path.slice(1)]);
  }),
);

/** Calls each module what an import calls it. */
function nameModules(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.children ?? []) {
      const [file] = [...published.keys()].filter((path) => module.sources?.[0]?.fullFileName.endsWith(path));
      if (file) module.name = published.get(file);
    }
  });
}

export default {
  name: "liveplane",
  entryPoints: [...published.keys()],
  tsconfig: "tsconfig.docs.json",
  out: "docs/reference/api",
  plugin: ["typedoc-plugin-markdown", nameModules],
  readme: "none",
  outputFileStrategy: "modules",
  entryFileName: "index",
  hideBreadcrumbs: true,
  hidePageHeader: true,
  parametersFormat: "table",
  interfacePropertiesFormat: "table",
  tableColumnSettings: { hideSources: true, hideModifiers: true },
  sanitizeComments: true,
  disableGit: true,
  sourceLinkTemplate: "https://github.com/liveplane/liveplane/blob/main/packages/{path}#L{line}",
  highlightLanguages: ["bash", "console", "javascript", "json", "mermaid", "sql", "typescript", "yaml"],
  excludeInternal: true,
  excludePrivate: true,
  skipErrorChecking: true,
  packagesRequiringDocumentation: [
    "@liveplane/core",
    "@liveplane/simulator",
    "@liveplane/adapters",
    "@liveplane/client",
    "@liveplane/server-express",
  ],
  requiredToBeDocumented: ["Class", "Function", "Interface", "TypeAlias", "Variable", "Enum"],
  validation: { notExported: true, invalidLink: true, notDocumented: true, rewrittenLink: true },
  treatWarningsAsErrors: true,
};
