import type { Mutant } from "./mutants.ts";

/** Mistakes that somebody planted from outside, and that nothing found. */
export const furtherMutants: readonly Mutant[] = [
  {
    name: "reports no race of a write whose answer was lost",
    seed: 1,
    file: "override/agent/agent-decision.ts",
    from: "return isMade ? raceOf({ conditional: written?.conditional ?? false, changes }, observation) : [];",
    to: "return [];",
  },
];
