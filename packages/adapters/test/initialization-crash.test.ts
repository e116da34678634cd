import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { webRuntime } from "../../core/src/ports/web-runtime.ts";
import { callOf, goodA, initializationWorld, subscriptionId } from "../../core/test/builders/initialization.ts";
import { emptyFolder } from "./empty-folder.ts";
import { type SharedPostgres, sharedPostgres } from "./postgres.ts";
import { openStore } from "./stores/crash-stores.ts";

const folder = emptyFolder(afterAll);
const program = join(import.meta.dirname, "initialization-process.ts");
const initialize = "environments.providerA.initialize";
const status = "environments.providerA.status";
let postgres: SharedPostgres;
let files = 0;

beforeAll(async () => {
  postgres = await sharedPostgres();
}, 60_000);
afterAll(async () => {});

const kinds = [
  ["sqlite", async () => join(folder, `killed-${++files}.db`)],
  ["postgres", () => postgres.freshSchema()],
] as const;

test.each(kinds)(
  "an initialization on %s killed before any of its commits goes on after a restart and makes each thing once",
  async (kind, freshAddress) => {
    let finished = false;
    let killed = 0;
    for (let commit = 2; !finished; commit++) {
      const address = await freshAddress();
      const args = ["--conditions=@liveplane/source", program, kind, address, String(commit)];
      const child = spawnSync(process.execPath, args, { encoding: "utf8" });
      finished = child.stdout === "completed";
      if (!finished) expect(child.signal, child.stderr).toBe("SIGKILL");
      killed += finished ? 0 : 1;
      await goesOn(kind, address);
    }
    // The start, the claim, and three for each of four steps: begun, made in the cloud, done.
    expect(killed).toBe(14);
  },
  180_000,
);

async function goesOn(kind: "sqlite" | "postgres", address: string): Promise<void> {
  const store = await openStore(kind, address);
  const alone = !store.capabilities.sharedByProcesses;
  try {
    const world = await initializationWorld({ store, alone, runtime: aMinuteAtEachLook() });
    const { handlers, carryOn, settled, consoles } = world;
    await carryOn();
    await carryOn();
    // Killed before the run itself was recorded, there is nothing to go on with: the caller saw no answer and asks again.
    await handlers[initialize](callOf(initialize, { body: { subscriptionId }, credentials: goodA }));
    await settled();
    const run = (await handlers[status](callOf(status))).value.initializationRun;
    expect(run).toMatchObject({ status: "Completed" });
    expect(run.steps.map((step) => step.status)).toEqual(["Completed", "Completed", "Completed", "Completed"]);
    const { items } = await consoles.a.list();
    expect(items.map(({ id }) => id).sort()).toEqual(run.steps.map(({ outputFields }) => outputFields.id).sort());
    expect(items.every(({ etag }) => etag.endsWith("-1"))).toBe(true);
  } finally {
    await store.close();
  }
}

/** Where processes share a store, what a dead one claimed is free for whoever has watched it stand for a minute. */
function aMinuteAtEachLook() {
  const runtime = webRuntime();
  let looks = 0;
  return { ...runtime, clock: { ...runtime.clock, monotonic: () => ++looks * 60_000 } };
}
