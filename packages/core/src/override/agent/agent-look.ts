import { nowText, toHex, utf8 } from "../../encoding.ts";
import { canonicalJson, sameJson, valueAt } from "../../json-pointer.ts";
import type { Cloud, CloudCredentials, Reading } from "../../ports/cloud.ts";
import type { Json } from "../../ports/store.ts";
import type { Stored } from "../../records/records.ts";
import { isResting } from "../../records/rest.ts";
import type { SecretHashes } from "../protocol/adoption-plan.ts";
import type { Difference } from "../protocol/drift.ts";
import { redacted } from "../protocol/redaction.ts";
import { type ComponentRecord, idOf, type Observed } from "../records/component-record.ts";
import type { AgentDeps, PassOptions } from "./agent-deps.ts";
import { type Judgement, judge } from "./decide.ts";
import { type Expectation, keyedHash, openSurroundings, sealOutputs } from "./expectations.ts";
import { type Sight, seen } from "./sight.ts";

/** A component looked at directly, and judged. Holds secrets: lives no longer than the pass. */
export interface Look {
  readonly record: Stored<ComponentRecord>;
  readonly at: string;
  readonly expectation: Expectation;
  readonly credentials: CloudCredentials | null;
  readonly sight: Sight;
  readonly judgement: Judgement;
}

/** Reads a component's resource fresh from the source of truth and judges what it sees. */
export async function takeLook(stored: Stored<ComponentRecord>, deps: AgentDeps, options: PassOptions): Promise<Look> {
  if (options.lane === "people") {
    deps.runtime.metrics.count("liveplane_checks_total", { provider: stored.provider, lane: "people" });
  }
  const surroundings = options.surroundings ?? openSurroundings(deps);
  const expectation = await surroundings.expectation(stored);
  const credentials = await surroundings.credentials(stored.environment, stored.provider);
  const { record, reading } = await readFresh(stored, { expectation, credentials, deps, options });
  const at = nowText(deps);
  const sight = await stillHidden(record, seen(record, expectation, reading), deps);
  const kept = await keptOf(record, sight, expectation, deps);
  const { restoredTag } = deps.settings;
  const judgement = judge(record, {
    sight,
    expectation,
    policy: { restoredTag, redeploy: options.redeploy ?? false },
    moment: {
      at,
      newId: deps.runtime.newId(),
      fingerprint: await fingerprintOf(record, sight.comparison.changes, kept.hashes, deps),
    },
    kept,
  });
  return { record, at, expectation, credentials, sight, judgement };
}

interface ReadContext {
  readonly expectation: Pick<Expectation, "cloud">;
  readonly credentials: CloudCredentials | null;
  readonly deps: AgentDeps;
  readonly options: PassOptions;
}

/** One direct read. What the cloud named itself is looked up by the intent under which it was made. */
export async function readFresh(
  record: Stored<ComponentRecord>,
  context: ReadContext,
): Promise<{ record: Stored<ComponentRecord>; reading: Reading }> {
  const { credentials, deps, options } = context;
  if (credentials === null) return { record, reading: { state: "unreadable", reason: "NoAgentCredentials" } };
  const cloud = deps.calls.over(context.expectation.cloud);
  const call = { credentials, ...(options.lease && { signal: options.lease.signal }) };
  const { type, resource } = record;
  const resourceId = resource.id ?? (await findMade(record, cloud, call));
  if (resourceId === null) return { record, reading: { state: "missing" } };
  if (resourceId === undefined) return { record, reading: { state: "unreadable", reason: "IntentUnknown" } };
  await deps.calls.turn(cloud, resourceId, options.lane, options.lease?.signal);
  const reading = await cloud.read({ type, resourceId }, call);
  const found = resource.id === null ? { ...record, resource: { ...resource, id: resourceId } } : record;
  return {
    record: found,
    reading: isLate(record, reading, deps) ? { state: "unreadable", reason: "NotYetVisible" } : reading,
  };
}

/** The id of what was made under the component's intent; `null`: nothing was, `undefined`: it can't be told now. */
async function findMade(
  { intent, resource }: ComponentRecord,
  cloud: Cloud,
  call: { credentials: CloudCredentials },
): Promise<string | null | undefined> {
  if (intent === null) return null;
  try {
    return (await cloud.findCreated(intent, resource.target, call))?.resourceId ?? null;
  } catch {
    return undefined;
  }
}

/** What was just made and isn't seen yet isn't gone. */
function isLate({ madeAt }: ComponentRecord, reading: Reading, { runtime, settings }: AgentDeps): boolean {
  const everyMs = settings.checkSeconds * 1000;
  return reading.state === "missing" && madeAt !== null && isResting(madeAt + everyMs, everyMs, runtime.clock.now());
}

/** What was hidden and hasn't moved stays hidden: after a rotation it still holds the older version's value. */
async function stillHidden(record: ComponentRecord, sight: Sight, deps: AgentDeps): Promise<Sight> {
  const { hidden } = record.observed;
  if (hidden === null) return sight;
  const outputs: Record<string, Json> = { ...sight.outputs };
  const hiddenOutputs: Record<string, Json> = { ...sight.hiddenOutputs };
  for (const [name, digest] of Object.entries(hidden.digests)) {
    const value = outputs[name];
    if (value === undefined || Object.hasOwn(hiddenOutputs, name) || digest !== (await keyedHash(value, deps)))
      continue;
    outputs[name] = redacted;
    hiddenOutputs[name] = value;
  }
  return { ...sight, outputs, hiddenOutputs };
}

async function keptOf(
  record: ComponentRecord,
  sight: Sight,
  expectation: Expectation,
  deps: AgentDeps,
): Promise<Pick<Observed, "hidden" | "hashes">> {
  const isOverridden = record.status !== "Active" || !sight.managementTag;
  const hashes = isOverridden ? await secretHashes(sight, expectation, deps) : {};
  const names = Object.keys(sight.hiddenOutputs);
  if (names.length === 0) return { hidden: null, hashes };
  const digests: Record<string, string> = {};
  for (const name of names) digests[name] = await keyedHash(sight.hiddenOutputs[name] ?? null, deps);
  const known = record.observed.hidden;
  if (known !== null && sameJson(known.digests, digests)) return { hidden: known, hashes };
  return { hidden: { sealed: await sealOutputs(sight.hiddenOutputs, record, deps.sealer), digests }, hashes };
}

/** Keyed hashes of both sides of each secret, so that causes can be told without keeping the values. */
async function secretHashes({ reading }: Sight, { expected }: Expectation, deps: AgentDeps): Promise<SecretHashes> {
  const hashes: Record<string, { declared: string | null; actual: string | null }> = {};
  const hashOf = async (value: Json | undefined) => (value === undefined ? null : keyedHash(value, deps));
  const there = reading.state === "present" ? { ...reading.parameters, [expected.tagParameter]: reading.tags } : {};
  for (const pointer of expected.secrets) {
    const declared = await hashOf(valueAt(expected.parameters, pointer));
    hashes[pointer] = { declared, actual: await hashOf(valueAt(there, pointer)) };
  }
  return hashes;
}

/** Names one state of the differences of one component: the same differences give the same name, whenever they were seen. */
export async function fingerprintOf(
  record: Pick<ComponentRecord, "liveSystemId" | "path">,
  changes: readonly Difference[],
  hashes: SecretHashes,
  { runtime }: Pick<AgentDeps, "runtime">,
): Promise<string> {
  const text = canonicalJson([idOf(record), changes, hashes]);
  return toHex(await runtime.crypto.digest(utf8(text))).slice(0, 32);
}
