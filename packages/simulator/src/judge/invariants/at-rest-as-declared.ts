import { isUnbound } from "../bindings.ts";
import { carriesManagementTag, carriesReconcileTag, referencesOf } from "../comparison.ts";
import type { Evidence } from "../evidence.ts";
import type { ResourceTruth, StoredComponent, Wanted } from "../facts.ts";
import { componentName, told } from "../names.ts";
import type { Rule } from "../steps.ts";

/** Why a component may differ from its declaration at rest. Each excuse has its own rules. */
export type Excuse =
  | "waits for another"
  | "refers to nothing"
  | "goes with another"
  | "leaving"
  | "not adopted"
  | "bound by nothing"
  | "in its cloud's words"
  | "undone each time";

/** The components judged at rest, and those excused, by reason. */
export interface RestTally {
  judged: number;
  readonly excused: Map<Excuse, number>;
}

/** At rest, Active components match their declarations, requests are done, and references have values. */
export function atRestAsDeclared(evidence: Evidence, tally: RestTally): Rule {
  const verdicts = () => evidence.components().map((one) => ({ one, ...verdictOn(one, evidence) }));
  return {
    invariant: "at-rest-as-declared",
    judges: {
      rested: () => {
        const wrongOne = verdicts().find((verdict) => verdict.wrong !== null);
        const wrongComponent = wrongOne && `${componentName(wrongOne.one)}: ${wrongOne.wrong}`;
        return wrongSet(evidence) ?? wrongComponent ?? openMutation(evidence);
      },
    },
    observes: {
      rested: () => {
        for (const { excuse } of verdicts()) {
          tally.judged += 1;
          if (excuse !== null) tally.excused.set(excuse, (tally.excused.get(excuse) ?? 0) + 1);
        }
      },
    },
  };
}

/** Whether a component can't match: because of a reference, of what it waits for, or because nothing binds a correction. */
export function isStuck(component: StoredComponent, evidence: Evidence): boolean {
  const declared = evidence.declared(component);
  if (declared === null) return false;
  const isOpen = referencesIn(declared).some((one) => evidence.asTrue(component)(one) === undefined);
  const now = evidence.sibling(component.liveSystemId, component.path) ?? component;
  return (
    isOpen ||
    isGivenUp(now, evidence) ||
    waitsForOthers(now, declared, evidence) ||
    isUnbound(component, declared, evidence)
  );
}

/** Writing what its cloud shows differently had no effect or can't be bound, and the component says so. */
function isGivenUp(component: StoredComponent, evidence: Evidence): boolean {
  const { conditions, observed } = component;
  const isWorded = Object.hasOwn(observed.drift, evidence.cloudOf(component).words?.parameter ?? "");
  const isFixed = evidence.cloudOf(component).bindingsOf(component.type).properties === "none";
  const { reason } = conditions.inSync;
  return isWorded && ["Ineffective", "Unproven", "Contested", ...(isFixed ? ["NotCorrectable"] : [])].includes(reason);
}

/** The stored components are those declared, and those still to be deleted. */
function wrongSet(evidence: Evidence): string | null {
  const { declarations, stored } = evidence;
  for (const [id, status] of stored.systems) {
    if (status === "Deleted") {
      if (stored.componentsOf(id).length > 0) return `${id} is deleted, and has components`;
      continue;
    }
    // What was left behind with its former governor is created by the next deploy.
    const released = stored.releasedBy(declarations.newestMutation(id));
    for (const path of declarations.paths(id)) {
      const isReleased = released.has(`${id}/${path}`.toLowerCase()) && declarations.newest(id, path)?.overrideWith;
      if (evidence.sibling(id, path) === null && !isReleased) return `${id}/${path} is declared, and isn't there`;
    }
  }
  for (const component of evidence.components())
    if (evidence.declared(component) === null && !couldNotGo(component, evidence))
      return `${componentName(component)} left the declaration, and is there`;
  return null;
}

/** The newest mutation has failed, at the component that it should have deleted or at another one that goes first. */
function couldNotGo({ liveSystemId, step }: StoredComponent, { declarations, stored }: Evidence): boolean {
  const newest = declarations.newestMutation(liveSystemId);
  const isItsStep = step?.mutationId === newest && ["failed", "blocked"].includes(step.state);
  return isItsStep && stored.mutations.get(newest)?.status === "Failed";
}

function openMutation({ stored }: Evidence): string | null {
  const open = [...stored.mutations.values()].find(({ status }) => status === "Pending" || status === "Running");
  return open === undefined ? null : `mutation ${open.id} is ${open.status}`;
}

interface Verdict {
  readonly wrong: string | null;
  readonly excuse: Excuse | null;
}

const fine: Verdict = { wrong: null, excuse: null };
const wrong = (detail: string): Verdict => ({ wrong: detail, excuse: null });
const excused = (excuse: Excuse): Verdict => ({ wrong: null, excuse });

function verdictOn(component: StoredComponent, evidence: Evidence): Verdict {
  const { liveSystemId } = component;
  const declared = evidence.declared(component);
  const there = evidence.truthOf(component);
  if (declared === null) return excused("leaving");
  if (declared.adoptsExactly && !component.provisioned) return excused("not adopted");
  const refersToNothing = referencesIn(declared).some((one) => evidence.asTrue(component)(one) === undefined);
  const cloud = evidence.cloudOf(component);
  if (component.status === "ReconcileRequested") {
    if (refersToNothing) return excused("refers to nothing");
    if (waitsForOthers(component, declared, evidence)) return excused("waits for another");
    if (isGivenUp(component, evidence)) return excused("in its cloud's words");
    if (there !== null && isUndone(component, there, { declared, ...evidence.compared(declared, there, component) }))
      return excused("undone each time");
    return isUnbound(component, declared, evidence) ? excused("bound by nothing") : wrong("its hand-back never ended");
  }
  if (component.status === "ManualOverride") return overridden(component, declared, there, evidence);
  const tagOwner = declared.overrideWith == null ? null : evidence.sibling(liveSystemId, declared.overrideWith);
  if ((tagOwner !== null && tagOwner.status !== "Active") || goesWithFormer(component, evidence))
    return excused("goes with another");
  if (isBlocked(component)) {
    const cause = causeOf(component, declared, evidence);
    return cause === null ? wrong("it is said to be blocked, and nothing is in its way") : excused("waits for another");
  }
  if (waitsForOthers(component, declared, evidence)) return excused("waits for another");
  if (there === null) return refersToNothing ? excused("refers to nothing") : wrong("its resource isn't there");
  const accepted = evidence.acceptances.shownBy(component, there.parameters);
  const unaccepted = { ...declared, ignoreChanges: [...(declared.ignoreChanges ?? []), ...accepted] };
  const { names } = evidence.compared(unaccepted, there, component);
  if (isUnbound(component, declared, evidence)) return excused("bound by nothing");
  if (isUndone(component, there, { declared, names })) return excused("undone each time");
  if (names.length > 0)
    return wrong(`${names.join(", ")} differ: it is ${told(there)}, declared is ${told(declared.parameters as never)}`);
  if (isGivenUp(component, evidence)) return excused("in its cloud's words");
  if (tagOwner !== null) return fine;
  if (!carriesManagementTag(there.tags, cloud)) return wrong("its management tag is off, and nobody noticed");
  if (carriesReconcileTag(there.tags, cloud) && !refersToNothing) return wrong("a stray reconcile tag is still there");
  return refersToNothing ? excused("refers to nothing") : fine;
}

/** Somebody may undo each write that is allowed before a read shows it. Of muted parameters that isn't said. */
function isUndone(
  { conditions }: StoredComponent,
  { parameters }: ResourceTruth,
  { declared, names }: { readonly declared: Wanted; readonly names: readonly string[] },
): boolean {
  const { reason } = conditions.inSync;
  const isMuted = names.every((name) => declared.muteDrift?.includes(name));
  const givenUp = isMuted ? ["Ineffective", "Muted"] : ["Ineffective"];
  const isPlain = names.every((name) => referencesOf(declared.parameters?.[name]).length === 0);
  const showsNothing = reason === "Unproven" && names.every((name) => parameters[name] === undefined);
  return names.length > 0 && ((isPlain && givenUp.includes(reason)) || showsNothing);
}

/**
 * Its governor stays until it is handed back, whatever is declared since, and the component names it. So does one that somebody took over
 * before the newest deploy could do anything with the component.
 */
function goesWithFormer(component: StoredComponent, { standIns, stored, declarations }: Evidence): boolean {
  const { liveSystemId, governedBy, step } = component;
  const former = stored.components.get(standIns.of(component) ?? "")?.record;
  const named =
    governedBy == null ? null : (stored.components.get(`${liveSystemId}/${governedBy}`.toLowerCase())?.record ?? null);
  if (named === null || named.status === "Active") return false;
  const isOfNewest = step?.mutationId === declarations.newestMutation(liveSystemId);
  const hasBegun = isOfNewest && !["pending", "blocked", "held"].includes(step?.state ?? "");
  return !hasBegun || former?.path.toLowerCase() === named.path.toLowerCase();
}

function isBlocked({ conditions }: StoredComponent): boolean {
  return conditions.inSync.reason === "Blocked";
}

/** What a component waits for and names. `null` if it has no reason. */
function causeOf(component: StoredComponent, declared: Wanted, evidence: Evidence): string | null {
  const named = component.conditions.inSync.message.toLowerCase();
  return inTheWayOf(component, declared, evidence).find((path) => named.includes(path.toLowerCase())) ?? null;
}

/**
 * The dependencies that nobody overrides and that don't match, or can't: a reference has no value. What is missing waits for all that don't
 * exist.
 */
function inTheWayOf(component: StoredComponent, { needs }: Wanted, evidence: Evidence): readonly string[] {
  const { liveSystemId } = component;
  const isGone = evidence.truthOf(component) === null;
  return needs.filter((path) => {
    if (isGone && isMissing(liveSystemId, path, evidence)) return true;
    const other = evidence.sibling(liveSystemId, path);
    if (other === null || other.status !== "Active") return other === null;
    const [wanted, there] = [evidence.declared(other), evidence.truthOf(other)];
    if (
      wanted === null ||
      there === null ||
      isBlocked(other) ||
      isGivenUp(other, evidence) ||
      isUnbound(other, wanted, evidence) ||
      there.failed !== undefined
    )
      return true;
    const { names, resolved } = evidence.compared(wanted, there, other);
    return names.length > 0 || !resolved;
  });
}

/** It says so and names them, perhaps after its own failure. */
function waitsForOthers(component: StoredComponent, declared: Wanted, evidence: Evidence): boolean {
  const says = isBlocked(component) || component.conditions.inSync.reason === "ProvisioningFailed";
  return says && causeOf(component, declared, evidence) !== null;
}

/** An overridden component stays as its holder left it, and shows the difference from the current declaration. */
function overridden(
  component: StoredComponent,
  declared: Wanted,
  there: ResourceTruth | null,
  evidence: Evidence,
): Verdict {
  if (there === null) {
    if (!component.lost) return wrong("it is gone, and not marked missing");
    return component.override?.awaiting === "redeploy"
      ? fine
      : wrong(`it is gone, and waits for ${component.override?.awaiting}`);
  }
  const cloud = evidence.cloudOf(component);
  const { names, resolved } = evidence.compared(declared, there, component);
  const unseen = cloud.unseenOf?.(component.type) ?? [];
  const shown = Object.keys(component.observed.drift).filter((name) => !unseen.includes(name));
  const refers = (name: string) => referencesOf(declared.parameters?.[name]).length > 0;
  const certain = (all: readonly string[]) => JSON.stringify(all.filter((name) => !refers(name)).sort());
  if (certain(shown) !== certain(names))
    return wrong(`it shows the drift ${shown.join(", ")}, what differs is ${names.join(", ")}`);
  if (carriesManagementTag(there.tags, cloud) === false)
    return component.override?.awaiting === "management-tag"
      ? fine
      : wrong(`its tag is off, and it waits for ${component.override?.awaiting}`);
  if (component.lost) return fine;
  if (carriesReconcileTag(there.tags, cloud)) return wrong("both tags are on, and nothing came of it");
  const { restoredTag } = evidence.world;
  const isClean =
    names.length === 0 && resolved && Object.keys(component.observed.drift).length === 0 && there.failed === undefined;
  if (restoredTag === "resume" || (restoredTag === "resume-when-clean" && isClean))
    return resolved ? wrong("the tag is back, and nothing came of it") : excused("refers to nothing");
  return fine;
}

/** What its cloud never finished making doesn't exist either, whoever has it. */
function isMissing(liveSystemId: string, path: string, evidence: Evidence): boolean {
  const other = evidence.sibling(liveSystemId, path);
  const there = other && evidence.truthOf(other);
  return there === null || (there.failed !== undefined && !other?.provisioned);
}

function referencesIn({ parameters }: Wanted) {
  return referencesOf((parameters ?? {}) as never);
}
