import type { Evidence } from "./evidence.ts";
import { acknowledgedAsStored } from "./invariants/acknowledged-as-stored.ts";
import { atRestAsDeclared, type RestTally } from "./invariants/at-rest-as-declared.ts";
import { callsWithOwnKeys } from "./invariants/calls-with-own-keys.ts";
import { cleanHandBackWritesNothing } from "./invariants/clean-hand-back-writes-nothing.ts";
import { comesToRest } from "./invariants/comes-to-rest.ts";
import { conditionsKeepTheirTimes } from "./invariants/conditions-keep-their-times.ts";
import { deletesWhatWasAsked } from "./invariants/deletes-what-was-asked.ts";
import { driftAsLastRead } from "./invariants/drift-as-last-read.ts";
import { eachResourceMadeOnce } from "./invariants/each-resource-made-once.ts";
import { eventsTellEachStatus } from "./invariants/events-tell-each-status.ts";
import { eventsTellWhatWasDone } from "./invariants/events-tell-what-was-done.ts";
import { failuresHaveCodes } from "./invariants/failures-have-codes.ts";
import { givesUpWhenAllowed } from "./invariants/gives-up-when-allowed.ts";
import { goesByItsTagOwner } from "./invariants/goes-by-its-tag-owner.ts";
import { handBackPlannedAsIs } from "./invariants/hand-back-planned-as-is.ts";
import { ignoredIsNotInSync } from "./invariants/ignored-is-not-in-sync.ts";
import { lastMutationShown } from "./invariants/last-mutation-shown.ts";
import { keptUntilKnown, lastWriteIsTold } from "./invariants/last-write-is-told.ts";
import { ledgerTellsEachOverride } from "./invariants/ledger-tells-each-override.ts";
import { leftToTheCloud } from "./invariants/left-to-the-cloud.ts";
import { blockedByWhatHinders, madeInOrder } from "./invariants/made-in-order.ts";
import { adoptsWhatIsFree, managementTagSetAtCreationOnly } from "./invariants/management-tag-set-at-creation-only.ts";
import { movesAsDeclared } from "./invariants/moves-as-declared.ts";
import { mutationsEndAsTheyWent } from "./invariants/mutations-end-as-they-went.ts";
import { noWriteWhileHandedOver } from "./invariants/no-write-while-handed-over.ts";
import { nothingOutOfSight } from "./invariants/nothing-out-of-sight.ts";
import { nothingStaysClaimed } from "./invariants/nothing-stays-claimed.ts";
import { oneResourceOneComponent } from "./invariants/one-resource-one-component.ts";
import { oneWorkerAtATime } from "./invariants/one-worker-at-a-time.ts";
import { overrideMovesAsSeen } from "./invariants/override-moves-as-seen.ts";
import { overrideSaysWhatWasSaid, overrideSaysWhoBeganIt } from "./invariants/override-says-what-was-said.ts";
import { ownWritesSettle } from "./invariants/own-writes-settle.ts";
import { racesAreTold } from "./invariants/races-are-told.ts";
import { reconcileTagRemovedWhenVerifiedOnly } from "./invariants/reconcile-tag-removed-when-verified-only.ts";
import { releasedAsSeen } from "./invariants/released-as-seen.ts";
import { remindsOfWhatIsLoud } from "./invariants/reminds-of-what-is-loud.ts";
import { secretsNeverShow } from "./invariants/secrets-never-show.ts";
import { shownAsLastRead } from "./invariants/shown-as-last-read.ts";
import { stepsEndAsTheyStand, stepsWaitAsTold } from "./invariants/steps-wait-as-told.ts";
import { supersededDoesNothing } from "./invariants/superseded-does-nothing.ts";
import { writesAreBoundToTheirRead } from "./invariants/writes-are-bound-to-their-read.ts";
import { writesWhatIsBound } from "./invariants/writes-what-is-bound.ts";
import { writesWhatIsDeclared } from "./invariants/writes-what-is-declared.ts";
import { writtenAsRead } from "./invariants/written-as-read.ts";
import type { Rule } from "./steps.ts";

/** The rules of a judge. If a step breaks several, the first is reported; those closest to the cause come first. */
export function newRules(evidence: Evidence, tally: RestTally): readonly Rule[] {
  return [
    failuresHaveCodes(),
    secretsNeverShow(),
    oneWorkerAtATime(evidence),
    noWriteWhileHandedOver(evidence),
    writtenAsRead(evidence),
    writesAreBoundToTheirRead(evidence),
    managementTagSetAtCreationOnly(evidence),
    reconcileTagRemovedWhenVerifiedOnly(evidence),
    cleanHandBackWritesNothing(evidence),
    movesAsDeclared(evidence),
    overrideMovesAsSeen(evidence),
    driftAsLastRead(),
    leftToTheCloud(),
    overrideSaysWhatWasSaid(),
    overrideSaysWhoBeganIt(evidence),
    shownAsLastRead(evidence),
    ownWritesSettle(evidence),
    ignoredIsNotInSync(evidence),
    writesWhatIsBound(),
    writesWhatIsDeclared(evidence),
    deletesWhatWasAsked(evidence),
    madeInOrder(evidence),
    eventsTellEachStatus(),
    eventsTellWhatWasDone(evidence),
    racesAreTold(evidence),
    ledgerTellsEachOverride(evidence),
    mutationsEndAsTheyWent(evidence),
    oneResourceOneComponent(evidence),
    comesToRest(evidence),
    atRestAsDeclared(evidence, tally),
    eachResourceMadeOnce(evidence),
    nothingOutOfSight(evidence),
    lastMutationShown(evidence),
    supersededDoesNothing(),
    stepsWaitAsTold(evidence),
    adoptsWhatIsFree(evidence),
    stepsEndAsTheyStand(evidence),
    keptUntilKnown(evidence),
    blockedByWhatHinders(evidence),
    conditionsKeepTheirTimes(),
    lastWriteIsTold(evidence),
    acknowledgedAsStored(evidence),
    callsWithOwnKeys(evidence),
    goesByItsTagOwner(evidence),
    nothingStaysClaimed(evidence),
    givesUpWhenAllowed(),
    releasedAsSeen(evidence),
    remindsOfWhatIsLoud(evidence),
    handBackPlannedAsIs(evidence),
  ];
}
