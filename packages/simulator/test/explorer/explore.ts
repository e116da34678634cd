import { parseArgs } from "node:util";
import { type Explored, explore, exploreEndings, followSchedule, namedDeeds, pairOf } from "../../src/index.ts";
import { mutants } from "../mutants.ts";
import {
  huntingBounds,
  nightlyBounds,
  nightlyEndings,
  type PinnedBounds,
  type PinnedEndings,
  quickBounds,
  quickEndings,
  worlds,
} from "./bounds.ts";
import { finds, leastFound } from "./finds.ts";
import { hunt } from "./mistakes.ts";
import { readSchedule, toldSchedule } from "./told-schedule.ts";

const help = `Runs the agent through every schedule within bounds, and looks for what must never be.

  pnpm explore                        what a night is for
  pnpm explore --quick                what the tests try
  pnpm explore --mistakes 400         the simulator's mistakes, by so many schedules within each bounds: which are found
  pnpm explore --mistakes 400 --only "keeps a stray reconcile tag; …"
  pnpm explore --replay "one 12 …"    one schedule, told step by step
`;

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    mistakes: { type: "string" },
    only: { type: "string" },
    replay: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

// Failures are many in an exploration, and nobody here reads where each was made.
if (values.replay === undefined) Error.stackTraceLimit = 0;
if (values.help) console.log(help);
else if (values.replay !== undefined) process.exitCode = await replay(values.replay);
else if (values.mistakes !== undefined) process.exitCode = await huntAll(Number(values.mistakes), values.only);
else if (values.quick) process.exitCode = (await exploreAll(quickBounds)) || (await crashAll(quickEndings));
else process.exitCode = (await exploreAll(nightlyBounds)) || (await crashAll(nightlyEndings));

async function exploreAll(all: readonly PinnedBounds[]): Promise<number> {
  const combined = new Set<string>();
  let failed = 0;
  for (const bounds of all) {
    const startedAt = performance.now();
    const explored = await explore(bounds);
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    const { schedules, states, found } = explored;
    for (const pair of explored.combined) combined.add(pair);
    console.log(`${bounds.title}: ${schedules} schedules, ${states} states, ${seconds} s`);
    if (found !== null) return tellBroken(bounds.name, found);
    if (states < bounds.leastStates) {
      failed = 1;
      console.log(`There should be ${bounds.leastStates} states at least: something keeps it from going on.`);
    }
  }
  if (all === nightlyBounds) tellPairs(combined);
  return failed;
}

/** Whatever ends a process leads to the end that there would have been. */
async function crashAll(all: readonly PinnedEndings[]): Promise<number> {
  for (const { title, name, leastSchedules, ...bounds } of all) {
    const { schedules, found } = await exploreEndings(bounds);
    console.log(`${title}: ${schedules} schedules`);
    if (found !== null) return tellBroken(name, found);
    if (schedules >= leastSchedules) continue;
    console.log(`There should be ${leastSchedules} schedules at least: something keeps it from going on.`);
    return 1;
  }
  return 0;
}

async function tellBroken(name: keyof typeof worlds, { broken, decisions }: NonNullable<Explored["found"]>) {
  const told = toldSchedule(name, decisions);
  await replay(told);
  console.log(`It breaks ${broken.invariant}: ${broken.detail}`);
  console.log(`Again: pnpm explore --replay "${told}"`);
  return 1;
}

/** Which deeds never followed one on the other. */
function tellPairs(combined: ReadonlySet<string>): void {
  const names = namedDeeds("an app").map(({ name }) => name);
  const pairs = names.flatMap((one, at) => names.slice(at).map((other) => pairOf(one, other)));
  const never = pairs.filter((pair) => !combined.has(pair));
  console.log(`${pairs.length - never.length} of ${pairs.length} pairs of deeds followed one on the other. Never did:`);
  for (const name of names) {
    const others = never.filter((pair) => pair.split(" + ")[0] === name).map((pair) => pair.split(" + ")[1]);
    if (others.length > 0) console.log(`  ${name}, with ${others.length === names.length ? "any" : others.join(", ")}`);
  }
}

/** Makes each mistake, one after the other; looks first where it was found before. */
async function huntAll(most: number, only: string | undefined): Promise<number> {
  const chosen = mutants.filter(({ name }) => only === undefined || only.split("; ").includes(name));
  let found = 0;
  for (const mutant of chosen) {
    const known = finds.get(mutant.name)?.within;
    const bounds = [...huntingBounds].sort((a, b) => Number(b.title === known) - Number(a.title === known));
    const { caught, seconds } = await hunt(mutant, bounds, most);
    if (caught !== null) found += 1;
    const how =
      caught === null ? "not found" : `${caught.within}, ${caught.schedules}: ${caught.invariant} by ${caught.by}`;
    console.log(`${mutant.name}: ${how}, ${seconds} s`);
  }
  console.log(`${found} of ${chosen.length} were found.`);
  const least = only === undefined ? leastFound : chosen.length;
  return chosen.length > 0 && found >= least ? 0 : 1;
}

async function replay(told: string): Promise<number> {
  const { name, decisions } = readSchedule(told);
  const onStep = (line: string) => console.log(line.slice(0, 300));
  const { broken } = await followSchedule({ world: worlds[name], decisions, onStep, visit: () => true });
  console.log(broken === null ? "Everything held." : `It breaks ${broken.invariant}: ${broken.detail}`);
  return broken === null ? 0 : 1;
}
