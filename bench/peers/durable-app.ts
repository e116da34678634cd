import { webRuntime } from "@liveplane/core";
import { simulatedCloud } from "@liveplane/core/clouds";
import { memoryStore } from "@liveplane/core/testing";
import { type EngineOptions, engines } from "./durable-engines.ts";

// A process of the benchmark `durable`: runs steps on one engine, kills itself in the middle, or goes on with what a killed one left.

/** Work to do. `diesAt`: the process kills itself in this step. */
export interface DurableWork {
  readonly name: string;
  readonly steps: number;
  readonly diesAt?: number;
}

/** What the work cost. */
export interface DurableWorked {
  readonly seconds: number;
  readonly cpuSeconds: number;
}

const [engine = "", given = "{}"] = process.argv.slice(2);
const options = JSON.parse(given) as Omit<EngineOptions, "cloud">;
let begun = 0;
let diesAt = Number.POSITIVE_INFINITY;
const plain = simulatedCloud({ provider: "provider-a", store: memoryStore(), runtime: webRuntime() });
const cloud: typeof plain = {
  ...plain,
  create(resource, call) {
    begun += 1;
    if (begun === diesAt) process.kill(process.pid, "SIGKILL");
    if (begun === 1 && options.resumes) process.send?.("next step");
    return plain.create(resource, call);
  },
};

process.on("disconnect", () => process.exit(0));
const run = await engines[engine]?.({ ...options, cloud });
if (!options.resumes) process.send?.("ready");
process.on("message", async (work: DurableWork) => {
  begun = 0;
  diesAt = work.diesAt ?? diesAt;
  const names = Array.from({ length: work.steps }, (_, at) => `${work.name}-${at}`);
  const [startedAt, before] = [performance.now(), process.cpuUsage()];
  await run?.(work.name, names);
  const seconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(before);
  if (begun !== work.steps) throw new RangeError(`${engine} made ${begun} of ${work.steps} steps.`);
  process.send?.({ seconds, cpuSeconds: (user + system) / 1e6 });
});
