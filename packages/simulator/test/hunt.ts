import { type Broken, planOf, simulate, simulateVaried, variedPlanOf } from "../src/index.ts";

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
const [from = 1, most = 1, stride = 1] = given.slice(0, 3).map(Number);
const leases = given[3] === "drawn" ? "drawn" : "none";
const isVaried = given[3] === "varied";
const say = (said: Said) => console.log(JSON.stringify(said));

const drawn: Record<string, number> = {};
const rested: Record<string, number> = { judged: 0 };
for (let tried = 0; tried < most; tried++) {
  const seed = from + tried * stride;
  const broken = isVaried ? await varied(seed) : await usual(seed);
  if (broken !== null) say({ broke: { seed, ...broken } });
  if ((tried + 1) % 10 === 0 || tried + 1 === most) say({ tried: tried + 1 });
}
say({ drawn, rested });

async function usual(seed: number): Promise<Broken | null> {
  const plan = planOf(seed, { leases });
  count(plan.deeds);
  const { broken, tally } = await simulate(plan);
  rested.judged = (rested.judged ?? 0) + tally.judged;
  for (const [excuse, times] of tally.excused) rested[excuse] = (rested[excuse] ?? 0) + times;
  return broken;
}

async function varied(seed: number): Promise<Broken | null> {
  const plan = variedPlanOf(seed);
  count(plan.deeds);
  return (await simulateVaried(plan)).broken;
}

function count(deeds: readonly { readonly deed: { readonly kind: string } }[]): void {
  for (const { deed } of deeds) drawn[deed.kind] = (drawn[deed.kind] ?? 0) + 1;
}
