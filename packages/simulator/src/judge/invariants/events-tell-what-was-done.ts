import type { Evidence } from "../evidence.ts";
import type { ResourceChanged, StoredComponent, StoredMutation, ToldEvent } from "../facts.ts";
import { caselessId, componentName, isAbout, placeKey, rename, told } from "../names.ts";
import type { ComponentStored, Rule, StepOf, StepTime } from "../steps.ts";

/** A write that its process knows to have succeeded. */
interface Done {
  readonly process: string;
  readonly change: ResourceChanged;
  /** When it knew. */
  readonly order: number;
}

/** Events report what was created, corrected, deleted and released and how a mutation ended, and nothing that didn't happen. */
export function eventsTellWhatWasDone(evidence: Evidence): Rule {
  /** Changes by processes that haven't been answered yet. */
  const unanswered = new Map<string, ResourceChanged>();
  /** Writes known to their processes but not reported yet, by component. */
  const done = new Map<string, readonly Done[]>();
  /** Successful slow writes that weren't reported yet, by component. */
  const finished = new Map<string, readonly ResourceChanged[]>();
  /** When each process's store failed last: it may have lost the results of its writes. */
  const hindered = new Map<string, number>();
  /** Components that moved under a claim: whoever wrote to them finds no record of its claim, and the next pass finds what became of it. */
  const moved = new Set<string>();
  /** Components whose last write had no answer, by the process that sent it. */
  const unknown = new Map<string, string>();
  /** When the claim on each component was stored. */
  const claimedAt = new Map<string, number>();
  /** Components with a correction whose effect the read after it didn't show. */
  const unseen = new Map<string, true>();

  function wrongReport(step: ComponentStored & StepTime): string | null {
    const { id, before, after, process, events } = step;
    if (before === null || after === null) return null;
    if (isLost(step)) return `${componentName(after)} was written, and the result is lost`;
    if (after.updatedBy !== "agent") return null;
    const failed = eventAbout(after, "component.correction_failed", events);
    if (failed !== undefined && unknown.get(id) === process && before.operation == null && !isGivenUp(failed))
      return `${componentName(after)}: nobody knows what became of its write, and it is told as failed`;
    const isCorrected = eventAbout(after, "component.corrected", events) !== undefined;
    const own = (done.get(id) ?? []).filter((one) => one.process === process).map(({ change }) => change);
    const kept = resultsOf(id, process);
    // Two writes may have the same time.
    if (before.lastWriteAt === after.lastWriteAt)
      return isCorrected && !unseen.has(id) && own.length === 0
        ? `${componentName(after)} is told to be corrected, and wasn't written`
        : null;
    // A pass that finds the claim of one whose result was never stored only begins. What it reads next is reported.
    if (after.work != null && after.work.id !== before.work?.id) return null;
    const says = (type: string) => eventAbout(after, type, events) !== undefined;
    const name = componentName(after);
    const isRight = Object.keys(after.observed.drift).length === 0 && after.conditions.readable.value === true;
    const isTold = says("component.corrected") || (after.provisioned && says("component.provisioned"));
    if (isRight && kept.some(({ operation }) => operation === "update") && !isTold)
      return `${name} was corrected, and nobody was told`;
    if (kept.some((change) => change.before === null) && !says("component.provisioned"))
      return `${name} was made, and nobody was told`;
    if (isTold && own.length > 0 && after.failures != null)
      return `${name} was written, and counts as failing: ${after.failures.code}`;
    // The process that first learns the result of a slow write reports it.
    if (own.length + (finished.get(id) ?? []).length > 0 || !says("component.corrected")) return null;
    // A write whose answer is lost may be the first after which an earlier correction shows its effect.
    if (unseen.has(id)) return null;
    // The cloud's answer counts, unless it was a failure: that may be about a resource that is gone meanwhile.
    const isOver = before.operation?.kind === "correct" && after.operation == null;
    if (isOver && !evidence.resources.isGivenUp(after.provider, after.resource.id)) return null;
    const reported = events.filter(({ subject }) => isAbout(subject, after));
    return `${name} is told to be corrected, and wasn't (${told(reported)})`;
  }

  /** Whether a claim ends, whose process knows that its write was made, and nothing says so. Under leases, the process may have lost its own. */
  function isLost({ id, before, after, process, at }: ComponentStored & StepTime) {
    const work = before?.work ?? null;
    if (work === null || work.kind === "remove" || after?.work?.id === work.id) return false;
    if (before?.lastWriteAt !== after?.lastWriteAt || evidence.world.leasedClaimMs !== undefined) return false;
    // Where no time passes, the result has the time of its claim.
    return at > (claimedAt.get(id) ?? at) && resultsOf(id, process).length > 0;
  }

  /** What a process knows to have written, and can't have lost because its store failed. */
  function resultsOf(id: string, process: string): readonly ResourceChanged[] {
    const since = moved.has(id) ? Number.POSITIVE_INFINITY : (hindered.get(process) ?? 0);
    const own = (done.get(id) ?? []).filter((one) => one.process === process && one.order > since);
    return own.map(({ change }) => change);
  }

  return {
    invariant: "events-tell-what-was-done",
    judges: {
      "mutation-stored": wrongMutation,
      "component-stored": (step) => wrongFarewell(step, evidence) ?? wrongReport(step),
    },
    observes: {
      hindered: ({ process, order }) => void hindered.set(process, order),
      // A cloud that chooses IDs answers a creation under another name. That change isn't what the next write of the same resource did.
      sent: (write) => void unanswered.delete(writeKey(write)),
      changed: ({ process, provider, change }) => {
        // Nobody waits for the answer of a write that was given up before it arrived.
        if (process !== null && change.straggler === undefined)
          unanswered.set(writeKey({ process, provider, resourceId: change.resourceId }), change);
      },
      answered: ({ process, provider, resourceId, made, isLost: isUnknown, order }) => {
        const key = writeKey({ process, provider, resourceId });
        const change = unanswered.get(key);
        unanswered.delete(key);
        const component = evidence.stored.holderOf(provider, resourceId);
        if (component !== null && isUnknown) unknown.set(caselessId(component), process);
        if (!made || component === null || change === undefined) return;
        addTo(done, caselessId(component), { process, change, order });
      },
      finished: ({ component, change }) => addTo(finished, caselessId(component), change),
      moved: ({ ids }) => {
        for (const kept of [done, finished, unknown, unseen]) rename(kept, ids);
        for (const id of ids.values()) moved.add(id);
      },
      "component-stored": ({ id, before, after, events, at }) => {
        if (before === null || after === null) return;
        if (after.work !== null && after.work?.id !== before.work?.id) claimedAt.set(id, at);
        // What others store meanwhile doesn't end a pass. Once its claim is gone, the next pass reports what it finds.
        if (after.work === null || after.work.id !== before.work?.id) {
          for (const kept of [done, unknown, moved]) kept.delete(id);
        }
        const isReport = after.updatedBy === "agent" && before.lastWriteAt !== after.lastWriteAt;
        const isTold = events.some(({ type, subject }) => type === "component.corrected" && isAbout(subject, after));
        if (isTold) unseen.delete(id);
        else if (isReport) unseen.set(id, true);
        const telling = ["component.corrected", "component.provisioned"];
        if (isReport && events.some(({ type, subject }) => telling.includes(type) && isAbout(subject, after)))
          finished.delete(id);
      },
    },
  };
}

/** Who writes to which resource. */
function writeKey(write: { readonly process: string | null; readonly provider: string; readonly resourceId: string }) {
  return `${write.process} ${placeKey(write.provider, write.resourceId)}`;
}

/** What differs still after the allowed number of writes isn't a failed write. */
function isGivenUp({ data }: ToldEvent): boolean {
  return data.code === "Ineffective" || data.code === "Unproven";
}

/** A leaving component is reported as released while its resource exists, and as deleted otherwise. */
function wrongFarewell({ before, after, process, events }: ComponentStored, evidence: Evidence): string | null {
  if (before === null || after !== null) return null;
  const own = events.filter(({ subject }) => isAbout(subject, before));
  const released = own.filter(({ type }) => type === "component.released").length;
  const deleted = own.filter(({ type }) => type === "component.deleted").length;
  const name = componentName(before);
  if (released + deleted !== 1) return `${name} is gone, and ${released + deleted} events say so`;
  const isThere = evidence.truthOf(before) !== null && before.provisioned;
  // Somebody may recreate it between the last read and the commit.
  const seen = evidence.sightings.of(process, evidence.namesOf(before)).at(-1)?.reading;
  return deleted === 1 && isThere && seen?.state !== "missing"
    ? `${name} is told to be deleted, and its resource is there`
    : null;
}

const toldAs: ReadonlyMap<string, string> = new Map([
  ["Running", "started"],
  ["Succeeded", "succeeded"],
  ["Failed", "failed"],
]);

/** A mutation's start and end are reported once, with its result. */
function wrongMutation({ before, after, events }: StepOf<"mutation-stored">): string | null {
  const own = events.filter(
    ({ type, data }) => type.startsWith("livesystem.mutation.") && data.mutationId === after.id,
  );
  const isNew = before !== null && before.status !== after.status;
  const type = isNew ? (toldAs.get(after.status) ?? null) : null;
  if (own.length !== (type === null ? 0 : 1) || (type !== null && own[0]?.type !== `livesystem.mutation.${type}`))
    return `mutation ${after.id} is ${after.status}, told is ${told(own)}`;
  const isOver = after.status === "Succeeded" || after.status === "Failed";
  return isOver && type !== null ? wrongEnd(after, own[0]?.data ?? {}) : null;
}

function wrongEnd({ id, held, released, error }: StoredMutation, data: ToldEvent["data"]): string | null {
  const said = [data.held ?? [], data.released ?? [], data.code ?? null];
  return JSON.stringify(said) === JSON.stringify([held, released, error?.code ?? null])
    ? null
    : `mutation ${id} ended with ${told([held, released])}, told is ${told(data)}`;
}

function eventAbout(component: StoredComponent, type: string, events: readonly ToldEvent[]): ToldEvent | undefined {
  return events.find((event) => event.type === type && isAbout(event.subject, component));
}

function addTo<T>(kept: Map<string, readonly T[]>, id: string, one: T): void {
  kept.set(id, [...(kept.get(id) ?? []), one]);
}
