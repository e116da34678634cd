import { isLiveplaneError, LiveplaneError } from "../errors.ts";
import { type EncodedKey, encodedList } from "../ports/key.ts";
import type { Runtime, SpanEnd } from "../ports/runtime.ts";
import type { Store } from "../ports/store.ts";
import type { Services } from "../services.ts";
import { createReader } from "./reader.ts";
import type { Cause, Change, Records } from "./records.ts";
import { growingRest } from "./rest.ts";
import { beginWork, type ChangeAttempt } from "./work.ts";

/** Creates typed records over a store. */
export function createRecords({
  store,
  runtime,
  onEvents,
}: Pick<Services, "store" | "runtime"> & {
  readonly onEvents?: () => void;
}): Records {
  const reader = createReader({ get: (places) => store.get(encodedList(places)), store, runtime });
  return {
    ...reader,
    async change<R>(
      cause: Cause,
      run: (change: Change) => Promise<R> | R,
      {
        attempts = 20,
        rehearsal = false,
        signal,
      }: { attempts?: number; rehearsal?: boolean; signal?: AbortSignal } = {},
    ) {
      let foreseen: readonly EncodedKey[] = [];
      for (let attempt = 1; attempt <= attempts; attempt++) {
        const recalls = attempt === 1 && attempts > 1 && !rehearsal;
        const work = beginWork(store, { cause, time: runtime.clock.now(), runtime, recalls });
        let result: R;
        try {
          if (foreseen.length > 0) await work.foresee(foreseen);
          result = await run(work.change);
          if (rehearsal || !work.hasWrites()) {
            if (await isStill(store, work)) return result;
            continue;
          }
          await cause.receipt?.put(work.change);
        } catch (refusal) {
          if (!(await isStill(store, work))) continue;
          if (await holds(store, work, refusal)) throw refusal;
          await pause(runtime, attempt, signal);
          continue;
        }
        const version = await runtime.tracer.during(
          { name: "store.commit", kind: "client", fields: { requestId: cause.requestId, attempt } },
          () => store.commit(work.commit(), signal && { signal }),
          committedOrRaced,
        );
        if (version !== null) {
          work.settle(version);
          if (work.hasEvents()) onEvents?.();
          return result;
        }
        foreseen = work.assumed();
        await pause(runtime, attempt, signal);
      }
      throw new LiveplaneError("Conflict", `Others kept changing the record. Gave up after ${attempts} attempts.`);
    },
  };
}

/**
 * A refusal counts only if everything it was based on existed at one time. A change's reads happen one after the other, and between two of
 * them somebody else may have changed both.
 */
async function holds(store: Store, work: ChangeAttempt, refusal: unknown): Promise<boolean> {
  const { checks = [] } = work.commit();
  if (checks.length < 2 || !isLiveplaneError(refusal) || refusal.status >= 500) return true;
  return (await store.commit({ checks })) !== null;
}

/** Whether what was recalled instead of read is as the store has it, for a result without a commit. */
async function isStill(store: Store, work: ChangeAttempt): Promise<boolean> {
  const recalled = work.recalled();
  const entries = recalled.length === 0 ? [] : await store.get(recalled.map(({ key }) => key));
  return recalled.every(({ version }, at) => entries[at]?.version === version);
}

function committedOrRaced(version: number | null): SpanEnd {
  return { outcome: version === null ? "raced" : "committed" };
}

/** The first conflicts are retried at once; then pauses grow, with jitter so that the same two don't collide again. */
async function pause(runtime: Runtime, attempt: number, signal: AbortSignal | undefined): Promise<void> {
  if (attempt < 3) return runtime.yield();
  const [jitter = 0] = runtime.crypto.random(1);
  const ms = growingRest(attempt, { firstMs: 1, longestMs: 200, chance: jitter / 256 });
  await runtime.clock.sleep(ms, signal && { signal });
}
