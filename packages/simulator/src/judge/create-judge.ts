import { commitSteps } from "./commits.ts";
import { Evidence } from "./evidence.ts";
import type { Broken, Fact, Invariant, JudgedWorld, SentDefinition, StoredComponent } from "./facts.ts";
import { isStuck, type RestTally } from "./invariants/at-rest-as-declared.ts";
import { explain } from "./looks.ts";
import { newRules } from "./rules.ts";
import { type Rule, type Step, type StepOf, type StepTime, show, verdictOf } from "./steps.ts";
import { finishOf, writeOf } from "./writes.ts";

/** Judges the agent by an independent model. It shares no function with the code it judges. */
export interface Judge {
  /** Receives what happens, in order. */
  sees(fact: Fact): void;
  /** The world is over. What still slept there wakes up, and nothing that happens from now on counts. */
  end(): void;
  /** All faults have ended and everything has come to rest: checks the final state. */
  atRest(): void;
  /** Whether a component can't match its declaration: a reference has no value, or nothing binds a correction. */
  isStuck(component: StoredComponent): boolean;
  /** Reports a violation; only the first is kept. */
  fail(invariant: Invariant, detail: string): void;
  /** The first violation; `null` if none. */
  readonly broken: Broken | null;
  /** How many components were judged at rest, and how many were excused from matching. */
  readonly tally: RestTally;
  /** The shared evidence, for other judges. */
  readonly evidence: Evidence;
}

/** Makes other rules than the judge's own, from what it knows about a world. */
export type RulesOf = (evidence: Evidence) => readonly Rule[];

/** How a judge listens. */
export interface JudgeOptions {
  /** Other rules than its own. */
  readonly rulesOf?: RulesOf;
  /** Called with each fact first, and when it happened. */
  readonly onFact?: (fact: Fact, at: number) => void;
}

/** Creates a judge of a new world. */
export function createJudge(world: JudgedWorld, { rulesOf, onFact }: JudgeOptions = {}): Judge {
  const evidence = new Evidence(world);
  const tally: RestTally = { judged: 0, excused: new Map() };
  const rules = rulesOf?.(evidence) ?? newRules(evidence, tally);
  const sent = new Map<string, SentDefinition | null>();
  let broken: Broken | null = null;
  let order = 0;
  let isOver = false;

  function judged(step: Step): Broken | null {
    for (const rule of rules) {
      const detail = verdictOf(rule, step);
      if (detail !== null) return { invariant: rule.invariant, detail };
    }
    return null;
  }

  function take(step: Step): void {
    broken ??= judged(step);
    evidence.observe(step);
    for (const rule of rules) show(rule, step);
  }

  function takeStored(step: StepOf<"component-stored">): void {
    const explained = explain(step, evidence, judged);
    if (explained !== null && "broken" in explained) broken ??= explained.broken;
    take(explained !== null && "by" in explained ? { ...step, explainedBy: explained.by } : step);
  }

  function takeCommit(commit: StepOf<"committed">): void {
    for (const step of commitSteps(commit, (requestId) => sent.get(requestId) ?? null, evidence)) {
      if (step.kind === "component-stored") takeStored(step);
      else take(step);
    }
  }

  return {
    evidence,
    tally,
    get broken() {
      return broken;
    },
    fail(invariant, detail) {
      broken ??= { invariant, detail };
    },
    isStuck: (component) => isStuck(component, evidence),
    atRest: () => take({ kind: "rested", order, at: world.now() }),
    end() {
      isOver = true;
    },
    sees(fact) {
      if (isOver) return;
      onFact?.(fact, world.now());
      order += 1;
      if (fact.kind === "asked") return void sent.set(fact.requestId, fact.definition);
      const time: StepTime = { order, at: world.now() };
      const step = { ...fact, ...time };
      if (step.kind === "committed") return takeCommit(step);
      // The meaning of a change is derived before anything observes it.
      const write = step.kind === "changed" ? writeOf(step, evidence) : null;
      const finish = step.kind === "landed" ? finishOf(step, evidence) : null;
      if (write !== null) take({ ...write, ...time });
      if (finish !== null) take({ ...finish, ...time });
      take(step);
    },
  };
}
