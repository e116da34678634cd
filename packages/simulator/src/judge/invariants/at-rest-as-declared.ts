import { carriesManagementTag, carriesReconcileTag, referencesOf } from "./comparison.ts";
import type { Wanted } from "./declarations.ts";
import { componentName, type Evidence, placeKey, told } from "./evidence.ts";
import type { ResourceTruth, StoredComponent } from "./facts.ts";
import { judgeOpenEpisodes } from "./ledger.ts";

/** Why a component may not be as declared once nothing goes wrong any more. Each has rules of its own. */
export type Excuse = "waits for another" | "refers to nothing" | "goes with another" | "leaving" | "bound by nothing";

/** How the components stood that were judged at rest. */
export interface RestTally {
  judged: number;
  readonly excused: Map<Excuse, number>;
}

/** Holds the world to what it must be once nothing goes wrong any more. No component is excused from being shown as it is. */
export function judgeRest(evidence: Evidence, tally: RestTally) {
  judgeComponents(evidence);
  judgeOpenEpisodes(evidence);
  for (const { record } of evidence.components.values()) {
    tally.judged += 1;
    const verdict = verdictOf(record, evidence);
    if (verdict.excuse !== null) tally.excused.set(verdict.excuse, (tally.excused.get(verdict.excuse) ?? 0) + 1);
    if (verdict.wrong !== null)
      return evidence.fail("at-rest-as-declared", `${componentName(record)}: ${verdict.wrong}`);
    const hidden = wronglyShown(record, evidence);
    if (hidden !== null) return evidence.fail("nothing-out-of-sight", `${componentName(record)}: ${hidden}`);
  }
  judgeOrphans(evidence);
  for (const mutation of evidence.mutations.values()) {
    if (mutation.status === "Pending" || mutation.status === "Running")
      evidence.fail("at-rest-as-declared", `mutation ${mutation.id} is ${mutation.status}`);
  }
}

/** What is stored is what is declared, and what still has to go. */
function judgeComponents(evidence: Evidence) {
  const { declarations } = evidence;
  for (const [id, status] of evidence.systems) {
    if (status === "Deleted") {
      const left = [...evidence.components.values()].filter(({ record }) => record.liveSystemId === id);
      if (left.length > 0) evidence.fail("at-rest-as-declared", `${id} is deleted, and has components`);
      continue;
    }
    // What was left behind with the component that it went by so far comes with the next deploy.
    const released = evidence.releasedBy.get(declarations.newestMutation(id));
    for (const path of declarations.paths(id)) {
      const isReleased = released?.has(`${id}/${path}`.toLowerCase()) && declarations.newest(id, path)?.overrideWith;
      if (evidence.sibling(id, path) === null && !isReleased)
        evidence.fail("at-rest-as-declared", `${id}/${path} is declared, and isn't there`);
    }
  }
  for (const { record } of evidence.components.values()) {
    const { liveSystemId, path } = record;
    if (declarations.newest(liveSystemId, path) === null && !hasFailed(record, evidence))
      evidence.fail("at-rest-as-declared", `${componentName(record)} left the declaration, and is there`);
  }
}

/** What left the declaration and is still there says why, and the mutation that was to take it away has failed. */
function hasFailed({ liveSystemId }: StoredComponent, evidence: Evidence): boolean {
  return [...evidence.mutations.values()].some((one) => one.livesystemId === liveSystemId && one.status === "Failed");
}

interface Verdict {
  readonly wrong: string | null;
  readonly excuse: Excuse | null;
}

const fine: Verdict = { wrong: null, excuse: null };
const wrong = (detail: string): Verdict => ({ wrong: detail, excuse: null });
const excused = (excuse: Excuse): Verdict => ({ wrong: null, excuse });

function verdictOf(component: StoredComponent, evidence: Evidence): Verdict {
  const { liveSystemId, path } = component;
  const declared = evidence.declarations.newest(liveSystemId, path) && evidence.declared(component);
  const there = evidence.truthOf(component);
  if (declared === null) return excused("leaving");
  const refersToNothing = referencesIn(declared).some((one) => evidence.asTrue(liveSystemId)(one) === undefined);
  const cloud = evidence.cloudOf(component);
  if (component.status === "ReconcileRequested") {
    if (refersToNothing) return excused("refers to nothing");
    if (waitsForOthers(component, declared, evidence)) return excused("waits for another");
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
  if (there === null) {
    if (refersToNothing) return excused("refers to nothing");
    return declared.needs.some((need) => isMissing(liveSystemId, need, evidence))
      ? excused("waits for another")
      : wrong("its resource isn't there");
  }
  const { names } = evidence.compared(declared, there, component);
  if (isUnbound(component, declared, evidence)) return excused("bound by nothing");
  if (names.length > 0)
    return wrong(`${names.join(", ")} differ: it is ${told(there)}, declared is ${told(declared.parameters as never)}`);
  if (tagOwner !== null) return fine;
  if (!carriesManagementTag(there.tags, cloud)) return wrong("its management tag is off, and nobody noticed");
  if (carriesReconcileTag(there.tags, cloud) && !refersToNothing) return wrong("a stray reconcile tag is still there");
  return refersToNothing ? excused("refers to nothing") : fine;
}

/** Who stood for it stands for it until they are given back, whatever is declared since; and it says who that is. */
function goesWithFormer(component: StoredComponent, { stoodFor, components }: Evidence): boolean {
  const former = components.get(stoodFor.get(componentName(component).toLowerCase()) ?? "")?.record;
  const isHeld = former !== undefined && former.status !== "Active";
  return isHeld && component.governedBy?.toLowerCase() === former.path.toLowerCase();
}

/** What nothing binds to what was read stays as it is, unless its component accepts the risk; and it is said why. */
export function isUnbound(component: StoredComponent, declared: Wanted, evidence: Evidence): boolean {
  const there = evidence.truthOf(component);
  if (there === null || declared.unconditionalWrites) return false;
  const cloud = evidence.cloudOf(component);
  const { properties, tags } = cloud.bindingsOf(component.type);
  const { names } = evidence.compared(declared, there, component);
  if (there.failed !== undefined && properties === "none") return true;
  return names.some((name) => (name === cloud.tagParameter ? tags : properties) === "none");
}

function isBlocked({ conditions }: StoredComponent): boolean {
  return conditions.inSync.reason === "Blocked";
}

/** What a component waits for, and names. `null`: it has no reason. */
function causeOf(component: StoredComponent, declared: Wanted, evidence: Evidence): string | null {
  const named = component.conditions.inSync.message.toLowerCase();
  return inTheWayOf(component, declared, evidence).find((path) => named.includes(path.toLowerCase())) ?? null;
}

/** Those that a component needs, and that nobody holds, and that aren't as declared, or can't be: they refer to nothing. */
function inTheWayOf({ liveSystemId }: StoredComponent, { needs }: Wanted, evidence: Evidence): readonly string[] {
  return needs.filter((path) => {
    const other = evidence.sibling(liveSystemId, path);
    if (other === null || other.status !== "Active") return other === null;
    const [wanted, there] = [evidence.declared(other), evidence.truthOf(other)];
    if (wanted === null || there === null || isBlocked(other) || there.failed !== undefined) return true;
    const { names, resolved } = evidence.compared(wanted, there, other);
    return names.length > 0 || !resolved;
  });
}

/** It says so, and names whom; its own failure is told before that, where what is declared of it now was never carried out. */
function waitsForOthers(component: StoredComponent, declared: Wanted, evidence: Evidence): boolean {
  const isNamed = causeOf(component, declared, evidence) !== null;
  if (isBlocked(component)) return isNamed;
  const until = evidence.convergedUntil.get(componentName(component).toLowerCase()) ?? -1;
  const isNews = until < evidence.declarations.acceptedAt(component.liveSystemId);
  const saysThatItFailed = evidence.truthOf(component)?.failed !== undefined;
  return saysThatItFailed && component.conditions.inSync.reason === "ProvisioningFailed" && isNews && isNamed;
}

/** What a person holds stays as they left it, shown against what is declared now. */
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
  const shown = Object.keys(component.observed.drift);
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
  const isClean = names.length === 0 && resolved && shown.length === 0 && there.failed === undefined;
  if (restoredTag === "resume" || (restoredTag === "resume-when-clean" && isClean))
    return resolved ? wrong("the tag is back, and nothing came of it") : excused("refers to nothing");
  return fine;
}

/** Whatever becomes of a component: what is said of it is what is there. */
function wronglyShown(component: StoredComponent, evidence: Evidence): string | null {
  const { conditions, resource, provisioned } = component;
  const there = evidence.truthOf(component);
  if (resource.id === null && there === null && conditions.exists.value === true)
    return "it is said to exist, and has no resource";
  if (provisioned && conditions.exists.value !== (there !== null))
    return `exists is ${conditions.exists.value}, its resource is ${there === null ? "gone" : "there"}`;
  if (conditions.readable.value === false) return `it is said to be unreadable: ${conditions.readable.reason}`;
  if (there !== null && conditions.inSync.value === true && Object.keys(component.observed.drift).length > 0)
    return "it shows drift, and is said to be in sync";
  const declared = evidence.declared(component);
  const stays = declared !== null && component.status !== "ManualOverride" && isUnbound(component, declared, evidence);
  const reasons = ["NotCorrectable", "Blocked", "ProvisioningFailed"];
  if (stays && component.overrideWith == null && !reasons.includes(conditions.inSync.reason))
    return `nothing binds what would correct it, and it says ${conditions.inSync.reason}`;
  return null;
}

/** Resources that a process made, and that no component ever knew of or still looks for. */
function judgeOrphans(evidence: Evidence) {
  const sought = new Set([...evidence.components.values()].map(({ record }) => record.intent));
  for (const [key, intent] of evidence.made) {
    if (!evidence.known.has(key) && !sought.has(intent))
      return evidence.fail("each-resource-made-once", `nobody knows of ${key}`);
  }
}

function isMissing(liveSystemId: string, path: string, evidence: Evidence): boolean {
  const other = evidence.sibling(liveSystemId, path);
  return other === null || evidence.truthOf(other) === null;
}

/** Whether a component can't become as declared: for what it refers to, what it waits for, or because nothing binds what would correct it. */
export function isStuck(component: StoredComponent, evidence: Evidence): boolean {
  const declared = evidence.declared(component);
  if (declared === null) return false;
  const isOpen = referencesIn(declared).some((one) => evidence.asTrue(component.liveSystemId)(one) === undefined);
  const now = evidence.sibling(component.liveSystemId, component.path) ?? component;
  return isOpen || waitsForOthers(now, declared, evidence) || isUnbound(component, declared, evidence);
}

function referencesIn({ parameters }: Wanted) {
  return referencesOf((parameters ?? {}) as never);
}

/** Two components never have one resource. */
export function judgeClaims(component: StoredComponent, evidence: Evidence) {
  const { id } = component.resource;
  if (id === null) return;
  const wanted = placeKey(component.provider, id);
  for (const { record } of evidence.components.values()) {
    if (record.resource.id === null || componentName(record).toLowerCase() === componentName(component).toLowerCase())
      continue;
    if (placeKey(record.provider, record.resource.id) === wanted)
      evidence.fail(
        "one-resource-one-component",
        `${id} belongs to ${componentName(component)} and to ${componentName(record)}`,
      );
  }
}
