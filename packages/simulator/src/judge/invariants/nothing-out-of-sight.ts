import { componentName, type Evidence, told } from "./evidence.ts";
import type { ShownComponent, ShownLiveSystem, StoredComponent } from "./facts.ts";

/** What people are shown of a live system while nothing moves: it names its last mutation, how that ended, and every component. */
export function judgeAnswers(system: ShownLiveSystem, components: readonly ShownComponent[], evidence: Evidence) {
  judgeLastMutation(system, evidence);
  const kept = [...evidence.components.values()].flatMap(({ record }) =>
    record.liveSystemId === system.id ? [record] : [],
  );
  const wrong = (detail: string) => evidence.fail("nothing-out-of-sight", detail);
  const hidden = kept.find((one) => !components.some(({ id }) => id === componentName(one)));
  if (hidden !== undefined) return wrong(`${componentName(hidden)} is shown in no list`);
  for (const shown of components) {
    const record = kept.find((one) => componentName(one) === shown.id);
    if (record === undefined) return wrong(`${shown.id} is shown, and isn't there`);
    const [is, was] = [JSON.stringify(facesOf(shown)), JSON.stringify(facesOfStored(record))];
    if (is !== was) return wrong(`${shown.id} is shown as ${is}, it is ${was}`);
  }
}

function judgeLastMutation({ id, lastMutation }: ShownLiveSystem, evidence: Evidence) {
  const wanted = evidence.mutations.get(evidence.declarations.lastMutation(id) ?? "");
  if (wanted === undefined) return;
  const face = (one: ShownLiveSystem["lastMutation"]) =>
    one && [one.id, one.kind, one.status, one.error && [one.error.code, one.error.componentId]];
  if (JSON.stringify(face(lastMutation)) !== JSON.stringify(face(wanted)))
    evidence.fail("last-mutation-shown", `${id} shows ${told(lastMutation ?? undefined)}, its last is ${told(wanted)}`);
}

function facesOf({ status, leaving, outputFields, ignored, override, conditions }: ShownComponent) {
  const { drift = {} } = outputFields as { readonly drift?: object };
  return [status, leaving, drift, ignored, override?.awaiting ?? null, override?.said ?? null, saying(conditions)];
}

function facesOfStored({ status, leaving, observed, override, conditions }: StoredComponent) {
  const { drift, ignored = {} } = observed;
  return [status, leaving, drift, ignored, override?.awaiting ?? null, override?.said ?? null, saying(conditions)];
}

/** What was compared with another declaration than the one in force says nothing of it. */
function saying({ readable, exists, inSync }: StoredComponent["conditions"]) {
  return [readable.value, exists.value, inSync.reason === "Redeclared" ? null : inSync.value];
}
