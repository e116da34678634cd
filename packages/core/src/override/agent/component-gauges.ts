import type { Stored } from "../../records/records.ts";
import type { ComponentRecord } from "../records/component-record.ts";
import type { AgentDeps } from "./agent-deps.ts";

/** A sweep's counts for its shard. */
export interface Tally {
  /** By provider. */
  readonly drifting: Readonly<Record<string, number>>;
  readonly overridden: number;
  readonly oldestSince: string | null;
  readonly components: number;
}

/** Counts the components that this process checks. Prometheus adds up the processes. */
export interface ComponentGauges {
  /** Records a shard's counts. */
  swept(shard: string, tally: Tally): void;
  /** Sets the gauges, except for shards that another process may have swept since. */
  measure(): void;
}

export interface Counted {
  readonly record: Stored<ComponentRecord>;
  /** Parameters whose drift isn't counted. */
  readonly muteDrift: readonly string[];
}

/** Counts a shard's components, without muted drift. */
export function tallyOf(counted: readonly Counted[]): Tally {
  const drifting: Record<string, number> = {};
  let overridden = 0;
  let oldestSince: string | null = null;
  for (const { record, muteDrift } of counted) {
    const { override, observed, provider } = record;
    const loud = Object.keys(observed.drift).some((name) => !muteDrift.includes(name));
    if (loud) drifting[provider] = (drifting[provider] ?? 0) + 1;
    if (override === null) continue;
    overridden += 1;
    if (oldestSince === null || override.since < oldestSince) oldestSince = override.since;
  }
  return { drifting, overridden, oldestSince, components: counted.length };
}

export function createComponentGauges({ runtime, settings, clouds, sharing }: AgentDeps): ComponentGauges {
  const { clock, metrics } = runtime;
  const last = new Map<string, Tally & { readonly at: number }>();
  let division = "";

  /** Only if this process sweeps all shards; otherwise another one may have swept it since. */
  function tellLag(shard: string): void {
    const before = last.get(shard);
    if (before === undefined || sharing.work) return;
    const lag = (clock.monotonic() - before.at) / 1000 - settings.checkSeconds;
    metrics.gauge("liveplane_sweep_lag_seconds", Math.max(0, lag));
  }

  function measure(): void {
    const since = sharing.work ? clock.monotonic() - settings.checkSeconds * 1000 : Number.NEGATIVE_INFINITY;
    for (const [shard, { at }] of last) if (at <= since) last.delete(shard);
    const all = [...last.values()];
    for (const provider of clouds.keys()) {
      const drifting = sum(all, (tally) => tally.drifting[provider] ?? 0);
      metrics.gauge("liveplane_drifting_components", drifting, { provider });
    }
    metrics.gauge(
      "liveplane_components",
      sum(all, ({ components }) => components),
    );
    metrics.gauge(
      "liveplane_overrides",
      sum(all, ({ overridden }) => overridden),
    );
    const oldest = all.flatMap(({ oldestSince }) => oldestSince ?? []).sort()[0];
    const age = oldest === undefined ? 0 : (clock.now() - Date.parse(oldest)) / 1000;
    metrics.gauge("liveplane_override_oldest_seconds", Math.max(0, age));
  }

  return {
    measure,
    swept(shard, tally) {
      const [bits = ""] = shard.split(":");
      if (bits !== division) last.clear();
      division = bits;
      tellLag(shard);
      last.set(shard, { ...tally, at: clock.monotonic() });
      measure();
    },
  };
}

function sum(all: readonly Tally[], of: (tally: Tally) => number): number {
  return all.reduce((total, tally) => total + of(tally), 0);
}
