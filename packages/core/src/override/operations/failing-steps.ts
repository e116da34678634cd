import type { DeployPlan } from "../../contract/schemas/live-system-schemas.ts";
import { wasCarriedOut } from "../declarations/declaration.ts";
import { type Dependencies, dependentsOf } from "../declarations/dependency-order.ts";
import { foreseenFailure } from "../mutations/converge.ts";
import type { Failure } from "../mutations/step-states.ts";
import { waitsNow } from "../protocol/observation.ts";
import { isCorrectable } from "../protocol/verdicts.ts";
import { idOf } from "../records/component-record.ts";
import type { DeployAction, Foreseen } from "./foreseen.ts";

/** What a deploy would do if no step waited for another. */
interface Steps {
  readonly foreseen: ReadonlyMap<string, Foreseen>;
  readonly actions: ReadonlyMap<string, DeployAction>;
  readonly order: Dependencies;
  /** Whether a person controls its tag owner. */
  readonly isHeld: (one: Foreseen) => boolean;
}

/** Finds the steps that would fail, what isn't started then and why, and what the deploy would fail with. */
export function withFailures(steps: Steps): Pick<DeployPlan, "error"> & {
  readonly actions: ReadonlyMap<string, DeployAction>;
  readonly blocked: ReadonlyMap<string, string>;
} {
  const { foreseen, order, isHeld } = steps;
  const failures = new Map<string, Failure>();
  for (const [path, action] of steps.actions) {
    const one = foreseen.get(path);
    const failure = one ? failureOf(one, { action, isHeld: isHeld(one) }) : null;
    if (failure !== null) failures.set(path, failure);
  }
  const statusOf = (path: string) => foreseen.get(path)?.observation.record.status;
  const notStarted = reached(order, failures.keys());
  const waiting = reached(
    order,
    [...failures.keys()].filter((path) => delays(foreseen.get(path), isHeld)),
    // What isn't started stays as it is: if a person has it now, nobody waits for it.
    { isReached: (path) => waits(foreseen.get(path)), passesOn: (path) => statusOf(path) === "Active" },
  );
  const actions = new Map(steps.actions);
  const blocked = new Map<string, string>();
  for (const [path, by] of notStarted) {
    const blocker = foreseen.get(by)?.observation.record.path;
    if (actions.get(path) === "hold" || actions.get(path) === "none" || blocker === undefined) continue;
    // The agent goes on with the rest by itself, but only a deploy takes back what a person has.
    if (!waiting.has(path) && statusOf(path) !== "ManualOverride") continue;
    actions.set(path, "hold");
    blocked.set(path, `${blocker} can't be deployed first.`);
  }
  const first = [...order.keys()].find((path) => failures.has(path) && !notStarted.has(path)) ?? "";
  const [failure, one] = [failures.get(first), foreseen.get(first)];
  const error = failure && one ? { ...failure, componentId: idOf(one.observation.record) } : null;
  return { actions, blocked, error };
}

/** Why a component's step would fail. Of one that is written, only that something can't be written is known before. */
function failureOf(
  { observation, transition }: Foreseen,
  { action, isHeld }: { readonly action: DeployAction; readonly isHeld: boolean },
): Failure | null {
  const { correction, record, reading, adoption, expectation } = observation;
  const after = { ...record, ...transition.component };
  if (action === "hold") {
    const isLeftAlone = isHeld && reading.state !== "unreadable" && adoption.state !== "refused";
    return isLeftAlone ? null : foreseenFailure(observation, after);
  }
  const isWritable = correction.immutable.length === 0 && isCorrectable(record, observation, expectation);
  if (action === "create" || isWritable) return null;
  return foreseenFailure({ ...observation, adoption: { state: "none" }, unresolved: [] }, after);
}

/** Whether the agent waits with others until this one is as declared. */
function delays(one: Foreseen | undefined, isHeld: Steps["isHeld"]): boolean {
  if (one === undefined || isHeld(one)) return false;
  const { status, conditions, carriedOut } = one.transition.component;
  const isDone =
    conditions.exists.value === true && wasCarriedOut({ carriedOut }, one.observation.expectation.declared);
  return status === "Active" && !isDone;
}

/** Whether a component waits at all: what was carried out before, or is as declared already, waits for nobody. */
function waits(one: Foreseen | undefined): boolean {
  if (one === undefined) return false;
  const { record, expectation } = one.observation;
  return !wasCarriedOut(record, expectation.declared) && waitsNow(one.observation, { waitsFor: "" }, record) !== null;
}

interface Spread {
  readonly isReached: (path: string) => boolean;
  readonly passesOn: (path: string) => boolean;
}

const everywhere: Spread = { isReached: () => true, passesOn: () => true };

/** What depends on one of these, directly or through others that pass it on, and on which. */
function reached(
  order: Dependencies,
  from: Iterable<string>,
  { isReached, passesOn }: Spread = everywhere,
): ReadonlyMap<string, string> {
  const dependents = dependentsOf(order);
  const found = new Map<string, string>();
  for (const start of from) {
    const open = [start];
    for (const path of open) {
      const next = (dependents.get(path) ?? []).filter((one) => !found.has(one) && isReached(one));
      for (const one of next) found.set(one, start);
      open.push(...next.filter(passesOn));
    }
  }
  return found;
}
