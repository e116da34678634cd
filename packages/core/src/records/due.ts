import { isLiveplaneError } from "../errors.ts";
import type { Runtime } from "../ports/runtime.ts";
import type { Key } from "../ports/store.ts";
import type { Collection, Records, Stored } from "./records.ts";

/** Work that falls due over time: purges and their events. */
export interface DueWork {
  /** The label of its metric. */
  readonly name: string;
  /** The work due after a position, longest due first. Fewer than `limit` means that there is no more. */
  due(range: { readonly after?: Key; readonly limit: number }): Promise<readonly DueItem[]>;
}

export interface DueItem {
  readonly position: Key;
  /** In epoch milliseconds. */
  readonly since: number;
  settle(): Promise<unknown>;
}

/** Records that an index has in the order in which they fall due. */
export interface DueRecords<T extends object, Index extends string> {
  readonly name: string;
  readonly records: Records;
  readonly clock: Pick<Runtime["clock"], "now">;
  readonly collection: Collection<T, Index, string>;
  readonly index: Index;
  readonly since: (record: T) => number;
  /** Removes it from the index, in a change that checks again whether it is due. */
  readonly settle: (record: Stored<T>) => Promise<unknown>;
}

export function dueRecords<T extends object, Index extends string>(options: DueRecords<T, Index>): DueWork {
  const { name, records, clock, collection, index, since, settle } = options;
  return {
    name,
    async due(range) {
      const now = clock.now();
      const listed = await records.list(collection, { index, ...range });
      const later = listed.findIndex(({ record }) => since(record) > now);
      const due = later === -1 ? listed : listed.slice(0, later);
      return due.map(({ record, position }) => ({ position, since: since(record), settle: () => settle(record) }));
    },
  };
}

const atOnce = 100;

/**
 * Does all due work in batches until none is left, and reports how long the oldest has waited. A failed item is logged and skipped: it
 * delays nothing else, is retried by the next pass, and shows in the gauge until then.
 */
export async function catchUp(
  { runtime, signal }: { readonly runtime: Runtime; readonly signal: AbortSignal },
  work: DueWork,
): Promise<void> {
  let left: number | null = null;
  let after: Key | undefined;
  for (let more = true; more && !signal.aborted; ) {
    const items: readonly DueItem[] = await work.due({ limit: atOnce, ...(after && { after }) });
    tellLag(runtime, work.name, left ?? items[0]?.since ?? null);
    for (const item of items) {
      if (signal.aborted) return;
      if (!(await settles(runtime, item, work))) left ??= item.since;
    }
    after = items.at(-1)?.position;
    more = items.length === atOnce;
    await runtime.yield();
  }
  tellLag(runtime, work.name, left);
}

/** Reports how long the oldest due work has waited; `null` if none is due. */
export function tellLag({ clock, metrics }: Pick<Runtime, "clock" | "metrics">, work: string, since: number | null) {
  const seconds = since === null ? 0 : Math.max(0, clock.now() - since) / 1000;
  metrics.gauge("liveplane_housekeeping_lag_seconds", seconds, { work });
}

async function settles({ logger }: Pick<Runtime, "logger">, item: DueItem, { name }: DueWork): Promise<boolean> {
  try {
    await item.settle();
    return true;
  } catch (cause) {
    if (isLiveplaneError(cause, "StoreFailed") || isLiveplaneError(cause, "CommitOutcomeUnknown")) throw cause;
    logger.error({ work: name, item: item.position.at(-1), cause }, "An item of due work failed.");
    return false;
  }
}
