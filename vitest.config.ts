import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { compiled } from "./quality/compiled.ts";
import { TrialsFirst, trials } from "./quality/trials.ts";

/** Packages of the workspace resolve to their sources: Vitest hands these on to Node, by `--conditions`. */
const ssr = { resolve: { conditions: ["@liveplane/source", "node"] } };

/** A set of test files that can be run alone: `vitest run --project core` takes seconds. */
const project = (name: string, include: readonly string[], exclude: readonly string[] = []) => ({
  ssr,
  test: {
    name,
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

const tests = ["packages/*/test/**/*.test.ts", "examples/test/**/*.test.ts", "quality/*.test.ts"];

/** Trials of a cluster take minutes and both cores: `pnpm test:cluster` runs them alone. */
const cluster = "packages/server-express/test/cluster/*.test.ts";

/** The tests of a package, without those of the whole that lie in it. */
const ofPackage = (name: string) => project(name, [`packages/${name}/test/**/*.test.ts`], [...trials, cluster]);

const parts = [
  project("trials", trials),
  ...["core", "simulator", "adapters", "client", "server-express", "console"].map(ofPackage),
  project("examples", ["examples/test/**/*.test.ts"]),
  project("quality", ["quality/*.test.ts"]),
  project("cluster", [cluster]),
];

/** A worker serves one project and is started anew for the next: who asks for all has one, whose workers load everything once. */
const isPartAsked = process.argv.some((argument) => argument.startsWith("--project"));

export default defineConfig({
  test: {
    // Three at least: many tests wait for processes of their own, and two cores are busy all the same.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    maxConcurrency: 2,
    sequence: { sequencer: TrialsFirst },
    globalSetup: ["./quality/test-folder.ts", "./quality/compiled.ts", "./quality/bundled-server.ts"],
    projects: isPartAsked ? parts : [project("all", tests, [cluster])],
  },
});
