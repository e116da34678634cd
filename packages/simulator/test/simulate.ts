import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { type Fact, planOf, type Simulation, shrink, simulate, simulateVaried, variedPlanOf } from "../src/index.ts";
import { factLine } from "./facts.ts";
import type { BrokenSeed, Counts, Said } from "./hunt.ts";

const help = `Simulates the agent in a world where much goes wrong, and looks for what must never be.

  pnpm simulate                            10,000 seeds, on every core
  pnpm simulate --from 2000 --count 500    so many, from this one on
  pnpm simulate --workers 1                with so many processes
  pnpm simulate --leases                   with leases that end, late writes, and people who act right before a write
  pnpm simulate --varied                   with declarations and clouds of every kind, where little else goes wrong
  pnpm simulate --seed 4711                one: told step by step, then cut down to what breaks it, which is told as well
  pnpm simulate --seed 4711 --facts        one, with everything that the judge sees, to compare it with the same seed of other sources

Every seed is tried, whatever others break. Those that break something are listed at the end, each with its rule.
`;

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    count: { type: "string", default: "10000" },
    from: { type: "string", default: "1" },
    workers: { type: "string", default: String(availableParallelism()) },
    leases: { type: "boolean", default: false },
    varied: { type: "boolean", default: false },
    facts: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

const leases = values.leases ? "drawn" : "none";
const worlds = values.varied ? "varied" : leases;

if (values.help) console.log(help);
else if (values.seed !== undefined && values.facts) await tellFacts(Number(values.seed));
else if (values.seed !== undefined) process.exitCode = await replay(Number(values.seed));
else process.exitCode = await search(Number(values.from), Number(values.count), Number(values.workers));

/** Tries seeds, with so many hunters; each takes every so manieth. */
async function search(from: number, count: number, workers: number): Promise<number> {
  const startedAt = performance.now();
  const hunters = Math.min(workers, count);
  const tried = Array.from({ length: hunters }, () => 0);
  const broke: BrokenSeed[] = [];
  let told = 0;
  const progress = () => {
    const all = tried.reduce((sum, one) => sum + one, 0);
    if (all < told + 500) return;
    told = all;
    console.log(`${all} seeds, ${rateOf(all, startedAt)} a second, ${broke.length} broke something`);
  };
  const hunted = await Promise.all(
    tried.map((_, at) =>
      hunt([from + at, Math.ceil((count - at) / hunters), hunters], {
        onBroke(one) {
          broke.push(one);
          console.log(`Seed ${one.seed} breaks ${one.invariant}: ${one.detail.slice(0, 300)}`);
        },
        onTried(so) {
          tried[at] = so;
          progress();
        },
      }),
    ),
  );
  console.log(`Drawn: ${inWords(hunted.map(({ drawn }) => drawn))}.`);
  console.log(`At rest, and of those not as declared, by why: ${inWords(hunted.map(({ rested }) => rested))}.`);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  const ran = `${count} seeds from ${from} on, in ${seconds} s, ${rateOf(count, startedAt)} a second`;
  console.log(broke.length === 0 ? `${ran}: all held.` : `${ran}: ${broke.length} broke something.`);
  for (const { seed, invariant } of broke.sort((a, b) => a.seed - b.seed)) console.log(`  ${seed} ${invariant}`);
  return broke.length === 0 ? 0 : 1;
}

function rateOf(count: number, startedAt: number): string {
  return ((count * 1000) / (performance.now() - startedAt)).toFixed(1);
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

/** What a hunter is told to do with what it finds. */
interface Hearing {
  readonly onBroke: (one: BrokenSeed) => void;
  readonly onTried: (count: number) => void;
}

/** What a hunter drew and judged, once it has tried all its seeds. */
type Hunted = Extract<Said, { readonly drawn: Counts }>;

async function hunt(args: readonly number[], { onBroke, onTried }: Hearing): Promise<Hunted> {
  const script = join(import.meta.dirname, "hunt.ts");
  const child = spawn(process.execPath, ["--conditions=@liveplane/source", script, ...args.map(String), worlds], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let ended: Hunted | undefined;
  for await (const line of createInterface(child.stdout)) {
    const said = JSON.parse(line) as Said;
    if ("broke" in said) onBroke(said.broke);
    else if ("tried" in said) onTried(said.tried);
    else ended = said;
  }
  if (ended === undefined) throw new Error("A hunter ended without a word.");
  return ended;
}

async function replay(seed: number): Promise<number> {
  if (values.varied) return replayVaried(seed);
  const found = await simulate(planOf(seed, { leases }), { onStep });
  if (found.broken !== null) return report(found);
  console.log(`Seed ${seed}: everything held.`);
  return 0;
}

/** A varied world is short: its steps are told as it goes, and nothing is cut down. */
async function replayVaried(seed: number): Promise<number> {
  const { broken } = await simulateVaried(variedPlanOf(seed), { onStep });
  console.log(
    broken === null ? `Seed ${seed}: everything held.` : `Seed ${seed} breaks ${broken.invariant}: ${broken.detail}`,
  );
  return broken === null ? 0 : 1;
}

async function tellFacts(seed: number): Promise<void> {
  const onFact = (fact: Fact, at: number) => console.log(factLine(fact, at));
  await (values.varied
    ? simulateVaried(variedPlanOf(seed), { onFact })
    : simulate(planOf(seed, { leases }), { onFact }));
}

async function report(found: Simulation): Promise<number> {
  const { plan, broken } = await shrink(found);
  console.log(`Seed ${plan.seed} breaks ${broken?.invariant}: ${broken?.detail}`);
  console.log(`The shortest way there has ${plan.deeds.length} of ${found.plan.deeds.length} deeds:`);
  for (const { at, deed } of plan.deeds) console.log(`  ${(at / 1000).toFixed(3)} ${JSON.stringify(deed)}`);
  console.log("Step by step, it goes like this:");
  await simulate(plan, { onStep });
  return 1;
}

function onStep(line: string): void {
  console.log(line.slice(0, 500));
}
