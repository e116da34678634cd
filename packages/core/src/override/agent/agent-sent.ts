import { valueAt } from "../../json-pointer.ts";
import type { Json } from "../../ports/store.ts";
import { heededOf } from "../declarations/ignored.ts";
import type { Effect } from "../protocol/lifecycle-row.ts";
import type { SentValues } from "../records/component-record.ts";
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
