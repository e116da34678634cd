import { Evidence } from "./evidence.ts";
import type { Broken, Fact, Invariant, JudgedWorld, StoredComponent } from "./facts.ts";
import { isStuck, judgeRest, type RestTally } from "./rest.ts";
import { sawAnswer, sawChange, sawFetch, sawLanding, sawSent } from "./seen-calls.ts";
import { sawCommit } from "./seen-commits.ts";

/** Judges what the agent does by a model of its own. It shares no function with what it judges. */
export interface Judge {
  /** Is told what happens, in order. */
  sees(fact: Fact): void;
  /** Nothing goes wrong any more, and everything has come to rest: is it as it must be then? */
  atRest(): void;
  /** Whether a component can't become as declared: it refers to what isn't there, or nothing binds what would correct it. */
  isStuck(component: StoredComponent): boolean;
  /** Says of something that it didn't hold; only the first is kept. */
  fail(invariant: Invariant, detail: string): void;
  /** The first thing that didn't hold; `null`: all did. */
  readonly broken: Broken | null;
  /** How many components were judged at rest, and how many were excused from being as declared. */
  readonly tally: RestTally;
  /** All that was seen: for what judges beside it. */
  readonly evidence: Evidence;
}

/** Makes a judge of a world in which nothing has happened yet. */
export function createJudge(world: JudgedWorld): Judge {
  const evidence = new Evidence(world);
  const tally: RestTally = { judged: 0, excused: new Map() };
  const asked = new Map<string, Extract<Fact, { kind: "asked" }>>();
  return {
    evidence,
    tally,
    get broken() {
      return evidence.broken;
    },
    fail: (invariant, detail) => evidence.fail(invariant, detail),
    isStuck: (component) => isStuck(component, evidence),
    atRest: () => judgeRest(evidence, tally),
    sees(fact) {
      evidence.order += 1;
      switch (fact.kind) {
        case "asked":
          return void asked.set(fact.requestId, fact);
        case "read":
          return evidence.saw(fact.process, fact.name, fact.reading);
        case "sent":
          return sawSent(fact, evidence);
        case "answered":
          return sawAnswer(fact, evidence);
        case "died":
          return void evidence.dead.add(fact.process);
        case "changed":
          return sawChange(fact, evidence);
        case "landed":
          return sawLanding(fact, evidence);
        case "fetched":
          return sawFetch(fact, evidence);
        case "committed":
          return sawCommit(fact, asked, evidence);
        case "secret":
          if (fact.value !== null) evidence.secretValues.add(fact.value);
          return void evidence.secrets.set(fact.name, fact.value);
        case "logged":
          return sawLog(fact, evidence);
        default:
          return fact satisfies never;
      }
    },
  };
}

function sawLog({ fields, message }: Extract<Fact, { kind: "logged" }>, evidence: Evidence) {
  const error = fields.error ?? fields.cause;
  const isUncoded = error instanceof Error && !("code" in error && "status" in error);
  if (isUncoded) evidence.fail("failures-have-codes", `${message} ${error.stack}`);
  else if (error === "InternalError") evidence.fail("failures-have-codes", `${message} ${JSON.stringify(fields)}`);
}
