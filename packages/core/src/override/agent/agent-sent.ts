import { valueAt } from "../../json-pointer.ts";
import type { Json } from "../../ports/store.ts";
import { heededOf, isIgnored } from "../declarations/ignored.ts";
import { holdsUnknown } from "../declarations/references.ts";
import { fixedAt } from "../declarations/shape.ts";
import { secretsThere } from "../protocol/drift.ts";
import type { Effect } from "../protocol/lifecycle-row.ts";
import type { ComponentRecord, SentValues } from "../records/component-record.ts";
import type { DirectObservation } from "./agent-observe.ts";
import { type ExpectationsDeps, keyedHash } from "./expectations.ts";

/** A write that the cloud has made or accepted. */
interface SentWrite {
  readonly effect: Effect;
  readonly observation: DirectObservation;
  /** The cloud would have refused it if the resource had changed. */
  readonly conditional: boolean;
}

/** What is stored about a write's values: only keyed digests. `null` if it sends no parameters. */
export async function sentBy(
  deps: Pick<ExpectationsDeps, "runtime" | "digestKey">,
  { effect, observation, conditional }: SentWrite,
): Promise<SentValues | null> {
  const { expected } = observation.expectation;
  const heeded = heededOf(expected.parameters, expected.ignored);
  if (effect === "create") return { all: await keyedHash(expected.parameters, deps), places: {} };
  if (effect !== "correct") return null;
  const places: Record<string, { digest: string; before: string | null }> = {};
  for (const { pointer } of observation.correction.change.parameters) {
    const value = valueAt(heeded, pointer);
    if (value === undefined) continue;
    const before = conditional ? await keyedHash(shownAt(observation, pointer), deps) : null;
    places[pointer] = { digest: await keyedHash(value, deps), before };
  }
  return { all: null, places };
}

function shownAt({ resource }: Pick<DirectObservation, "resource">, pointer: string): Json {
  return valueAt(resource?.parameters ?? {}, pointer) ?? null;
}

type Sending = Pick<SentWrite, "effect" | "observation">;

/** Where two differ, nobody knows which one the cloud has, and a third adds nothing to that. */
const mostSecrets = 2;

/** The secrets that the cloud may have of a component once a write is sent: those that it had, and those of the write. */
export function secretsOnceSent({ secretsSent = [] }: ComponentRecord, write: Sending): readonly string[] {
  if (!sendsProperties(write)) return secretsSent;
  return [...new Set([...secretsSent, ...secretsOf(write)])].slice(0, mostSecrets);
}

/** The secrets that the cloud has of a component once a write is made. */
export function secretsOnceMade({ secretsSent = [] }: ComponentRecord, write: Sending): readonly string[] {
  return replacesSecrets(write) ? secretsOf(write) : secretsSent;
}

/** What is written again as it is sends nothing new. */
function sendsProperties({ effect, observation: { correction } }: Sending): boolean {
  return effect === "create" || (effect === "correct" && correction.change.parameters.length > 0);
}

/** Whether no former secret is left. A correction leaves those that aren't declared or known, are ignored, or can't change. */
function replacesSecrets(write: Sending): boolean {
  const { expected } = write.observation.expectation;
  const { parameters, ignored, type } = expected;
  const isSent = (place: string) => {
    const declared = valueAt(parameters, place);
    const isKnown = declared !== undefined && !holdsUnknown(declared);
    return isKnown && !isIgnored(place, ignored) && fixedAt(type, place) === null;
  };
  return write.effect === "create" || (sendsProperties(write) && secretsThere(expected).every(isSent));
}

function secretsOf({ observation }: Sending): readonly string[] {
  const { secretsHash } = observation.expectation;
  return secretsHash === null ? [] : [secretsHash];
}
