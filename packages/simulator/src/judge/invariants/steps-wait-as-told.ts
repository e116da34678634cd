import type { Evidence } from "../evidence.ts";
import type { StoredWaiting } from "../facts.ts";
import { componentName, rename } from "../names.ts";
import type { ComponentStored, Rule, StepTime } from "../steps.ts";

/** How exactly a wait is measured, how much later than allowed it may end, and how long a process that died is down. */
const sparedMs = { early: 1_000, late: 30_000, down: 90_000 };

/** A wait of a step, from when it was first stored. */
interface Known extends Pick<StoredWaiting, "why" | "since"> {
  readonly mutationId: string;
  readonly at: number;
}

/** A step that waits for a cloud says since when, counts no more time than has passed, and gives up when it has waited for as long as it may. */
export function stepsWaitAsTold({ world, declarations }: Pick<Evidence, "world" | "declarations">): Rule {
  const { waitsMs, leasedClaimMs } = world;
  const waits = new Map<string, Known>();
  /** When a process died last, or its store failed. */
  let disturbedAt = -1;

  function wrongWait({ id, before, after, at }: ComponentStored & StepTime): string | null {
    const step = after?.step ?? null;
    const known = waits.get(id);
    const isKnown = known !== undefined && known.mutationId === step?.mutationId;
    const waiting = step?.waiting ?? null;
    if (waiting !== null && step?.state !== "begun") return `it is ${step?.state}, and waits`;
    if (waiting !== null && isKnown && waiting.why === known.why) {
      if (waiting.since !== known.since) return `it waits since ${waiting.since}, it was ${known.since}`;
      if (waiting.waitedMs > at - known.at + sparedMs.early)
        return `it counts ${waiting.waitedMs} ms, ${at - known.at} have passed`;
    }
    const isOfAnother = isKnown && waiting !== null && waiting.why !== known.why;
    if (isOfAnother && waiting.waitedMs > sparedMs.early)
      return `it begins to wait for what is ${waiting.why} with ${waiting.waitedMs} ms`;
    if (waitsMs === undefined || step === null) return null;
    const isOver = step.state !== "begun" && before?.step?.state === "begun";
    const waitedMs = isKnown ? at - known.at : 0;
    const hasTimedOut = isOver && step.state === "failed" && step.error?.code === "ProviderTimeout";
    if (hasTimedOut && waitedMs < waitsMs[known?.why ?? "working"] - sparedMs.early)
      return `it gave up after ${waitedMs} ms`;
    const isLate = isKnown && waitedMs > waitsMs[known.why] + sparedMs.late && disturbedAt < known.at - sparedMs.down;
    // What a newer mutation has replaced doesn't wait any more.
    const isNewest = step.mutationId === declarations.newestMutation(after?.liveSystemId ?? "");
    return isLate && isNewest && leasedClaimMs === undefined ? `it waits for ${waitedMs} ms` : null;
  }

  const disturbed = ({ at }: StepTime) => {
    disturbedAt = at;
  };

  return {
    invariant: "steps-wait-as-told",
    judges: {
      "component-stored": (step) => {
        const wrong = wrongWait(step);
        return wrong === null || step.after === null ? null : `${componentName(step.after)}: ${wrong}`;
      },
    },
    observes: {
      died: disturbed,
      hindered: disturbed,
      moved: ({ ids }) => rename(waits, ids),
      "component-stored": ({ id, after, at }) => {
        const { waiting = null, mutationId = "" } = after?.step ?? {};
        const known = waits.get(id);
        if (waiting === null) return void waits.delete(id);
        const { why, since } = waiting;
        const isSame = known?.mutationId === mutationId && known.why === why;
        waits.set(id, { mutationId, why, since, at: isSame ? known.at : at });
      },
    },
  };
}
