import { protocolTags } from "../../contract/protocol-tags.ts";
import { type JsonObject, mapOwn, pointerTo, sameJson } from "../../json-pointer.ts";
import type { Reading } from "../../ports/cloud.ts";
import type { Json } from "../../ports/store.ts";
import type { Sides } from "../protocol/adoption-plan.ts";
import { type Comparison, compare, compareMissing, noDrift, tagValue } from "../protocol/drift.ts";
import { hideSecrets, redacted, scrub, secretValues as secretValuesAt } from "../protocol/redaction.ts";
import type { ComponentRecord, Observed } from "../records/component-record.ts";
import type { Expectation } from "./expectations.ts";

/** The management tag. */
export const managementTag = { key: "managed-by", value: "platform" } as const;
/** The reconcile tag. */
export const reconcileTag = { key: "platform", value: "reconcile" } as const;

/** A reading, compared: all that a judgement needs of the resource, secrets hidden but for the corrections. */
export interface Sight {
  readonly reading: Reading;
  readonly comparison: Comparison;
  readonly managementTag: boolean;
  readonly reconcileTag: boolean;
  /** As they may be shown. */
  readonly outputs: JsonObject;
  /** Those that may not, as they are. */
  readonly hiddenOutputs: JsonObject;
}

/** Compares a reading with what is expected. */
export function seen(record: ComponentRecord, expectation: Expectation, reading: Reading): Sight {
  const { expected, cloud } = expectation;
  if (reading.state !== "present") {
    const isGone = reading.state === "missing" && record.provisioned;
    const comparison = isGone ? compareMissing(expected) : noDrift;
    return { reading, comparison, managementTag: false, reconcileTag: false, outputs: {}, hiddenOutputs: {} };
  }
  const { tags } = reading;
  const has = ({ key, value }: { key: string; value: string }) =>
    tagValue(tags, key, cloud.capabilities.caselessTagKeys) === value;
  const governed = record.overrideWith !== null && record.status === "Active";
  const { outputs, hidden } = splitOutputs(
    reading.outputs,
    secretsIn(reading, expectation),
    expected.type.sensitiveOutputs,
  );
  return {
    reading,
    comparison: compare(expected, reading),
    managementTag: governed || has(managementTag),
    reconcileTag: !governed && has(reconcileTag),
    outputs,
    hiddenOutputs: hidden,
  };
}

/** The values that must not be shown: those that secrets have, and those that stand in their places. */
function secretsIn(reading: Reading, { expected, secretValues }: Expectation): readonly Json[] {
  if (expected.secrets.length === 0 || reading.state !== "present") return secretValues;
  return [...secretValues, ...secretValuesAt(reading.parameters, expected.secrets, true)];
}

/** What is declared and there, of the declared parameters, secrets hidden. */
export function sidesOf({ reading, comparison }: Sight, expectation: Expectation, hashes: Observed["hashes"]): Sides {
  const { expected } = expectation;
  const hidden = secretsIn(reading, expectation);
  const { parameters, secrets, tagParameter, type } = expected;
  const show = (value: Json, name: string) => scrub(hideSecrets(value, pointerTo("", name), secrets, true), hidden);
  const declared = mapOwn(parameters, (value, name) => (type.writeOnly.includes(name) ? redacted : show(value, name)));
  const differing = comparison.changes.map(({ pointer }) => pointer);
  if (reading.state !== "present") return { declared, actual: {}, hashes, differing };
  const actual: Record<string, Json> = {};
  for (const name of Object.keys(parameters)) {
    const value =
      name === tagParameter
        ? declaredTags(parameters[name], reading.tags, expected.caselessTagKeys)
        : reading.parameters[name];
    if (value !== undefined) actual[name] = show(value, name);
  }
  return { declared, actual, hashes, differing };
}

/** The tags with those that are declared under the declaration's spelling, without the protocol's. */
function declaredTags(
  declared: Json | undefined,
  tags: Readonly<Record<string, string>>,
  caseless: boolean,
): JsonObject {
  const spelled = new Map(
    Object.keys((declared ?? {}) as JsonObject).map((key) => [caseless ? key.toLowerCase() : key, key]),
  );
  const own = Object.entries(tags).filter(([key]) => !protocolTags.has(key.toLowerCase()));
  return Object.fromEntries(own.map(([key, value]) => [spelled.get(caseless ? key.toLowerCase() : key) ?? key, value]));
}

function splitOutputs(outputs: JsonObject, secrets: readonly Json[], sensitive: readonly string[]) {
  if (secrets.length === 0 && sensitive.length === 0) return { outputs, hidden: {} };
  const hidden: Record<string, Json> = {};
  const shown = mapOwn(outputs, (value, name) => {
    const scrubbed = sensitive.includes(name) ? redacted : scrub(value, secrets);
    if (!sameJson(scrubbed, value)) hidden[name] = value;
    return scrubbed;
  });
  return { outputs: shown, hidden };
}
