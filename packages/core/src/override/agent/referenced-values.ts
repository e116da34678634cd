import type { EnvironmentRef } from "../../contract/target.ts";
import type { JsonObject } from "../../json-pointer.ts";
import type { Sealed } from "../../ports/secrets.ts";
import type { Json } from "../../ports/store.ts";
import type { Stored } from "../../records/records.ts";
import { pathKey } from "../declarations/definition.ts";
import { outputAt, outputNameOf, type Reference, type ResolvedValue } from "../declarations/references.ts";
import { type ComponentRecord, isThere } from "../records/component-record.ts";

/** A reference without a value, and why. */
export interface Unresolved {
  readonly reference: Reference;
  /**
   * `absent`: there is no such output. `waiting`: the resource doesn't exist yet. `overridden`: it doesn't exist, and a person controls it.
   * `large`: all referenced values together are too large.
   */
  readonly why: "absent" | "waiting" | "overridden" | "large";
  /** The outputs that its component has instead; absent if that isn't there. */
  readonly outputs?: readonly string[];
}

/** The hidden outputs of a component, decrypted once for all references. */
type HiddenOf = (source: ComponentRecord, sealed: Sealed) => Promise<JsonObject>;

interface ValueSources {
  readonly around: ReadonlyMap<string, Stored<ComponentRecord>>;
  readonly secretOf: (environment: EnvironmentRef, shortName: string) => Promise<string | null>;
  readonly hiddenOf: HiddenOf;
}

/** The values of a component's references, by the pointer of each, and the references without a value. */
export async function valuesOf(
  references: readonly Reference[],
  record: ComponentRecord,
  { around, secretOf, hiddenOf }: ValueSources,
) {
  const values = new Map<string, ResolvedValue>();
  const unresolved: Unresolved[] = [];
  const sizes = new Map<Json, number>();
  let size = 0;
  const take = (reference: Reference, found: ResolvedValue) => {
    const own = sizes.get(found.value) ?? JSON.stringify(found.value).length;
    sizes.set(found.value, own);
    size += own;
    if (size > mostReferredTo) unresolved.push({ reference, why: "large" });
    else values.set(reference.pointer, found);
  };
  for (const reference of references) {
    if (reference.kind === "secret") {
      const value = await secretOf(record.environment, reference.shortName);
      if (value === null) unresolved.push({ reference, why: "absent" });
      else take(reference, { value, secret: true });
      continue;
    }
    const source = around.get(pathKey(reference.path));
    const value = source === undefined ? null : await outputOf(source, reference.output, hiddenOf);
    if (value !== null) take(reference, value);
    else unresolved.push({ reference, why: whyUnresolved(source), ...outputsOf(source) });
  }
  return { values, unresolved };
}

/** The most characters that one component's references may resolve to: thousands of references to one long value would fill the memory. */
const mostReferredTo = 1024 * 1024;

function whyUnresolved(source: ComponentRecord | undefined): Unresolved["why"] {
  if (source === undefined || !source.provisioned) return "waiting";
  if (source.status !== "Active") return "overridden";
  return source.conditions.exists.value === true ? "absent" : "waiting";
}

function outputsOf(source: ComponentRecord | undefined): Pick<Unresolved, "outputs"> {
  if (source === undefined || !isThere(source)) return {};
  const { outputs, hidden } = source.observed;
  return { outputs: [...Object.keys(outputs), ...Object.keys(hidden?.digests ?? {})].toSorted() };
}

/** An output as last read. Hidden ones are decrypted only for components that refer to them. */
async function outputOf(source: ComponentRecord, output: string, hiddenOf: HiddenOf): Promise<ResolvedValue | null> {
  const { outputs, hidden } = source.observed;
  const secret = hidden !== null && Object.hasOwn(hidden.digests, outputNameOf(output));
  const value = outputAt(secret ? await hiddenOf(source, hidden.sealed) : outputs, output);
  return value === undefined ? null : { value, secret };
}
