import type { SimulationPlan } from "./plan.ts";
import { type SimulateOptions, type Simulation, simulate } from "./simulate.ts";

/** Options of searching for a shorter plan. */
export interface ShrinkOptions extends SimulateOptions {
  /** @default 4000 */
  readonly attempts?: number;
}

/** Looks for the shortest plan that breaks the same invariant: leaves out ever smaller parts, and repeats as long as that helps. */
export async function shrink(
  found: Simulation,
  { attempts = 4000, ...options }: ShrinkOptions = {},
): Promise<Simulation> {
  let shortest = found;
  let left = attempts;
  for (let before = Number.POSITIVE_INFINITY; shortest.plan.deeds.length < before && left > 0; ) {
    before = shortest.plan.deeds.length;
    for (let part = Math.ceil(before / 2); part >= 1 && left > 0; part = Math.floor(part / 2)) {
      for (let at = 0; at < shortest.plan.deeds.length && left > 0; left--) {
        const shorter = await simulate(without(shortest.plan, at, part), options);
        if (shorter.broken?.invariant === found.broken?.invariant) shortest = shorter;
        else at += part;
      }
    }
  }
  return shortest;
}

function without(plan: SimulationPlan, from: number, count: number): SimulationPlan {
  return { ...plan, deeds: plan.deeds.filter((_, at) => at < from || at >= from + count) };
}
