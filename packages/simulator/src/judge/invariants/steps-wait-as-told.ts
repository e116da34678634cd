import { carriesManagementTag } from "../comparison.ts";
import { neededOnceMade } from "../declarations.ts";
import type { Evidence } from "../evidence.ts";
import type { StoredWaiting } from "../facts.ts";
import { resourceIn } from "../looks.ts";
import { componentName, rename } from "../names.ts";
import type { ComponentStored, Rule, StepTime } from "../steps.ts";

/** How exactly a wait is measured, how much later than allowed it may end, and how long a process that died is down. */
const sparedMs = { early: 1_000, late: 30_000, down: 90_000 };

/** How long a process may go by what was stored before. */
const heldMs = 4_000;

/** A wait of a step, from when it was first stored. */
interface Known extends Pick<StoredWaiting, "why" | "since"> {
  readonly mutationId: string;
  readonly at: number;
  /** What it waited for before that. */
  readonly former?: Pick<Known, "why" | "at">;
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
    const isUp = (wait: Pick<Known, "why" | "at">) => at - wait.at >= waitsMs[wait.why] - sparedMs.early;
    // Another process may have begun to wait for something else while this one stored that it gives up.
    const isFormerUp = known?.former !== undefined && waitedMs < heldMs && isUp(known.former);
    if (hasTimedOut && !(isKnown && (isUp(known) || isFormerUp))) return `it gave up after ${waitedMs} ms`;
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
        const former = known?.mutationId === mutationId && !isSame ? { former: known } : {};
        waits.set(id, isSame ? { ...known, since } : { mutationId, why, since, at, ...former });
      },
    },
  };
}

/** How a step may have ended so that what needs it may begin. */
const done: readonly string[] = ["converged", "held"];
/**
 * A step begins after those that it needs, and ends as its component stands: converged only if nobody has it and it is as declared, failed with
 * an error. What a person has waits for no cloud.
 */
export function stepsEndAsTheyStand(evidence: Evidence): Rule {
  const { declarations, sightings } = evidence;
  const heldSince = new Map<string, number>();
  /** When each component last had an operation. */
  const operatedAt = new Map<string, number>();

  function wrongEnd({ before, after }: ComponentStored): string | null {
    const [was, is] = [before?.step ?? null, after?.step ?? null];
    if (after === null || is === null) return null;
    const isNew = was?.mutationId !== is.mutationId || was.state !== is.state;
    if (!isNew || is.state === "pending" || is.state === "begun") return null;
    if ((is.state === "failed") !== (is.error != null)) return `it is ${is.state}, its error is ${is.error?.code}`;
    if (is.state !== "converged") return null;
    if (after.status !== "Active") return `it has converged, and is ${after.status}`;
    const { inSync, exists } = after.conditions;
    if (exists.value !== true) return "it has converged, and isn't there";
    return inSync.value === true ? null : `it has converged, and says ${inSync.reason}`;
  }

  /** What a step needs has ended before it begins. */
  function wrongStart({ before, after }: ComponentStored): string | null {
    const [was, is] = [before?.step ?? null, after?.step ?? null];
    if (after === null || is?.state !== "begun" || (was?.mutationId === is.mutationId && was.state === "begun"))
      return null;
    const { liveSystemId, path } = after;
    const declared = declarations.of(liveSystemId, is.mutationId);
    const wanted = declared?.get(path.toLowerCase());
    const needs = wanted !== undefined && after.provisioned ? neededOnceMade(wanted) : wanted?.needs;
    const early = needs?.find((need) => {
      // A tag owner that needs what goes by its tag goes first or last, but neither waits for ever.
      if (declared?.get(need.toLowerCase())?.overrideWith != null) return false;
      const step = evidence.sibling(liveSystemId, need)?.step ?? null;
      return step?.mutationId === is.mutationId && !done.includes(step.state);
    });
    return early === undefined ? null : `its step has begun, and that of ${early} hasn't ended`;
  }

  /** Waiting for a cloud that is working is for those who have the resource. */
  function wrongWait({ id, before, after, process, at }: ComponentStored & StepTime): string | null {
    const waiting = after?.step?.waiting ?? null;
    if (before === null || after === null || waiting?.why !== "working") return null;
    if (before.step?.waiting != null || after.operation != null || before.operation != null) return null;
    // Another process may have stored the end of the operation right before.
    if ((operatedAt.get(id) ?? Number.NEGATIVE_INFINITY) >= at - heldMs) return null;
    // What a newer mutation has replaced may still wait for the cloud.
    if (after.step?.mutationId !== declarations.newestMutation(after.liveSystemId)) return null;
    // It may be taken over right before the wait is stored.
    const isHeld = (heldSince.get(id) ?? at) < at - heldMs;
    if (isHeld && after.status === "ManualOverride" && !isLeaving(after))
      return "a person has it, and its step waits for a cloud";
    const isGoverned = declarations.last(after.liveSystemId, after.path)?.overrideWith != null;
    if (!isLeaving(after) || isGoverned || after.governedBy != null) return null;
    const { reading } = sightings.of(process, [after.resource.id]).at(-1) ?? {};
    const there = reading === undefined ? null : resourceIn(reading);
    const cloud = evidence.cloudOf(after);
    const isTaken = there !== null && cloud.isTaggable(after.type) && !carriesManagementTag(there.tags, cloud);
    return isTaken ? "a person has it, and its release waits for a cloud" : null;
  }

  const isLeaving = ({ liveSystemId, path }: NonNullable<ComponentStored["after"]>) =>
    declarations.newest(liveSystemId, path) === null;

  return {
    invariant: "steps-end-as-they-stand",
    judges: {
      "component-stored": (step) => {
        const wrong = wrongEnd(step) ?? wrongStart(step) ?? wrongWait(step);
        return wrong === null || step.after === null ? null : `${componentName(step.after)}: ${wrong}`;
      },
    },
    observes: {
      moved: ({ ids }) => {
        rename(heldSince, ids);
        rename(operatedAt, ids);
      },
      "component-stored": ({ id, before, after, at }) => {
        if (before?.operation != null) operatedAt.set(id, at);
        if (after?.status !== "ManualOverride") heldSince.delete(id);
        else if (!heldSince.has(id)) heldSince.set(id, at);
      },
    },
  };
}
