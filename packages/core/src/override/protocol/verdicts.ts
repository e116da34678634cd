import type { Reading } from "../../ports/cloud.ts";
import { boundByOf } from "../../ports/resource-type.ts";
import type { Json } from "../../ports/store.ts";
import type { Expectation } from "../agent/expectations.ts";
import type { Unresolved } from "../agent/referenced-values.ts";
import { reliesOn } from "../declarations/dependency-order.ts";
import type { Reference } from "../declarations/references.ts";
import { fixedAt, maySetParameters } from "../declarations/shape.ts";
import type { ComponentRecord } from "../records/component-record.ts";
import type { Conditions, Verdict } from "./conditions.ts";
import type { Difference } from "./drift.ts";
import { governorOf, type Observation, waitsNow, wordsAbout } from "./observation.ts";
import { type Brought, isContested, isExhausted } from "./tries.ts";

/** What an observation says about its component, and why. */
export function verdictsOf(
  record: ComponentRecord,
  observation: Observation,
  expectation: Expectation,
): Readonly<Record<keyof Conditions, Verdict>> {
  const { exists } = record.conditions;
  const { reading } = observation;
  if (reading.state === "unreadable") {
    const { reason } = reading;
    return {
      readable: { value: false, reason, message: "The resource could not be read." },
      exists,
      inSync: { value: null, reason: "Unreadable", message: "The resource could not be read." },
    };
  }
  const read = { value: true, reason: "Read", message: "" };
  if (reading.state === "missing") {
    const held = heldBack(record, expectation) ?? withoutDependency(record, expectation);
    if (!record.provisioned) {
      const { exists: none, inSync: why } = notProvisioned(record, observation, expectation);
      return {
        readable: read,
        exists: none,
        inSync: /^Held/.test(why.reason) && !expectation.declared.leaving ? why : (held ?? why),
      };
    }
    const gone = { value: false, reason: "Missing", message: "The resource does not exist." };
    return { readable: read, exists: gone, inSync: held ?? gone };
  }
  const there = { value: true, reason: "Exists", message: "" };
  if (reading.state === "working") {
    const isShown = observation.resource !== null;
    const found = record.provisioned && isShown ? there : exists;
    return { readable: isShown ? read : notShown, exists: found, inSync: inTransition(reading) };
  }
  if (reading.state === "failed") {
    const found = observation.resource === null ? exists : there;
    const words = wordsAbout({ record, expectation, resource: observation.resource }, reading);
    const held =
      expectation.declared.leaving || waitsNow(observation, expectation, record) === null
        ? null
        : heldBack(record, expectation);
    const message = `${provisioningFailed.message} ${held?.message ?? ""}`.trimEnd();
    return { readable: read, exists: found, inSync: { ...provisioningFailed, message, ...words } };
  }
  return {
    readable: read,
    exists: there,
    inSync: withLoneTag(withGovernor(syncVerdict(record, observation, expectation), record, expectation), observation),
  };
}

const provisioningFailed = {
  value: false,
  reason: "ProvisioningFailed",
  message: "The cloud could not complete the last operation.",
};

const notShown = { value: false, reason: "InTransition", message: "The cloud does not show the resource yet." };

function inTransition({ progress }: Extract<Reading, { state: "working" }>): Verdict {
  const far = progress === undefined ? "" : ` It is ${progress} % done.`;
  return { value: null, reason: "InTransition", message: `The cloud is still processing an operation.${far}` };
}

/** A component without a resource says what it waits for, if that is known. */
function notProvisioned(
  record: ComponentRecord,
  { unresolved }: Observation,
  expectation: Expectation,
): Pick<Readonly<Record<keyof Conditions, Verdict>>, "exists" | "inSync"> {
  const gone = unresolved.find(({ why }) => why === "absent" || why === "large");
  const [waiting] = unresolved;
  const governor = governorOf(record, expectation);
  if (governor === null && gone !== undefined) {
    const message = `The resource has not been provisioned yet. ${withoutValue(gone)}`;
    const exists = { value: false, reason: "NotProvisioned", message };
    return { exists, inSync: { ...exists, reason: "ReferenceNotFound" } };
  }
  const cause = governor !== null ? `${governor} is overridden.` : waiting && withoutValue(waiting);
  const message = `The resource has not been provisioned yet. ${cause ?? ""}`.trimEnd();
  const exists = { value: false, reason: "NotProvisioned", message };
  if (cause === undefined) return { exists, inSync: { ...exists, value: null } };
  const reason = governor === null ? "Held" : "HeldBy";
  const blocked = governor === null ? waiting && blockedIn(waiting.reference) : { blockedBy: governor };
  return { exists, inSync: { ...exists, reason, ...blocked } };
}

/** Adds that a component is left alone because of its governor. */
function withGovernor(verdict: Verdict, record: Pick<ComponentRecord, "status">, expectation: Expectation): Verdict {
  const governor = governorOf(record, expectation);
  if (governor === null || expectation.declared.leaving) return verdict;
  const message = `${heldWith(governor)} ${verdict.message}`.trimEnd();
  return { value: verdict.value, reason: "HeldBy", message, blockedBy: governor };
}

/** Why a component is left alone while its governor is overridden. */
export const heldWith = (governor: string) => `${governor} is overridden, and this component is held with it.`;

/** Adds that a lone reconcile tag has no effect, because whoever set it is waiting. */
function withLoneTag(verdict: Verdict, { managementTag, reconcileTag }: Observation): Verdict {
  if (managementTag || !reconcileTag) return verdict;
  const message = `${verdict.message} The reconcile tag has no effect without the management tag.`.trimStart();
  return { ...verdict, message };
}

/** Why the agent leaves a component alone, whatever differs; `null` if it doesn't. */
function heldBack(record: ComponentRecord, expectation: Expectation): Verdict | null {
  const { declared, waitsFor, tagOwner, inForce } = expectation;
  if (declared.leaving)
    return {
      value: false,
      reason: "Leaving",
      message: "The component is being removed. It is read but not corrected.",
    };
  if (record.status === "ManualOverride") return null;
  const blocked = { value: false, reason: "Blocked" };
  if (waitsFor !== null)
    return { ...blocked, message: `${waitsFor} must match its declaration first.`, blockedBy: waitsFor };
  if (declared.overrideWith === null || tagOwner === null || !isGone(tagOwner)) return null;
  if (reliesOn(tagOwner.path, record.path, inForce.declared)) return null;
  const message = `The resource of ${tagOwner.path}, whose tags also apply to this component, is missing.`;
  return { ...blocked, message, blockedBy: tagOwner.path };
}

/** Why a missing resource isn't created; `null` if all of its dependencies exist, or it isn't the agent's to create. */
function withoutDependency({ status }: ComponentRecord, { absent, declared }: Expectation): Verdict | null {
  if (absent === null || status === "ManualOverride" || declared.adoptsExactly) return null;
  return { value: false, reason: "Blocked", message: `${absent} must exist first.`, blockedBy: absent };
}

/** Whether a resource that was there is missing: its tags no longer say that what it governs may be written. */
function isGone({ status, provisioned, conditions }: ComponentRecord): boolean {
  return status === "Active" && provisioned && conditions.exists.value === false;
}

function syncVerdict(record: ComponentRecord, observation: Observation, expectation: Expectation): Verdict {
  const { failures } = record;
  const { drift, unresolved } = observation;
  const { writeOnly, expected, declared } = expectation;
  const drifting = Object.keys(drift);
  const held = heldBack(record, expectation);
  if (held !== null && (declared.leaving || drifting.length > 0)) return held;
  if (drifting.length === 0) {
    const gone = unresolved.find(({ why }) => why !== "waiting");
    if (gone !== undefined) return { value: false, reason: "ReferenceNotFound", message: withoutValue(gone) };
    const [waiting] = unresolved;
    if (waiting !== undefined)
      return {
        value: null,
        reason: "Unresolved",
        message: withoutValue(waiting),
        ...blockedIn(waiting.reference),
      };
    const unseen = Object.keys(writeOnly);
    const message =
      unseen.length === 0
        ? ""
        : `The cloud never returns ${unseen.join(", ")}, so the last applied values are compared.`;
    return { value: true, reason: "InSync", message };
  }
  const muted = drifting.every((name) => declared.muteDrift.includes(name));
  if (muted) return { value: false, reason: "Muted", message: "Only muted parameters differ." };
  const fixed = observation.changes.map(({ pointer }) => fixedAt(expected.type, pointer));
  if (fixed.every((name) => name !== null)) return immutable([...new Set(fixed)].join(", "));
  if (!isCorrectable(record, observation, expectation)) return notCorrectable;
  if (failures?.code === notCorrectable.reason) return { ...notCorrectable, message: failures.detail };
  if (failures?.code === provisioningFailed.reason) return { ...provisioningFailed, ...failures.words };
  if (isExhausted(record, observation, broughtBy(expectation))) return exhaustedVerdict(observation.changes);
  if (isContested(record, observation.changes)) return contestedVerdict(record);
  return { value: false, reason: "Drift", message: "The resource differs from its declaration." };
}

function immutable(names: string): Unwritable & { readonly value: false } {
  return { value: false, reason: "Immutable", message: `${names} can't change once the resource exists.` };
}

/** Why a place can't be written. */
export interface Unwritable {
  readonly reason: string;
  readonly message: string;
}

/** Says for each difference why it can't be written; `null` if it can. Uses the rules of corrections. */
export function whyUnwritable(
  record: Pick<ComponentRecord, "type" | "tried">,
  changes: readonly Difference[],
  { cloud, declared, ...brought }: Pick<Expectation, "cloud" | "declared" | "inForce" | "referred">,
): readonly (Unwritable | null)[] {
  const type = cloud.resourceType(record.type);
  const { tagParameter } = cloud.capabilities;
  const fixed = changes.map(({ pointer }) => fixedAt(type, pointer));
  const rest = changes.filter((_, at) => fixed[at] === null);
  const isTag = ({ parameter }: Difference) => parameter === tagParameter;
  const { properties, tags } = boundByOf(cloud, record.type);
  const isUnbound =
    !declared.unconditionalWrites &&
    ((properties === "none" && !rest.every(isTag)) || (tags === "none" && rest.some(isTag)));
  const isTriedOut = isExhausted(record, { reading: { state: "present" } }, broughtBy(brought));
  return changes.map((change, at) => {
    const name = fixed[at] ?? null;
    if (name !== null) return said(immutable(name));
    if (isUnbound) return said(notCorrectable);
    return isTriedOut && !isTag(change) ? said(exhaustedVerdict([change])) : null;
  });
}

const said = ({ reason, message }: Unwritable): Unwritable => ({ reason, message });

/** What may not be written, because nothing would bind the write to what was read. */
export const notCorrectable = {
  value: false,
  reason: "NotCorrectable",
  message: "This type can only be replaced as a whole; a write could silently undo a concurrent manual change.",
};

/**
 * Whether the differences may be written. An unbound write is allowed only if the component accepts that it could silently undo a removal
 * of the management tag at that very moment.
 */
export function isCorrectable(
  { type }: Pick<ComponentRecord, "type">,
  { correction, reading }: Pick<Observation, "correction" | "reading">,
  { cloud, declared }: Pick<Expectation, "cloud" | "declared">,
): boolean {
  if (declared.unconditionalWrites) return true;
  const { change, removedTags } = correction;
  const writesProperties = change.parameters.length > 0 || reading.state === "failed";
  const writesTags = Object.keys(change.tags).length > 0 || removedTags.length > 0;
  if (writesProperties && !maySetParameters({ type }, { cloud, declared })) return false;
  return !(writesTags && boundByOf(cloud, type).tags === "none");
}

/** The component whose output is missing. */
function blockedIn(reference: Reference): Pick<Verdict, "blockedBy"> {
  return reference.kind === "output" ? { blockedBy: reference.path } : {};
}

/** Why a reference has no value, and which outputs there are instead. */
export function withoutValue({ reference, why, outputs = [] }: Unresolved): string {
  const fault = why === "large" ? "is more than 1 MiB together with the others" : "does not exist";
  const sentence = `${referredTo(reference)} ${fault}${why === "waiting" ? " yet" : ""}.`;
  if (reference.kind === "secret" || outputs.length === 0) return sentence;
  const more = outputs.length > mostOutputs ? ` and ${outputs.length - mostOutputs} more` : "";
  return `${sentence} Outputs of ${reference.path}: ${outputs.slice(0, mostOutputs).join(", ")}${more}.`;
}

/** The most outputs named in a message. */
const mostOutputs = 8;

/** The beginning of a sentence about what a reference stands for. */
function referredTo(reference: Reference): string {
  const { pointer } = reference;
  const what =
    reference.kind === "secret" ? `The secret ${reference.shortName}` : `${reference.path}#${reference.output}`;
  return `${what}, which /parameters${pointer} refers to,`;
}

/** What property writes are counted for. */
export function broughtBy({ inForce, referred }: Pick<Expectation, "inForce" | "referred">): Brought {
  return { mutationId: inForce.system.lastMutationId, referred };
}

/** The most places named in a message. */
const mostNamed = 3;
const longestNamed = 60;

/**
 * Why a component isn't in sync although its values were written as often as allowed. If the cloud shows nothing of what was sent, nobody
 * can tell whether it accepted the value.
 */
export function exhaustedVerdict(changes: readonly Difference[]): Verdict {
  const places = changes.slice(0, mostNamed).map(({ pointer, declared, actual }) => {
    return `${pointer} is ${excerpt(actual)} instead of ${excerpt(declared)}`;
  });
  const more = changes.length > mostNamed ? `, and ${changes.length - mostNamed} more` : "";
  if (changes.every(({ actual }) => actual === null)) {
    const message = `The cloud doesn't show what was sent: ${places.join(", ")}${more}. Accept that, or change the declaration.`;
    return { value: false, reason: "Unproven", message };
  }
  const message = `Writing it had no effect: ${places.join(", ")}${more}. Accept what the cloud shows, or change the declaration.`;
  return { value: false, reason: "Ineffective", message };
}

function excerpt(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > longestNamed ? `${text.slice(0, longestNamed)}…` : text;
}

function contestedVerdict({ contested }: Pick<ComponentRecord, "contested">): Verdict {
  const message = `Something else has changed it back ${contested?.times ?? 0} times. Corrections are put off for longer each time.`;
  return { value: false, reason: "Contested", message };
}
