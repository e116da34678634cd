import { shardRange } from "../../../core/src/override/agent/shards.ts";

/** What a node tells of its work on a shard, before it begins, when it has lost the lease, and after it has ended. */
export interface ShardReport {
  readonly node: string;
  readonly shard: string;
  readonly run: number;
  readonly what: "begun" | "lost" | "ended";
}

/** What the judge has seen, for whoever asks at the end. */
export interface ClusterReport {
  readonly violations: readonly string[];
  readonly runs: number;
  readonly reads: number;
  readonly writes: number;
  readonly takeovers: number;
  readonly longestTakeoverMs: number;
  /** The longest time in which a resource wasn't read. */
  readonly longestGapMs: number;
  /** Some of what isn't as declared. */
  readonly drifting: readonly string[];
}

/** A resource of the judged cloud: what it should be is what everything began as. */
interface Judged {
  size: number;
  etag: number;
  isDrifting: boolean;
  readAt: number;
  /** Who writes to it now. */
  writer: string | null;
}

/** What a write came to. */
export type WriteOutcome = "done" | "PreconditionFailed" | "NotFound";

const declaredSize = 3;

/** Watches a fleet from outside: the cloud that it writes to, and the timeline of its shards. Nothing in it trusts a node. */
export function createJudge({ now, intervalMs }: { readonly now: () => number; readonly intervalMs: number }) {
  const resources = new Map<string, Judged>();
  const open = new Map<string, { node: string; run: number; isLost: boolean }[]>();
  const left = new Map<string, number>();
  const violations: string[] = [];
  const seen = { runs: 0, reads: 0, writes: 0, takeovers: 0, longestTakeoverMs: 0, longestGapMs: 0 };
  const startedAt = now();
  const wrong = (what: string) => violations.push(`after ${Math.round((now() - startedAt) / 1000)} s: ${what}`);

  function gapOf(resource: Judged): void {
    seen.longestGapMs = Math.max(seen.longestGapMs, now() - resource.readAt);
  }

  function reported({ node, shard, run, what }: ShardReport): void {
    const runs = open.get(shard) ?? [];
    if (what !== "begun") {
      const mine = runs.find((one) => one.node === node && one.run === run);
      if (mine !== undefined && what === "lost") mine.isLost = true;
      if (what === "ended")
        open.set(
          shard,
          runs.filter((one) => one !== mine),
        );
      return;
    }
    seen.runs += 1;
    for (const other of runs) {
      if (!other.isLost) wrong(`${node} began shard ${shard} while ${other.node} was at it`);
    }
    const leftAt = left.get(shard);
    if (leftAt !== undefined) {
      left.delete(shard);
      seen.takeovers += 1;
      seen.longestTakeoverMs = Math.max(seen.longestTakeoverMs, now() - leftAt);
    }
    open.set(shard, [...runs, { node, run, isLost: false }]);
  }

  return {
    add(ids: readonly string[]): void {
      for (const id of ids)
        resources.set(id, { size: declaredSize, etag: 1, isDrifting: false, readAt: now(), writer: null });
    },
    reported,
    /** A node is dead: what it had under way is for others. */
    died(node: string): void {
      for (const [shard, runs] of open) {
        if (runs.some((one) => one.node === node && !one.isLost)) left.set(shard, now());
        open.set(
          shard,
          runs.filter((one) => one.node !== node),
        );
      }
      for (const resource of resources.values()) if (resource.writer === node) resource.writer = null;
    },
    read(id: string): { readonly size: number; readonly etag: number } | null {
      const resource = resources.get(id);
      if (resource === undefined) return null;
      gapOf(resource);
      if (now() - resource.readAt > 2 * intervalMs) wrong(`${id} was read after ${now() - resource.readAt} ms alone`);
      resource.readAt = now();
      seen.reads += 1;
      return { size: resource.size, etag: resource.etag };
    },
    /** A resource as it is now, without a read. */
    shown(id: string): { readonly size: number; readonly etag: number } | null {
      const resource = resources.get(id);
      return resource === undefined ? null : { size: resource.size, etag: resource.etag };
    },
    /** A write arrives, by its etag; it takes as long as `takes` does. */
    async write(node: string, id: string, write: { size: number; etag: number; takes: () => Promise<void> }) {
      const resource = resources.get(id);
      if (resource === undefined) return "NotFound" satisfies WriteOutcome;
      if (resource.writer !== null && resource.writer !== node)
        wrong(`${node} and ${resource.writer} wrote to ${id} at once`);
      for (const [shard, runs] of open) {
        const { from, until } = shardRange(shard);
        const isOf = id >= from && (until === null || id < until);
        const mine = runs.filter((one) => one.node === node);
        if (isOf && mine.length > 0 && mine.every((one) => one.isLost))
          wrong(`${node} wrote to ${id} after it had lost ${shard}`);
      }
      resource.writer = node;
      await write.takes();
      if (resource.writer === node) resource.writer = null;
      if (resource.etag !== write.etag) return "PreconditionFailed" satisfies WriteOutcome;
      if (!resource.isDrifting) wrong(`${node} wrote to ${id} a second time`);
      Object.assign(resource, { size: write.size, etag: resource.etag + 1, isDrifting: write.size !== declaredSize });
      seen.writes += 1;
      return "done" satisfies WriteOutcome;
    },
    /** Somebody changes resources by hand. */
    drift(ids: readonly string[]): void {
      for (const id of ids) {
        const resource = resources.get(id);
        if (resource !== undefined)
          Object.assign(resource, { size: declaredSize + 1, etag: resource.etag + 1, isDrifting: true });
      }
    },
    /** The nodes that are at a shard now. */
    holders: () => [...open.values()].flat().flatMap(({ node, isLost }) => (isLost ? [] : [node])),
    verdict(): ClusterReport {
      for (const resource of resources.values()) gapOf(resource);
      const drifting = [...resources].flatMap(([id, { isDrifting }]) => (isDrifting ? [id] : [])).slice(0, 5);
      return { ...seen, violations: violations.slice(0, 20), drifting };
    },
  };
}
