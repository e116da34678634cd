import type { Evidence } from "../evidence.ts";
import type { StoredComponent } from "../facts.ts";
import { caselessId, componentName, rename } from "../names.ts";
import type { Rule, Wrote } from "../steps.ts";
import { wrongPlace } from "../words.ts";

/** The most property writes for a declaration, if nobody edits and nothing fails. */
const mostWrites = 2;
/** Why a component may differ at rest from what its cloud could show. */
const restingReasons: readonly string[] = [
  "Ineffective",
  "Unproven",
  "Contested",
  "NotCorrectable",
  "Blocked",
  "HeldBy",
];

/** Whatever a cloud does with a write, it is repeated once at most and then reported. */
export function comesToRest(evidence: Evidence): Rule {
  /** Property writes by component, since its declaration was accepted or something else changed. */
  const writes = new Map<string, number>();
  /** Those whose result isn't stored yet. One that a lost commit or a crash hides can't be counted. */
  const untold = new Set<string>();
  /** Former values of secrets: what carries one was decided before it had another value, and isn't counted. */
  const outdated = new Set<string>();
  const current = new Map<string, string>();
  /** Since when writes are counted: what was sent before was sent for something else. */
  let startedAt = 0;

  return {
    invariant: "comes-to-rest",
    judges: {
      wrote: (write) => {
        const count = (writes.get(caselessId(write.component)) ?? 0) + 1;
        return isCounted(write) && count > mostWrites
          ? `${componentName(write.component)} was written ${count} times, though nothing else happened`
          : null;
      },
      rested: () => {
        for (const component of evidence.components()) {
          const [declared, there] = [evidence.declared(component), evidence.truthOf(component)];
          const { value, reason } = component.conditions.inSync;
          if (declared === null || there === null || component.status !== "Active" || component.leaving) continue;
          if (value !== false || restingReasons.includes(reason) || there.failed !== undefined) continue;
          const wrong = wrongPlace(component, declared, there, evidence);
          if (wrong !== null) return `${componentName(component)}: ${wrong}, and it says ${reason}`;
        }
        return null;
      },
    },
    observes: {
      wrote: (write) => {
        const id = caselessId(write.component);
        if (isCounted(write)) untold.add(id);
        if (write.change.before === null) writes.delete(id);
      },
      accepted: startAgain,
      secret: ({ name, value, order }) => {
        startAgain({ order });
        const before = current.get(name);
        if (before !== undefined) outdated.add(before);
        if (value === null) current.delete(name);
        else current.set(name, value);
        outdated.delete(value ?? "");
      },
      died: () => writes.clear(),
      moved: ({ ids }) => rename(writes, ids),
      // A write that its sender gave up comes like somebody else's.
      changed: ({ process, change }) => {
        if (process === null || change.straggler !== undefined) forget(change.resourceId);
      },
      landed: ({ change }) => {
        if (change.failed) forget(change.resourceId);
      },
      answered: ({ resourceId, made }) => {
        if (!made) forget(resourceId);
      },
      "component-stored": ({ id, before, after }) => {
        // A new claim also sets the time. What was written before it and never stored is lost to the agent.
        const isClaim = after?.work != null && after.work.id !== before?.work?.id;
        const isTold = before?.lastWriteAt !== after?.lastWriteAt && untold.delete(id);
        if (isTold && !isClaim && isForNewest(after)) writes.set(id, (writes.get(id) ?? 0) + 1);
        if (JSON.stringify(before?.observed.outputs) !== JSON.stringify(after?.observed.outputs)) outputsChanged(id);
        // If the read after a write failed, its result is unknown.
        if (after?.conditions.readable.value === false) writes.delete(id);
        if (after?.updatedBy !== "agent" || before?.status !== after.status) writes.delete(id);
      },
    },
  };

  function startAgain({ order }: { readonly order: number }) {
    startedAt = order;
    writes.clear();
    untold.clear();
  }

  /** A pass that began under an earlier deploy of the same declaration goes on, and counts its writes for that one. */
  function isForNewest(component: StoredComponent | null): boolean {
    const { liveSystemId, tried } = component ?? { liveSystemId: "" };
    return tried == null || tried.mutationId === evidence.declarations.newestMutation(liveSystemId);
  }

  /** A changed output is written by its readers. Passes that began before may still write its former value as often as allowed. */
  function outputsChanged(id: string) {
    const system = id.slice(0, id.indexOf("/"));
    for (const other of evidence.stored.components.keys())
      if (other.startsWith(`${system}/`)) writes.set(other, -mostWrites);
  }

  function isCounted(write: Wrote): boolean {
    const sent = JSON.stringify(write.change.after?.parameters ?? {});
    if (write.sent.order < startedAt) return false;
    return isOfProperties(write) && ![...outdated].some((value) => sent.includes(JSON.stringify(value)));
  }

  function forget(resourceId: string) {
    const isIts = ({ resource }: StoredComponent) => resource.id?.toLowerCase() === resourceId.toLowerCase();
    for (const [id, { record }] of evidence.stored.components) {
      if (!isIts(record)) continue;
      writes.delete(id);
      untold.delete(id);
    }
  }
}

/** Tag changes aren't counted, nor is repeating a write that the cloud gave up. */
function isOfProperties({ change: { operation, before, after } }: Wrote): boolean {
  if (operation !== "update" || before === null || after === null || before.failed !== undefined) return false;
  const isSame = (one: object, other: object) => JSON.stringify(one) === JSON.stringify(other);
  return !isSame(before.parameters, after.parameters) || isSame(before.tags, after.tags);
}
