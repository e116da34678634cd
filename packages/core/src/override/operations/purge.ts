import { type DueWork, dueRecords } from "../../records/due.ts";
import type { Collection } from "../../records/records.ts";
import type { Services } from "../../services.ts";
import { definitions, definitionUses, histories } from "../records/definition-record.ts";
import { episodeCounts } from "../records/episode-history.ts";
import { episodes } from "../records/episode-record.ts";
import { liveSystems, mutations } from "../records/live-system-record.ts";

const atOnce = 200;

/** Live systems deleted long ago, with their mutations and their ledger. Each purge continues where it was interrupted. */
export function dueLiveSystems(deps: Pick<Services, "records" | "runtime" | "settings">): DueWork {
  const { records, runtime, settings } = deps;
  return dueRecords({
    ...{ name: "deleted-live-systems", records, clock: runtime.clock, collection: liveSystems, index: "deleted" },
    since: ({ updatedAt }) => Date.parse(updatedAt) + settings.purgeSeconds * 1000,
    settle: ({ id }) => purge(deps, id),
  });
}

async function purge({ records, runtime }: Pick<Services, "records" | "runtime">, id: string): Promise<void> {
  await purgeAll({ records, runtime }, mutations, id);
  await purgeAll({ records, runtime }, episodes, id);
  await purgeAll({ records, runtime }, episodeCounts, id);
  await purgeAll({ records, runtime }, definitions, id);
  await purgeAll({ records, runtime }, definitionUses, id);
  await records.change({ actor: "system", requestId: runtime.newId() }, async (change) => {
    const current = await change.get(liveSystems, [id]);
    if (current?.status === "Deleted") change.delete(liveSystems, [id]);
    change.delete(histories, [id]);
  });
}

/** What belongs to a live system is removed before the live system itself, so that an interrupted purge can find the rest. */
async function purgeAll<T extends object>(
  { records, runtime }: Pick<Services, "records" | "runtime">,
  collection: Collection<T, string, string>,
  id: string,
): Promise<void> {
  for (;;) {
    const keys = (await records.list(collection, { prefix: [id], limit: atOnce })).map(({ position }) => position);
    if (keys.length === 0) return;
    await records.change({ actor: "system", requestId: runtime.newId() }, async (change) => {
      await change.getMany(collection, keys);
      for (const key of keys) change.delete(collection, key);
    });
    await runtime.yield();
  }
}
