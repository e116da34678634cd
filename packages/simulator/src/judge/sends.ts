import { componentName, type Evidence, placeKey } from "./evidence.ts";
import type { Fact, ResourceTruth } from "./facts.ts";
import { judgeLanding, judgeWrite } from "./writes.ts";

/** A change of a resource leaves a process: nobody else is at it. */
export function sawSent(
  { process, provider, operation, resourceId }: Extract<Fact, { kind: "sent" }>,
  evidence: Evidence,
) {
  const { order, world } = evidence;
  const key = placeKey(provider, resourceId);
  const at = world.now();
  const looked = evidence.looks.get(process);
  const looks = looked?.at === at ? looked.systems : new Map<string, number>();
  const sent = { process, operation, order, at, looks };
  const others = evidence.underWay.get(key) ?? [];
  for (const other of others) {
    const isOver = evidence.dead.has(other.process) || (world.claimMs !== null && other.at + world.claimMs <= at);
    if (isOver || (operation === "remove" && other.operation === "remove")) continue;
    evidence.fail(
      "one-worker-at-a-time",
      `${process} sends ${operation} to ${resourceId}, ${other.process} is at ${other.operation}`,
    );
  }
  evidence.underWay.set(key, [...others, sent]);
  evidence.lastSent.set(`${process} ${key}`, sent);
}

/** It was answered, and is to be told of. */
export function sawAnswer(
  { process, provider, resourceId, made }: Extract<Fact, { kind: "answered" }>,
  evidence: Evidence,
) {
  const key = placeKey(provider, resourceId);
  const left = evidence.underWay.get(key) ?? [];
  const at = left.findIndex((one) => one.process === process);
  evidence.underWay.set(
    key,
    left.filter((_, place) => place !== at),
  );
  const component = evidence.holderOf(provider, resourceId)?.record;
  const unanswered = evidence.unanswered.get(`${process} ${key}`);
  evidence.unanswered.delete(`${process} ${key}`);
  if (!made || component === undefined || unanswered === undefined) return;
  const id = componentName(component).toLowerCase();
  evidence.done.set(id, [...(evidence.done.get(id) ?? []), { process, change: unanswered }]);
}

/** A resource changed: by a process, which may have, or by a person, who may always. */
export function sawChange({ process, provider, change }: Extract<Fact, { kind: "changed" }>, evidence: Evidence) {
  const { resourceId, before, after } = change;
  const key = placeKey(provider, resourceId);
  const component = evidence.holderOf(provider, resourceId)?.record ?? null;
  if (process !== null) {
    judgeWrite(process, provider, change, evidence);
    evidence.givenUp.delete(key);
    evidence.deeds.push({ order: evidence.order, key, operation: change.operation });
    evidence.unanswered.set(`${process} ${key}`, change);
  } else if (component !== null) evidence.clean.delete(componentName(component).toLowerCase());
  noteTruth(key, after, evidence);
  if (before === null && after !== null) {
    evidence.leftBehind.delete(key);
    // What the cloud gave up was another one.
    evidence.givenUp.delete(key);
    if (process !== null) evidence.made.set(key, after.intent ?? "");
  }
  if (component !== null) evidence.noteConvergence(component);
}

/** What a cloud had accepted has come to its end. */
export function sawLanding({ provider, change }: Extract<Fact, { kind: "landed" }>, evidence: Evidence) {
  const key = placeKey(provider, change.resourceId);
  judgeLanding(provider, change, evidence);
  if (change.failed) evidence.givenUp.add(key);
  noteTruth(key, change.after, evidence);
  const component = evidence.holderOf(provider, change.resourceId)?.record;
  if (component !== undefined) evidence.noteConvergence(component);
}

function noteTruth(key: string, after: ResourceTruth | null, evidence: Evidence) {
  if (after !== null) return void evidence.truth.set(key, after);
  evidence.truth.delete(key);
  evidence.made.delete(key);
  evidence.leftBehind.delete(key);
  evidence.unseen.delete(key);
}

/** A process read a record. */
export function sawFetch({ process, key }: Extract<Fact, { kind: "fetched" }>, { looks, order, world }: Evidence) {
  const [kind, collection, id] = key;
  if (kind !== "record" || collection !== "live-system" || id === undefined) return;
  const at = world.now();
  const known = looks.get(process);
  const systems = known?.at === at ? known.systems : new Map<string, number>();
  if (!systems.has(id.toLowerCase())) systems.set(id.toLowerCase(), order);
  looks.set(process, { at, systems });
}
