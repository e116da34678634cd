import { collection } from "../../records/collection.ts";
import type { Reader, Records } from "../../records/records.ts";
import { componentTotal } from "../records/live-system-record.ts";

/** A shard of the sweep: all live systems whose ids lie in a range, `from` included, `until` excluded. */
export interface ShardRange {
  readonly from: string;
  /** `null`: to the end. */
  readonly until: string | null;
}

/** How many components a shard should hold. A live system's are never apart: references between them resolve within one read. */
const shardSize = 500;
const mostBits = 16;

/** Only when so much of what a division was made for is left, is it given up for a coarser one. */
const leftForCoarser = 0.75;

/**
 * How finely so many components are divided that are divided like this now: into two to that power, because ids are spread evenly. Finer at once,
 * coarser with reserve, so that a fleet at the border isn't divided anew whenever one comes or goes.
 */
export function divisionOf(components: number, now: number): number {
  return Math.max(neededBits(components), Math.min(now, neededBits(components / leftForCoarser)));
}

function neededBits(components: number): number {
  return Math.min(mostBits, Math.max(0, Math.ceil(Math.log2(Math.max(1, components / shardSize)))));
}

/** Names all shards of a division. */
export function shardNames(bits: number): string[] {
  return Array.from({ length: 2 ** bits }, (_, at) => `${bits}:${at}`);
}

/** The shards of a fleet, the same for all processes that divide it among them. */
export interface Shards {
  /** All that there are now. */
  names(): Promise<readonly string[]>;
}

const key = ["now"];
const divisions = collection<{ readonly bits: number }>()("fleet-division", { key: () => key });
const dividing = { actor: "agent", requestId: "fleet-division" } as const;

/** Keeps how a fleet is divided: in the store where others have it too, else here. A fleet that is small whatever it was has one shard. */
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

/** How finely the fleet in a store is divided now. */
export async function divisionIn(reader: Pick<Reader, "get">): Promise<number> {
  return (await reader.get(divisions, key))?.bits ?? 0;
}

/** The shard of a division that a live system is in. */
export function shardHolding(liveSystemId: string, bits: number): string {
  return `${bits}:${Number.parseInt(liveSystemId.slice(0, 4), 16) >> (mostBits - bits)}`;
}

/** The range of ids that a shard's name stands for. */
export function shardRange(name: string): ShardRange {
  const [bits = 0, at = 0] = name.split(":").map(Number);
  const edge = (index: number) => (index * 2 ** (mostBits - bits)).toString(16).padStart(4, "0");
  return { from: edge(at), until: at + 1 >= 2 ** bits ? null : edge(at + 1) };
}
