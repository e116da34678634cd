import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sqliteStore } from "@liveplane/adapters/sqlite-store";
import { afterAll, expect, test } from "vitest";
import { webRuntime } from "../../core/src/ports/web-runtime.ts";
import { callOf, goodA, initializationWorld, subscriptionId } from "../../core/test/builders/initialization.ts";

const folder = mkdtempSync(join(tmpdir(), "liveplane-initialization-"));
const program = join(import.meta.dirname, "initialization-process.ts");
const initialize = "environments.providerA.initialize";
const status = "environments.providerA.status";

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("an initialization killed before any of its commits goes on after a restart and makes each thing once", async () => {
  let finished = false;
  let killed = 0;
  for (let commit = 2; !finished; commit++) {
    const file = join(folder, `killed-${commit}.db`);
    const child = spawnSync(process.execPath, ["--conditions=@liveplane/source", program, file, String(commit)], {
      encoding: "utf8",
    });
    finished = child.stdout === "completed";
    if (!finished) expect(child.signal, child.stderr).toBe("SIGKILL");
    killed += finished ? 0 : 1;
    await goesOn(file);
  }
  // The start, the claim, and three for each of four steps: begun, made in the cloud, done.
  expect(killed).toBe(14);
}, 120_000);

async function goesOn(file: string): Promise<void> {
  const store = await sqliteStore({ file });
  try {
    const { handlers, resume, settled, consoles } = await initializationWorld({ store, runtime: webRuntime() });
    await resume();
    await settled();
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
