import type { Settings } from "../host.ts";
import type { Runtime } from "../ports/runtime.ts";
import type { Collection, Records } from "../records/records.ts";
import { definitions, definitionUses, histories } from "./definition-record.ts";
import { episodeCounts } from "./episode-history.ts";
import { episodes } from "./episode-record.ts";
import { liveSystems, mutations } from "./live-system-record.ts";

/** What purging needs. */
export interface PurgeDeps {
  readonly records: Records;
  readonly runtime: Runtime;
  readonly settings: Pick<Settings, "purgeSeconds">;
}

const atOnce = 200;

/** Purges live systems that were deleted long ago, with their mutations and their ledger. Goes on where it was interrupted. */
export async function purgeDeleted({ records, runtime, settings }: PurgeDeps): Promise<void> {
  const before = new Date(runtime.clock.now() - settings.purgeSeconds * 1000).toISOString();
  const listed = await records.list(liveSystems, { index: "deleted", limit: atOnce });
  for (const { record } of listed) {
    if (record.updatedAt > before) return;
    await purgeAll(mutations, record.id, { records, runtime });
    await purgeAll(episodes, record.id, { records, runtime });
    await purgeAll(episodeCounts, record.id, { records, runtime });
    await purgeAll(definitions, record.id, { records, runtime });
    await purgeAll(definitionUses, record.id, { records, runtime });
    await records.change({ actor: "system", requestId: runtime.newId() }, async (change) => {
      const current = await change.get(liveSystems, [record.id]);
      if (current?.status === "Deleted") change.delete(liveSystems, [record.id]);
      change.delete(histories, [record.id]);
    });
  }
}

/** What is below a live system goes first: until the live system itself is gone, the rest can be found again. */
async function purgeAll<T extends object>(
  collection: Collection<T, string, string>,
  id: string,
  { records, runtime }: Pick<PurgeDeps, "records" | "runtime">,
): Promise<void> {
  for (;;) {
    const keys = (await records.list(collection, { prefix: [id], limit: atOnce })).map(({ position }) => position);
    if (keys.length === 0) return;
    await records.change({ actor: "system", requestId: runtime.newId() }, async (change) => {
      await change.getMany(collection, keys);
      for (const key of keys) change.delete(collection, key);
    });
  }
}
