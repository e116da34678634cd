import { carriesManagementTag } from "../comparison.ts";
import type { Evidence } from "../evidence.ts";
import { resourceIn } from "../looks.ts";
import { componentName } from "../names.ts";
import type { ComponentStored, Rule } from "../steps.ts";

/** How a step may have ended so that what needs it may begin. */
const done: readonly string[] = ["converged", "held"];

/**
 * A step begins after those that it needs, and ends as its component stands: converged only if nobody has it and it is as declared, failed with
 * an error. What a person has waits for no cloud.
 */
export function stepsEndAsTheyStand(evidence: Evidence): Rule {
  const { declarations, sightings } = evidence;

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
    const early = wanted?.needs.find((need) => {
      // A tag owner that needs what goes by its tag goes first or last, but neither waits for ever.
      if (declared?.get(need.toLowerCase())?.overrideWith != null) return false;
      const step = evidence.sibling(liveSystemId, need)?.step ?? null;
      return step?.mutationId === is.mutationId && !done.includes(step.state);
    });
    return early === undefined ? null : `its step has begun, and that of ${early} hasn't ended`;
  }

  /** Waiting for a cloud that is working is for those who have the resource. */
  function wrongWait({ before, after, process }: ComponentStored): string | null {
    const waiting = after?.step?.waiting ?? null;
    if (before === null || after === null || waiting?.why !== "working") return null;
    if (before.step?.waiting != null || after.operation != null || before.operation != null) return null;
    if (before.status === "ManualOverride" && after.status === "ManualOverride" && !isLeaving(after))
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
  };
}
