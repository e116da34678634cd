import { isWithin, type JsonObject, sameJson, valueAt } from "../../json-pointer.ts";
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
  return changes.map((change) => {
    const { pointer, parameter, declared, actual } = change;
    const before = {
      declared: valueAt(start.declared, pointer) ?? null,
      actual: valueAt(start.actual, pointer) ?? null,
    };
    const isNew = start.declared[parameter] === undefined;
    const declaredMoved =
      isNew || !sameJson(before.declared, declared) || hashMoved(pointer, "declared", now, start.hashes);
    const differedThen = start.differing.some((then) => isWithin(then, pointer) || isWithin(pointer, then));
    const actualMoved =
      differedThen || !sameJson(before.actual, actual) || hashMoved(pointer, "actual", now, start.hashes);
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

function hashMoved(pointer: string, side: "declared" | "actual", now: SecretHashes, then: SecretHashes): boolean {
  const places = Object.keys(now).filter((secret) => isWithin(secret, pointer) || isWithin(pointer, secret));
  return places.some((secret) => now[secret]?.[side] !== then[secret]?.[side]);
}
