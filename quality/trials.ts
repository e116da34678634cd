import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Long trials of the whole, as other houses keep end-to-end tests: seeded worlds, every schedule, every operation by everybody, processes
 * that are killed, answers that are lost, fleets of thousands, every byte that somebody could read. Those that wait for others stand among
 * those that compute.
 */
export const trials: readonly string[] = [
  "packages/server-express/test/postgres.test.ts",
  "packages/simulator/test/simulator.test.ts",
  "packages/simulator/test/models/traces.test.ts",
  "packages/simulator/test/explorer/explorer.test.ts",
  "packages/console/test/console-pages.test.ts",
  "packages/console/test/console-existing.test.ts",
  "packages/console/test/console-truth.test.ts",
  "packages/console/test/console-on-call.test.ts",
  "packages/console/test/console-budgets.test.ts",
  "packages/server-express/test/tenants/differential.test.ts",
  "packages/console/test/console.test.ts",
  "packages/simulator/test/mutants.test.ts",
  "packages/console/test/console-looks.test.ts",
  "packages/console/test/console-smooth.test.ts",
  "packages/server-express/test/every-operation/fetch-alike.test.ts",
  "packages/adapters/test/google/google-sweep.test.ts",
  "packages/server-express/test/http/stop-under-load.test.ts",
  "packages/adapters/test/simulator/doubles.test.ts",
  "packages/server-express/test/webhook-kill.test.ts",
  "packages/simulator/test/own-cloud.test.ts",
  "packages/server-express/test/real-clouds.test.ts",
  "packages/core/test/callers/hostile-arguments.test.ts",
  "packages/server-express/test/every-operation/transports.test.ts",
  "packages/adapters/test/azure/azure-sweep.test.ts",
  "packages/console/test/console-sessions.test.ts",
  "packages/core/test/callers/every-operation.test.ts",
  "packages/adapters/test/ssh-keys/ssh-keys-keygen.test.ts",
  "packages/adapters/test/rotation.test.ts",
  "packages/core/test/webhooks/flood.test.ts",
  "packages/adapters/test/webhooks/webhook-fairness.test.ts",
  "packages/server-express/test/override-kill.test.ts",
  "packages/core/test/store/broken-stores.test.ts",
  "packages/core/test/override/plans-come-true.test.ts",
  "packages/server-express/test/http/hostile-requests.test.ts",
  "packages/server-express/test/every-operation/losing-proxy.test.ts",
  "packages/server-express/test/every-operation/lost-answers.test.ts",
  "packages/simulator/test/explorer/mistakes.test.ts",
  "packages/server-express/test/load-kill.test.ts",
  "packages/adapters/test/initialization-crash.test.ts",
  "packages/adapters/test/pg-boss/initialization-nodes.test.ts",
  "packages/adapters/test/pg-boss/release-nodes.test.ts",
  "packages/adapters/test/stores/crash.test.ts",
];

/**
 * Begins with the trials, so that none of them is left over at the end, when one worker would work on it and the others wait. The rest is
 * mixed evenly by package: servers and browsers are waited for while the core's tests compute.
 */
export class TrialsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const pathOf = ({ moduleId }: TestSpecification) => relative(this.ctx.config.root, moduleId);
    const folders = Object.values(Object.groupBy(sorted, (file) => pathOf(file).split("/test/")[0] ?? ""));
    const shares = new Map(folders.flatMap((of = []) => of.map((file, at) => [file, at / of.length])));
    const place = (file: TestSpecification) => {
      const trial = trials.indexOf(pathOf(file));
      return trial === -1 ? trials.length + (shares.get(file) ?? 0) : trial;
    };
    return sorted.sort((one, other) => place(one) - place(other));
  }
}
