const core = "^packages/core/src";

/** The direction of imports, as ARCHITECTURE.md draws it. Types are free to look upwards; code is not. */
export default {
  forbidden: [
    {
      name: "no-cycles",
      comment: "What imports itself can't be understood from either end.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "core-knows-no-node",
      comment: "The core runs wherever JavaScript does; what needs Node stands behind a port.",
      severity: "error",
      from: { path: core },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "contract-stands-alone",
      comment: "The contract is read by clients: it needs the errors and nothing else of the core.",
      severity: "error",
      from: { path: `${core}/contract` },
      to: { path: core, pathNot: [`${core}/contract`, `${core}/errors\\.ts$`], dependencyTypesNot: ["type-only"] },
    },
    {
      name: "ports-know-no-domain",
      comment: "A port says what the core needs from outside, never what it is needed for.",
      severity: "error",
      from: { path: `${core}/ports` },
      to: { path: `${core}/(account|environment|override|records|testing|clouds)/`, dependencyTypesNot: ["type-only"] },
    },
    {
      name: "records-know-no-domain",
      comment: "Records keep anything; the areas decide what.",
      severity: "error",
      from: { path: `${core}/records` },
      to: { path: `${core}/(account|environment|override|testing|clouds)/`, dependencyTypesNot: ["type-only"] },
    },
    {
      name: "areas-meet-in-the-root",
      comment: "Areas get each other's functions from the composition root, not by import.",
      severity: "error",
      from: { path: `${core}/(account|environment|override)/` },
      to: {
        path: `${core}/(account|environment|override)/`,
        pathNot: `${core}/$1/`,
        dependencyTypesNot: ["type-only"],
      },
    },
    {
      name: "testing-is-for-tests",
      comment: "Nothing that ships to production depends on the test kits.",
      severity: "error",
      from: { path: core, pathNot: `${core}/testing/` },
      to: { path: `${core}/testing/` },
    },
    {
      name: "routes-stay-light",
      comment: "The client loads the routes and the error table; schemas must not come along.",
      severity: "error",
      from: { path: "^packages/client/src" },
      to: {
        path: core,
        pathNot: [`${core}/errors\\.ts$`, `${core}/routes\\.ts$`, `${core}/contract/(routes|calls)\\.ts$`],
        dependencyTypesNot: ["type-only"],
      },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "(/dist/|/coverage/|/\\.mutants/)" },
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      conditionNames: ["@liveplane/source", "import", "default", "types"],
      exportsFields: ["exports"],
      extensions: [".ts", ".js"],
    },
  },
};
