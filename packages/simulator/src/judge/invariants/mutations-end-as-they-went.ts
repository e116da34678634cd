import { componentName, type Evidence } from "./evidence.ts";
import type { StoredComponent, StoredMutation } from "./facts.ts";

/** What a mutation says at its end is what became of its components. */
export function judgeOutcome(before: StoredMutation | null, after: StoredMutation, evidence: Evidence) {
  if (before?.status !== "Running" || (after.status !== "Succeeded" && after.status !== "Failed")) return;
  const wrong = (detail: string) => evidence.fail("mutations-end-as-they-went", `mutation ${after.id} ${detail}`);
  if ((after.error === null) !== (after.status === "Succeeded"))
    return wrong(`is ${after.status}, its error is ${after.error?.code}`);
  const released = [...(evidence.releasedBy.get(after.id) ?? [])].sort();
  if (JSON.stringify(released) !== JSON.stringify(after.released.map((id) => id.toLowerCase()).sort()))
    return wrong(`names ${after.released.join(", ")} as released, it was ${released.join(", ")}`);
  if (after.error?.code === "Superseded") return;
  const own = componentsOf(after, evidence);
  const declared = evidence.declarations.of(after.livesystemId, after.id);
  if (after.kind === "Delete") {
    if (after.status === "Succeeded" && own.length > 0)
      wrong(`succeeded, and ${own.map(componentName).join(", ")} is there`);
    return;
  }
  if (declared === null) return;
  const accepted = evidence.declarations.orderOf(after.livesystemId, after.id);
  if (after.status === "Succeeded") {
    const isToGo = ({ path, liveSystemId, step }: StoredComponent) =>
      !declared.has(path.toLowerCase()) &&
      evidence.declarations.newest(liveSystemId, path) === null &&
      !(step?.mutationId !== after.id && step?.state === "pending");
    const left = own.filter(isToGo);
    if (left.length > 0) return wrong(`succeeded, and ${left.map(componentName).join(", ")} hasn't left`);
  }
  for (const path of declared.keys()) {
    const component = own.find((one) => one.path.toLowerCase() === path) ?? null;
    const detail = wrongEnd(path, component, { mutation: after, accepted, evidence });
    if (detail !== null) return wrong(`${after.status}, and ${detail}`);
  }
}

interface Ending {
  readonly mutation: StoredMutation;
  readonly accepted: number;
  readonly evidence: Evidence;
}

function wrongEnd(
  path: string,
  component: StoredComponent | null,
  { mutation, accepted, evidence }: Ending,
): string | null {
  const isSucceeded = mutation.status === "Succeeded";
  // What went with a person's component is released with it, declared or not: the set at rest is judged by the same.
  const { id: mutationId, livesystemId } = mutation;
  const isReleased =
    evidence.releasedBy.get(mutationId)?.has(`${livesystemId}/${path}`.toLowerCase()) &&
    evidence.declarations.newest(livesystemId, path)?.overrideWith;
  if (component === null) return isSucceeded && !isReleased ? `${path} was never there` : null;
  const id = componentName(component);
  const isNamed = mutation.held.some((held) => held.toLowerCase() === id.toLowerCase());
  const isHeld = waitsForPeople(component, accepted, evidence);
  if (isNamed) return isHeld ? null : `${id} is named as held, and isn't`;
  const state = component.step?.mutationId === mutation.id ? component.step.state : null;
  if (state === "held" && component.status !== "Active") return `${id} is held, and isn't named`;
  if (!isSucceeded && state !== "converged") {
    const isUnderWay = state === "pending" || state === "begun";
    return isUnderWay ? `${id} wasn't gone on with` : null;
  }
  const hasConverged = (evidence.convergedUntil.get(id.toLowerCase()) ?? -1) >= accepted;
  return hasConverged ? null : `${id} never was as declared, and isn't named as held`;
}

/** Who stands for a component while a person holds it stands for it until it is given back, whatever is declared. Before that is. */
export function noteWhoStands(liveSystemId: string, { components, declarations, stoodFor }: Evidence) {
  const isHeld = (other: string) => (components.get(other)?.record.status ?? "Active") !== "Active";
  for (const [id, { record }] of components) {
    if (record.liveSystemId !== liveSystemId) continue;
    // What left meanwhile and comes back went by what was declared of it last.
    const declared = declarations.last(liveSystemId, record.path)?.overrideWith;
    const known = stoodFor.get(id);
    const other = known !== undefined && isHeld(known) ? known : `${liveSystemId}/${declared}`.toLowerCase();
    if (isHeld(other)) stoodFor.set(id, other);
    else stoodFor.delete(id);
  }
}

/** Whether somebody holds a component, or what it waits for. */
function waitsForPeople(
  component: StoredComponent,
  since: number,
  evidence: Evidence,
  seen = new Set<string>(),
): boolean {
  const id = componentName(component).toLowerCase();
  if (seen.has(id)) return false;
  seen.add(id);
  const isHeld = (one: string) => {
    const status = evidence.components.get(one)?.record.status ?? "Active";
    return status !== "Active" || (evidence.heldUntil.get(one) ?? -1) >= since;
  };
  if (isHeld(id) || isHeld(evidence.stoodFor.get(id) ?? "")) return true;
  const declared = evidence.declarations.last(component.liveSystemId, component.path);
  const waited = [...(declared?.needs ?? []), ...(declared?.overrideWith == null ? [] : [declared.overrideWith])];
  return waited.some((path) => {
    const other = evidence.sibling(component.liveSystemId, path);
    return other !== null && waitsForPeople(other, since, evidence, seen);
  });
}

function componentsOf({ livesystemId }: StoredMutation, evidence: Evidence): StoredComponent[] {
  return [...evidence.components.values()].flatMap(({ record }) =>
    record.liveSystemId === livesystemId ? [record] : [],
  );
}
