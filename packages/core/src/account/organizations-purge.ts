import type { Runtime } from "../ports/runtime.ts";
import type { Change, Records } from "../records/records.ts";
import { authorizations, graphEntries } from "./grants.ts";
import { organizations } from "./organization-record.ts";
import { groupKey, resourceGroups } from "./resource-group-record.ts";
import { teamKey, teams } from "./team-record.ts";

/** What purging takes. */
export interface PurgeDeps {
  readonly records: Records;
  readonly runtime: Pick<Runtime, "clock" | "newId">;
  readonly settings: { readonly purgeSeconds: number };
}

const batch = 100;

/** Purges organizations, teams and groups that were deleted long enough ago. Does a bounded part; called again, it goes on. */
export async function purgeOrganizations({ records, runtime, settings }: PurgeDeps): Promise<void> {
  const before = new Date(runtime.clock.now() - settings.purgeSeconds * 1000).toISOString();
  const inChange = (work: (change: Change) => Promise<void>) =>
    records.change({ actor: "liveplane", requestId: runtime.newId() }, work);

  for (const { record } of await records.list(teams, { index: "deleted", limit: batch })) {
    if (record.updatedAt > before) break;
    const key = teamKey(record.organizationId, record.shortName);
    await inChange(async (change) => {
      if ((await change.get(teams, key))?.status === "Deleted") change.delete(teams, key);
    });
  }
  for (const { record } of await records.list(resourceGroups, { index: "deleted", limit: batch })) {
    if (record.updatedAt > before) break;
    await inChange(async (change) => {
      if ((await change.get(resourceGroups, groupKey(record)))?.status === "Deleted")
        change.delete(resourceGroups, groupKey(record));
    });
  }
  for (const { record } of await records.list(organizations, { index: "deleted", limit: batch })) {
    if (record.updatedAt > before) break;
    await inChange((change) => purgeOrganization(change, record.id));
  }
}

/** Takes what is in an organization a batch at a time; the organization itself goes when nothing is left in it. */
async function purgeOrganization(change: Change, id: string): Promise<void> {
  const lists = [
    { collection: graphEntries, prefix: [id] },
    { collection: teams, prefix: [id] },
    { collection: resourceGroups, prefix: ["Organizational", id] },
  ] as const;
  let left = 0;
  for (const { collection, prefix } of lists) {
    const listed = await change.list<object, string>(collection as never, { prefix, limit: batch });
    for (const { position } of listed) {
      await change.get<object>(collection as never, position);
      change.delete<object>(collection as never, position);
    }
    left += listed.length;
  }
  if (left > 0) return;
  await change.get(organizations, [id]);
  change.delete(organizations, [id]);
  change.delete(authorizations, [id]);
}
