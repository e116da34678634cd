import { withValuesAt } from "../../clouds/simulated/json-edits.ts";
import { childOf, isItemStep, isWithin, lastStepOf, parentOf, stepsOf, touching, valueAt } from "../../json-pointer.ts";
import type { Json } from "../../ports/store.ts";
import type { DeclaredComponent } from "../declarations/definition.ts";
import { holdsIgnored } from "../declarations/ignored.ts";
import { pointerOfPlace } from "../declarations/list-keys.ts";
import { hasReferenceKeys, isReference, referencesIn } from "../declarations/references.ts";
import type { Difference } from "./drift.ts";
import { redacted } from "./redaction.ts";

/** A JSON Patch operation (RFC 6902); keeping needs only these two. Absence is declared as `null`. */
export interface PatchOperation {
  readonly op: "test" | "replace";
  readonly path: string;
  readonly value: Json;
}

/** A patch of the definition that removes the drift, and the places that it can't express. */
export interface KeepPatch {
  readonly patch: readonly PatchOperation[];
  /** Pointers into the parameters. */
  readonly leftOut: readonly string[];
}

/**
 * Writes how the definition would have to change to keep the actual state. Pointers start at the definition, and a test first checks that
 * the component is still at its position. Secrets and references are left out, because their actual values can't be known.
 */
export function keepPatch(
  components: readonly DeclaredComponent[],
  at: number,
  changes: readonly Difference[],
  hidden: readonly string[],
): KeepPatch {
  const component = components[at];
  if (component === undefined || changes.length === 0)
    return { patch: [], leftOut: changes.map(({ pointer }) => pointer) };
  const root = `/components/${at}`;
  const { parameters } = component;
  const operations: PatchOperation[] = [];
  const leftOut: string[] = [];
  const isHidden = touching(hidden);
  // Added or removed items replace their whole list, because a patch names items by position.
  const lists = changes.flatMap(({ pointer, declared, actual }) =>
    isItemStep(lastStepOf(pointer)) && (declared === null || actual === null) ? [parentOf(pointer)] : [],
  );
  const outermost = lists.sort((one, other) => one.length - other.length);
  const groups = Map.groupBy(changes, ({ pointer }) => outermost.find((list) => isWithin(pointer, list)) ?? pointer);
  for (const [pointer, within] of groups) {
    const edits = within.map((change) => ({ pointer: change.pointer, value: change.actual }));
    const value = lists.includes(pointer) ? valueAt(withValuesAt(parameters, edits), pointer) : edits[0]?.value;
    const path = pointerOfPlace(parameters, pointer) ?? pointer;
    if (!isHidden(path) && within.every((change) => canKeep(component, change)))
      operations.push({ op: "replace", path: `${root}/parameters${path}`, value: value ?? null });
    else leftOut.push(...within.map((change) => change.pointer));
  }
  const test: PatchOperation = { op: "test", path: `${root}/path`, value: component.path };
  return { patch: operations.length === 0 ? [] : [test, ...operations], leftOut };
}

/** All but references and what is in them, values that are hidden, and what would take an ignored place with it. */
function canKeep({ parameters, ignoreChanges }: DeclaredComponent, { pointer, actual }: Difference): boolean {
  if (holdsIgnored(pointer, ignoreChanges ?? [])) return false;
  if (JSON.stringify(actual).includes(redacted)) return false;
  let value: Json | undefined = parameters;
  for (const step of stepsOf(pointer)) {
    if (isReference(value) || hasReferenceKeys(value)) return false;
    value = childOf(value, step);
  }
  return value === undefined || referencesIn(value).length === 0;
}

/** A component's position in the definition. */
export function placeIn(components: readonly DeclaredComponent[], path: string): number {
  return components.findIndex((component) => component.path.toLowerCase() === path.toLowerCase());
}
