/** A shard of the sweep: all live systems whose ids lie in a range, `from` included, `until` excluded. */
export interface ShardRange {
  readonly from: string;
  /** `null`: to the end. */
  readonly until: string | null;
}

/** How many components a shard should hold. A live system's are never apart: references between them resolve within one read. */
const shardSize = 500;
const mostBits = 16;

/** Names as many shards as so many components need: a power of two, because ids are spread evenly. */
export function shardNames(components: number): string[] {
  const bits = Math.min(mostBits, Math.max(0, Math.ceil(Math.log2(Math.max(1, components / shardSize)))));
  return Array.from({ length: 2 ** bits }, (_, at) => `${bits}:${at}`);
}

/** The range of ids that a shard's name stands for. */
export function shardRange(name: string): ShardRange {
  const [bits = 0, at = 0] = name.split(":").map(Number);
  const edge = (index: number) => (index * 2 ** (mostBits - bits)).toString(16).padStart(4, "0");
  return { from: edge(at), until: at + 1 >= 2 ** bits ? null : edge(at + 1) };
}
