import { canonicalJson, isItemStep, lastStepOf, parentOf, sameJson } from "../../json-pointer.ts";
import { growingRest, isResting } from "../../records/rest.ts";
import type { ComponentRecord, Contested } from "../records/component-record.ts";
import type { Difference } from "./drift.ts";
import type { Observation } from "./observation.ts";

/** More property writes than this are never made to one declaration while nothing moves by itself. */
const mostWrites = 2;

/** What writes are counted by: what one deploy declared, with the values that references stand for. */
export type Brought = Omit<NonNullable<ComponentRecord["tried"]>, "writes">;

type Counted = Pick<ComponentRecord, "tried" | "contested">;

/** Whether what differs was written as often as it may be, and stayed. A resource that failed is tried again by its own pauses. */
export function isExhausted(
  { tried }: Pick<Counted, "tried">,
  { reading }: { readonly reading: Pick<Observation["reading"], "state"> },
  brought: Brought,
): boolean {
  return reading.state === "present" && writesFor(tried, brought) >= mostWrites;
}

/** Counts one more property write. */
export function triedAgain({ tried }: Pick<Counted, "tried">, brought: Brought): NonNullable<Counted["tried"]> {
  return { ...brought, writes: writesFor(tried, brought) + 1 };
}

function writesFor(tried: Counted["tried"], { mutationId, referred }: Brought): number {
  return tried?.mutationId === mutationId && tried.referred === referred ? tried.writes : 0;
}

/**
 * What of a difference counts when it is compared with an earlier one. An item that the cloud added may be another one each time, so of a
 * list that is too long only the place counts.
 */
function countedOf({ pointer, declared, actual }: Difference) {
  if (Array.isArray(declared) && Array.isArray(actual) && actual.length > declared.length) return { pointer, declared };
  return declared === null && isItemStep(lastStepOf(pointer))
    ? { pointer: parentOf(pointer) }
    : { pointer, declared, actual };
}

/** Whether what is at some place has changed since, or another place differs. A difference that is gone doesn't count. */
export function hasMoved(before: readonly Difference[], now: readonly Difference[]): boolean {
  const known = new Set(before.map((change) => canonicalJson(countedOf(change))));
  return now.some((change) => !known.has(canonicalJson(countedOf(change))));
}

/** The places of differences, each once; of items that the cloud added, the lists. */
function placesOf(changes: readonly Difference[]): string[] {
  return [...new Set(changes.map((change) => countedOf(change).pointer))].sort();
}

/** A difference has to come back this often before its corrections are put off. */
const timesBeforeRest = 4;
const longestRestMs = 6 * 3_600_000;

/** Counts one more correction of the same places; each puts off the next for longer, up to six hours. */
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

/** Whether the same places come to differ so often that its next correction is put off. */
export function isContested({ contested }: Pick<Counted, "contested">, changes: readonly Difference[]): boolean {
  return contested !== null && contested.times >= timesBeforeRest && sameJson(contested.places, placesOf(changes));
}

/** Whether the next correction is still put off. */
export function isPutOff(
  { contested }: Pick<Counted, "contested">,
  changes: readonly Difference[],
  now: number,
): boolean {
  return isContested({ contested }, changes) && isResting(contested?.nextAt ?? 0, contested?.restMs ?? 0, now);
}
