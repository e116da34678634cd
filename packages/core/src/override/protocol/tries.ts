import { canonicalJson, isItemStep, lastStepOf, parentOf, sameJson } from "../../json-pointer.ts";
import { growingRest, isResting } from "../../records/rest.ts";
import type { ComponentRecord, Contested, Tried } from "../records/component-record.ts";
import type { Difference } from "./drift.ts";
import type { Observation } from "./observation.ts";

/** The most property writes for one declaration, unless something changes. */
const mostWrites = 2;

/** What writes are counted for: one deploy's declaration, with the values of its references. */
export type Brought = Pick<Tried, "mutationId" | "referred">;

type Counted = Pick<ComponentRecord, "tried" | "contested">;

/** Whether the differences were written as often as allowed and stayed. A failed resource is retried after its own pauses. */
export function isExhausted(
  { tried }: Pick<Counted, "tried">,
  { reading }: { readonly reading: Pick<Observation["reading"], "state"> },
  brought: Brought,
): boolean {
  return reading.state === "present" && writesFor(tried, brought) >= mostWrites;
}

/** Counts one more property write. */
export function triedAgain({ tried }: Pick<Counted, "tried">, brought: Brought): Tried {
  const writes = writesFor(tried, brought);
  return { ...brought, writes: writes + 1, ...(writes > 0 && tried?.spared && { spared: true }) };
}

/**
 * Allows one more write if a place differs that the last write wasn't for: somebody may have changed it meanwhile. Only once for a
 * declaration, because the write itself may have changed it.
 */
export function sparing(tried: Tried | null, written: readonly Difference[], now: readonly Difference[]): Tried | null {
  if (tried === null || tried.spared || tried.writes < mostWrites) return tried;
  const places = new Set(placesOf(written));
  const isOther = placesOf(now).some((place) => !places.has(place));
  return isOther ? { ...tried, writes: tried.writes - 1, spared: true } : tried;
}

function writesFor(tried: Counted["tried"], { mutationId, referred }: Brought): number {
  return tried?.mutationId === mutationId && tried.referred === referred ? tried.writes : 0;
}

/**
 * What counts of a difference when it is compared with an earlier one. The cloud may add a different item each time, so for a list that is
 * too long only the place counts.
 */
function countedOf({ pointer, declared, actual }: Difference) {
  if (Array.isArray(declared) && Array.isArray(actual) && actual.length > declared.length) return { pointer, declared };
  return declared === null && isItemStep(lastStepOf(pointer))
    ? { pointer: parentOf(pointer) }
    : { pointer, declared, actual };
}

/** Whether the value at some place has changed since, or another place differs. A difference that is gone doesn't count. */
export function hasMoved(before: readonly Difference[], now: readonly Difference[]): boolean {
  const known = new Set(before.map((change) => canonicalJson(countedOf(change))));
  return now.some((change) => !known.has(canonicalJson(countedOf(change))));
}

/** The places of differences, each once; for items that the cloud added, the list. */
function placesOf(changes: readonly Difference[]): string[] {
  return [...new Set(changes.map((change) => countedOf(change).pointer))].sort();
}

/** After this many returns of a difference, its corrections are delayed. */
const timesBeforeRest = 4;
const longestRestMs = 6 * 3_600_000;

/** Counts one more correction of the same places. Each delays the next for longer, up to six hours. */
export function contestedAgain(
  before: Contested | null,
  changes: readonly Difference[],
  { now, at, everyMs }: { readonly now: number; readonly at: string; readonly everyMs: number },
): Contested {
  const places = placesOf(changes);
  if (before === null || !sameJson(before.places, places))
    return { places, times: 1, since: at, nextAt: now, restMs: 0 };
  const times = before.times + 1;
  const restMs =
    times < timesBeforeRest ? 0 : growingRest(times - timesBeforeRest, { firstMs: everyMs, longestMs: longestRestMs });
  return { ...before, times, nextAt: now + restMs, restMs };
}

/** Whether the same places differ so often that the next correction is delayed. */
export function isContested({ contested }: Pick<Counted, "contested">, changes: readonly Difference[]): boolean {
  return contested !== null && contested.times >= timesBeforeRest && sameJson(contested.places, placesOf(changes));
}

/** Whether the next correction is still delayed. */
export function isPutOff(
  { contested }: Pick<Counted, "contested">,
  changes: readonly Difference[],
  now: number,
): boolean {
  return isContested({ contested }, changes) && isResting(contested?.nextAt ?? 0, contested?.restMs ?? 0, now);
}
