import { protocolTags } from "../../contract/protocol-tags.ts";
import { type JsonObject, mapOwn, pointerTo, sameJson } from "../../json-pointer.ts";
import type { ProviderFailure, Reading, SeenResource } from "../../ports/cloud.ts";
import { resourceOf } from "../../ports/readings.ts";
import type { ResourceType } from "../../ports/resource-type.ts";
import type { Json } from "../../ports/store.ts";
import type { Expectation } from "../agent/expectations.ts";
import type { Unresolved } from "../agent/referenced-values.ts";
import { isIgnored } from "../declarations/ignored.ts";
import type { ComponentRecord } from "../records/component-record.ts";
import type { SecretHashes, Sides } from "./adoption-plan.ts";
import {
  type Correction,
  compare,
  compareMissing,
  correctionOf,
  type Difference,
  type Drift,
  ignoredSides,
  noCorrection,
  noDrift,
  secretsThere,
  withoutUnknown,
} from "./drift.ts";
import { adoptionOf } from "./exact-adoption.ts";
import type { Adoption } from "./lifecycle-row.ts";
import { type ProviderWords, redacted, scrub, wordsOf } from "./redaction.ts";
import { hiding, secretValues as secretValuesAt } from "./secret-places.ts";
import { goesByTagOwner, type TagKeys, tagValue } from "./tags.ts";

/** The management tag. */
export const managementTag = { key: "managed-by", value: "platform" } as const;
/** The reconcile tag. */
export const reconcileTag = { key: "platform", value: "reconcile" } as const;

/** What a reading means against the declaration. Safe to store and show, except the resource, the correction and the hidden outputs. */
export interface Observation {
  readonly reading: Reading;
  /** What the cloud shows; `null` if nothing, so its tags are unknown. */
  readonly resource: SeenResource | null;
  /** The resource exists, and the cloud isn't creating or changing it. */
  readonly isSettled: boolean;
  readonly changes: readonly Difference[];
  readonly drift: Drift;
  /** The values that a correction writes, secrets included. */
  readonly correction: Correction;
  /** Something differs or is unknown, so a hand-back must wait. */
  readonly differs: boolean;
  readonly adoption: Adoption;
  /** The declared and actual values of ignored places, by pointer. */
  readonly ignored: Drift;
  /** The references without a value that matter; once a resource exists, ignored ones don't. */
  readonly unresolved: readonly Unresolved[];
  readonly managementTag: boolean;
  readonly reconcileTag: boolean;
  /** As they may be shown. */
  readonly outputs: JsonObject;
  /** The outputs that must not be shown, unredacted. */
  readonly hiddenOutputs: JsonObject;
}

/** Interprets a reading for a component: every decision is based on this. */
export function observe(record: ComponentRecord, expectation: Expectation, reading: Reading): Observation {
  const { expected, cloud } = expectation;
  const resource = resourceOf(reading);
  if (resource === null) {
    const isGone = reading.state === "missing" && record.provisioned;
    const { changes, drift } = isGone ? compareMissing(expected) : noDrift;
    const ignored = reading.state === "missing" ? ignoredSides(expected) : {};
    const adoption = adoptionOf(record, expectation, { ...nothingThere, reading, changes }, managementTag);
    return { ...nothingThere, changes, drift, ignored, unresolved: expectation.unresolved, reading, adoption };
  }
  const { tags } = resource;
  const has = ({ key, value }: { key: string; value: string }) => tagValue(tags, key, cloud.capabilities) === value;
  const isGoverned = goesByTagOwner(record, expectation);
  const { changes, drift, corrections } = compare(expected, resource);
  const unresolved = expectation.unresolved.filter(({ reference }) => !isIgnored(reference.pointer, expected.ignored));
  const differs = changes.length > 0 || unresolved.length > 0;
  const isWritten = corrections.length > 0 || reading.state === "failed";
  return {
    reading,
    resource,
    isSettled: reading.state !== "working",
    adoption: adoptionOf(record, expectation, { reading, resource, changes, differs }, managementTag),
    changes,
    drift,
    correction: isWritten ? correctionOf(corrections, expected, resource.parameters) : noCorrection,
    differs,
    ignored: ignoredSides(expected, resource),
    unresolved,
    managementTag: isGoverned || has(managementTag),
    reconcileTag: !isGoverned && has(reconcileTag),
    ...splitOutputs(resource.outputs, secretsIn(resource, expectation), expected.type),
  };
}

const nothingThere = {
  resource: null,
  isSettled: false,
  correction: noCorrection,
  differs: false,
  managementTag: false,
  reconcileTag: false,
  outputs: {},
  hiddenOutputs: {},
} as const;

/** Whether a component that goes by another one's tag is left alone because of that one. */
export function isHeldByTagOwner(
  component: Pick<ComponentRecord, "status">,
  expectation: Pick<Expectation, "declared" | "tagOwner">,
): boolean {
  return goesByTagOwner(component, expectation) && expectation.tagOwner?.status !== "Active";
}

/** The path of the overridden tag owner that holds a component; `null` if none does. */
export function governorOf(
  component: Pick<ComponentRecord, "status">,
  expectation: Pick<Expectation, "declared" | "tagOwner">,
): string | null {
  return isHeldByTagOwner(component, expectation)
    ? (expectation.tagOwner?.path ?? expectation.declared.overrideWith)
    : null;
}

/**
 * The path that must match its declaration before anything of this component is changed. What is as declared already waits for nobody: if
 * its last write failed in the cloud, it is written again.
 */
export function waitsNow(
  { resource, differs }: Pick<Observation, "resource" | "differs">,
  { waitsFor }: Pick<Expectation, "waitsFor">,
  { provisioned }: Pick<ComponentRecord, "provisioned">,
): string | null {
  return provisioned && resource !== null && !differs ? null : waitsFor;
}

/** The values that must not be shown: those of secrets, and the actual ones in their places. */
function secretsIn(resource: SeenResource | null, { expected, secretValues }: Expectation): readonly Json[] {
  const places = secretsThere(expected);
  if (places.length === 0 || resource === null) return secretValues;
  return [...secretValues, ...secretValuesAt(resource.parameters, places, "foreign")];
}

/**
 * A cloud's words about what it was sent earlier, safe to store and show. The message is hidden if it may contain a secret that isn't known
 * any more, because another one is declared by now.
 */
export function wordsAbout({ record, expectation, resource }: Observed, failure: ProviderFailure): ProviderWords {
  const words = wordsOf(failure, secretsIn(resource, expectation));
  const { secretsSent = [] } = record;
  const isKnown = secretsSent.every((sent) => sent === expectation.secretsHash);
  return isKnown ? words : { ...words, providerMessage: redacted };
}

/** What a cloud speaks about. */
export interface Observed extends Pick<Observation, "resource"> {
  readonly record: Pick<ComponentRecord, "secretsSent">;
  readonly expectation: Expectation;
}

/** The declared and actual values of the declared parameters, secrets hidden. */
export function sidesOf({ resource, changes }: Observation, expectation: Expectation, hashes: SecretHashes): Sides {
  const { expected } = expectation;
  const hidden = secretsIn(resource, expectation);
  const { parameters, secrets, tagParameter, type } = expected;
  const showBy = (places: readonly string[]) => {
    const hide = hiding(places, type, "foreign");
    return (value: Json, name: string) => scrub(hide(value, pointerTo("", name)), hidden);
  };
  const [showDeclared, show] = [showBy(secrets), showBy(secretsThere(expected))];
  const declared = mapOwn(parameters, (value, name) => showDeclared(withoutUnknown(value), name));
  const differing = changes.map(({ pointer }) => pointer);
  if (resource === null) return { declared, actual: {}, hashes, differing };
  const actual: Record<string, Json> = {};
  for (const name of Object.keys(parameters)) {
    const value =
      name === tagParameter ? declaredTags(parameters[name], resource.tags, expected) : resource.parameters[name];
    if (value !== undefined) actual[name] = show(value, name);
  }
  return { declared, actual, hashes, differing };
}

/** The tags in the declaration's spelling, without the protocol's. */
function declaredTags(
  declared: Json | undefined,
  tags: Readonly<Record<string, string>>,
  { caselessTagKeys: caseless }: TagKeys,
): JsonObject {
  const spelled = new Map(
    Object.keys((declared ?? {}) as JsonObject).map((key) => [caseless ? key.toLowerCase() : key, key]),
  );
  const own = Object.entries(tags).filter(([key]) => !protocolTags.has(key.toLowerCase()));
  return Object.fromEntries(own.map(([key, value]) => [spelled.get(caseless ? key.toLowerCase() : key) ?? key, value]));
}

function splitOutputs(
  outputs: JsonObject,
  secrets: readonly Json[],
  type: ResourceType,
): Pick<Observation, "outputs" | "hiddenOutputs"> {
  const hide = hiding([], type, "foreign");
  const hiddenOutputs: Record<string, Json> = {};
  const shown = mapOwn(outputs, (value, name) => {
    const isSensitive = type.sensitiveOutputs.includes(name);
    const scrubbed = isSensitive ? redacted : scrub(hide(value, pointerTo("", name)), secrets);
    if (!sameJson(scrubbed, value)) hiddenOutputs[name] = value;
    return scrubbed;
  });
  return { outputs: shown, hiddenOutputs };
}
