import type { Lease } from "../../ports/scheduler.ts";
import type { Claims } from "../../records/claim.ts";
import type { Rests } from "../../records/rest.ts";
import type { Settings } from "../../settings.ts";
import { type ComponentRecord, idOf } from "../records/component-record.ts";
import type { PlanPlaces } from "../records/plan-places.ts";
import type { CloudCalls } from "./cloud-calls.ts";
import type { Expectations, ExpectationsDeps } from "./expectations.ts";
import type { SweepTimes } from "./sweep-times.ts";

/** What the agent works with. */
export interface AgentDeps extends ExpectationsDeps {
  readonly calls: CloudCalls;
  readonly sweeps: SweepTimes;
  readonly settings: Pick<
    Settings,
    "checkSeconds" | "stepWaitSeconds" | "stepRetrySeconds" | "restoredTag" | "overdueHours" | "keptEpisodes"
  >;
  readonly claims: Claims;
  readonly rests: Rests;
  readonly seats: PlanPlaces;
  /** Whether other processes have the same store, and whether they divide the shards among them. */
  readonly sharing: { readonly store: boolean; readonly work: boolean };
  /** A cloud write under a lease that ends takes no longer, and none begins closer than this to the lease's end. */
  readonly callTimeoutMs: number;
}

/** Whether nothing is to be written to a component now, because what was written last failed or had no effect. */
export function isAtRest(record: ComponentRecord, { rests }: Pick<AgentDeps, "rests">): boolean {
  if (record.failures === null) return false;
  const { nextAt: until, restMs: lengthMs } = record.failures;
  return rests.last(idOf(record), { until, lengthMs });
}

/** Of what was just made: the mark that it may not be seen yet, and for how long. */
export function making(
  record: Pick<ComponentRecord, "liveSystemId" | "path">,
  madeAt: number,
  { settings }: Pick<AgentDeps, "settings">,
): [name: string, mark: number, lengthMs: number] {
  return [`making ${idOf(record)}`, madeAt, settings.checkSeconds * 1000];
}

/** A lease, by the name of what it is for: the same for whoever has it next. */
export interface NamedLease extends Lease {
  /** `null`: it doesn't end, and says nothing of others. */
  readonly name: string | null;
}

/** Names a lease as it was given. */
export function leaseNamed(lease: Lease, name: string): NamedLease {
  return {
    name: lease.deadline === Number.POSITIVE_INFINITY ? null : name,
    get deadline() {
      return lease.deadline;
    },
    get signal() {
      return lease.signal;
    },
  };
}

/** How a component is looked at. */
export interface PassOptions {
  readonly lane: "people" | "sweep";
  /** A deploy is at it: what is missing may be made anew. */
  readonly redeploy?: boolean;
  readonly lease?: NamedLease;
  /** What a sweep has read already. */
  readonly expectations?: Expectations;
}

/** What the steps of a pass work with. */
export interface PassContext {
  readonly deps: AgentDeps;
  readonly options: PassOptions;
}

/** Whether no write may begin any more. */
export function isOver(lease: Lease | undefined, { runtime, callTimeoutMs }: AgentDeps): boolean {
  if (lease === undefined) return false;
  return lease.signal.aborted || runtime.clock.monotonic() + callTimeoutMs > lease.deadline;
}
