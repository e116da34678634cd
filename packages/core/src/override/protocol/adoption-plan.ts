import { type JsonObject, sameJson, touching, valueAt } from "../../json-pointer.ts";
import type { Json } from "../../ports/store.ts";
import type { Difference } from "./drift.ts";

/** Why a place differs: the cloud moved since the take-over, the declaration did, or both. */
export type ChangeCause = "cloud" | "declaration" | "both";

/** What was declared and there at one moment, secrets hidden. */
export interface Sides {
  readonly declared: JsonObject;
  readonly actual: JsonObject;
  /** Keyed hashes of what is hidden, by pointer: enough to see that it moved. */
  readonly hashes: SecretHashes;
  /** Pointers of what differed at that moment. */
  readonly differing: readonly string[];
}

/** Keyed hashes of the two sides of each secret value; `null`: there is none. */
export type SecretHashes = Readonly<
  Record<string, { readonly declared: string | null; readonly actual: string | null }>
>;

/** A change with what explains it. */
export interface PlannedChange extends Difference {
  readonly declaredAtOverride: Json;
  readonly cause: ChangeCause;
}

/**
 * Explains each change by what was declared and there when the override began. What differed already then was changed
 * by hand between the tag's removal and the look that noticed it.
 */
export function explainChanges(changes: readonly Difference[], now: SecretHashes, start: Sides): PlannedChange[] {
  const differedThen = touching(start.differing);
  const hashMoved = { declared: movedIn("declared", now, start.hashes), actual: movedIn("actual", now, start.hashes) };
  return changes.map((change) => {
    const { pointer, parameter, declared, actual } = change;
    const before = {
      declared: valueAt(start.declared, pointer) ?? null,
      actual: valueAt(start.actual, pointer) ?? null,
    };
    const isNew = start.declared[parameter] === undefined;
    const declaredMoved = isNew || !sameJson(before.declared, declared) || hashMoved.declared(pointer);
    const actualMoved = differedThen(pointer) || !sameJson(before.actual, actual) || hashMoved.actual(pointer);
    return { ...change, declaredAtOverride: before.declared, cause: causeOf({ isNew, declaredMoved, actualMoved }) };
  });
}

/** What of a change moved since the take-over. */
interface Moved {
  readonly isNew: boolean;
  readonly declaredMoved: boolean;
  readonly actualMoved: boolean;
}

function causeOf({ isNew, declaredMoved, actualMoved }: Moved): ChangeCause {
  if (isNew || (declaredMoved && !actualMoved)) return "declaration";
  return actualMoved && !declaredMoved ? "cloud" : "both";
}

/** Whether a secret at a place, around it or below it has moved. */
function movedIn(side: "declared" | "actual", now: SecretHashes, then: SecretHashes): (pointer: string) => boolean {
  return touching(Object.keys(now).filter((secret) => now[secret]?.[side] !== then[secret]?.[side]));
}
