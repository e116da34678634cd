import type { Runtime } from "../../ports/runtime.ts";
import type { Change, Stored } from "../../records/records.ts";
import type { Services } from "../../services.ts";
import type { Settings } from "../../settings.ts";
import { countHistory, type Digested, digested, historyOf, letGo, referTo } from "./definition-record.ts";
import { isOpen, type LiveSystemRecord, liveSystems, type MutationRecord, mutations } from "./live-system-record.ts";

/** How much of a live system's past is kept. */
export type HistoryLimits = Pick<Settings, "keptMutations" | "keptDefinitionBytes">;

const atOnce = 20;

/** Writes a new mutation, with the definition that it deploys. */
export async function addMutation(change: Change, mutation: MutationRecord, deploys: Digested | null): Promise<void> {
  change.put(mutations, mutation);
  await countHistory(change, mutation.livesystemId, { mutations: 1 });
  if (deploys !== null) await referTo(change, mutation.livesystemId, deploys);
}

/** Makes a definition the one that is in force. */
export async function putInForce<T extends LiveSystemRecord>(
  change: Change,
  system: T,
  next: Digested,
): Promise<T & { readonly inForce: string }> {
  if (system.inForce === next.digest) return { ...system, inForce: next.digest };
  await referTo(change, system.id, next);
  if (system.inForce !== null) await letGo(change, system.id, system.inForce);
  return { ...system, inForce: next.digest };
}

/**
 * Drops the oldest mutations of a live system while there are too many, a bounded number at once; with the last that refers to
 * it goes a definition. The newest stays, and so does what waits or runs. False: there may be more to drop.
 */
export async function trimHistory(
  change: Change,
  { id, lastMutationId }: Pick<LiveSystemRecord, "id" | "lastMutationId">,
  limits: HistoryLimits,
): Promise<boolean> {
  if (isWithin(await historyOf(change, id), limits)) return true;
  const oldest = await change.list(mutations, { index: "created", prefix: [id], limit: atOnce });
  const keys = oldest.filter(({ record }) => record.id !== lastMutationId).map(({ record }) => mutations.key(record));
  let dropped = 0;
  for (const known of await change.getMany(mutations, keys)) {
    if (known === null || isOpen(known) || known.definition !== undefined) continue;
    if (isWithin(await historyOf(change, id), limits)) return true;
    change.delete(mutations, mutations.key(known));
    await countHistory(change, id, { mutations: -1 });
    if (known.deploys !== null) await letGo(change, id, known.deploys);
    dropped += 1;
  }
  return dropped === 0;
}

/** Brings the mutations of a live system of the first build over: their definitions come under their digests. */
export async function carryMutationsOver(
  { records, runtime }: Pick<Services, "records" | "runtime">,
  id: string,
): Promise<void> {
  for (let after: readonly string[] | undefined, more = true; more; ) {
    const listed = await records.list(mutations, { prefix: [id], limit: atOnce, ...(after && { after }) });
    for (const { record } of listed)
      if (record.definition !== undefined) await carryOneOver({ records, runtime }, record);
    after = listed.at(-1)?.position;
    more = listed.length === atOnce;
  }
}

async function carryOneOver(
  { records, runtime }: Pick<Services, "records" | "runtime">,
  found: Stored<MutationRecord>,
): Promise<void> {
  const deploys = found.definition ? await digested(runtime, found.definition) : null;
  await records.change(causeOf(runtime), async (change) => {
    const known = await change.get(mutations, mutations.key(found));
    if (known?.definition === undefined) return;
    const { definition: _definition, ...record } = known;
    await addMutation(change, { ...record, deploys: deploys?.digest ?? null }, deploys);
  });
}

/** A live system as it is kept today. Its mutations must have been carried over. */
export async function carriedOver(
  runtime: Pick<Runtime, "crypto">,
  change: Change,
  system: Stored<LiveSystemRecord>,
): Promise<Stored<LiveSystemRecord>> {
  const { definition, ...record } = system;
  if (definition === undefined) return system;
  return putInForce(change, record, await digested(runtime, definition));
}

/** Brings a live system of the first build over, with its mutations. Does nothing where that was done. */
export async function carryOver(deps: Pick<Services, "records" | "runtime">, id: string): Promise<void> {
  const { records, runtime } = deps;
  if ((await records.get(liveSystems, [id]))?.definition === undefined) return;
  await carryMutationsOver(deps, id);
  await records.change(causeOf(runtime), async (change) => {
    const system = await change.get(liveSystems, [id]);
    if (system?.definition !== undefined) change.put(liveSystems, await carriedOver(runtime, change, system));
  });
}

function isWithin({ mutations: count, bytes }: { mutations: number; bytes: number }, limits: HistoryLimits): boolean {
  return count <= limits.keptMutations && bytes <= limits.keptDefinitionBytes;
}

function causeOf({ newId }: Pick<Runtime, "newId">) {
  return { actor: "system", requestId: newId() };
}
