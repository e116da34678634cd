import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { compiled } from "./quality/compiled.ts";
import { TrialsFirst, trials } from "./quality/trials.ts";

/** Packages of the workspace resolve to their sources: Vitest hands these on to Node, by `--conditions`. */
const ssr = { resolve: { conditions: ["@liveplane/source", "node"] } };

/** A set of test files that can be run alone: `vitest run --project core` takes seconds. */
const project = (name: string, root: string, include: readonly string[], exclude: readonly string[] = []) => ({
  ssr,
  test: {
    name,
    root,
    include: [...include],
    exclude: ["**/node_modules/**", ...exclude],
    // A worker, and each process that a test starts, loads what the first has compiled.
    env: { NODE_COMPILE_CACHE: compiled },
    // Node loads tests and sources by itself, as it does wherever a process is started: nothing is bundled or mocked.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Files share their worker's modules, which take longer to load than most tests to run: a test puts back what it changes.
    isolate: false,
    typecheck: { enabled: false },
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // What is waited for comes within the second on a machine at rest, and later on a busy one: then the wait costs, and not the test.
    expect: { poll: { timeout: 10_000 } },
  },
});

/** The tests of a package, without those of the whole that lie in it. */
const ofPackage = (name: string) => {
  const root = `packages/${name}`;
  const elsewhere = trials.filter((file) => file.startsWith(`${root}/`)).map((file) => file.slice(root.length + 1));
  return project(name, root, ["test/**/*.test.ts"], [...elsewhere, "test/cluster/**"]);
};

/** Trials of a cluster take minutes and both cores: `pnpm test:cluster` runs them alone. */
const cluster =
  process.env.LIVEPLANE_CLUSTER_SECONDS === undefined
    ? []
    : [project("cluster", "packages/server-express", ["test/cluster/*.test.ts"])];

export default defineConfig({
  test: {
    // Three at least: many tests wait for processes of their own, and two cores are busy all the same.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    maxConcurrency: 2,
    sequence: { sequencer: TrialsFirst },
    globalSetup: ["./quality/test-folder.ts", "./quality/compiled.ts"],
    projects: [
      project("trials", ".", trials),
      ofPackage("core"),
      ofPackage("adapters"),
      ofPackage("client"),
      ofPackage("server-express"),
      ...cluster,
      ofPackage("console"),
      project("examples", "examples", ["test/**/*.test.ts"]),
      project("quality", "quality", ["*.test.ts"]),
    ],
  },
});
