import type { Evidence } from "../evidence.ts";
import type { StoredComponent, StoredMutation } from "../facts.ts";
import { caselessId, componentName, rename } from "../names.ts";
import type { Rule } from "../steps.ts";

/** How long a process may go by what was stored before. Under leases, processes pause for over a minute. */
const sparedMs = { usual: 10_000, leased: 80_000 };

/** A mutation's result, with what it held and released, matches its components. */
export function mutationsEndAsTheyWent(evidence: Evidence): Rule {
  const { declarations, stored, standIns, world } = evidence;
  const heldMs = world.leasedClaimMs === undefined ? sparedMs.usual : sparedMs.leased;
  /** The last position at which a person controlled a component. */
  const heldUntil = new Map<string, number>();
  /** The mutation whose step ended while a person had what a component went by. It may go by something else by now. */
  const heldBy = new Map<string, string>();
  const freedAt = new Map<string, number>();

  function wrongOutcome(mutation: StoredMutation): string | null {
    const { id, kind, status, error, liveSystemId } = mutation;
    if ((error === null) !== (status === "Succeeded")) return `is ${status}, its error is ${error?.code}`;
    const released = [...stored.releasedBy(id)].sort();
    if (JSON.stringify(released) !== JSON.stringify(mutation.released.map((one) => one.toLowerCase()).sort()))
      return `names ${mutation.released.join(", ")} as released, it was ${released.join(", ")}`;
    if (error?.code === "Superseded") return null;
    const misnamed = wrongNames(mutation, evidence);
    if (misnamed !== null) return misnamed;
    const own = stored.componentsOf(liveSystemId);
    const named = (components: readonly StoredComponent[]) => components.map(componentName).join(", ");
    if (kind === "Delete")
      return status === "Succeeded" && own.length > 0 ? `succeeded, and ${named(own)} is there` : null;
    const declared = declarations.of(liveSystemId, id);
    if (declared === null) return null;
    const left = own.filter((one) => isToGo(one, mutation));
    if (status === "Succeeded" && left.length > 0) return `succeeded, and ${named(left)} hasn't left`;
    const wrong = [...declared.keys()].map((path) => wrongEnd(path, mutation)).find((detail) => detail !== null);
    return wrong === undefined ? null : `${status}, and ${wrong}`;
  }

  function isToGo({ liveSystemId, path, step }: StoredComponent, { id }: StoredMutation): boolean {
    const isDeclared =
      declarations.of(liveSystemId, id)?.has(path.toLowerCase()) || declarations.newest(liveSystemId, path) !== null;
    return !isDeclared && !(step?.mutationId !== id && step?.state === "pending");
  }

  function wrongEnd(path: string, mutation: StoredMutation): string | null {
    const { id: mutationId, liveSystemId, status, held } = mutation;
    const isSucceeded = status === "Succeeded";
    // What shared a person's component's fate is released with it, declared or not; the set at rest is judged the same way.
    const isReleased =
      stored.releasedBy(mutationId).has(`${liveSystemId}/${path}`.toLowerCase()) &&
      declarations.newest(liveSystemId, path)?.overrideWith;
    const component = evidence.sibling(liveSystemId, path);
    if (component === null) return isSucceeded && !isReleased ? `${path} was never there` : null;
    const name = componentName(component);
    const accepted = declarations.orderOf(liveSystemId, mutationId);
    if (held.some((one) => one.toLowerCase() === caselessId(component)))
      return heldBy.get(caselessId(component)) === mutationId || waitsForPeople(component, accepted)
        ? null
        : `${name} is named as held, and isn't`;
    const state = component.step?.mutationId === mutationId ? component.step.state : null;
    if (state === "held" && component.status !== "Active") return `${name} is held, and isn't named`;
    if (!isSucceeded && state !== "converged") {
      const isUnderWay = state === "pending" || state === "begun";
      return isUnderWay ? `${name} wasn't gone on with` : null;
    }
    const hasConverged = evidence.convergence.until(component) >= accepted;
    return hasConverged ? null : `${name} never was as declared, and isn't named as held`;
  }

  /** Whether somebody overrides a component, or what it waits for. */
  function waitsForPeople(component: StoredComponent, since: number, seen = new Set<string>()): boolean {
    const id = caselessId(component);
    if (seen.has(id)) return false;
    seen.add(id);
    const isHeld = (one: string) => {
      const status = stored.components.get(one)?.record.status ?? "Active";
      return status !== "Active" || (heldUntil.get(one) ?? -1) >= since;
    };
    if (isHeld(id) || isHeld(standIns.of(component) ?? "")) return true;
    const declared = declarations.last(component.liveSystemId, component.path);
    const waited = [...(declared?.needs ?? []), ...(declared?.overrideWith == null ? [] : [declared.overrideWith])];
    return waited.some((path) => {
      const other = evidence.sibling(component.liveSystemId, path);
      return other !== null && waitsForPeople(other, since, seen);
    });
  }

  return {
    invariant: "mutations-end-as-they-went",
    judges: {
      "mutation-stored": ({ before, after }) => {
        if (before?.status !== "Running" || (after.status !== "Succeeded" && after.status !== "Failed")) return null;
        const wrong = wrongOutcome(after);
        return wrong === null ? null : `mutation ${after.id} ${wrong}`;
      },
    },
    observes: {
      moved: ({ ids }) => {
        rename(heldUntil, ids);
        rename(heldBy, ids);
        rename(freedAt, ids);
      },
      "component-stored": ({ id, before, after, order, at }) => {
        const { liveSystemId = "", governedBy = null, step = null } = after ?? {};
        const isRecent =
          (freedAt.get(`${liveSystemId}/${governedBy}`.toLowerCase()) ?? Number.NEGATIVE_INFINITY) > at - heldMs;
        const isHeld =
          governedBy !== null && (isRecent || evidence.sibling(liveSystemId, governedBy)?.status !== "Active");
        if (step?.state === "held" && isHeld) heldBy.set(id, step.mutationId);
        if (before !== null && before.status !== "Active") freedAt.set(id, at);
        if (before !== null && before.status !== "Active") heldUntil.set(id, order);
      },
    },
  };
}

/** The error is that of the first step that failed, and all that is held is named. */
function wrongNames(
  { id, liveSystemId, error, held }: StoredMutation,
  { declarations, stored }: Evidence,
): string | null {
  const own = stored.componentsOf(liveSystemId).filter(({ step }) => step?.mutationId === id);
  if (own.length === 0) return null;
  const named = (state: string) => own.filter(({ step }) => step?.state === state);
  const [ids, wanted] = [held, named("held").map(componentName)].map((all) =>
    all.join().toLowerCase().split(",").sort(),
  );
  if (ids?.join() !== wanted?.join()) return `names ${ids} as held, held is ${wanted}`;
  const order = [...(declarations.of(liveSystemId, id)?.keys() ?? [])];
  // What isn't declared comes after everything that is.
  const placeOf = ({ path }: StoredComponent) =>
    order.includes(path.toLowerCase()) ? order.indexOf(path.toLowerCase()) : order.length;
  const first = Math.min(...named("failed").map(placeOf));
  const firsts = named("failed").filter((one) => placeOf(one) === first);
  const is = error && `${error.code} at ${error.componentId?.toLowerCase()}`;
  const were = firsts.map((one) => `${one.step?.error?.code} at ${caselessId(one)}`);
  const isRight = is === null ? were.length === 0 : were.includes(is);
  return isRight ? null : `ended with ${is}, the first that failed is ${were}`;
}
