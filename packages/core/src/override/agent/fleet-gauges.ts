import type { Stored } from "../../records/records.ts";
import type { ComponentRecord } from "../records/component-record.ts";
import type { AgentDeps } from "./agent-deps.ts";

/** What a sweep counted in its shard. */
export interface Tally {
  readonly drifting: ReadonlyMap<string, number>;
  readonly overridden: number;
  readonly oldestSince: string | null;
  readonly components: number;
}

/** Keeps the fleet's gauges from what each shard's last sweep counted. */
export interface FleetGauges {
  /** Told when a shard has been swept. */
  swept(shard: string, tally: Tally): void;
}

/** A component as it is counted. */
export interface Counted {
  readonly record: Stored<ComponentRecord>;
  /** Its parameters whose drift is none here. */
  readonly muteDrift: readonly string[];
}

/** Counts a shard's components. Muted drift is none here. */
export function tallyOf(counted: readonly Counted[]): Tally {
  const drifting = new Map<string, number>();
  let overridden = 0;
  let oldestSince: string | null = null;
  for (const { record, muteDrift } of counted) {
    const { override, observed, provider } = record;
    const loud = Object.keys(observed.drift).some((name) => !muteDrift.includes(name));
    if (loud) drifting.set(provider, (drifting.get(provider) ?? 0) + 1);
    if (override === null) continue;
    overridden += 1;
    if (oldestSince === null || override.since < oldestSince) oldestSince = override.since;
  }
  return { drifting, overridden, oldestSince, components: counted.length };
}

/** Builds the gauges. */
export function createFleetGauges({ runtime, settings, clouds }: AgentDeps): FleetGauges {
  const tallies = new Map<string, Tally>();
  const sweptAt = new Map<string, number>();
  let division = "";
  return {
    swept(shard, tally) {
      const { clock, metrics } = runtime;
      const [bits = ""] = shard.split(":");
      if (bits !== division) {
        tallies.clear();
        sweptAt.clear();
      }
      division = bits;
      const last = sweptAt.get(shard);
      if (last !== undefined) {
        const lag = (clock.monotonic() - last) / 1000 - settings.checkSeconds;
        metrics.gauge("liveplane_sweep_lag_seconds", Math.max(0, lag));
      }
      sweptAt.set(shard, clock.monotonic());
      tallies.set(shard, tally);
      const all = [...tallies.values()];
      for (const provider of clouds.keys()) {
        metrics.gauge(
          "liveplane_drifting_components",
          sum(all, ({ drifting }) => drifting.get(provider) ?? 0),
          { provider },
        );
      }
      metrics.gauge(
        "liveplane_components",
        sum(all, ({ components }) => components),
      );
      metrics.gauge(
        "liveplane_overrides",
        sum(all, ({ overridden }) => overridden),
      );
      const since = all.flatMap(({ oldestSince }) => oldestSince ?? []).sort()[0];
      const age = since === undefined ? 0 : (clock.now() - Date.parse(since)) / 1000;
      metrics.gauge("liveplane_override_oldest_seconds", Math.max(0, age));
    },
  };
}

function sum(tallies: readonly Tally[], of: (tally: Tally) => number): number {
  return tallies.reduce((total, tally) => total + of(tally), 0);
}
