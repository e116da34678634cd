import { createHash } from "node:crypto";
import { type Broken, type Fact, planOf, type SimulationPlan, simulate } from "../src/index.ts";

/** A run of a plan, and a digest of everything that happened: cloud calls, commits with all they store, events, and answers to people. */
export interface DigestedRun {
  readonly broken: Broken | null;
  readonly digest: string;
}

/** Runs a plan to its end. */
export async function digestOf(plan: SimulationPlan): Promise<DigestedRun> {
  const hash = createHash("sha256");
  const onFact = (fact: Fact, at: number) => void hash.update(`${factLine(fact, at)}\n`);
  const { broken } = await simulate(plan, { onFact });
  return { broken, digest: hash.digest("hex").slice(0, 12) };
}

/** A fact in one line. */
export function factLine(fact: Fact, at: number): string {
  const told = JSON.stringify(fact, (_, value: unknown) => (value instanceof Map ? [...value] : value));
  return `${(at / 1000).toFixed(3)} ${told}`;
}

if (import.meta.main) {
  let last = "";
  for (const seed of process.argv.slice(2)) last = (await digestOf(planOf(Number(seed)))).digest;
  console.log(last);
}
