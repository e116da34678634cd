import { parseArgs } from "node:util";
import { agentTable } from "./agent-table.ts";
import { long, mutants, short } from "./proofs.ts";
import { quintMistakes, walk } from "./quint.ts";
import { missingTools, modelTable, type Proof, prove } from "./spin.ts";

const help = `Explores every state of the protocol's Promela models with SPIN, and walks through its Quint model.

  pnpm prove                  small bounds, and each planted mistake: a minute
  pnpm prove --long           the published bounds: up to 15 minutes and 14 GB of memory
  pnpm prove --if-installed   succeeds where spin or gcc is missing, and says so
`;

const { values } = parseArgs({
  options: {
    long: { type: "boolean", default: false },
    "if-installed": { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

if (values.help) console.log(help);
else process.exitCode = await main();

async function main(): Promise<number> {
  const missing = missingTools();
  if (missing.length > 0) {
    console.log(`Nothing was proved: ${missing.join(" and ")} not found. Install both: apt-get install spin gcc`);
    return values["if-installed"] ? 0 : 1;
  }
  const startedAt = performance.now();
  const planted = mutants.values();
  // Each has a processor of its own, and whichever ends first goes on with the mutants.
  const ended = await Promise.all(
    [walks(values.long ? 5000 : 500), all(values.long ? long : short, holds)].map(async (failed) => [
      ...(await failed),
      ...(await all(planted, isFound)),
    ]),
  );
  const count = [await table(), ...ended.flat()].filter((line) => line !== null).length;
  console.log(`${count === 0 ? "All held" : `${count} failed`}, in ${seconds(startedAt)} s.`);
  return count === 0 ? 0 : 1;
}

async function table(): Promise<string | null> {
  const [model, agent] = [new Set(await modelTable()), agentTable()];
  const other = agent.filter((line) => !model.has(line));
  console.log(`lifecycle table: ${agent.length} combinations, ${other.length} decided otherwise`);
  return other[0] ?? null;
}

/** Random walks of the Quint model, with and without mistakes. */
async function walks(samples: number): Promise<(string | null)[]> {
  const invariants = Object.keys(quintMistakes);
  const held = await walk({ samples, invariants });
  console.log(`quint: ${samples} walks ${held ? "hold" : "FAIL"}`);
  const failed = [held ? null : "quint"];
  for (const [invariant, mistake] of Object.entries(quintMistakes)) {
    const found = !(await walk({ samples: 5000, invariants: [invariant], mistake }));
    console.log(`quint ${mistake}, ${invariant}: ${found ? "found" : "NOT FOUND"}`);
    failed.push(found ? null : `quint ${mistake}`);
  }
  return failed;
}

/** One at a time: each may need most of the memory. What several take from an iterator is shared among them. */
async function all(proofs: Iterable<Proof>, judge: (proof: Proof) => Promise<boolean>): Promise<(string | null)[]> {
  const failed: (string | null)[] = [];
  for (const proof of proofs) failed.push((await judge(proof)) ? null : titleOf(proof));
  return failed;
}

async function holds(proof: Proof): Promise<boolean> {
  let held = true;
  for await (const { property, holds: isHeld, states, transitions, broken } of prove(proof)) {
    const end = isHeld ? "holds" : `FAILS: ${broken ?? "the search was cut short"}`;
    console.log(`${titleOf(proof)}, ${property}: ${end}; ${states} states, ${transitions} transitions`);
    held &&= isHeld;
  }
  return held;
}

async function isFound(proof: Proof): Promise<boolean> {
  let found = true;
  for await (const { property, broken } of prove({ ...proof, isShort: true })) {
    console.log(`${titleOf(proof)}, ${property}: ${broken === null ? "NOT FOUND" : "found"}`);
    found &&= broken !== null;
  }
  return found;
}

function titleOf({ model, with: defined }: Proof): string {
  return [model, ...defined].join(" ");
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(1);
}
