import { type EnvironmentRef, environmentName } from "../contract/target.ts";
import type { Change } from "../records/records.ts";
import { isSameRecord } from "../records/same-record.ts";
import { countUse, managedBy } from "../records/uses.ts";
import type { Services } from "../services.ts";
import { refuseBulk } from "./bulk.ts";
import { type ActorStamp, changedEnvironment, type Proposal, strangeManager } from "./environment-definition.ts";
import { emitEnvironment, environments, requireEnvironment } from "./environment-record.ts";

/** Counts on an environment how many others name it as their manager. */
export async function moveManager(
  change: Change,
  from: EnvironmentRef | null,
  to: EnvironmentRef | null,
): Promise<void> {
  const [left, taken] = [from, to].map((one) => (one === null ? null : environmentName(one)));
  if (left === taken) return;
  if (left) await countUse(change, managedBy(left), -1);
  if (taken) await countUse(change, managedBy(taken), 1);
}

/**
 * Sets the management environment of an environment. One without a manager may name itself, as existing clients do; that changes nothing.
 */
export async function setManager(
  deps: Pick<Services, "access">,
  change: Change,
  { id, actor, manager }: Pick<Proposal, "id" | "actor"> & { readonly manager: EnvironmentRef },
  stamp: ActorStamp,
): Promise<void> {
  const known = await requireEnvironment(change, id);
  if (known.managementEnvironmentId === null && environmentName(manager) === environmentName(id)) return;
  const body = { managementEnvironmentId: manager };
  refuseBulk(await strangeManager(deps, change, { id, actor, body }));
  const record = changedEnvironment(known, body, undefined, stamp);
  if (isSameRecord(known, record)) return;
  await moveManager(change, known.managementEnvironmentId, manager);
  emitEnvironment(change, id, { type: "environment.updated", data: { changed: Object.keys(body) } });
  change.put(environments, record);
}
