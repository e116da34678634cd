import { endFaults, isPausing } from "../at-rest.ts";
import { rotate } from "../hands.ts";
import type { JudgeOptions } from "../judge/create-judge.ts";
import type { Evidence } from "../judge/evidence.ts";
import type { Broken, Invariant } from "../judge/facts.ts";
import { newRules } from "../judge/rules.ts";
import type { Rule } from "../judge/steps.ts";
import { callTimeoutMs } from "../judged-world.ts";
import type { SimulationPlan } from "../plan.ts";
import { passUntil } from "../simulate.ts";
import { checkSeconds } from "../variants.ts";
import { endWorld, newWorld, type SimulatedWorld, startProcess } from "../world.ts";
import { variedPlaces } from "./clouds.ts";
import { variedComponents } from "./declarations.ts";
import { carryOutVaried, readAll, type VariedWorld } from "./deeds.ts";
import type { VariedPlan } from "./plan.ts";

const cycleMs = checkSeconds * 1000;
/** The longest that a deed of these worlds takes. */
const longestMs = 120_000;

/**
 * The rules that compare what is declared with what is there word for word, take it that what goes by another's tags is no part of a circle
 * of dependencies, or count writes whether or not another resource's output has changed.
 */
const literal: ReadonlySet<Invariant> = new Set([
  "comes-to-rest",
  "drift-as-last-read",
  "ledger-tells-each-override",
  "left-to-the-cloud",
  "made-in-order",
  "mutations-end-as-they-went",
  "override-moves-as-seen",
  "own-writes-settle",
  "reconcile-tag-removed-when-verified-only",
  "shown-as-last-read",
  "writes-what-is-declared",
]);
/** The rules that take it that only the agent releases anything, once it has read it. */
const untilReleased: ReadonlySet<Invariant> = new Set([
  "deletes-what-was-asked",
  "kept-until-known",
  "released-as-seen",
]);

/** The result of a varied world. */
export interface VariedSimulation {
  /** `null` if everything held. */
  readonly broken: Broken | null;
}

/** Options of a varied simulation. */
interface VariedOptions extends Pick<JudgeOptions, "onFact"> {
  readonly onStep?: (line: string) => void;
}

/** Runs a varied world: one deed after the other, then rest, then everything is read. */
export async function simulateVaried(plan: VariedPlan, options: VariedOptions = {}): Promise<VariedSimulation> {
  const simulated: SimulationPlan = { seed: plan.seed, world: plan.world, deeds: [] };
  const fenced: VariedWorld["fenced"] = new Map();
  const world = newWorld(simulated, {
    ...options,
    newPlaces: variedPlaces(plan),
    rulesOf: (evidence) => [...rulesOf(evidence, fenced), nothingWrittenOnceFenced(fenced, evidence)],
  });
  const lives = variedComponents.map(() => ({ generation: 0, wasThere: false }));
  const varied = { world, systems: new Map<string, string>(), fenced, lives };
  try {
    await during(world, startProcess(world, 0));
    for (const { deed, thenMs } of plan.deeds) {
      if (world.watch.broken !== null) break;
      world.watch.tell("deed", () => JSON.stringify(deed));
      await during(world, carryOutVaried(varied, deed));
      await pass(world, thenMs);
    }
    await comeToRest(world);
    await during(world, readAll(varied));
    return { broken: world.watch.broken };
  } finally {
    endWorld(world);
  }
}

/** The judge's own rules, as far as they hold in these worlds. */
function rulesOf(evidence: Evidence, fenced: VariedWorld["fenced"]): Rule[] {
  return newRules(evidence, { judged: 0, excused: new Map() }).flatMap((rule) => {
    if (literal.has(rule.invariant)) return [];
    if (!untilReleased.has(rule.invariant)) return [rule];
    const judges = Object.entries(rule.judges).map(([kind, judge]) => [
      kind,
      (step: never) => (fenced.size > 0 ? null : (judge as (step: never) => string | null)(step)),
    ]);
    return [{ ...rule, judges: Object.fromEntries(judges) as Rule["judges"] }];
  });
}

/** What was being written when its owner went may still be sent, and nothing else until another live system has the resource. */
function nothingWrittenOnceFenced(fenced: VariedWorld["fenced"], evidence: Evidence): Rule {
  return {
    invariant: "released-as-seen",
    judges: {
      sent({ resourceId, at }) {
        const id = resourceId.toLowerCase();
        const { liveSystemId, at: fencedAt } = fenced.get(id) ?? { at };
        const isOthers = evidence
          .components()
          .some((one) => one.resource.id?.toLowerCase() === id && one.liveSystemId !== liveSystemId);
        return at > fencedAt + callTimeoutMs && !isOthers ? `${resourceId} is written after its owner has gone` : null;
      },
    },
  };
}

/** Everything comes to rest. */
async function comeToRest(world: SimulatedWorld): Promise<void> {
  const { watch } = world;
  endFaults(world);
  if (world.secret === null) rotate(world, "hunter-at-rest");
  for (let [turns, written] = [0, -1]; turns < 60 && written !== watch.written; turns++) {
    written = watch.written;
    await pass(world, 3 * cycleMs);
  }
  // After a pause of up to an hour the agent tries again what had no effect or failed.
  const isFailed = [...watch.components.values()].some(
    ({ conditions }) => conditions.inSync.reason === "ProvisioningFailed",
  );
  if (isFailed || isPausing(world)) return;
  const before = watch.written;
  await pass(world, 4 * cycleMs);
  if (watch.broken === null && watch.written !== before)
    watch.fail("at-rest-nothing-is-written", `${watch.written - before} writes although nothing happened`);
}

/** Passes time until the work is done. */
async function during(world: SimulatedWorld, work: Promise<unknown>): Promise<void> {
  let isDone = false;
  const done = () => {
    isDone = true;
  };
  work.then(done, (error: unknown) => {
    done();
    world.watch.fail("failures-have-codes", `A deed failed: ${error instanceof Error ? error.stack : String(error)}`);
  });
  const until = world.time.now() + longestMs;
  while (!isDone && world.watch.broken === null && (await world.time.step(until)));
}

function pass(world: SimulatedWorld, ms: number): Promise<void> {
  return passUntil(world, world.time.now() + ms);
}
