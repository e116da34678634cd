import type { Evidence } from "../evidence.ts";
import { caselessId, componentName, rename } from "../names.ts";
import type { ComponentStored, Rule } from "../steps.ts";

/** A claim, when it was stored, and when its component counted as written before it. */
interface Claimed {
  readonly claim: string;
  readonly at: string;
  readonly before: string | null;
  /** The write was made. */
  made: boolean;
}

/** Each write that was made or accepted counts as the last one, even if its answer is lost or nobody could store it. */
export function lastWriteIsTold(evidence: Evidence): Rule {
  const claimed = new Map<string, Claimed>();

  function isUntold({ id, before, after }: ComponentStored): boolean {
    const known = claimed.get(id);
    if (before === null || after === null || known === undefined || after.work?.id === known.claim) return false;
    const isAccepted = before.operation == null && after.operation != null && after.operation.kind !== "remove";
    // Two writes may have the same time.
    const isTold =
      after.lastWriteAt !== known.before || [after.updatedAt, known.at].includes(after.lastWriteAt ?? undefined);
    return (known.made || isAccepted) && !isTold;
  }

  return {
    invariant: "last-write-is-told",
    judges: {
      "component-stored": (step) =>
        isUntold(step) && step.after !== null
          ? `${componentName(step.after)}: a write was made or accepted, and isn't the last one`
          : null,
    },
    observes: {
      wrote: ({ component, change }) => {
        const id = caselessId(component);
        const known = claimed.get(id);
        const work = evidence.stored.components.get(id)?.record.work;
        // Whoever gave up a write may not hear that it was made.
        const isClaimed = known !== undefined && known.claim === work?.id && change.straggler === undefined;
        if (isClaimed && change.operation !== "remove") known.made = true;
      },
      moved: ({ ids }) => rename(claimed, ids),
      "component-stored": ({ id, before, after }) => {
        if (after?.work?.id === before?.work?.id) return;
        claimed.delete(id);
        if (after?.work && after.work.kind !== "remove")
          claimed.set(id, {
            claim: after.work.id,
            at: after.updatedAt ?? "",
            before: before?.lastWriteAt ?? null,
            made: false,
          });
      },
    },
  };
}

/**
 * What isn't known yet stays stored until it is: an unbound write until a read shows the resource or that there is none, and an accepted one
 * until its cloud says how it ended and a later read was made.
 */
export function keptUntilKnown(evidence: Evidence): Rule {
  /** When each process heard first that an accepted write has ended, by resource. Other passes of it may hear so later. */
  const ended = new Map<string, Map<string, number>>();

  /** When each process heard last that its write was made, by resource. */
  const made = new Map<string, number>();

  function forgotten({ before, after, process, since }: ComponentStored): string | null {
    if (before?.unread === undefined || after === null || after.unread !== undefined) return null;
    if (after.updatedBy !== "agent" || before.operation != null || after.operation != null) return null;
    const madeAt = made.get(keyOf(process, before.resource.id)) ?? 0;
    // What became of a write that wasn't made the answer says.
    if (before.work !== null && madeAt < since) return null;
    const names = [before.resource.id, after.resource.id, before.intent];
    const seen = evidence.sightings.of(process, names, Math.max(since, madeAt));
    const shows = seen.some(({ reading }) => ["present", "missing", "failed"].includes(reading.state));
    return shows || seen.length === 0 ? null : "it forgets a write that no read has shown";
  }

  /** What is left to a person was read, and what became of its last write with it. */
  function leftUnknown({ before, after, process, parted }: ComponentStored): string | null {
    if (before?.unread === undefined || after !== null || !parted?.isReleased) return null;
    const named = evidence.declarations.last(before.liveSystemId, before.path)?.overrideWith ?? before.governedBy;
    // Nobody can take over by its own tags what has none or goes by another's.
    if (named != null || !evidence.cloudOf(before).isTaggable(before.type)) return null;
    const { reading } = evidence.sightings.of(process, [before.resource.id]).at(-1) ?? {};
    return reading?.state === "present" ? "it leaves, and what became of its write isn't told" : null;
  }

  function tooOld({ before, after, process, explainedBy }: ComponentStored): string | null {
    if (before?.operation == null || after === null || after.operation != null || explainedBy === undefined)
      return null;
    const at = ended.get(caselessName(before.resource.id))?.get(process ?? "");
    const isRead = evidence.sightings.of(process, [before.resource.id, after.resource.id], at).length > 0;
    return at === undefined || isRead ? null : "its write has ended, and it goes by an older read";
  }

  return {
    invariant: "kept-until-known",
    judges: {
      "component-stored": (step) => {
        const wrong = forgotten(step) ?? tooOld(step) ?? leftUnknown(step);
        const one = step.after ?? step.before;
        return wrong === null || one === null ? null : `${componentName(one)}: ${wrong}`;
      },
    },
    observes: {
      answered: ({ process, resourceId, made: isMade, order }) => {
        if (isMade) made.set(keyOf(process, resourceId), order);
      },
      "component-stored": ({ before, after }) => {
        if (before?.operation == null && after?.operation != null) ended.delete(caselessName(after.resource.id));
      },
      followed: ({ process, name, order }) => {
        const heard = ended.get(caselessName(name)) ?? new Map<string, number>();
        ended.set(caselessName(name), heard);
        if (!heard.has(process)) heard.set(process, order);
      },
    },
  };
}

function keyOf(process: string, name: string | null): string {
  return `${process} ${caselessName(name)}`;
}

function caselessName(name: string | null): string {
  return name?.toLowerCase() ?? "";
}
