import { authorizations, graphEntries } from "../permissions/grants.ts";
import { type DueWork, dueRecords } from "../records/due.ts";
import type { Change } from "../records/records.ts";
import type { Services } from "../services.ts";
import { organizations } from "./organization-record.ts";
import { groupKey, resourceGroups } from "./resource-group-record.ts";
import { teamKey, teams } from "./team-record.ts";

const batch = 100;

/** Organizations, teams and groups deleted long enough ago. */
export function dueOrganizations({
  records,
  runtime,
  settings,
  credentials,
}: Pick<Services, "records" | "runtime" | "settings" | "credentials">): readonly DueWork[] {
  const inChange = <R>(work: (change: Change) => Promise<R>) =>
    records.change({ actor: "liveplane", requestId: runtime.newId() }, work);
  const shared = {
    ...{ records, clock: runtime.clock, index: "deleted" as const },
    since: ({ updatedAt }: { readonly updatedAt: string }) => Date.parse(updatedAt) + settings.purgeSeconds * 1000,
  };
  return [
    dueRecords({
      ...{ ...shared, name: "deleted-teams", collection: teams },
      settle: ({ organizationId, shortName }) => inChange((change) => purgeTeam(change, organizationId, shortName)),
    }),
    dueRecords({
      ...{ ...shared, name: "deleted-groups", collection: resourceGroups },
      settle: (record) =>
        inChange(async (change) => {
          if ((await change.get(resourceGroups, groupKey(record)))?.status === "Deleted")
            change.delete(resourceGroups, groupKey(record));
        }),
    }),
    dueRecords({
      ...{ ...shared, name: "deleted-organizations", collection: organizations },
      async settle({ id }) {
        while ((await inChange((change) => purgeOrganization({ credentials }, change, id))) > 0) await runtime.yield();
      },
    }),
  ];
}

async function purgeTeam(change: Change, organizationId: string, shortName: string): Promise<void> {
  const key = teamKey(organizationId, shortName);
  if ((await change.get(teams, key))?.status === "Deleted") change.delete(teams, key);
}

/** Purges an organization's contents in batches, and finally the organization itself. Returns how much was purged. */
async function purgeOrganization(
  { credentials }: Pick<Services, "credentials">,
  change: Change,
  id: string,
): Promise<number> {
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
  if (left > 0) return left;
  const known = await change.get(organizations, [id]);
  if (known !== null) await credentials.forget(change, known.serviceAccountId);
  change.delete(organizations, [id]);
  change.delete(authorizations, [id]);
  return 0;
}
