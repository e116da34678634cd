import { sameJson } from "../../json-pointer.ts";
import { growingRest, isResting } from "../../records/rest.ts";
import type { ComponentRecord, Contested } from "../records/component-record.ts";
import type { Difference } from "./drift.ts";
import type { Observation } from "./observation.ts";

/** More property writes than this are never made to one declaration while nothing moves by itself. */
const mostWrites = 2;

/** What one deploy brought, as writes are counted by it. */
export interface Brought {
  readonly mutationId: string;
}

type Counted = Pick<ComponentRecord, "tried" | "contested">;

/** Whether what differs was written as often as it may be, and stayed. A resource that failed is tried again by its own pauses. */
export function isExhausted(
  { tried }: Pick<Counted, "tried">,
  { reading }: Pick<Observation, "reading">,
  { mutationId }: Brought,
): boolean {
  return reading.state === "present" && tried !== null && tried.mutationId === mutationId && tried.writes >= mostWrites;
}

/** Counts one more property write. */
export function triedAgain({ tried }: Pick<Counted, "tried">, { mutationId }: Brought): NonNullable<Counted["tried"]> {
  return { mutationId, writes: (tried?.mutationId === mutationId ? tried.writes : 0) + 1 };
}

/** A difference has to come back this often before its corrections are put off. */
const timesBeforeRest = 4;
const longestRestMs = 6 * 3_600_000;

/** Counts one more correction of the same difference; each puts off the next for longer, up to six hours. */
export function contestedAgain(
  before: Contested | null,
  changes: readonly Difference[],
  { now, at, everyMs }: { readonly now: number; readonly at: string; readonly everyMs: number },
): Contested {
  if (before === null || !sameJson(before.changes, changes))
    return { changes, times: 1, since: at, nextAt: now, restMs: 0 };
  const times = before.times + 1;
  const restMs =
    times < timesBeforeRest ? 0 : growingRest(times - timesBeforeRest, { firstMs: everyMs, longestMs: longestRestMs });
  return { ...before, times, nextAt: now + restMs, restMs };
}

/** Whether a difference comes back so often that its next correction is put off. */
export function isContested({ contested }: Pick<Counted, "contested">, changes: readonly Difference[]): boolean {
  return contested !== null && contested.times >= timesBeforeRest && sameJson(contested.changes, changes);
}

/** Whether the next correction is still put off. */
export function isPutOff(
  { contested }: Pick<Counted, "contested">,
  changes: readonly Difference[],
  now: number,
): boolean {
  return isContested({ contested }, changes) && isResting(contested?.nextAt ?? 0, contested?.restMs ?? 0, now);
}
