import { planOf, simulate } from "../src/index.ts";

/** How often something was drawn, or judged, by its name. */
export type Counts = Readonly<Record<string, number>>;

/** A seed that broke something, and what. */
export interface BrokenSeed {
  readonly seed: number;
  readonly invariant: string;
  readonly detail: string;
}

/** What a hunter says, line by line: each seed that broke something, how many it has tried, and at its end what it drew and judged. */
export type Said =
  | { readonly broke: BrokenSeed }
  | { readonly tried: number }
  | { readonly drawn: Counts; readonly rested: Counts };

// Failures are many, and who looks for a cause tells the seed step by step.
Error.stackTraceLimit = 0;

const [, , ...given] = process.argv;
const [from = 1, count = 1, stride = 1] = given.slice(0, 3).map(Number);
const leases = given[3] === "drawn" ? "drawn" : "none";
const say = (said: Said) => console.log(JSON.stringify(said));

const drawn: Record<string, number> = {};
const rested: Record<string, number> = { judged: 0 };
for (let tried = 0; tried < count; tried++) {
  const seed = from + tried * stride;
  const plan = planOf(seed, { leases });
  for (const { deed } of plan.deeds) drawn[deed.kind] = (drawn[deed.kind] ?? 0) + 1;
  const { broken, tally } = await simulate(plan);
  rested.judged = (rested.judged ?? 0) + tally.judged;
  for (const [excuse, times] of tally.excused) rested[excuse] = (rested[excuse] ?? 0) + times;
  if (broken !== null) say({ broke: { seed, ...broken } });
  if ((tried + 1) % 10 === 0 || tried + 1 === count) say({ tried: tried + 1 });
}
say({ drawn, rested });
