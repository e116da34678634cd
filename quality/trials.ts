import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Long trials of the whole, as other houses keep end-to-end tests: seeded worlds, every schedule, processes that are killed, answers that
 * are lost, fleets of thousands, every byte that somebody could read. The longest first.
 */
export const trials: readonly string[] = [
  "packages/core/test/explorer/explorer.test.ts",
  "packages/core/test/simulator/simulator.test.ts",
  "packages/core/test/simulator/mutants.test.ts",
  "packages/server-express/test/postgres.test.ts",
  "packages/server-express/test/differential.test.ts",
  "packages/console/test/console.test.ts",
  "packages/console/test/console-looks.test.ts",
  "packages/console/test/console-sessions.test.ts",
  "packages/console/test/console-pages.test.ts",
  "packages/server-express/test/stop-under-load.test.ts",
  "packages/adapters/test/google/google-sweep.test.ts",
  "packages/adapters/test/azure-sweep.test.ts",
  "packages/adapters/test/simulator/doubles.test.ts",
  "packages/server-express/test/override-kill.test.ts",
  "packages/server-express/test/webhook-kill.test.ts",
  "packages/server-express/test/losing-proxy.test.ts",
  "packages/server-express/test/real-clouds.test.ts",
  "packages/server-express/test/load-kill.test.ts",
  "packages/core/test/simulator/own-cloud.test.ts",
  "packages/server-express/test/hostile-requests.test.ts",
  "packages/core/test/webhooks/flood.test.ts",
  "packages/adapters/test/initialization-crash.test.ts",
  "packages/adapters/test/crash.test.ts",
  "packages/core/test/explorer/mistakes.test.ts",
];

/** Projects whose files take longest come before those that can fill what is left over at the end. */
const order = ["trials", "examples", "server-express", "adapters", "quality", "console", "client", "core"];

/** Begins with the trials, so that none of them is left over at the end, when one worker would work on it and the others wait. */
export class TrialsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const place = ({ project, moduleId }: TestSpecification) =>
      order.indexOf(project.name) * (trials.length + 1) + trials.indexOf(relative(this.ctx.config.root, moduleId));
    return sorted.sort((one, other) => place(one) - place(other));
  }
}
