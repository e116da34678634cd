import type { Mutant } from "../mutant.ts";
import { loadPatched } from "../patched.ts";
import type { PinnedBounds } from "./bounds.ts";
import { toldSchedule } from "./told-schedule.ts";

/** What the exploration of an agent with a mistake in it came to. */
export interface Hunted {
  /** Within which bounds it was found, by how many schedules, what broke and how; `null`: it wasn't. */
  readonly caught: {
    readonly within: string;
    readonly schedules: number;
    readonly invariant: string;
    readonly by: string;
  } | null;
  /** Seconds of a processor. */
  readonly seconds: number;
}

/** Explores an agent with one mistake in it, within one bounds after the other, by so many schedules in each. */
export async function hunt(mutant: Mutant, bounds: readonly PinnedBounds[], most: number): Promise<Hunted> {
  // Failures are many in an exploration, and nobody here reads where each was made.
  Error.stackTraceLimit = 0;
  const { explore } = await loadPatched(mutant);
  const began = secondsNow();
  const spent = () => Math.round(secondsNow() - began);
  for (const { title, name, ...own } of bounds) {
    const { found, schedules } = await explore(own, { goesOn: (followed) => followed < most });
    if (found === null) continue;
    const { invariant } = found.broken;
    return {
      caught: { within: title, schedules, invariant, by: toldSchedule(name, found.decisions) },
      seconds: spent(),
    };
  }
  return { caught: null, seconds: spent() };
}

function secondsNow(): number {
  return process.cpuUsage().user / 1e6;
}
