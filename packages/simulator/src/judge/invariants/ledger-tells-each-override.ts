import type { Reading } from "@liveplane/core/clouds";
import type { Json } from "@liveplane/core/store";
import type { Evidence } from "../evidence.ts";
import type { StoredComponent, StoredEpisode, ToldEvent } from "../facts.ts";
import { resourceIn } from "../looks.ts";
import { componentName, isAbout, told } from "../names.ts";
import type { ComponentStored, Rule } from "../steps.ts";

/** Each override has one ledger line, which begins and ends with it and says how. */
export function ledgerTellsEachOverride(evidence: Evidence): Rule {
  return {
    invariant: "ledger-tells-each-override",
    judges: {
      "component-stored": (step) => {
        const wrong =
          wrongBegin(step, evidence) ??
          wrongEnd(step) ??
          wrongSides(step, evidence) ??
          wrongClosing(step) ??
          wrongNote(step);
        const one = step.after ?? step.before;
        return wrong === null || one === null ? null : `${componentName(one)}: ${wrong}`;
      },
      rested: () => {
        const episodes = [...evidence.stored.episodes.values()];
        const open = new Set(episodes.flatMap(({ id, endedAt }) => (endedAt === null ? [id] : [])));
        for (const component of evidence.components())
          if (component.override !== null && !open.delete(component.override.episodeId))
            return `${componentName(component)} is overridden, and no line is open`;
        const [left] = open;
        return left === undefined ? null : `episode ${left} is open, and nothing is overridden`;
      },
    },
  };
}

function wrongBegin({ before, after, lines }: ComponentStored, evidence: Evidence): string | null {
  const is = after?.override?.episodeId ?? null;
  if (after === null || is === null || is === before?.override?.episodeId) return null;
  const line = lines.find(({ id }) => id === is);
  if (line === undefined || line.endedAt !== null) return "its override was begun without a line";
  const { since } = after.override ?? {};
  if (line.startedAt !== undefined && (line.startedAt !== since || since !== after.updatedAt))
    return `its line begins at ${line.startedAt}, its override at ${since}, which was stored at ${after.updatedAt}`;
  if (Object.entries(line.start.actual).some(([name, tags]) => isTags(name) && holdsProtocolTag(tags)))
    return "its line shows a tag of the protocol";
  const left = evidence.declarations.last(after.liveSystemId, after.path)?.ignoreChanges ?? [];
  for (const [name, sides] of Object.entries(after.observed.drift)) {
    const [declared = null, actual = null] = [line.start.declared[name], line.start.actual[name]];
    // Its drift leaves ignored items out.
    const isHidden =
      JSON.stringify(sides).includes("[redacted]") || left.some((one) => one.startsWith(`/${name}/name=`));
    const isTold =
      holds(declared, sides.declared) && (holds(actual, sides.actual) || isAllLeft(actual, sides.actual, name, left));
    if (!isTold && !isTags(name) && !isHidden)
      return `its line begins with ${told([declared, actual])} of ${name}, its drift is ${told(sides)}`;
  }
  return null;
}

function wrongEnd({ before, after, lines, events }: ComponentStored): string | null {
  const was = before?.override?.episodeId ?? null;
  if (before === null || was === null || was === after?.override?.episodeId) return null;
  const line = lines.find(({ id }) => id === was);
  if (line === undefined || line.endedAt === null) return "its override ended, and its line didn't";
  if (line.startedAt !== undefined && line.startedAt !== before.override?.since)
    return `its line began at ${line.startedAt}`;
  if (after?.updatedAt !== undefined && line.endedAt !== after.updatedAt) return `its line ended at ${line.endedAt}`;
  const wanted = outcomesOf(before, after, events);
  return wanted.includes(line.outcome ?? "")
    ? null
    : `its override ended as ${line.outcome}, it was ${wanted.join(" or ")}`;
}

/** An ended line shows what the read showed that ended it, or nothing if nothing was there. */
function wrongSides({ before, after, lines, explainedBy, process, since }: ComponentStored, evidence: Evidence) {
  const was = before?.override?.episodeId ?? null;
  const line = lines.find(({ id, endedAt }) => id === was && endedAt !== null);
  if (before === null || line === undefined || line.outcome === "Deleted") return null;
  const seen = evidence.sightings.of(process, [before.resource.id], since).map(({ reading }) => reading);
  if (after === null) return wrongSide(line, seen.at(-1));
  const wrong = wrongSide(line, explainedBy);
  // More than one read may explain how its override ended.
  return seen.some((reading) => showsSomething(reading) && wrongSide(line, reading) === null) ? null : wrong;
}

function wrongSide({ end }: StoredEpisode, reading: Reading | undefined): string | null {
  if (reading === undefined || !showsSomething(reading)) return null;
  const there = resourceIn(reading);
  if (there === null) return end === null ? null : "its line ends with a resource, and none was there";
  if (end === null) return "its line ends with nothing, and its resource was there";
  for (const [name, actual] of Object.entries(end.actual)) {
    const isHidden = JSON.stringify(actual).includes("[redacted]");
    if (!isHidden && !isTags(name) && JSON.stringify(actual) !== JSON.stringify(there.parameters[name] ?? null))
      return `its line ends with ${told(actual)} of ${name}, which was ${told(there.parameters[name])}`;
  }
  return null;
}

function showsSomething({ state }: Reading): boolean {
  return state !== "unreadable" && state !== "working";
}

/** What people note about an override stays with it, and with its line once it has ended. */
function wrongNote({ before, after, lines }: ComponentStored): string | null {
  const was = before?.override ?? null;
  if (was === null) return null;
  const isSame = (one: { readonly reason?: string | null; readonly claimedBy?: string | null }) =>
    (one.reason ?? null) === (was.reason ?? null) && (one.claimedBy ?? null) === (was.claimedBy ?? null);
  const line = lines.find(({ id, endedAt }) => id === was.episodeId && endedAt !== null);
  if (line !== undefined && !isSame(line))
    return `its line ended with the note ${told(line.reason)}, not ${told(was.reason)}`;
  const is = after?.override ?? null;
  if (is?.episodeId === was.episodeId && is.since !== was.since) return `its override began at ${was.since}`;
  const isKept = is?.episodeId !== was.episodeId || after?.updatedBy !== "agent" || isSame(is);
  return isKept ? null : `its note ${told(was.reason)} became ${told(is?.reason)}`;
}

function wrongClosing({ after, lines }: ComponentStored): string | null {
  const isClosed = ({ id, endedAt }: StoredEpisode) => endedAt !== null && id === after?.override?.episodeId;
  return lines.some(isClosed) ? "its line was closed, and it is overridden" : null;
}

/** Whether a drift omits a value because the cloud decides all of it. */
function isAllLeft(whole: Json, shown: Json, at: string, left: readonly string[]): boolean {
  const isLeft = (value: Json, place: string): boolean =>
    left.includes(place) ||
    (typeof value === "object" &&
      value !== null &&
      Object.entries(value).every(([name, member]) => isLeft(member, `${place}/${name}`)));
  return shown === null && isLeft(whole, `/${at}`);
}

/** Whether one value contains another. A drift omits what the cloud decides; the line is complete. */
function holds(whole: Json, part: Json): boolean {
  if (typeof whole !== "object" || typeof part !== "object" || whole === null || part === null) return whole === part;
  if (Array.isArray(whole) || Array.isArray(part)) return JSON.stringify(whole) === JSON.stringify(part);
  return Object.entries(part).every(([name, value]) =>
    holds((whole as { readonly [name: string]: Json })[name] ?? null, value),
  );
}

function isTags(name: string): boolean {
  return ["tags", "labels"].includes(name.toLowerCase());
}

/** Whether tags include one of the protocol, in whatever letters. */
function holdsProtocolTag(tags: Json): boolean {
  return Object.keys(tags ?? {}).some((key) => /^(managed-by|platform|platform-(reason|owner|until))$/i.test(key));
}

/** How an override ended, by what happened to its component. */
function outcomesOf(
  before: StoredComponent,
  after: StoredComponent | null,
  events: readonly ToldEvent[],
): readonly string[] {
  if (after === null) {
    const isReleased = events.some(({ type, subject }) => type === "component.released" && isAbout(subject, before));
    return [isReleased ? "Released" : "Deleted"];
  }
  if (before.lost) return ["Reprovisioned", ...(after.conditions.exists.value === true ? ["Resumed"] : [])];
  if (after.conditions.exists.value === false) return ["Reprovisioned"];
  if (before.status === "ReconcileRequested")
    return before.request?.reconciled === true ? ["Reconciled"] : ["Resumed", "Reconciled"];
  return ["Resumed", "Reprovisioned"];
}
