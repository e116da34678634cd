import type { Key } from "@liveplane/core/store";
import { byHand, componentCalled, type Handiwork, whereabouts } from "./by-hand.ts";
import type { Habit } from "./habits.ts";
import type { ResourceChanged, StoredComponent } from "./judge/facts.ts";
import { componentName } from "./judge/names.ts";
import type { SentWrite } from "./mortal-ports.ts";
import type { Deed, SlipDeed } from "./plan.ts";
import type { SimulatedWorld } from "./world.ts";

/** What people do in the console while processes write. */
export interface Errands {
  readonly check: (component: string) => Promise<unknown>;
  readonly deleteAll: () => Promise<unknown>;
  readonly note: (component: string) => Promise<unknown>;
}

/** Rewords what a process has just sent to a component's resource, if it did. */
export function isTrailed(
  world: SimulatedWorld,
  { component, value }: Deed & { kind: "trail" },
  { operation, resourceId, sent = [] }: ResourceChanged,
): boolean {
  const member = sent[value % sent.length] as Habit | undefined;
  if (operation !== "update" || member === undefined || whereabouts(world, component)?.resourceId !== resourceId)
    return false;
  atOnce(world, () => byHand(world, { kind: "reword", component, by: "person", value, member }));
  return true;
}

/** Takes over what a process has just made or written, or puts another resource in its place, if it is the component's. */
export function isFollowed(
  world: SimulatedWorld,
  { component, then }: Deed & { kind: "follow" },
  { operation, resourceId, after, before }: ResourceChanged,
  provider: string,
): boolean {
  const place = world.places[component.startsWith("a/") ? 0 : 1];
  if (place?.provider !== provider || after === null || (operation !== "create" && operation !== "update"))
    return false;
  const isKnown = whereabouts(world, component)?.resourceId === resourceId;
  // Nobody may know yet whose a new resource is, except that it has its name.
  const isNamed = before === null && resourceId.includes(`/${component.split("/")[1]}-`);
  if (!isKnown && !isNamed) return false;
  atOnce(world, async () => {
    if (then === "replace" && isKnown) return inTurn(world, replacing(component));
    const { "managed-by": _, ...tags } = after.tags;
    await place.hand.putTags(resourceId, tags);
  });
  return true;
}

/** Undoes a correction that a process has just made, as often as asked for, and changes another place in the end. */
export function fightOver(
  world: SimulatedWorld,
  { component, times }: Deed & { kind: "fight" },
): (change: ResourceChanged) => boolean {
  let left = times;
  return ({ operation, resourceId, before, after }) => {
    if (operation !== "update" || whereabouts(world, component)?.resourceId !== resourceId) return false;
    const was = before?.parameters.size;
    if (typeof was !== "number" || was === after?.parameters.size) return false;
    left -= 1;
    atOnce(world, async () => {
      await byHand(world, { kind: "edit", component, parameter: "size", value: was });
      if (left > 0) return;
      const parameter = component.endsWith("net") ? "mode" : "level";
      await byHand(world, { kind: "edit", component, parameter, value: 8 });
    });
    return left <= 0;
  };
}

/** Takes the resource over that a process has just sent an update to, if it is the component's. */
export function isCrossed(
  world: SimulatedWorld,
  { component, then, edits }: Deed & { kind: "cross" },
  cloud: number,
  { operation, resourceId }: SentWrite,
): boolean {
  if (operation !== "update" || whereabouts(world, component)?.resourceId !== resourceId) return false;
  if (then === "lose-answer") world.cloudFaults.push({ cloud, call: "write", what: "lose-answer", times: 1 });
  if (then === "fail-read") world.cloudFaults.push({ cloud, call: "read", what: "fail", times: 1 });
  atOnce(world, () => byHand(world, { kind: "tag", component, key: "managed-by", value: null }));
  if (edits)
    world.trails.push((change) => {
      if (change.resourceId !== resourceId) return false;
      atOnce(world, () => byHand(world, { kind: "edit", component, parameter: "size", value: 11 }));
      return true;
    });
  return true;
}

/** Does what happens between the decision about a component and its write, if this is the component. */
export function isSlipped(
  world: SimulatedWorld,
  { component, then, at = "correct" }: SlipDeed,
  claimed: StoredComponent,
  errands: Errands & { readonly die: () => void },
): boolean {
  const known = componentCalled(world, component);
  const isIt = known !== null && componentName(known) === componentName(claimed);
  if (!isIt || (at !== "any" && claimed.work?.kind !== at)) return false;
  if (then === "crash") errands.die();
  else if (then === "delete") atOnce(world, errands.deleteAll);
  else if (then === "note") atOnce(world, () => errands.note(component));
  else if (then === "busy")
    world.cloudFaults.unshift({ cloud: cloudOf(world, known), call: "read", what: then, times: 1 });
  else if (then === "owner") atOnce(world, () => unsettleOwner(world, known, errands));
  else atOnce(world, () => inTurn(world, slipsOf(component, then)));
  return true;
}

/** Acts at the moment of the nth read of a component's record. */
export function peekOf(
  world: SimulatedWorld,
  { component, nth }: Deed & { kind: "peek" },
  act: () => Promise<void>,
): (keys: readonly Key[]) => boolean {
  let left = nth;
  return (keys) => {
    const known = componentCalled(world, component);
    const isIt = ([, kind, system, path]: Key) =>
      kind === "component" && system === known?.liveSystemId && path === known?.path.toLowerCase();
    if (!keys.some(isIt)) return false;
    left -= 1;
    if (left > 0) return false;
    atOnce(world, act);
    return true;
  };
}

function slipsOf(component: string, then: SlipDeed["then"]): readonly Handiwork[] {
  if (then === "replace") return replacing(component);
  if (then === "edit") return [{ kind: "edit", component, parameter: "zones", value: 5 }];
  const key = then === "withdraw" ? "platform" : "managed-by";
  return [{ kind: "tag", component, key, value: null }];
}

const replacing = (component: string): readonly Handiwork[] => [
  { kind: "remove", component },
  { kind: "recreate", component, tags: 2 },
];

/** The tag owner is taken over, which is noticed, and given back, all while the next read takes long. */
async function unsettleOwner(world: SimulatedWorld, member: StoredComponent, { check }: Errands): Promise<void> {
  const owner = member.governedBy ?? world.watch.judge.evidence.declared(member)?.overrideWith;
  if (owner == null) return;
  const component = owner.replace(/-2$/, "");
  world.cloudFaults.unshift({ cloud: cloudOf(world, member), call: "read", what: "late", times: 1 });
  await world.time.sleep(20);
  await byHand(world, { kind: "tag", component, key: "managed-by", value: null });
  await check(component);
  await byHand(world, { kind: "tag", component, key: "managed-by", value: "platform" });
}

function cloudOf(world: SimulatedWorld, component: StoredComponent): number {
  return world.places.findIndex(({ provider }) => provider === component.provider);
}

async function inTurn(world: SimulatedWorld, deeds: readonly Handiwork[]): Promise<void> {
  for (const deed of deeds) await byHand(world, deed);
}

function atOnce(world: SimulatedWorld, work: () => Promise<unknown>): void {
  work().catch((error: unknown) => world.watch.fail("failures-have-codes", String(error)));
}
