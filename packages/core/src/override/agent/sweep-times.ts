import { collection } from "../../records/collection.ts";
import type { Records } from "../../records/records.ts";
import { divisionIn, shardHolding } from "./shards.ts";

/** When each shard was last swept: one fact for all its components, so that checks without news store nothing. */
export interface SweepTimes {
  /** Records a sweep that checked every component of its shard, by its start. */
  swept(shard: string, at: string): Promise<void>;
  /** The start of the last complete sweep over a live system; `null` if unknown. */
  lastOver(liveSystemId: string): Promise<string | null>;
}

const sweeps = collection<{ readonly shard: string; readonly at: string }>()("sweep", { key: ({ shard }) => [shard] });

/** Keeps the times: in the store if other processes share it, otherwise in memory. */
export function createSweepTimes({
  records,
  sharing,
}: {
  readonly records: Records;
  readonly sharing: { readonly store: boolean };
}): SweepTimes {
  const own = new Map<string, string>();
  let bits = 0;
  return {
    async swept(shard, at) {
      if (Number(shard.split(":")[0]) !== bits) own.clear();
      bits = Number(shard.split(":")[0]);
      own.set(shard, at);
      if (!sharing.store) return;
      await records.change({ actor: "agent", requestId: "sweep" }, async (change) => {
        const known = await change.get(sweeps, [shard]);
        if (known === null || known.at < at) change.put(sweeps, { shard, at });
      });
    },
    async lastOver(liveSystemId) {
      if (!sharing.store) return own.get(shardHolding(liveSystemId, bits)) ?? null;
      const stored = await records.get(sweeps, [shardHolding(liveSystemId, await divisionIn(records))]);
      return stored?.at ?? null;
    },
  };
}
