import type { Cloud } from "../../ports/cloud.ts";
import type { Lease } from "../../ports/scheduler.ts";
import type { Claim, Claims } from "../../records/claim.ts";
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
  /** Whether other processes use the same store, and whether they share the shards. */
  readonly sharing: { readonly store: boolean; readonly work: boolean };
  /** The longest cloud write under a lease that ends; none starts closer than this to the end of the lease or of its claim. */
  readonly callTimeoutMs: number;
  /** The longest cloud write under no such lease; none starts closer than this to the end of its claim. */
  readonly longestWriteMs: number;
}

/** Whether a component isn't written now, because the last write failed or had no effect. */
export function isAtRest(record: ComponentRecord, { rests }: Pick<AgentDeps, "rests">): boolean {
  if (record.failures === null) return false;
  const { nextAt: until, restMs: lengthMs } = record.failures;
  return rests.last(idOf(record), { until, lengthMs });
}

/** Marks a new resource as possibly not visible yet, and for how long. */
export function making(
  record: Pick<ComponentRecord, "liveSystemId" | "path">,
  madeAt: number,
  { settings }: Pick<AgentDeps, "settings">,
): [name: string, mark: number, lengthMs: number] {
  return [`making ${idOf(record)}`, madeAt, settings.checkSeconds * 1000];
}

/** Whether the cloud chooses the resource's ID, so that a second create makes a second resource. */
export function isIdChosen({ type, resource }: ComponentRecord, cloud: Cloud): boolean {
  return !resource.given && cloud.resourceIdFor(type, resource.name, resource.target) === null;
}

/** A lease with the name of its subject, which is the same for its next holder. */
export interface NamedLease extends Lease {
  /** `null`: the lease doesn't end and says nothing about other holders. */
  readonly name: string | null;
}

/** Names a lease. */
export function leaseNamed(lease: Lease, name: string): NamedLease {
  return {
    name: isEndless(lease) ? null : name,
    get deadline() {
      return lease.deadline;
    },
    get signal() {
      return lease.signal;
    },
  };
}

/** How a component is checked. */
export interface PassOptions {
  readonly lane: "people" | "sweep";
  /** A deploy is running: missing resources may be created again. */
  readonly redeploy?: boolean;
  readonly lease?: NamedLease;
  /** What a sweep has already read. */
  readonly expectations?: Expectations;
}

/** What the steps of a pass work with. */
export interface PassContext {
  readonly deps: AgentDeps;
  readonly options: PassOptions;
}

/** The name of the lease, if this worker still has it. A worker that paused for longer doesn't count as its holder any more. */
export function heldLease(lease: NamedLease | undefined, deps: AgentDeps): string | null {
  return lease === undefined || isOver(lease, deps) ? null : lease.name;
}

/** Whether a write may start under a lease and a claim. A worker that paused after it decided may hold neither any more. */
export function mayStart(claim: Claim | null, lease: Lease | undefined, deps: AgentDeps): boolean {
  const longestMs = isEndless(lease) ? deps.longestWriteMs : deps.callTimeoutMs;
  return !isOver(lease, deps) && deps.claims.covers(claim, longestMs);
}

/** Whether no lease limits a write. */
export function isEndless(lease: Lease | undefined): boolean {
  return lease === undefined || lease.deadline === Number.POSITIVE_INFINITY;
}

/** Whether no further write may start under a lease. */
export function isOver(lease: Lease | undefined, { runtime, callTimeoutMs }: AgentDeps): boolean {
  if (lease === undefined) return false;
  return lease.signal.aborted || runtime.clock.monotonic() + callTimeoutMs > lease.deadline;
}
