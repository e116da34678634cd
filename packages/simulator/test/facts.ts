import { createHash } from "node:crypto";
import {
  type Broken,
  type Fact,
  planOf,
  type SimulationPlan,
  simulate,
  simulateVaried,
  type VariedPlan,
} from "../src/index.ts";

/** A run of a plan, and a digest of everything that happened: cloud calls, commits with all they store, events, and answers to people. */
export interface DigestedRun {
  readonly broken: Broken | null;
  readonly digest: string;
}

/** Runs a plan to its end. */
export function digestOf(plan: SimulationPlan): Promise<DigestedRun> {
  return digested((onFact) => simulate(plan, { onFact }));
}

/** Runs a varied world to its end. */
export function variedDigestOf(plan: VariedPlan): Promise<DigestedRun> {
  return digested((onFact) => simulateVaried(plan, { onFact }));
}

type Run = (onFact: (fact: Fact, at: number) => void) => Promise<{ readonly broken: Broken | null }>;

async function digested(run: Run): Promise<DigestedRun> {
  const hash = createHash("sha256");
  const { broken } = await run((fact, at) => void hash.update(`${factLine(fact, at)}\n`));
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
