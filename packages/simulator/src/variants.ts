import type { Chance } from "./chance.ts";
import type { SimulationPlan, Variant } from "./plan.ts";

/** The components that are always declared, and those that may be left out, by the first of their two paths. */
const always = ["a/net", "b/net"] as const;
export const optionalComponents = ["a/app", "a/rule", "b/app", "b/rule"] as const;
export const simulatedComponents = [...always, ...optionalComponents] as const;

/** How often each component is checked in a simulation. */
export const checkSeconds = 30;
/** How long faults occur. */
export const unrestMs = 40 * checkSeconds * 1000;

/** The variant that is declared first. */
export function firstVariant({ seed }: Pick<SimulationPlan, "seed">): Variant {
  return { declared: [...optionalComponents], size: 1 + (seed % 3), level: 1, retained: false, ignored: false };
}

/** A variant that somebody declares. */
export function variantOf(chance: Chance): Variant {
  const declared = optionalComponents.filter(() => chance.happens(0.8));
  const [size, level] = [chance.between(1, 3), chance.between(1, 3)];
  const renamed = chance.happens(0.4) ? simulatedComponents.filter(() => chance.happens(0.3)) : [];
  return {
    declared,
    size,
    level,
    retained: chance.happens(0.2),
    ignored: chance.happens(0.3),
    unconditional: chance.happens(0.5),
    renamed,
    unsaid: chance.happens(0.1),
  };
}

/** People act in bursts: most deeds follow shortly after another. */
export function deedTime(chance: Chance): number {
  const spurt = chance.below(24) * (unrestMs / 24);
  return Math.floor(chance.happens(0.6) ? spurt + chance.below(4_000) : chance.below(unrestMs));
}
