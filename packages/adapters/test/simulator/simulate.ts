import { parseArgs } from "node:util";
import { planOf, type Simulation, shrink, simulate } from "@liveplane/simulator";
import { departures } from "../descriptions/departures.ts";
import { type Over, placesOver } from "./places.ts";

const help = `Simulates the agent over an adapter with its vendor's double, and looks for what must never be.

  pnpm simulate:clouds --over azure               1,000 seeds; or google, or aws
  pnpm simulate:clouds --over azure --count 50    so many, from the first on
  pnpm simulate:clouds --over azure --from 2000   from this one on
  pnpm simulate:clouds --over azure --seed 4711   one: told step by step, and cut down to what breaks it
`;

const { values } = parseArgs({
  options: {
    over: { type: "string" },
    seed: { type: "string" },
    count: { type: "string", default: "1000" },
    from: { type: "string", default: "1" },
    help: { type: "boolean", default: false },
  },
});

const { over } = values;
if (values.help || (over !== "aws" && over !== "azure" && over !== "google")) {
  console.log(help);
  process.exitCode = values.help ? 0 : 2;
} else if (values.seed !== undefined) process.exitCode = await replay(over, Number(values.seed));
else process.exitCode = await search(over, Number(values.from), Number(values.count));

/** Tries seed after seed, also behind one that breaks something. */
async function search(vendor: Over, from: number, count: number): Promise<number> {
  const startedAt = performance.now();
  const judged = departures();
  const broken: string[] = [];
  for (let seed = from; seed < from + count; seed++) {
    const found = await simulate(planOf(seed), { newPlaces: placesOver(vendor, judged) });
    if (found.broken === null) continue;
    broken.push(`${seed} breaks ${found.broken.invariant}: ${found.broken.detail}`.slice(0, 400));
    console.log(broken.at(-1));
  }
  for (const departure of judged.list()) console.log(`No description knows it: ${departure}`);
  const seconds = (performance.now() - startedAt) / 1000;
  const held = broken.length === 0 ? "all held" : `${broken.length} broke`;
  console.log(`${count} seeds from ${from} on over ${vendor}, ${(count / seconds).toFixed(1)} a second: ${held}.`);
  return broken.length + judged.list().length === 0 ? 0 : 1;
}

async function replay(vendor: Over, seed: number): Promise<number> {
  const newPlaces = placesOver(vendor);
  const found = await simulate(planOf(seed), { newPlaces, onStep: (line) => console.log(line.slice(0, 2000)) });
  if (found.broken !== null) return report(vendor, found);
  console.log(`Seed ${seed}: everything held.`);
  return 0;
}

async function report(vendor: Over, found: Simulation): Promise<number> {
  const { plan, broken } = await shrink(found, { newPlaces: placesOver(vendor) });
  console.log(`Seed ${plan.seed} breaks ${broken?.invariant}: ${broken?.detail}`);
  console.log(`The shortest way there has ${plan.deeds.length} of ${found.plan.deeds.length} deeds:`);
  for (const { at, deed } of plan.deeds) console.log(`  ${(at / 1000).toFixed(3)} ${JSON.stringify(deed)}`);
  return 1;
}
