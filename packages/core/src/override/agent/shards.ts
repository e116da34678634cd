import { collection } from "../../records/collection.ts";
import type { Reader, Records } from "../../records/records.ts";
import { componentTotal } from "../records/live-system-record.ts";

/** A shard of the sweep: all live systems whose IDs are in a range, with `from` included and `until` excluded. */
export interface ShardRange {
  readonly from: string;
  /** `null` means to the end. */
  readonly until: string | null;
}

/**
 * How many components a shard should hold. A live system's components stay together, so that references between them need only one read.
 */
const shardSize = 500;
const mostBits = 16;

/** A fleet that shrinks below this share of a division's size gets a coarser one. */
const leftForCoarser = 0.75;

/**
 * How finely a fleet of this size is divided, given its current division: into two to that power, because IDs are evenly distributed. It
 * becomes finer at once and coarser with a reserve, so that a fleet at the border isn't divided again and again.
 */
export function divisionOf(components: number, now: number): number {
  return Math.max(neededBits(components), Math.min(now, neededBits(components / leftForCoarser)));
}

function neededBits(components: number): number {
  return Math.min(mostBits, Math.max(0, Math.ceil(Math.log2(Math.max(1, components / shardSize)))));
}

/** The names of all shards of a division. */
export function shardNames(bits: number): string[] {
  return Array.from({ length: 2 ** bits }, (_, at) => `${bits}:${at}`);
}

/** The shards of a fleet, the same for all processes that share it. */
export interface Shards {
  /** All current shards. */
  names(): Promise<readonly string[]>;
}

const key = ["now"];
const divisions = collection<{ readonly bits: number }>()("fleet-division", { key: () => key });
const dividing = { actor: "agent", requestId: "fleet-division" } as const;

/** Keeps a fleet's division: in the store if other processes share it, otherwise in memory. A small fleet always has one shard. */
export function createShards({
  records,
  sharing,
}: {
  readonly records: Records;
  readonly sharing: { readonly store: boolean };
}): Shards {
  let own = 0;

  async function shared(components: number): Promise<number> {
    const known = await divisionIn(records);
    const bits = divisionOf(components, known);
    if (bits === known) return bits;
    return records.change(dividing, async (change) => {
      const there = await divisionIn(change);
      return there === known ? change.put(divisions, { bits }).bits : there;
    });
  }

  return {
    async names() {
      const components = await componentTotal(records);
      if (neededBits(components / leftForCoarser) === 0) own = 0;
      else own = sharing.store ? await shared(components) : divisionOf(components, own);
      return shardNames(own);
    },
  };
}

/** The current division of the fleet in a store. */
export async function divisionIn(reader: Pick<Reader, "get">): Promise<number> {
  return (await reader.get(divisions, key))?.bits ?? 0;
}

/** The shard of a live system in a division. */
export function shardHolding(liveSystemId: string, bits: number): string {
  return `${bits}:${Number.parseInt(liveSystemId.slice(0, 4), 16) >> (mostBits - bits)}`;
}

/** The range of IDs that a shard's name means. */
export function shardRange(name: string): ShardRange {
  const [bits = 0, at = 0] = name.split(":").map(Number);
  const edge = (index: number) => (index * 2 ** (mostBits - bits)).toString(16).padStart(4, "0");
  return { from: edge(at), until: at + 1 >= 2 ** bits ? null : edge(at + 1) };
}
