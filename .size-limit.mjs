const source = (config) => ({ ...config, resolve: { conditionNames: ["@liveplane/source", "import", "default"] } });

/** Leaves out what loads on demand. */
const atFirst = (config) => {
  const later = { name: "later", resolveDynamicImport: (id) => ({ id: String(id), external: true }) };
  return { ...config, plugins: [config.plugins, later] };
};

/** What each way in costs a browser. */
export default [
  {
    name: "core/routes: what a browser needs of the contract, without schemas",
    path: "packages/core/src/contract/routes.ts",
    import: "{ routes, parseRoute, credentialHeaders }",
    gzip: true,
    limit: "2.3 kB",
  },
  {
    name: "core/routes with the calls and the error table: the ground of every client",
    import: {
      "packages/core/src/contract/calls.ts": "{ callsOver }",
      "packages/core/src/errors.ts": "{ LiveplaneError, fromProblem, isLiveplaneError }",
    },
    gzip: true,
    limit: "5.6 kB",
  },
  {
    name: "core/contract: everything, with zod",
    path: "packages/core/src/contract/index.ts",
    gzip: true,
    limit: "59 kB",
  },
  {
    name: "core: everything but the list of common passwords",
    path: "packages/core/src/index.ts",
    modifyRolldownConfig: atFirst,
    gzip: true,
    limit: "218 kB",
  },
  {
    name: "client: everything",
    path: "packages/client/src/index.ts",
    modifyRolldownConfig: source,
    gzip: true,
    limit: "13.9 kB",
  },
  {
    name: "console: every page, with the client; a test limits what loads first",
    path: "packages/console/src/app/main.tsx",
    modifyRolldownConfig: source,
    gzip: true,
    limit: "145 kB",
  },
  {
    name: "client: createClient alone",
    path: "packages/client/src/index.ts",
    import: "{ createClient }",
    modifyRolldownConfig: source,
    gzip: true,
    limit: "13.3 kB",
  },
  {
    name: "client: the error guard alone",
    path: "packages/client/src/index.ts",
    import: "{ isLiveplaneError }",
    modifyRolldownConfig: source,
    gzip: true,
    limit: "1 kB",
  },
];
