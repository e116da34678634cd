import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { planOf, type Simulation, shrink, simulate } from "../../src/testing/index.ts";
import type { Counts, Said } from "./hunt.ts";

const help = `Simulates the agent in a world where much goes wrong, and looks for what must never be.

  pnpm simulate                   10,000 seeds, on every core
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

/** Looks for seeds that break something, with as many hunters as there are cores. */
async function search(from: number, seeds: number): Promise<number> {
  const startedAt = performance.now();
  const hunters = Math.min(availableParallelism(), seeds);
  const tried = Array.from({ length: hunters }, () => 0);
  let told = 0;
  const progress = () => {
    const all = tried.reduce((sum, one) => sum + one, 0);
    if (all < told + 500) return;
    told = all;
    console.log(`${all} seeds, ${((performance.now() - startedAt) / all).toFixed(1)} ms each`);
  };
  const caught = await Promise.all(
    tried.map((_, at) => {
      const count = Math.ceil((seeds - at) / hunters);
      return hunt([from + at, count, hunters], (so) => {
        tried[at] = so;
        progress();
      });
    }),
  );
  const first = caught.flatMap(({ seed }) => seed ?? []).sort((a, b) => a - b)[0];
  console.log(`Drawn: ${inWords(caught.map(({ drawn }) => drawn))}.`);
  console.log(`At rest, and of those not as declared, by why: ${inWords(caught.map(({ rested }) => rested))}.`);
  if (first !== undefined) return report(await simulate(planOf(first)));
  const seconds = (performance.now() - startedAt) / 1000;
  const rate = (seeds / seconds).toFixed(1);
  console.log(`${seeds} seeds from ${from} on, in ${Math.round(seconds)} s, ${rate} a second: all held.`);
  return 0;
}

/** Counts of several hunters, added up: the most frequent first. */
function inWords(counts: readonly Counts[]): string {
  const sums = new Map<string, number>();
  for (const [name, count] of counts.flatMap((one) => Object.entries(one)))
    sums.set(name, (sums.get(name) ?? 0) + count);
  return [...sums]
    .sort((a, b) => b[1] - a[1])
    .map(([name, count]) => `${name} ${count}`)
    .join(", ");
}

/** What a hunter found. */
interface Catch {
  readonly seed: number | null;
  readonly drawn: Counts;
  readonly rested: Counts;
}

/** What a hunter caught; it goes from one to the next that is so far away. */
async function hunt(args: readonly number[], onTried: (count: number) => void): Promise<Catch> {
  const script = join(import.meta.dirname, "hunt.ts");
  const child = spawn(process.execPath, ["--conditions=@liveplane/source", script, ...args.map(String)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let found: Catch | undefined;
  for await (const line of createInterface(child.stdout)) {
    const said = JSON.parse(line) as Said;
    if ("tried" in said) onTried(said.tried);
    else found = { ...said, seed: said.caught?.seed ?? null };
  }
  if (found === undefined) throw new Error("A hunter ended without a word.");
  return found;
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
