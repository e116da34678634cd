import { parseArgs } from "node:util";
import { explore, followSchedule, namedDeeds, pairOf } from "../../src/testing/index.ts";
import { mutants } from "../simulator/mutants.ts";
import { nightlyBounds, type PinnedBounds, quickBounds, worlds } from "./bounds.ts";
import { hunt } from "./mistakes.ts";
import { readSchedule, toldSchedule } from "./told-schedule.ts";

const help = `Runs the agent through every schedule within bounds, and looks for what must never be.

  pnpm explore                        what a night is for
  pnpm explore --quick                what the tests try
  pnpm explore --mistakes 120         the simulator's mistakes, for so many seconds each: which are found
  pnpm explore --replay "one 12 …"    one schedule, told step by step
`;

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    mistakes: { type: "string" },
    replay: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

// Failures are many in an exploration, and nobody here reads where each was made.
if (values.replay === undefined) Error.stackTraceLimit = 0;
if (values.help) console.log(help);
else if (values.replay !== undefined) process.exitCode = await replay(values.replay);
else if (values.mistakes !== undefined) process.exitCode = await huntAll(Number(values.mistakes));
else process.exitCode = await exploreAll(values.quick ? quickBounds : nightlyBounds);

async function exploreAll(all: readonly PinnedBounds[]): Promise<number> {
  const combined = new Set<string>();
  let failed = 0;
  for (const bounds of all) {
    const startedAt = performance.now();
    const explored = await explore(bounds);
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    const { schedules, states, found } = explored;
    for (const pair of explored.combined) combined.add(pair);
    console.log(`${nameOf(bounds)}: ${schedules} schedules, ${states} states, ${seconds} s`);
    if (found !== null) {
      console.log(`It breaks ${found.broken.invariant}: ${found.broken.detail}`);
      const told = toldSchedule(bounds.name, found.decisions);
      await replay(told);
      console.log(`Again: pnpm explore --replay "${told}"`);
      return 1;
    }
    if (states < bounds.leastStates) {
      failed = 1;
      console.log(`There should be ${bounds.leastStates} states at least: something keeps it from going on.`);
    }
  }
  if (all === nightlyBounds) tellPairs(combined);
  return failed;
}

function nameOf({ name, deeds, preemptions, among }: PinnedBounds): string {
  return `${name}, ${deeds} ${among === undefined ? "deeds of all" : "deeds of the protocol"}, ${preemptions} preemptions`;
}

/** Which deeds never followed one on the other. */
function tellPairs(combined: ReadonlySet<string>): void {
  const names = namedDeeds(2).map(({ name }) => name);
  const pairs = names.flatMap((one, at) => names.slice(at).map((other) => pairOf(one, other)));
  const never = pairs.filter((pair) => !combined.has(pair));
  console.log(`${pairs.length - never.length} of ${pairs.length} pairs of deeds followed one on the other. Never did:`);
  for (const name of names) {
    const others = never.filter((pair) => pair.split(" + ")[0] === name).map((pair) => pair.split(" + ")[1]);
    if (others.length > 0) console.log(`  ${name}, with ${others.length === names.length ? "any" : others.join(", ")}`);
  }
}

/** Makes each mistake in a copy of the agent, one after the other. */
async function huntAll(seconds: number): Promise<number> {
  let found = 0;
  for (const mutant of mutants) {
    const { caught, seconds: spent } = await hunt(mutant, seconds);
    if (caught !== null) found += 1;
    console.log(`${mutant.name}: ${caught ?? "not found"}, ${spent} s`);
  }
  console.log(`${found} of ${mutants.length} were found.`);
  return found * 4 < mutants.length * 3 ? 1 : 0;
}

async function replay(told: string): Promise<number> {
  const { name, decisions } = readSchedule(told);
  const onStep = (line: string) => console.log(line.slice(0, 300));
  const { broken } = await followSchedule({ world: worlds[name], decisions, onStep, visit: () => true });
  console.log(broken === null ? "Everything held." : `It breaks ${broken.invariant}: ${broken.detail}`);
  return broken === null ? 0 : 1;
}
