import { toHex, utf8 } from "../../encoding.ts";
import { LiveplaneError } from "../../errors.ts";
import { canonicalJson } from "../../json-pointer.ts";
import type { Runtime } from "../../ports/runtime.ts";
import type { Json } from "../../ports/store.ts";
import { collection } from "../../records/collection.ts";
import type { Change, Reader } from "../../records/records.ts";
import type { Definition } from "../declarations/definition.ts";
import type { MutationRecord } from "./live-system-record.ts";

/** A definition under its digest: stored once, however often it is deployed. */
export interface DefinitionRecord {
  readonly liveSystemId: string;
  readonly digest: string;
  readonly definition: Definition;
  /** The digests of its components' parts, in order. */
  readonly parts: readonly string[];
  readonly bytes: number;
}

/** The number of references to a definition: from mutations and the live system itself. Kept apart, so that counting doesn't rewrite it. */
interface DefinitionUse {
  readonly liveSystemId: string;
  readonly digest: string;
  readonly bytes: number;
  readonly uses: number;
}

/** How much of a live system's past is stored. */
export interface HistoryRecord {
  readonly liveSystemId: string;
  readonly mutations: number;
  /** Of its definitions, each counted once. */
  readonly bytes: number;
}

export const definitions = collection<DefinitionRecord>()("definition", {
  key: ({ liveSystemId, digest }) => [liveSystemId, digest],
});
export const definitionUses = collection<DefinitionUse>()("definition-use", {
  key: ({ liveSystemId, digest }) => [liveSystemId, digest],
});
export const histories = collection<HistoryRecord>()("live-system-history", {
  key: ({ liveSystemId }) => [liveSystemId],
});

export interface Digested {
  readonly definition: Definition;
  readonly digest: string;
  readonly bytes: number;
  /** The digests of its components' parts, in order. */
  readonly parts: readonly string[];
}

/** Digests a definition, whatever the order of its members. */
export async function digested({ crypto }: Pick<Runtime, "crypto">, definition: Definition): Promise<Digested> {
  const text = utf8(canonicalJson(definition));
  const digest = toHex(await crypto.digest(text));
  const parts = await Promise.all(
    definition.components.map(async (declared) => {
      const { path: _path, movedFrom: _movedFrom, resourceId: _id, resourceName: _name, ...part } = declared;
      return toHex(await crypto.digest(utf8(canonicalJson(part as unknown as Json)))).slice(0, 32);
    }),
  );
  return { definition, digest, bytes: text.length, parts };
}

/** Adds a reference to a definition. The first one stores it. */
export async function referTo(
  change: Change,
  liveSystemId: string,
  { definition, digest, bytes, parts }: Digested,
): Promise<void> {
  const known = await change.get(definitionUses, [liveSystemId, digest]);
  change.put(definitionUses, { liveSystemId, digest, bytes, uses: (known?.uses ?? 0) + 1 });
  if (known !== null) return;
  change.put(definitions, { liveSystemId, digest, definition, parts, bytes });
  await countHistory(change, liveSystemId, { bytes });
}

/** Drops a reference to a definition. The last one deletes it. */
export async function letGo(change: Change, liveSystemId: string, digest: string): Promise<void> {
  const known = await change.get(definitionUses, [liveSystemId, digest]);
  if (known === null) return;
  if (known.uses > 1) return void change.put(definitionUses, { ...known, uses: known.uses - 1 });
  change.delete(definitionUses, [liveSystemId, digest]);
  change.delete(definitions, [liveSystemId, digest]);
  await countHistory(change, liveSystemId, { bytes: -known.bytes });
}

/** Updates the counts of a live system's history. */
export async function countHistory(
  change: Change,
  liveSystemId: string,
  by: { readonly mutations?: number; readonly bytes?: number },
): Promise<void> {
  const { mutations, bytes } = await historyOf(change, liveSystemId);
  change.put(histories, {
    liveSystemId,
    mutations: mutations + (by.mutations ?? 0),
    bytes: bytes + (by.bytes ?? 0),
  });
}

/** How much of a live system's past is stored. */
export async function historyOf(reader: Reader, liveSystemId: string): Promise<HistoryRecord> {
  return (await reader.get(histories, [liveSystemId])) ?? { liveSystemId, mutations: 0, bytes: 0 };
}

/** The definition that a mutation deploys; `null` for a delete. */
export async function deployedBy(reader: Pick<Reader, "get">, mutation: MutationRecord): Promise<Definition | null> {
  if (mutation.kind === "Delete") return null;
  const kept = await reader.get(definitions, [mutation.liveSystemId, mutation.deploys ?? ""]);
  // An empty declaration would mean to delete everything.
  if (kept === null) throw new LiveplaneError("InternalError", "A deploy's definition is missing.");
  return kept.definition;
}
