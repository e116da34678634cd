import { toHex, utf8 } from "../../encoding.ts";
import { canonicalJson, type JsonObject, sameJson, valueAt } from "../../json-pointer.ts";
import type { Json } from "../../ports/store.ts";
import { placeNamed } from "../declarations/list-keys.ts";
import { shapeOf } from "../declarations/shape.ts";
import type { SecretHashes } from "../protocol/adoption-plan.ts";
import { type Difference, secretsThere } from "../protocol/drift.ts";
import type { DatedObservation } from "../protocol/lifecycle.ts";
import { type Observation, observe } from "../protocol/observation.ts";
import { redacted } from "../protocol/redaction.ts";
import { type ComponentRecord, idOf, type StoredObservation } from "../records/component-record.ts";
import { sealOutputs } from "../records/sealed-outputs.ts";
import type { AgentDeps, PassContext } from "./agent-deps.ts";
import type { DirectReading } from "./agent-read.ts";
import { type Expectation, keyedHash } from "./expectations.ts";

/** The result of a direct read, dated, with its secrets sealed and hashed. Lives no longer than the pass. */
export interface DirectObservation extends Observation, DirectReading, Pick<DatedObservation, "newId" | "fingerprint"> {
  readonly reading: DirectReading["reading"];
  /** What may be stored about values that must not be shown. */
  readonly kept: Pick<StoredObservation, "hidden" | "hashes">;
}

/** Interprets a direct read for its component. */
export async function observeDirectly(read: DirectReading, { deps, options }: PassContext): Promise<DirectObservation> {
  const { record, expectation, reading } = read;
  const { provider } = record;
  const { runtime } = deps;
  if (options.lane === "people") runtime.metrics.count("liveplane_checks_total", { provider, lane: "people" });
  const observation = await stillHidden(record, observe(record, expectation, reading), deps);
  const kept = await keptOf(record, observation, expectation, deps);
  const newId = runtime.newId();
  const fingerprint = await fingerprintOf(record, observation.changes, kept.hashes, deps);
  return { ...read, ...observation, kept, newId, fingerprint };
}

/** A hidden value that hasn't changed stays hidden: after a rotation it still holds the older version's value. */
async function stillHidden(record: ComponentRecord, observation: Observation, deps: AgentDeps): Promise<Observation> {
  const { hidden } = record.observed;
  if (hidden === null) return observation;
  const outputs: Record<string, Json> = { ...observation.outputs };
  const hiddenOutputs: Record<string, Json> = { ...observation.hiddenOutputs };
  for (const [name, digest] of Object.entries(hidden.digests)) {
    const value = outputs[name];
    if (value === undefined || Object.hasOwn(hiddenOutputs, name) || digest !== (await keyedHash(value, deps)))
      continue;
    outputs[name] = redacted;
    hiddenOutputs[name] = value;
  }
  return { ...observation, outputs, hiddenOutputs };
}

async function keptOf(
  record: ComponentRecord,
  observation: Observation,
  expectation: Expectation,
  deps: AgentDeps,
): Promise<DirectObservation["kept"]> {
  const isOverridden = record.status !== "Active" || !observation.managementTag;
  const hashes = isOverridden ? await secretHashes(observation, expectation, deps) : {};
  const { hiddenOutputs } = observation;
  const names = Object.keys(hiddenOutputs);
  if (names.length === 0) return { hidden: null, hashes };
  const digests: Record<string, string> = {};
  for (const name of names) digests[name] = await keyedHash(hiddenOutputs[name] ?? null, deps);
  const known = record.observed.hidden;
  if (known !== null && sameJson(known.digests, digests)) return { hidden: known, hashes };
  return { hidden: { sealed: await sealOutputs(hiddenOutputs, record, deps.sealer), digests }, hashes };
}

/** More secrets than this are hashed together; then only a change of one of them is known, not which. */
const mostHashes = 100;

/** Keyed hashes of both sides of each secret, so that causes can be told without storing values. */
async function secretHashes(
  { resource }: Observation,
  { expected }: Expectation,
  deps: AgentDeps,
): Promise<SecretHashes> {
  const hashes: Record<string, { declared: string | null; actual: string | null }> = {};
  const hashOf = async (value: Json | undefined) => (value === undefined ? null : keyedHash(value, deps));
  const there = resource === null ? {} : { ...resource.parameters, [expected.tagParameter]: resource.tags };
  const { parameters } = expected;
  const secrets = secretsThere(expected);
  if (secrets.length > mostHashes) {
    const all = (root: JsonObject) => secrets.map((pointer) => valueAt(root, pointer) ?? null);
    return { "": { declared: await hashOf(all(parameters)), actual: await hashOf(all(there)) } };
  }
  for (const pointer of secrets) {
    const place = placeNamed(parameters, pointer, shapeOf(expected.type));
    const declared = await hashOf(valueAt(parameters, place));
    hashes[place] = { declared, actual: await hashOf(valueAt(there, place)) };
  }
  return hashes;
}

/** Identifies one set of differences of one component: the same differences always give the same fingerprint. */
export async function fingerprintOf(
  record: Pick<ComponentRecord, "liveSystemId" | "path">,
  changes: readonly Difference[],
  hashes: SecretHashes,
  { runtime }: Pick<AgentDeps, "runtime">,
): Promise<string> {
  const text = canonicalJson([idOf(record), changes, hashes]);
  return toHex(await runtime.crypto.digest(utf8(text))).slice(0, 32);
}
