import { canonicalJson } from "../../json-pointer.ts";
import { collection } from "../../records/collection.ts";
import type { Stored } from "../../records/records.ts";
import type { ComponentRecord } from "../records/component-record.ts";
import type { AgentDeps } from "./agent-deps.ts";

/** What a sweep counted in its shard. */
export interface Tally {
  /** By provider. */
  readonly drifting: Readonly<Record<string, number>>;
  readonly overridden: number;
  readonly oldestSince: string | null;
  readonly components: number;
}

/** A shard's tally, where processes share the store: any of them tells of the whole fleet then. */
interface TallyRecord extends Tally {
  readonly shard: string;
}

const tallies = collection<TallyRecord>()("fleet-tally", { key: ({ shard }) => keyOf(shard) });

/** Keeps the fleet's gauges from what each shard's last sweep counted. */
export interface FleetGauges {
  /** Told when a shard has been swept. */
  swept(shard: string, tally: Tally): Promise<void>;
  /** Sets the gauges to what all processes have counted; these are the shards there are. */
  measure(shards: readonly string[]): Promise<void>;
  /** Forgets what was counted of shards that are no more. */
  tidy(shards: readonly string[]): Promise<void>;
}

/** A component as it is counted. */
export interface Counted {
  readonly record: Stored<ComponentRecord>;
  /** Its parameters whose drift is none here. */
  readonly muteDrift: readonly string[];
}

/** Counts a shard's components. Muted drift is none here. */
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

/** So many tallies are read at once. */
const readAtOnce = 1_000;
/** So many are forgotten in one round. */
const forgottenAtOnce = 500;
const counting = { actor: "agent", requestId: "fleet-gauges" } as const;

/** Builds the gauges. */
export function createFleetGauges({ runtime, settings, clouds, records, sharing }: AgentDeps): FleetGauges {
  const own = new Map<string, Tally>();
  const sweptAt = new Map<string, number>();
  let division = "";

  /** Only where this process sweeps them all: elsewhere another one may have swept it since. */
  function tellLag(shard: string): void {
    const { clock, metrics } = runtime;
    const last = sweptAt.get(shard);
    if (last !== undefined && !sharing.work) {
      const lag = (clock.monotonic() - last) / 1000 - settings.checkSeconds;
      metrics.gauge("liveplane_sweep_lag_seconds", Math.max(0, lag));
    }
    sweptAt.set(shard, clock.monotonic());
  }

  function tell(all: readonly Tally[]): void {
    const { clock, metrics } = runtime;
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
    const since = all.flatMap(({ oldestSince }) => oldestSince ?? []).sort()[0];
    const age = since === undefined ? 0 : (clock.now() - Date.parse(since)) / 1000;
    metrics.gauge("liveplane_override_oldest_seconds", Math.max(0, age));
  }

  /** What stands there already isn't written again. */
  async function store(record: TallyRecord): Promise<void> {
    const known = await records.get(tallies, keyOf(record.shard));
    if (known !== null && isSame(known, record)) return;
    await records.change(counting, async (change) => void change.put(tallies, record));
  }

  return {
    async swept(shard, tally) {
      const [bits = ""] = keyOf(shard);
      if (bits !== division) {
        own.clear();
        sweptAt.clear();
      }
      division = bits;
      tellLag(shard);
      if (sharing.store) await store({ ...tally, shard });
      own.set(shard, tally);
      if (!sharing.store) tell([...own.values()]);
    },
    async measure(shards) {
      if (!sharing.store) return;
      const all: Tally[] = [];
      for (let from = 0; from < shards.length; from += readAtOnce) {
        const found = await records.getMany(tallies, shards.slice(from, from + readAtOnce).map(keyOf));
        all.push(...found.filter((tally) => tally !== null));
      }
      tell(all);
    },
    async tidy(shards) {
      const there = new Set(shards);
      const listed = await records.list(tallies, { limit: there.size + forgottenAtOnce });
      const gone = listed.filter(({ record }) => !there.has(record.shard)).slice(0, forgottenAtOnce);
      if (gone.length === 0) return;
      await records.change(counting, async (change) => {
        for (const { record } of gone) {
          const key = keyOf(record.shard);
          if ((await change.get(tallies, key)) !== null) change.delete(tallies, key);
        }
      });
    },
  };
}

/** How finely the fleet is divided, and which part it is. */
function keyOf(shard: string): [bits: string, at: string] {
  const [bits = "", at = ""] = shard.split(":");
  return [bits, at];
}

function isSame(one: Tally, other: Tally): boolean {
  const [first, second] = [one, other].map(({ drifting, overridden, oldestSince, components }) =>
    canonicalJson({ drifting, overridden, oldestSince, components }),
  );
  return first === second;
}

function sum(all: readonly Tally[], of: (tally: Tally) => number): number {
  return all.reduce((total, tally) => total + of(tally), 0);
}
