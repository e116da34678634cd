import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/** The second process of a test, and all later ones, load what the first has compiled. */
const env = { NODE_COMPILE_CACHE: `${import.meta.dirname}/node_modules/.cache/compiled` };

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
    env,
    // Files share their worker's modules, which take longer to load than most tests to run: a test puts back what it changes.
    isolate: false,
    typecheck: { enabled: false },
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
});

export default defineConfig({
  resolve,
  ssr,
  test: {
    // Two at least: many tests wait for processes of their own.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    maxConcurrency: 2,
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
