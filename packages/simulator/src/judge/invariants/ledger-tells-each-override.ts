import type { Json } from "@liveplane/core/store";
import { componentName, type Evidence, told } from "./evidence.ts";
import type { StoredComponent, StoredEpisode, ToldEvent } from "./facts.ts";

/** What one commit did to a component. */
export interface CommitStep {
  readonly before: StoredComponent | null;
  readonly after: StoredComponent | null;
  /** Who made it. */
  readonly process: string;
}

/** Each override has its line in the ledger: begun with it, closed with it, and saying how it ended. */
export function judgeLedger(
  { before, after }: CommitStep,
  events: readonly ToldEvent[],
  episodes: readonly StoredEpisode[],
  evidence: Evidence,
) {
  const was = before?.override?.episodeId ?? null;
  const is = after?.override?.episodeId ?? null;
  const one = after ?? before;
  if (one === null) return;
  const wrong = (detail: string) => evidence.fail("ledger-tells-each-override", `${componentName(one)}: ${detail}`);
  if (was !== is && is !== null && after !== null) {
    const line = episodes.find(({ id }) => id === is);
    if (line === undefined || line.endedAt !== null) return wrong("its override was begun without a line");
    const left = evidence.declarations.last(after.liveSystemId, after.path)?.ignoreChanges ?? [];
    for (const [name, sides] of Object.entries(after.observed.drift)) {
      const begun = [line.start.declared[name] ?? null, line.start.actual[name] ?? null];
      const isHidden = JSON.stringify(sides).includes("[redacted]");
      const [declared = null, actual = null] = begun;
      const isTold =
        holds(declared, sides.declared) && (holds(actual, sides.actual) || isAllLeft(actual, sides.actual, name, left));
      if (!isTold && !isTags(name) && !isHidden)
        return wrong(`its line begins with ${told(begun)} of ${name}, its drift is ${told(sides)}`);
    }
  }
  if (was !== is && was !== null && before !== null) {
    const line = episodes.find(({ id }) => id === was);
    if (line === undefined || line.endedAt === null) return wrong("its override ended, and its line didn't");
    const wanted = outcomeOf(before, after, events);
    if (!wanted.includes(line.outcome ?? ""))
      return wrong(`its override ended as ${line.outcome}, it was ${wanted.join(" or ")}`);
  }
  for (const line of episodes)
    if (line.endedAt !== null && line.id === is) wrong("its line was closed, and it is overridden");
}

/** Whether a drift shows nothing of a value because all of it is left to the cloud. */
function isAllLeft(whole: Json, shown: Json, at: string, left: readonly string[]): boolean {
  const isLeft = (value: Json, place: string): boolean =>
    left.includes(place) ||
    (typeof value === "object" &&
      value !== null &&
      Object.entries(value).every(([name, member]) => isLeft(member, `${place}/${name}`)));
  return shown === null && isLeft(whole, `/${at}`);
}

/** Whether a value is all there in another. A drift leaves out what is left to the cloud; the line has the whole. */
function holds(whole: Json, part: Json): boolean {
  if (typeof whole !== "object" || typeof part !== "object" || whole === null || part === null) return whole === part;
  if (Array.isArray(whole) || Array.isArray(part)) return JSON.stringify(whole) === JSON.stringify(part);
  return Object.entries(part).every(([name, value]) =>
    holds((whole as { readonly [name: string]: Json })[name] ?? null, value),
  );
}

function isTags(name: string): boolean {
  return name === "tags" || name === "labels";
}

/** How an override ended, by what became of its component. */
function outcomeOf(
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

/** Whether an event is about a component. */
export function isAbout(subject: string, component: StoredComponent): boolean {
  return subject.toLowerCase() === componentName(component).toLowerCase();
}

/** At rest, what is open in the ledger is an override in force, and the other way round. */
export function judgeOpenEpisodes(evidence: Evidence) {
  const open = new Set([...evidence.episodes.values()].flatMap(({ id, endedAt }) => (endedAt === null ? [id] : [])));
  for (const { record } of evidence.components.values()) {
    if (record.override === null) continue;
    if (!open.delete(record.override.episodeId))
      evidence.fail("ledger-tells-each-override", `${componentName(record)} is overridden, and no line is open`);
  }
  for (const id of open)
    evidence.fail("ledger-tells-each-override", `episode ${id} is open, and nothing is overridden`);
}
