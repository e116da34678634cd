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
  /** The last declaration, if it is no longer declared; otherwise the definition in force has it. */
  readonly left: DeclaredPart | null;
  /** The digest of the declared part that was carried out last; `null` if none was. */
  readonly carriedOut: string | null;
  /** The path of its governor at the last pass; `null` if none. */
  readonly governedBy: string | null;
  /** The path of the overridden governor that held it at the last pass; `null` if none. */
  readonly heldBy: string | null;
  readonly resource: ResourcePlace;
  /** Its resource was created or found. */
  readonly provisioned: boolean;
  /** It is to be deleted, until a deploy reclaims it. */
  readonly leaving: boolean;
  /** The progress of the last mutation with it. */
  readonly step: MutationStep | null;
  readonly observed: StoredObservation;
  readonly conditions: Conditions;
  /** The state at the take-over. `null` unless overridden. */
  readonly start: (Sides & { readonly outputs: ShownOutputs }) | null;
  /** Keyed hashes of the parameters that the cloud never returns, as last applied. */
  readonly applied: Readonly<Record<string, string>>;
  /** The names of the items applied to lists that allow extra ones, by the list's pointer. */
  readonly appliedItems: ExtraItems;
  /** A write that may be running. */
  readonly work: PendingWork | null;
  /** What an unbound write was to change, until a read shows what became of it. Absent: nothing. */
  readonly unread?: readonly Difference[];
  /** The places of the last correction, while no read has shown its effect. Absent: its effect was seen. */
  readonly unconfirmed?: readonly string[];
  /** Keyed digests of the secrets that the cloud was sent. Two: it may have either. @default none */
  readonly secretsSent?: readonly string[];
  /** A write that the cloud has accepted and not finished. */
  readonly operation: PendingOperation | null;
  /** The cloud's current work on it, whoever asked for it. */
  readonly working: Working | null;
  /** When it was created, in epoch milliseconds, until it has been read back. Until then a missing resource is only late. */
  readonly madeAt: number | null;
  /** Identifies a resource whose creation was never answered. */
  readonly intent: string | null;
  readonly lastWriteAt: string | null;
  readonly failures: Failures | null;
  /** The property writes since the last deploy, as long as their result is unchanged. `null` if none. */
  readonly tried: Tried | null;
  /** What was corrected again and again. `null` if nothing. */
  readonly contested: Contested | null;
  /** The cloud's forms of the values sent to it. */
  readonly settled: SettledForms;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly updatedAt: string;
  readonly updatedBy: string;
}

/** Where its resource is. Fixed at the first deploy. */
export interface ResourcePlace {
  /** `null`: the cloud chooses it and hasn't yet. */
  readonly id: string | null;
  readonly name: string;
  /** Named by the declaration, not derived. */
  readonly given: boolean;
  readonly target: CloudTarget;
}

/** The last direct observation of a component as stored, secrets hidden. */
export interface StoredObservation {
  /** The digest of the declared part that it was compared with; `null` if unknown. */
  readonly against: string | null;
  readonly managementTag: boolean | null;
  readonly reconcileTag: boolean;
  readonly outputs: JsonObject;
  /** The hidden outputs, sealed, with keyed digests by name that tell when one has changed. */
  readonly hidden: { readonly sealed: Sealed; readonly digests: Readonly<Record<string, string>> } | null;
  readonly changes: readonly Difference[];
  /** Identifies these changes. */
  readonly fingerprint: string;
  readonly drift: Drift;
  /** The declared and actual values of ignored places, by pointer. */
  readonly ignored: Drift;
  readonly hashes: SecretHashes;
  /** The parameters that are or contain a secret. */
  readonly secrets: readonly string[];
}

/** A component's part in a mutation. */
export interface MutationStep {
  readonly mutationId: string;
  readonly state: "pending" | "begun" | "converged" | "held" | "failed" | "blocked";
  readonly error: ({ readonly code: string; readonly detail: string } & Partial<ProviderWords>) | null;
  /** What it waits for, and since when. Absent if nothing. */
  readonly waiting?: StepWaiting | null;
}

/** What a step waits for: a cloud that is still working, or that fails temporarily. */
export interface StepWaiting {
  readonly why: "working" | "failing";
  readonly detail: string;
  readonly since: string;
  /** Approximately how long, by the clocks of the processes that waited. */
  readonly waitedMs: number;
}

/** A claim on a component for one write: nobody else writes until it is released or has expired. */
export interface PendingWork extends Claim {
  readonly kind: Effect | "remove";
}

/** An accepted, unfinished write, and how to poll it. */
export interface PendingOperation {
  readonly kind: Effect | "remove";
  /** The address. */
  readonly sealed: Sealed;
  readonly since: string;
  /** In percent, if the cloud tells. */
  readonly progress: number | null;
  /** In epoch milliseconds; the cloud isn't asked before, as long as the pause lasts. */
  readonly nextAt: number;
  readonly restMs: number;
  /** What it changes. */
  readonly changes: readonly Difference[];
  /** The values that it sends, as keyed digests; `null` if none. */
  readonly sent: SentValues | null;
}

/** What a write sent, so that its result can be told apart from other people's changes. */
export interface SentValues {
  /** Of all parameters, if all were sent; `null` if only these places were. */
  readonly all: string | null;
  /** `before`: what the cloud showed there; `null` if nothing kept it from changing before the write. */
  readonly places: Readonly<Record<string, { readonly digest: string; readonly before: string | null }>>;
}

/** The place that an operation's address is bound to when it is sealed. */
export function operationPlace(component: Pick<ComponentRecord, "liveSystemId" | "path">): Key {
  return ["component-operation", idOf(component)];
}

/** Since when a cloud has been working on a resource, and its progress if it tells. */
export interface Working {
  readonly since: string;
  readonly progress: number | null;
}

/** Consecutive failed writes. */
export interface Failures {
  readonly code: string;
  readonly detail: string;
  /** The cloud's own words. */
  readonly words?: ProviderWords;
  readonly since: string;
  readonly count: number;
  /** In epoch milliseconds; the sweep writes nothing before, as long as the pause lasts. */
  readonly nextAt: number;
  /** The length of the pause. */
  readonly restMs: number;
}

/** Property writes for one declaration. */
export interface Tried {
  /** The mutation that brought the declaration. */
  readonly mutationId: string;
  /** A keyed digest of its references' values; `null` without references. */
  readonly referred: string | null;
  readonly writes: number;
  /** One more write was allowed, because another place differed after a write. */
  readonly spared?: true;
}

/** Places that differ again after each correction. */
export interface Contested {
  readonly places: readonly string[];
  readonly times: number;
  readonly since: string;
  /** In epoch milliseconds; the sweep corrects nothing before, as long as the pause lasts. */
  readonly nextAt: number;
  readonly restMs: number;
}

/** The components, by live system and path: a live system's are adjacent, and IDs are evenly distributed. */
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

/** The target of its events. */
export function aboutLiveSystem({ liveSystemId: id, environment }: ComponentRecord): EventTarget {
  return { kind: "liveSystem", id, environment: environmentRef(environment) };
}

/** The key of a component. */
export function componentKey(liveSystemId: string, path: string): Key {
  return [liveSystemId, pathKey(path)];
}

/** A resource's only key in an installation. */
export function resourceKey(provider: string, resourceId: string): Key {
  return [provider, resourceId.toLowerCase()];
}

/** Whether its resource was there at the last read. */
export function isThere(record: Pick<ComponentRecord, "provisioned" | "conditions"> | undefined): boolean {
  return record?.provisioned === true && record.conditions.exists.value === true;
}

/** A component's id. */
export function idOf({ liveSystemId, path }: Pick<ComponentRecord, "liveSystemId" | "path">): string {
  return componentId(liveSystemId, path);
}

/** The path in a component's ID; `null` if the ID isn't of this live system. */
export function pathOf(liveSystemId: string, id: string): string | null {
  const prefix = `${liveSystemId.toLowerCase()}/`;
  const path = id.slice(prefix.length);
  return id.slice(0, prefix.length).toLowerCase() === prefix && path !== "" ? path : null;
}

/** The state before the first observation. */
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

/** A component as the API shows it, with its declaration and its shard's last sweep. */
export function toComponent(record: Stored<ComponentRecord>, declared: Declared, sweptAt: string | null): Component {
  const { liveSystemId, status, type, provider, resource, override } = record;
  const { dependsOn, leaving, muteDrift } = declared;
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
    muteDrift: [...muteDrift],
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

/** The cloud's known forms, without digests and secrets. */
function shownSettled({ settled, observed }: ComponentRecord, declared: Declared): Component["settled"] {
  const secrets = [...declared.secrets, ...observed.secrets];
  return Object.entries(settled).map(([place, { form, formDigest, by, at }]) => {
    const pointer = pointerOfPlace(declared.parameters, place) ?? place;
    const isSecret = secrets.some((one) => isWithin(one, pointer) || isWithin(pointer, one));
    const isHidden = formDigest !== undefined || (isSecret && form !== null);
    return { pointer: place, form: isHidden ? redacted : form, by, at };
  });
}

const isWithin = (pointer: string, place: string) => pointer === place || pointer.startsWith(`${place}/`);

function heldWith({ liveSystemId, heldBy }: ComponentRecord) {
  return heldBy === null ? null : { heldBy: componentId(liveSystemId, heldBy) };
}

/** Consecutive failed writes; `null` if none, or if what they were to change matches by now. */
function shownFailures({ failures, conditions }: ComponentRecord): Component["failing"] {
  if (failures === null || conditions.inSync.value === true) return null;
  const { code, detail, since, count: attempts, words } = failures;
  return { code, detail, since, attempts, ...words };
}

/** When the agent writes again after a pause. What works in the cloud, or waits for another component, isn't waiting for a time. */
function nextTryOf({ failures, contested, observed, working, conditions }: ComponentRecord): string | null {
  const { readable, inSync } = conditions;
  if (working !== null || readable.value === false || inSync.blockedBy !== undefined) return null;
  if (failures !== null) return toInstant(failures.nextAt);
  if (contested === null || contested.restMs === 0 || observed.changes.length === 0) return null;
  const isPutOff = observed.changes.every(({ pointer }) => contested.places.some((place) => isWithin(pointer, place)));
  return isPutOff ? toInstant(contested.nextAt) : null;
}

/** The last check. A sweep that finds nothing new stores none, and it doesn't cover what is unreadable or being written. */
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

/** A comparison with another declaration says nothing about the one in force. */
function conditionsNow({ conditions, observed }: ComponentRecord, declared: Declared): Conditions {
  if (!isOutdated(observed, declared) || conditions.inSync.value === null) return conditions;
  const { observedAt, changedAt } = conditions.inSync;
  const message = "Its declaration has changed since it was last read.";
  return { ...conditions, inSync: { value: null, reason: "Redeclared", message, observedAt, changedAt } };
}

/** The outputs, and the drift if there is any, which hides a cloud's output of that name. */
function outputFieldsOf({ observed: { outputs, drift } }: ComponentRecord): JsonObject {
  const { drift: own, ...others } = outputs;
  const fields: Record<string, Json> = { ...others };
  if (own !== undefined) fields.drift_ = own;
  if (Object.keys(drift).length > 0) fields.drift = drift;
  return fields;
}

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
