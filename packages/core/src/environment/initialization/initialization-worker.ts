import type { Lease, Scheduler, ShardedTask } from "../../ports/scheduler.ts";
import type { Services } from "../../services.ts";
import type { Clouds } from "../../settings.ts";
import { runKeyOf, runs, shardOf } from "./initialization-run.ts";
import { failureCodeOf, InitializationWork, type RunName } from "./initialization-work.ts";

/** Executes runs step by step, and resumes those that a crash interrupted. */
export interface RunWorker {
  /** Makes sure that some process works on a run, and returns at once. */
  begin(run: RunName): void;
  /** Recurring work: any process continues a running initialization. */
  readonly task: ShardedTask;
  /** Drops a cancelled run and aborts its current call to the cloud. */
  abort(run: RunName): void;
  /** Resolves when no run is active here. */
  settled(): Promise<void>;
  /** Releases every run, so that another process continues at once. Idempotent. */
  stop(): Promise<void>;
}

const name = "initializations";
const everyMs = 2_000;
/** At most this many runs are found in one round. */
const mostOpen = 100;
/** How often a foreign claim is checked. */
const watchMs = 5_000;

/** Hands out runs as jobs. */
interface RunJobs {
  readonly scheduler: Pick<Scheduler, "enqueue" | "leaseMs">;
}

export function createRunWorker(
  deps: Pick<Services, "records" | "runtime" | "sealer" | "claims" | "cloudOf"> & {
    readonly retainCredentials: boolean;
    readonly clouds: Pick<Clouds, "hostIdentityFor">;
    readonly retryDelaysMs?: readonly number[];
  } & RunJobs,
): RunWorker {
  const { scheduler } = deps;
  const underWay = new Map<string, { readonly abort: AbortController; readonly done: Promise<void> }>();
  let stopped = false;

  function carry(run: RunName): Promise<void> {
    const known = underWay.get(run.id);
    if (stopped || known !== undefined) return known?.done ?? Promise.resolve();
    const abort = new AbortController();
    const standsStill = (error: unknown) =>
      deps.runtime.logger.warn(
        { run: run.id, code: failureCodeOf(error) },
        "an initialization stopped; the next sweep continues it",
      );
    const done = new InitializationWork(deps, run, abort)
      .carryThrough()
      .catch(standsStill)
      .finally(() => underWay.delete(run.id));
    underWay.set(run.id, { abort, done });
    return done;
  }

  function announce(run: RunName): void {
    scheduler.enqueue({ task: name, shard: shardOf(run) }).catch((error: unknown) => {
      const fields = { run: run.id, code: failureCodeOf(error) };
      deps.runtime.logger.warn(fields, "an initialization could not be queued; the next sweep finds it");
    });
  }

  /**
   * The claim of a dead process is watched by one process. Another one might get the job's next run, so whoever has the job waits until the
   * claim is free.
   */
  async function carryOn(shard: string, lease: Lease): Promise<void> {
    for (;;) {
      const run = await deps.records.get(runs, runKeyOf(shard));
      if (run?.status !== "InProgress" || lease.signal.aborted) return;
      if (!deps.claims.hold(run.claim)) return whileLeased(run, lease);
      if (lease.deadline === Number.POSITIVE_INFINITY) return;
      await deps.runtime.clock.sleep(watchMs, { signal: lease.signal }).catch(() => {});
    }
  }

  async function whileLeased(run: RunName, { signal }: Lease): Promise<void> {
    const letGo = () => underWay.get(run.id)?.abort.abort();
    signal.addEventListener("abort", letGo, { once: true });
    await carry(run);
    signal.removeEventListener("abort", letGo);
  }

  const settled = async () => {
    while (underWay.size > 0) await Promise.all([...underWay.values()].map(({ done }) => done));
  };

  return {
    begin: (run) => (scheduler.leaseMs === undefined ? void carry(run) : announce(run)),
    settled,
    task: {
      name,
      everyMs,
      lane: "people",
      async shards() {
        const open = await deps.records.list(runs, { index: "underWay", limit: mostOpen });
        return open.map(({ record }) => shardOf(record));
      },
      run: carryOn,
    },
    abort({ id }) {
      underWay.get(id)?.abort.abort();
    },
    async stop() {
      stopped = true;
      for (const { abort } of underWay.values()) abort.abort();
      await settled();
    },
  };
}
