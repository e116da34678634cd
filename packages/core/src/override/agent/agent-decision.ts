import { sameJson } from "../../json-pointer.ts";
import { type Binding, boundByOf, writtenPart } from "../../ports/resource-type.ts";
import type { ClaimTerms } from "../../records/claim.ts";
import { reliesOn } from "../declarations/dependency-order.ts";
import type { Effect } from "../protocol/lifecycle-row.ts";
import { isHeldByTagOwner, waitsNow } from "../protocol/observation.ts";
import { goesByTagOwner } from "../protocol/tags.ts";
import { isPutOff } from "../protocol/tries.ts";
import type { ComponentRecord } from "../records/component-record.ts";
import { afterWrite, isMoved } from "./after-write.ts";
import { isIdChosen, type PassOptions } from "./agent-deps.ts";
import type { DirectObservation } from "./agent-observe.ts";
import { secretsOnceSent } from "./agent-sent.ts";
import { isWorthwhile } from "./agent-transition.ts";
import type { CloudWrite } from "./agent-write.ts";
import type { Expectation } from "./expectations.ts";
import type { DecisionFacts, Emitted, Round, RoundDecision } from "./round.ts";

/** Decides what to store, emit and write after a round. Pure. */
export function decideRound(round: Round, options: PassOptions, facts: DecisionFacts): RoundDecision {
  const { record: after, events: told, wrote = null } = afterWrite(round, facts);
  const lessons: Emitted[] =
    round.taught.length === 0 ? [] : [{ type: "component.settled", data: { pointers: round.taught } }];
  const events = [...told, ...lessons];
  const effect = nextEffect(round, after, { options, facts });
  if (effect === null) return { next: after, events, write: null, wrote };
  const { observation } = round;
  const isUnbound = (effect === "correct" || effect === "create") && !isRefusedWhenLate(effect, observation);
  const sending = { ...after, secretsSent: secretsOnceSent(after, { effect, observation }) };
  const begun = isUnbound ? { ...sending, unread: observation.changes } : sending;
  const write = {
    effect,
    bound: bindingOf(effect, observation),
    terms: claimTermsOf(effect, observation, facts.lease),
  };
  const isIntended = effect === "create" || effect === "adopt";
  return { next: isIntended ? asIntended(begun, observation, facts) : begun, events, write, wrote };
}

/**
 * Records the intent before a create or an adoption. If the cloud chooses IDs, the lost resource's ID is dropped: the new one is found by
 * its intent.
 */
function asIntended(after: ComponentRecord, observation: DirectObservation, { requestId }: DecisionFacts) {
  const { resource, intent } = after;
  const kept = isIdChosen(after, observation.expectation.cloud) ? { ...resource, id: null } : resource;
  return { ...after, intent: intent ?? requestId, resource: kept };
}

/** A pass corrects, rereads and cleans up. More rounds than this mean that somebody keeps changing the resource. */
const mostRounds = 8;

/**
 * Another process with the same mutation may have ended this component's step, and a newer mutation may have replaced it; then nothing is
 * created again.
 */
export function isRedeploy({ record: { step }, expectation }: DirectObservation, { redeploy }: PassOptions): boolean {
  return redeploy === true && step?.state === "begun" && step.mutationId === expectation.inForce.system.lastMutationId;
}

/** The effect to carry out now, given the last write: none after a failed write, and none twice without effect. */
function nextEffect(
  { observation, transition, writes }: Round,
  component: ComponentRecord,
  { options, facts: { rests, isOver, now } }: { readonly options: PassOptions; readonly facts: DecisionFacts },
): Effect | null {
  const { lane, redeploy } = options;
  const { effect, again } = transition;
  const { expectation, followed } = observation;
  const { system } = expectation.inForce;
  // A failed operation is reported first; a later pass decides what to do.
  if (followed.ended?.failure != null) return null;
  if (effect === null || again || writes.length + 1 >= mostRounds || isOver) return null;
  const written = writes.at(-1);
  if (written !== undefined && !mayGoOn(observation, written, effect)) return null;
  if (system.status !== "Active") return null;
  if (redeploy === true && component.step?.mutationId !== system.lastMutationId) return null;
  const isHeld = isHeldByTagOwner(component, expectation) || waitsNow(observation, expectation, component) !== null;
  if (effect !== "removeReconcileTag" && isHeld) return null;
  if (redeploy !== true && isTagOwnerLost(component, expectation)) return null;
  // A deploy keeps the order itself.
  if (effect === "create" && expectation.absent !== null && !isRedeploy(observation, options)) return null;
  // A person doesn't wait for the pause after a failure, or between corrections of the same difference.
  if (lane !== "people" && effect === "correct" && isPutOff(component, observation.changes, now)) return null;
  const isResting = lane !== "people" && rests;
  return isWorthwhile(effect, observation, { record: component, expectation, rests: isResting }) ? effect : null;
}

/**
 * Whether the last read of its tag owner showed no resource. The read right before a write would say the same, and nothing be sent. A tag owner
 * that depends on the component is no obstacle, because it can't be made before the component.
 */
function isTagOwnerLost(component: ComponentRecord, { declared, tagOwner, inForce }: Expectation): boolean {
  if (tagOwner === null || !tagOwner.provisioned || tagOwner.conditions.exists.value !== false) return false;
  return (
    goesByTagOwner(component, { declared, tagOwner }) && !reliesOn(tagOwner.path, component.path, inForce.declared)
  );
}

function mayGoOn(now: DirectObservation, written: CloudWrite, effect: Effect): boolean {
  // A new resource may not be visible yet, or its creation may still arrive. If the cloud chooses IDs, there would be two of them.
  if (effect === "create" && written.effect === "create") return false;
  if (written.error !== null) return isMoved(written) && written.error.code !== "InvalidState";
  // A person may have removed the tag that was just set, and a policy may have set the one that was just removed.
  if (effect !== "correct") return written.effect !== effect;
  if (written.effect !== "correct") return true;
  return !sameJson(written.observation.changes, now.changes);
}

/** A write that arrives after its worker died is either refused by the cloud or makes a second resource; the claim records which. */
function claimTermsOf(effect: Effect, observation: DirectObservation, lease: string | null): ClaimTerms {
  const { record, expectation } = observation;
  if (effect === "create" && isIdChosen(record, expectation.cloud)) return { outlives: true };
  return lease !== null && isRefusedWhenLate(effect, observation) ? { under: lease } : {};
}

/** Whether the cloud refuses a write that arrives after another one. */
function isRefusedWhenLate(effect: Effect, observation: DirectObservation): boolean {
  const { isSettled, resource } = observation;
  if (effect === "create") return boundByOf(observation.expectation.cloud, observation.record.type).create !== "none";
  return bindingOf(effect, observation) === "etag" && isSettled && resource?.etag !== undefined;
}

/** How a write is bound. If it writes only tags, a fingerprint of the tags changes with the management tag, as an etag does. */
function bindingOf(effect: Effect, { record, expectation, correction }: DirectObservation): Binding {
  const { properties, tags } = boundByOf(expectation.cloud, record.type);
  const { change, removedTags } = correction;
  const onlyRemoves = change.parameters.length === 0 && removedTags.length > 0;
  if (effect === "correct" && !onlyRemoves && writtenPart(change) === "properties") return properties;
  return tags === "fingerprint" ? "etag" : tags;
}
