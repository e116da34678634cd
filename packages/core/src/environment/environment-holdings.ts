import { environmentName } from "../contract/target.ts";
import { listAll } from "../records/list-all.ts";
import type { Change, Reader } from "../records/records.ts";
import { countUse, environmentsOf, liveSystemsIn, managedBy, useCount } from "../records/uses.ts";
import type { Services } from "../services.ts";
import { type EnvironmentRecord, emitEnvironment, environmentKey, environments } from "./environment-record.ts";
import { emitRun } from "./initialization/initialization-events.ts";
import { runKey, runs, toInitializationSummary, withRunCancelled } from "./initialization/initialization-run.ts";

interface Stamp {
  readonly at: string;
  readonly by: string;
}

/** The environments of people whose accounts are deleted. */
export interface EnvironmentHoldings {
  /** Whether a person has environments that weren't deleted. */
  any(reader: Reader, ownerId: string): Promise<boolean>;
  /**
   * Deletes all of a person's environments in one change. Their contents are destroyed later, and running initializations end. A live
   * system that is created in one meanwhile makes the commit fail.
   */
  close(change: Change, ownerId: string, stamp: Stamp): Promise<void>;
  /** Destroys the contents of the environments that a person had. */
  destroy(ownerId: string): Promise<void>;
}

export function createEnvironmentHoldings(
  deps: Pick<Services, "records"> & {
    readonly destroyContents: (change: Change, environment: EnvironmentRecord) => Promise<void>;
  },
): EnvironmentHoldings {
  return { any, close, destroy: (ownerId) => destroy(deps, ownerId) };
}

async function any(reader: Reader, ownerId: string): Promise<boolean> {
  return (await reader.list(environments, { index: "ofOwner", prefix: ["Personal", ownerId], limit: 1 })).length > 0;
}

async function close(change: Change, ownerId: string, { at, by }: Stamp): Promise<void> {
  // Read so that an environment created meanwhile makes the commit fail too.
  await useCount(change, environmentsOf("Personal", ownerId));
  for (const { id } of await listAll(change, environments, { index: "ofOwner", prefix: ["Personal", ownerId] })) {
    const known = await change.get(environments, environmentKey(id));
    if (known === null || known.deletedAt !== null) continue;
    await useCount(change, liveSystemsIn(environmentName(id)));
    const initializations = await endRuns(change, known, at);
    if (known.managementEnvironmentId !== null)
      await countUse(change, managedBy(environmentName(known.managementEnvironmentId)), -1);
    await countUse(change, environmentsOf("Personal", ownerId), -1);
    emitEnvironment(change, id, { type: "environment.deleted", data: { changed: [] } });
    change.put(environments, { ...known, initializations, deletedAt: Date.parse(at), updatedAt: at, updatedBy: by });
  }
}

async function endRuns(change: Change, { id, initializations }: EnvironmentRecord, at: string) {
  const after = { ...initializations };
  for (const provider of ["provider-a", "provider-b"] as const) {
    const run = await change.get(runs, runKey({ environment: id, provider }));
    if (run?.status !== "InProgress") continue;
    const cancelled = withRunCancelled(run, at);
    change.put(runs, cancelled);
    emitRun(change, cancelled, "cancelled");
    after[provider] = toInitializationSummary(cancelled);
  }
  return after;
}

async function destroy(
  {
    records,
    destroyContents,
  }: Pick<Services, "records"> & {
    readonly destroyContents: (change: Change, environment: EnvironmentRecord) => Promise<void>;
  },
  ownerId: string,
): Promise<void> {
  for (const { id } of await listAll(records, environments, { prefix: ["Personal", ownerId] }))
    await records.change({ actor: "system", requestId: "release" }, async (change) => {
      const known = await change.get(environments, environmentKey(id));
      if (known !== null && known.deletedAt !== null) await destroyContents(change, known);
    });
}
