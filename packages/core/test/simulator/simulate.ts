import { parseArgs } from "node:util";
import { planOf, type Simulation, shrink, simulate } from "../../src/testing/index.ts";

const help = `Simulates the agent in a world where much goes wrong, and looks for what must never be.

  pnpm simulate                   10,000 seeds
  pnpm simulate --seeds 500       so many, from the first on
  pnpm simulate --from 2000       from this one on
  pnpm simulate --seed 4711       one: told step by step, and cut down to what breaks it
`;

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    seeds: { type: "string", default: "10000" },
    from: { type: "string", default: "1" },
    help: { type: "boolean", default: false },
  },
});

if (values.help) console.log(help);
else if (values.seed !== undefined) process.exitCode = await replay(Number(values.seed));
else process.exitCode = await search(Number(values.from), Number(values.seeds));

/** Looks for the first seed that breaks something. */
async function search(from: number, count: number): Promise<number> {
  const startedAt = performance.now();
  for (let seed = from; seed < from + count; seed++) {
    const found = await simulate(planOf(seed));
    if (found.broken !== null) return report(found);
    const done = seed - from + 1;
    if (done % 500 === 0) console.log(`${done} seeds, ${((performance.now() - startedAt) / done).toFixed(1)} ms each`);
  }
  console.log(`${count} seeds from ${from} on: everything held.`);
  return 0;
}

async function replay(seed: number): Promise<number> {
  const found = await simulate(planOf(seed), { onStep: (line) => console.log(line.slice(0, 500)) });
  if (found.broken !== null) return report(found);
  console.log(`Seed ${seed}: everything held.`);
  return 0;
}

async function report(found: Simulation): Promise<number> {
  const { plan, broken } = await shrink(found);
  console.log(`Seed ${plan.seed} breaks ${broken?.invariant}: ${broken?.detail}`);
  console.log(`The shortest way there has ${plan.deeds.length} of ${found.plan.deeds.length} deeds:`);
  for (const { at, deed } of plan.deeds) console.log(`  ${(at / 1000).toFixed(3)} ${JSON.stringify(deed)}`);
  return 1;
}
