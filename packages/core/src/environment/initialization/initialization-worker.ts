import { runs } from "./initialization-run.ts";
import { failureCodeOf, InitializationWork, type RunName, type RunWorkDeps } from "./initialization-work.ts";

/** Carries runs through, step by step, and goes on with those that a crash left behind. */
export interface RunWorker {
  /** Works on a run from here on; answers at once. */
  begin(run: RunName): void;
  /** Takes over the runs that nobody works on. */
  resume(): Promise<void>;
  /** Lets go of a run that was called off: a call to the cloud that is under way is aborted. */
  abort(run: RunName): void;
  /** Resolves when no run is under way here. */
  settled(): Promise<void>;
  /** Lets go of every run, so that another process goes on at once. Idempotent. */
  stop(): Promise<void>;
}

/** Creates the worker of this process. */
export function createRunWorker(deps: RunWorkDeps): RunWorker {
  const underWay = new Map<string, { readonly abort: AbortController; readonly done: Promise<void> }>();
  let stopped = false;

  function begin(run: RunName): void {
    if (stopped || underWay.has(run.id)) return;
    const abort = new AbortController();
    const standsStill = (error: unknown) =>
      deps.runtime.logger.warn({ run: run.id, code: failureCodeOf(error) }, "an initialization stands still");
    const done = new InitializationWork(deps, run, abort.signal)
      .carryThrough()
      .catch(standsStill)
      .finally(() => underWay.delete(run.id));
    underWay.set(run.id, { abort, done });
  }

  const settled = async () => {
    while (underWay.size > 0) await Promise.all([...underWay.values()].map(({ done }) => done));
  };

  return {
    begin,
    settled,
    async resume() {
      for (const { record } of await deps.records.list(runs, { index: "underWay", limit: 100 })) {
        if (!deps.claims.hold(record.claim)) begin(record);
      }
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
