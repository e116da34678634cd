import { defineConfig } from "vitest/config";

/** Packages of the workspace resolve to their sources. "import" and "default" go without saying, and must not reach `require`. */
const conditions = ["@liveplane/source", "node"];
const resolve = { conditions };
const ssr = { resolve: { conditions, externalConditions: conditions } };

/** One project per package, so that `vitest --project core` runs in seconds. */
const project = (name: string, root = `packages/${name}`, include = "test/**/*.test.ts") => ({
  resolve,
  ssr,
  test: {
    name,
    root,
    include: [include],
    typecheck: { enabled: false },
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
});

export default defineConfig({
  resolve,
  ssr,
  test: {
    projects: [
      project("core"),
      project("adapters"),
      project("client"),
      project("server-express"),
      project("examples", "examples"),
      project("quality", "quality", "*.test.ts"),
    ],
  },
});
