import { planOf, simulate } from "../../src/testing/index.ts";

/** How often something was drawn, or judged, by its name. */
export type Counts = Readonly<Record<string, number>>;

/** What a hunter says, line by line: how many seeds it has tried, and which one broke something (`null`: none did). */
export type Said =
  | { readonly tried: number }
  | { readonly caught: { seed: number; invariant: string } | null; readonly drawn: Counts; readonly rested: Counts };

const [from = 1, count = 1, stride = 1] = process.argv.slice(2).map(Number);
const say = (said: Said) => console.log(JSON.stringify(said));

const drawn: Record<string, number> = {};
const rested: Record<string, number> = { judged: 0 };
let caught: { seed: number; invariant: string } | null = null;
for (let tried = 0; tried < count && caught === null; tried++) {
  const seed = from + tried * stride;
  const plan = planOf(seed);
  for (const { deed } of plan.deeds) drawn[deed.kind] = (drawn[deed.kind] ?? 0) + 1;
  const { broken, tally } = await simulate(plan);
  rested.judged = (rested.judged ?? 0) + tally.judged;
  for (const [excuse, times] of tally.excused) rested[excuse] = (rested[excuse] ?? 0) + times;
  if (broken !== null) caught = { seed, invariant: broken.invariant };
  if ((tried + 1) % 100 === 0) say({ tried: tried + 1 });
}
say({ caught, drawn, rested });
