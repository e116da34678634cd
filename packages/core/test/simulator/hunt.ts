import { planOf, simulate } from "../../src/testing/index.ts";

/** What a hunter says, line by line: how many seeds it has tried, and which one broke something (`null`: none did). */
export type Said = { readonly tried: number } | { readonly caught: { seed: number; invariant: string } | null };

const [from = 1, count = 1, stride = 1] = process.argv.slice(2).map(Number);
const say = (said: Said) => console.log(JSON.stringify(said));

// Failures are many in a simulation, and nobody here reads where each was made.
Error.stackTraceLimit = 0;

let caught: { seed: number; invariant: string } | null = null;
for (let tried = 0; tried < count && caught === null; tried++) {
  const seed = from + tried * stride;
  const { broken } = await simulate(planOf(seed));
  if (broken !== null) caught = { seed, invariant: broken.invariant };
  if ((tried + 1) % 100 === 0) say({ tried: tried + 1 });
}
say({ caught });
