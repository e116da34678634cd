import { childOf, isWithin, type JsonObject, sameJson, stepsOf, touching, valueAt } from "../../json-pointer.ts";
import type { Json } from "../../ports/store.ts";
import { isReference, referencesIn } from "../declarations/references.ts";
import type { Difference } from "./drift.ts";
import { isSpellingOf } from "./spelling.ts";

/** Why a place differs: since it was last applied, the cloud has changed, the declaration has, or both. */
export type ChangeCause = "cloud" | "declaration" | "both";

/** The declared and actual state at one moment, secrets hidden. */
export interface Sides {
  readonly declared: JsonObject;
  readonly actual: JsonObject;
  /** Keyed hashes of hidden values, by pointer: enough to see that they changed. */
  readonly hashes: SecretHashes;
  /** Pointers of what began to differ at that moment. */
  readonly differing: readonly string[];
}

/** Keyed hashes of both sides of each secret; `null` if there is no value. */
export type SecretHashes = Readonly<
  Record<string, { readonly declared: string | null; readonly actual: string | null }>
>;

/** A change with its explanation. */
export interface PlannedChange extends Difference {
  readonly declaredAtOverride: Json;
  readonly cause: ChangeCause;
}

/** What changes are judged against. */
export interface Before {
  /** The state at the take-over; `null` if it isn't overridden. */
  readonly start: Sides | null;
  /** The current declaration, with unresolved references. */
  readonly declared: JsonObject;
  /** The declaration when the resource last matched it; `null` if it never did or that is no longer known. */
  readonly applied: JsonObject | null;
}

/** Explains each change by what was last applied: a value present at the take-over may have been declared and never written. */
export function explainChanges(
  changes: readonly Difference[],
  now: SecretHashes,
  { start, declared, applied }: Before,
): PlannedChange[] {
  const sinceStart = movesSince(start ?? nothingThen, now);
  return changes.map((change) => {
    const { pointer } = change;
    const declaredAtOverride = valueAt(start?.declared, pointer) ?? null;
    const since = sinceStart(change);
    if (applied === null) {
      const declaredMoved = !since.actual || (start !== null && since.declared);
      return { ...change, declaredAtOverride, cause: causeOf({ declaredMoved, actualMoved: since.actual }) };
    }
    const [then, wanted] = [declaredAt(applied, pointer), declaredAt(declared, pointer)];
    const isHidden = refers(then) || refers(wanted) || Object.keys(now).some((secret) => touches(secret, pointer));
    const declaredMoved = !sameJson(then, wanted) || (isHidden && start !== null && since.declared);
    const actualMoved = !declaredMoved || (isHidden ? since.actual : !isSpellingOf(then, change.actual));
    return { ...change, declaredAtOverride, cause: causeOf({ declaredMoved, actualMoved }) };
  });
}

const nothingThen: Sides = { declared: {}, actual: {}, hashes: {}, differing: [] };

/** What has changed since the take-over. What began to differ at the take-over was changed by hand just before. */
function movesSince(start: Sides, now: SecretHashes) {
  const differedThen = touching(start.differing);
  const hashMoved = { declared: movedIn("declared", now, start.hashes), actual: movedIn("actual", now, start.hashes) };
  return ({ pointer, parameter, declared, actual }: Difference) => {
    const isNew = start.declared[parameter] === undefined;
    const before = {
      declared: valueAt(start.declared, pointer) ?? null,
      actual: valueAt(start.actual, pointer) ?? null,
    };
    return {
      declared: isNew || !sameJson(before.declared, declared) || hashMoved.declared(pointer),
      actual: !isNew && (differedThen(pointer) || !sameJson(before.actual, actual) || hashMoved.actual(pointer)),
    };
  };
}

/** The declared value at a pointer, or the reference around it. */
function declaredAt(parameters: JsonObject, pointer: string): Json {
  let value: Json | undefined = parameters;
  for (const step of stepsOf(pointer)) {
    if (isReference(value)) break;
    value = childOf(value, step);
  }
  return value ?? null;
}

function refers(value: Json): boolean {
  return referencesIn(value).length > 0;
}

function touches(one: string, other: string): boolean {
  return isWithin(one, other) || isWithin(other, one);
}

function causeOf({
  declaredMoved,
  actualMoved,
}: Readonly<Record<"declaredMoved" | "actualMoved", boolean>>): ChangeCause {
  if (!declaredMoved) return "cloud";
  return actualMoved ? "both" : "declaration";
}

/** Whether a secret at, around or below a place has changed. */
function movedIn(side: "declared" | "actual", now: SecretHashes, then: SecretHashes): (pointer: string) => boolean {
  return touching(Object.keys(now).filter((secret) => now[secret]?.[side] !== then[secret]?.[side]));
}
