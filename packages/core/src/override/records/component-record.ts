import type { Component } from "../../contract/schemas/live-system-schemas.ts";
import { type EnvironmentRef, type EventTarget, environmentName, environmentRef } from "../../contract/target.ts";
import { toInstant } from "../../encoding.ts";
import type { JsonObject } from "../../json-pointer.ts";
import type { CloudTarget } from "../../ports/cloud.ts";
import type { Sealed } from "../../ports/secrets.ts";
import type { Json, Key } from "../../ports/store.ts";
import type { Claim } from "../../records/claim.ts";
import { collection } from "../../records/collection.ts";
import type { Stored } from "../../records/records.ts";
import { type Declared, type DeclaredPart, isOutdated } from "../declarations/declaration.ts";
import { componentId, pathKey, plainName } from "../declarations/definition.ts";
import { pointerOfPlace } from "../declarations/list-keys.ts";
import type { ShownOutputs } from "../declarations/references.ts";
import type { SecretHashes, Sides } from "../protocol/adoption-plan.ts";
import type { Conditions } from "../protocol/conditions.ts";
import type { Difference, Drift } from "../protocol/drift.ts";
import { healthOf } from "../protocol/health.ts";
import type { Managed } from "../protocol/lifecycle.ts";
import type { Effect } from "../protocol/lifecycle-row.ts";
import type { ExtraItems } from "../protocol/likeness.ts";
import { type ProviderWords, redacted } from "../protocol/redaction.ts";
import { withoutSecrets } from "../protocol/secret-places.ts";
import type { SettledForms } from "../protocol/settled.ts";
import { ownerKey } from "./list-scope.ts";

/** A component as it is stored. */
export interface ComponentRecord extends Managed {
  readonly liveSystemId: string;
  readonly path: string;
  readonly environment: EnvironmentRef;
  readonly provider: string;
  readonly type: string;
  /** What was declared of it last, once no declaration names it any more; until then that is what is in force. */
  readonly left: DeclaredPart | null;
  /** The digest of the part of a declaration that was carried out last; `null`: none was. */
  readonly carriedOut: string | null;
  /** The path of the component that it answered to at the last pass; `null`: it answered to none. */
  readonly governedBy: string | null;
  /** The path of the overridden component that it was held with at the last pass; `null`: none. */
  readonly heldBy: string | null;
  readonly resource: ResourcePlace;
  /** Its resource was made, or found there. */
  readonly provisioned: boolean;
  /** It was to be taken away: it stays so until a deploy takes it back. */
  readonly leaving: boolean;
  /** How far the last mutation came with it. */
  readonly step: MutationStep | null;
  readonly observed: StoredObservation;
  readonly conditions: Conditions;
  /** When and with what it was taken over. `null` unless overridden. */
  readonly start: (Sides & { readonly outputs: ShownOutputs }) | null;
  /** Keyed hashes of the parameters that the cloud never gives back, as last applied. */
  readonly applied: Readonly<Record<string, string>>;
  /** The names of the items that were applied to lists which may hold others, by the list's pointer. */
  readonly appliedItems: ExtraItems;
  /** A write that may be under way. */
  readonly work: PendingWork | null;
  /** A write that the cloud has accepted and not finished. */
  readonly operation: PendingOperation | null;
  /** What the cloud is working on, whoever asked for it. */
  readonly working: Working | null;
  /** Milliseconds of the epoch: when it was made, until it has been read back. A missing one is only late until then. */
  readonly madeAt: number | null;
  /** Finds a resource again whose creation was never answered. */
  readonly intent: string | null;
  readonly lastWriteAt: string | null;
  readonly failures: Failures | null;
  /** The property writes since the last deploy, as long as what they left there stays as it is. `null`: none. */
  readonly tried: Tried | null;
  /** What was corrected again and again. `null`: nothing. */
  readonly contested: Contested | null;
  /** What the cloud makes of the values that were sent to it. */
  readonly settled: SettledForms;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly updatedAt: string;
  readonly updatedBy: string;
}

/** Where its resource is. Fixed at the first deploy. */
export interface ResourcePlace {
  /** `null`: the cloud chooses it, and hasn't yet. */
  readonly id: string | null;
  readonly name: string;
  /** Given by the declaration, not derived. */
  readonly given: boolean;
  readonly target: CloudTarget;
}

/** The last direct observation of a component, as it is kept: secrets hidden. */
export interface StoredObservation {
  /** The digest of the part of a declaration that it was compared with; `null`: nobody wrote it down. */
  readonly against: string | null;
  readonly managementTag: boolean | null;
  readonly reconcileTag: boolean;
  readonly outputs: JsonObject;
  /** The hidden outputs, sealed, with keyed digests by name that tell when one moved. */
  readonly hidden: { readonly sealed: Sealed; readonly digests: Readonly<Record<string, string>> } | null;
  readonly changes: readonly Difference[];
  /** Names these changes. */
  readonly fingerprint: string;
  readonly drift: Drift;
  /** What is declared and there where it is ignored, by pointer. */
  readonly ignored: Drift;
  readonly hashes: SecretHashes;
  /** The parameters that are a secret or hold one. */
  readonly secrets: readonly string[];
}

/** One component's part in a mutation. */
export interface MutationStep {
  readonly mutationId: string;
  readonly state: "pending" | "begun" | "converged" | "held" | "failed" | "blocked";
  readonly error: ({ readonly code: string; readonly detail: string } & Partial<ProviderWords>) | null;
  /** What it waits for, and since when. Absent: nothing. */
  readonly waiting?: StepWaiting | null;
}

/** What a step waits for: for a cloud that is at it, or that fails for now. */
export interface StepWaiting {
  readonly why: "working" | "failing";
  readonly detail: string;
  readonly since: string;
  /** How long, about, by the clocks of those that waited. */
  readonly waitedMs: number;
}

/** A claim on a component for one write: nobody else writes until it is given back, or has stood for too long. */
export interface PendingWork extends Claim {
  readonly kind: Effect | "remove";
}

/** A write that a cloud has accepted and not finished, and how it is asked after. */
export interface PendingOperation {
  readonly kind: Effect | "remove";
  /** The address. */
  readonly sealed: Sealed;
  readonly since: string;
  /** Percent, where the cloud says so. */
  readonly progress: number | null;
  /** Milliseconds of the epoch; the cloud isn't asked before, for as long as the rest is. */
  readonly nextAt: number;
  readonly restMs: number;
  /** What it changes. */
  readonly changes: readonly Difference[];
  /** The values that it sends, by keyed digests; `null`: none. */
  readonly sent: SentValues | null;
}

/** What a write sent, so that its answer can be told apart from what others do. */
export interface SentValues {
  /** Of all parameters, where all were sent; `null`: only these places were. */
  readonly all: string | null;
  /** `before`: of what the cloud showed there; `null` where nothing kept it from changing before the write. */
  readonly places: Readonly<Record<string, { readonly digest: string; readonly before: string | null }>>;
}

/** Where an operation's address is sealed. */
export function operationPlace(component: Pick<ComponentRecord, "liveSystemId" | "path">): Key {
  return ["component-operation", idOf(component)];
}

/** Since when a cloud is at a resource, and how far it is where it says so. */
export interface Working {
  readonly since: string;
  readonly progress: number | null;
}

/** Writes that failed in a row. */
export interface Failures {
  readonly code: string;
  readonly detail: string;
  /** What the cloud itself said. */
  readonly words?: ProviderWords;
  readonly since: string;
  readonly count: number;
  /** Milliseconds of the epoch; the sweep writes nothing before, for as long as the rest is. */
  readonly nextAt: number;
  /** How long the rest is. */
  readonly restMs: number;
}

/** Property writes of one declaration. */
export interface Tried {
  /** The mutation that brought the declaration. */
  readonly mutationId: string;
  /** A keyed digest of the values that its references stand for; `null`: it has none. */
  readonly referred: string | null;
  readonly writes: number;
}

/** Places that come to differ again after each correction. */
export interface Contested {
  readonly places: readonly string[];
  readonly times: number;
  readonly since: string;
  /** Milliseconds of the epoch; the sweep corrects nothing before, for as long as the rest is. */
  readonly nextAt: number;
  readonly restMs: number;
}

/** The components, by live system and path: a live system's lie together, and their ids spread evenly. */
export const components = collection<ComponentRecord>()("component", {
  key: ({ liveSystemId, path }) => componentKey(liveSystemId, path),
  indexes: {
    overridden: ({ override }) => (override === null ? [] : [[override.since]]),
    overriddenIn: ({ override, environment }) =>
      override === null ? [] : [[plainName(environmentName(environment)), override.since]],
    overriddenOf: ({ override, environment }) =>
      override === null ? [] : [[...ownerKey(environment), override.since]],
    following: ({ operation }) => (operation === null ? [] : [[toInstant(operation.nextAt)]]),
  },
  uniques: {
    resource: ({ provider, resource: { id } }) => (id === null ? [] : [resourceKey(provider, id)]),
  },
});

/** What its events are about. */
export function aboutLiveSystem({ liveSystemId: id, environment }: ComponentRecord): EventTarget {
  return { kind: "liveSystem", id, environment: environmentRef(environment) };
}

/** Where a component lies. */
export function componentKey(liveSystemId: string, path: string): Key {
  return [liveSystemId, pathKey(path)];
}

/** The one place that a resource has in an installation. */
export function resourceKey(provider: string, resourceId: string): Key {
  return [provider, resourceId.toLowerCase()];
}

/** A component's id. */
export function idOf({ liveSystemId, path }: Pick<ComponentRecord, "liveSystemId" | "path">): string {
  return componentId(liveSystemId, path);
}

/** Takes a component's id apart; `null` when it isn't one of this live system. */
export function pathOf(liveSystemId: string, id: string): string | null {
  const prefix = `${liveSystemId.toLowerCase()}/`;
  const path = id.slice(prefix.length);
  return id.slice(0, prefix.length).toLowerCase() === prefix && path !== "" ? path : null;
}

/** What nobody has observed yet. */
export const nothingObserved: StoredObservation = {
  against: null,
  managementTag: null,
  reconcileTag: false,
  outputs: {},
  hidden: null,
  changes: [],
  fingerprint: "",
  drift: {},
  ignored: {},
  hashes: {},
  secrets: [],
};

/** A component as the API shows it, with what is declared of it and when its shard was last swept. */
export function toComponent(record: Stored<ComponentRecord>, declared: Declared, sweptAt: string | null): Component {
  const { liveSystemId, status, type, provider, resource, override } = record;
  const { dependsOn, leaving } = declared;
  const { createdAt, createdBy, updatedAt, updatedBy, version } = record;
  const shown = {
    status,
    leaving,
    conditions: shownConditions(record, declared),
    override: override === null ? heldWith(record) : shownOverride(override),
    working: record.working,
    failing: shownFailures(record),
  };
  return {
    ...shown,
    id: idOf(record),
    livesystemId: liveSystemId,
    health: healthOf(shown),
    nextTryAt: nextTryOf(record),
    lookedAt: lookedAtOf(record, sweptAt),
    outputFields: outputFieldsOf(record),
    ignored: record.observed.ignored,
    type,
    provider,
    parameters: withoutSecrets(declared.parameters, declared.secrets),
    dependsOn: [...dependsOn],
    resourceId: resource.id,
    settled: shownSettled(record, declared),
    unobservable: [...declared.unobservable],
    fingerprint: record.observed.changes.length === 0 ? null : record.observed.fingerprint,
    createdAt,
    createdBy,
    updatedAt,
    updatedBy,
    version,
  };
}

/** What is known of the cloud's own words, without digests and secrets. */
function shownSettled({ settled, observed }: ComponentRecord, declared: Declared): Component["settled"] {
  const secrets = [...declared.secrets, ...observed.secrets];
  return Object.entries(settled).map(([place, { form, by, at }]) => {
    const pointer = pointerOfPlace(declared.parameters, place) ?? place;
    const isSecret = secrets.some((one) => isWithin(one, pointer) || isWithin(pointer, one));
    return { pointer: place, form: isSecret ? redacted : form, by, at };
  });
}

const isWithin = (pointer: string, place: string) => pointer === place || pointer.startsWith(`${place}/`);

function heldWith({ liveSystemId, heldBy }: ComponentRecord) {
  return heldBy === null ? null : { heldBy: componentId(liveSystemId, heldBy) };
}

/** Writes that failed in a row; `null`: none did, or what they were to change is as declared by now. */
function shownFailures({ failures, conditions }: ComponentRecord): Component["failing"] {
  if (failures === null || conditions.inSync.value === true) return null;
  const { code, detail, since, count: attempts, words } = failures;
  return { code, detail, since, attempts, ...words };
}

function nextTryOf({ failures, contested, observed }: ComponentRecord): string | null {
  if (failures !== null) return toInstant(failures.nextAt);
  if (contested === null || contested.restMs === 0 || observed.changes.length === 0) return null;
  const isPutOff = observed.changes.every(({ pointer }) => contested.places.some((place) => isWithin(pointer, place)));
  return isPutOff ? toInstant(contested.nextAt) : null;
}

/** The last look: a sweep that finds nothing new stores none. What can't be read or is being written to, no sweep has looked at. */
function lookedAtOf({ conditions: { readable }, work }: ComponentRecord, sweptAt: string | null): string | null {
  const { observedAt, value } = readable;
  if (observedAt === null || sweptAt === null || value !== true || work !== null) return observedAt;
  return sweptAt > observedAt ? sweptAt : observedAt;
}

function shownConditions(record: ComponentRecord, declared: Declared): Component["conditions"] {
  const { readable, exists, inSync } = conditionsNow(record, declared);
  const shown = ({ blockedBy, ...condition }: Conditions["inSync"]) =>
    blockedBy === undefined ? condition : { ...condition, blockedBy: componentId(record.liveSystemId, blockedBy) };
  return { readable: shown(readable), exists: shown(exists), inSync: shown(inSync) };
}

/** What was compared with another declaration says nothing of the one that is in force. */
function conditionsNow({ conditions, observed }: ComponentRecord, declared: Declared): Conditions {
  if (!isOutdated(observed, declared) || conditions.inSync.value === null) return conditions;
  const { observedAt, changedAt } = conditions.inSync;
  const message = "Its declaration has changed since it was last read.";
  return { ...conditions, inSync: { value: null, reason: "Redeclared", message, observedAt, changedAt } };
}

/** The outputs, and the drift where there is any. A cloud's own output of that name gives way. */
function outputFieldsOf({ observed: { outputs, drift } }: ComponentRecord): JsonObject {
  const { drift: own, ...others } = outputs;
  const fields: Record<string, Json> = { ...others };
  if (own !== undefined) fields.drift_ = own;
  if (Object.keys(drift).length > 0) fields.drift = drift;
  return fields;
}

/** An override as the API shows it. */
export function shownOverride({
  episodeId,
  since,
  reason,
  ticket,
  remindAt,
  claimedBy,
  awaiting,
  said,
  takenOverBy = null,
}: NonNullable<Managed["override"]>) {
  return { episodeId, since, reason, ticket, remindAt, claimedBy, awaiting, said, takenOverBy };
}
