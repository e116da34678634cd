import type { Mutant } from "./mutant.ts";
import { mutants } from "./mutants.ts";
import { loadPatched } from "./patched.ts";

/** What a hunter says of a mistake: the seed that found it and what that broke; `null`: none did. */
export interface Hunted {
  readonly name: string;
  readonly tried: number;
  readonly caught: { readonly seed: number; readonly invariant: string; readonly detail: string } | null;
  readonly error?: string;
}

const [only = "", most = "500"] = process.argv.slice(2);

const chosen = mutants.filter(({ name }) => name.includes(only));
for (const mutant of chosen) {
  const hunted = await hunt(mutant).catch((error: unknown) => ({
    name: mutant.name,
    tried: 0,
    caught: null,
    error: String(error),
  }));
  console.log(JSON.stringify(hunted satisfies Hunted));
}

/** Tries the seed that is known to find it, and then one after the other. */
async function hunt(mutant: Mutant): Promise<Hunted> {
  const { simulate, simulateForever, simulateVaried, planOf, existingPlanOf, variedPlanOf } = await loadPatched(mutant);
  const drawn = (seed: number) => planOf(seed, mutant.leased && { leases: "drawn" });
  const planned = mutant.adopts ? existingPlanOf : drawn;
  const usual = mutant.forever ? simulateForever : simulate;
  const run = (seed: number) => (mutant.varied ? simulateVaried(variedPlanOf(seed)) : usual(planned(seed)));
  const seeds = [mutant.seed, ...Array.from({ length: Number(most) }, (_, at) => at + 1)];
  for (const [at, seed] of seeds.entries()) {
    const { broken } = await run(seed);
    if (broken !== null) return { name: mutant.name, tried: at + 1, caught: { seed, ...broken } };
  }
  return { name: mutant.name, tried: seeds.length, caught: null };
}
