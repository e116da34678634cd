import { type Chance, chanceOf } from "./chance.ts";
import type { Deed, SlipDeed, SlowWrites } from "./plan.ts";
import { deedTime, optionalComponents, simulatedComponents, unrestMs, variantOf } from "./variants.ts";

export type Timed = { readonly at: number; readonly deed: Deed };

/** A few deeds that belong together, by their distances in milliseconds. */
export type Scene = (chance: Chance) => readonly (readonly [number, Deed])[];

/** Scenes in which somebody acts at the very moment of a write. Drawn separately, so that a seed's other choices don't change. */
export function scenes(seed: number, count: number): Timed[] {
  return scenesAmong(allScenes, chanceOf(seed ^ 0x5ce4e), { count, longestMs: 120_000 });
}

/** This number of scenes, each early enough to be over in time. */
export function scenesAmong(
  all: readonly Scene[],
  chance: Chance,
  { count, longestMs }: { readonly count: number; readonly longestMs: number },
): Timed[] {
  return Array.from({ length: count }, () => {
    const start = Math.min(deedTime(chance), unrestMs - longestMs);
    const scene = chance.pick(all as readonly [Scene, ...Scene[]]);
    return scene(chance).map(([after, deed]) => ({ at: start + after, deed }));
  }).flat();
}

const allScenes: readonly Scene[] = [
  slippedHandBack,
  slippedHandBack,
  slippedCorrection,
  slippedCorrection,
  slippedOwner,
  slippedDeletion,
  crossedTwice,
  crossedTwice,
  fought,
  fought,
  replacedAfterWrite,
  takenAtBirth,
  leftWhileWorking,
  leftWhileWorking,
  replacedDeploy,
  missingNeed,
  lateCreation,
  brokenWrite,
  brokenDeploy,
  noticedAtOnce,
];

export const cloudOf = (component: string) => (component.startsWith("a/") ? 0 : 1);
/** The components that can have tags, and all that most scenes choose from. */
export const taggable = ["a/net", "b/net", "a/app", "b/app"] as const;
export const anyone = ["a/net", "b/net", "a/app", "b/app", "a/rule", "b/rule"] as const;

export const edit = (component: string, parameter: string, value: number): Deed => ({
  kind: "edit",
  component,
  parameter,
  value,
});
export const check = (component: string): Deed => ({ kind: "check", component });
export const takeOverScene = (component: string): Deed => ({ kind: "tag", component, key: "managed-by", value: null });
export const slow = (component: string, takesMs: number, more: Partial<SlowWrites> = {}): Deed => ({
  kind: "slow",
  cloud: cloudOf(component),
  writes: { takesMs, times: 1, ends: "done", hidden: false, ...more },
});
export const wholeVariant = (chance: Chance) => ({
  ...variantOf(chance),
  declared: [...optionalComponents],
  renamed: [],
  retained: false,
});
export const deployScene = (chance: Chance): Deed => ({ kind: "deploy", variant: wholeVariant(chance) });
/** A deploy that leaves out some components. */
export const deployWithout = (chance: Chance, ...gone: readonly string[]): Deed => {
  const variant = wholeVariant(chance);
  return { kind: "deploy", variant: { ...variant, declared: variant.declared.filter((one) => !gone.includes(one)) } };
};

/** Between the decision to end a hand-back and the write, a person does something. */
function slippedHandBack(chance: Chance): ReturnType<Scene> {
  const component = chance.pick(taggable);
  const then = chance.pick(["edit", "withdraw", "take-over", "replace"]);
  const slip: SlipDeed = { kind: "slip", component, then, at: chance.pick(["removeReconcileTag", "any"]) };
  return [
    [0, takeOverScene(component)],
    [200, check(component)],
    [20_000, slip],
    [20_100, { kind: "restore", component }],
    [20_200, { kind: "hand-back", component }],
    [20_500, check(component)],
  ];
}

/** Between the decision to correct something and the write, a person acts or the process dies. */
function slippedCorrection(chance: Chance): ReturnType<Scene> {
  const component = chance.pick(simulatedComponents);
  const then = chance.pick(["delete", "edit", "take-over", "crash", "replace"]);
  return [
    [0, { kind: "slip", component, then, at: "any" }],
    [100, edit(component, "level", chance.between(4, 9))],
    [200, edit(component, "size", chance.between(4, 9))],
    [400, check(component)],
  ];
}

/** While a process reads again before a write, the tag owner is taken over, checked and given back. */
function slippedOwner(chance: Chance): ReturnType<Scene> {
  const component = chance.pick(["a/rule", "b/rule", "a/app", "b/app"]);
  const then = "owner";
  return [
    [0, { kind: "slip", component, then }],
    [100, edit(component, "size", chance.between(4, 9))],
    [300, check(component)],
  ];
}

/** A process dies after it has decided to delete something that is declared again. */
function slippedDeletion(chance: Chance): ReturnType<Scene> {
  const component = chance.pick(optionalComponents);
  const then = chance.pick(["crash", "crash", "take-over", "edit"]);
  return [
    [0, { kind: "slip", component, then, at: "remove" }],
    [100, deployWithout(chance, component)],
    [chance.pick([1_500, 6_000]), deployScene(chance)],
  ];
}

/** A person takes over what is being written, and changes one of the written places, while nobody hears the answer. */
function crossedTwice(chance: Chance): ReturnType<Scene> {
  const component = chance.pick(["a/net", "b/net", "b/net", "a/app", "b/app", "b/app"]);
  const then = chance.pick(["lose-answer", "fail-read", "lose-answer", "nothing"]);
  return [
    [0, { kind: "cross", component, then, ...(chance.happens(0.7) && { edits: true }) }],
    [100, edit(component, "size", chance.between(4, 9))],
    [110, edit(component, component.endsWith("net") ? "mode" : "level", chance.between(4, 9))],
    [120, edit(component, "scale", chance.between(4, 9))],
    [300, check(component)],
  ];
}

/** Something undoes each correction, and changes another place in the end. */
function fought(chance: Chance): ReturnType<Scene> {
  const component = chance.pick(taggable);
  return [
    [0, { kind: "fight", component, times: chance.between(3, 7) }],
    [100, edit(component, "size", 7)],
    ...Array.from({ length: 8 }, (_, at) => [(at + 1) * 1_500, check(component)] as const),
  ];
}

/** Another resource takes the place of one that was just made or written. */
function replacedAfterWrite(chance: Chance): ReturnType<Scene> {
  const component = chance.pick(["a/app", "b/app", "a/net", "b/net"]);
  const isMade = chance.happens(0.5);
  const then = "replace";
  return [
    [0, { kind: "follow", component, then }],
    [100, isMade ? { kind: "remove", component } : deployScene(chance)],
    [300, check(component)],
  ];
}

/** A person takes over what was just made, before its maker hears of it, and nobody wants it any more. */
function takenAtBirth(chance: Chance): ReturnType<Scene> {
  const component = chance.pick(["a/app", "b/app"]);
  const [cloud, then] = [cloudOf(component), "take-over"] as const;
  return [
    [0, deployWithout(chance, component)],
    [20_000, { kind: "follow", component, then }],
    [20_100, { kind: "cloud-fault", cloud, call: "write", fault: { what: "lose-answer", times: 3 } }],
    [20_200, { kind: "cloud-fault", cloud, call: "find", fault: { what: "fail", times: 2 } }],
    [20_300, deployScene(chance)],
    [22_000, deployWithout(chance, component)],
  ];
}

/** A write goes on while a person takes the resource over, and its component leaves. */
function leftWhileWorking(chance: Chance): ReturnType<Scene> {
  const component = chance.pick(["a/app", "b/app"]);
  return [
    [0, slow(component, 15_000)],
    [100, edit(component, "size", chance.between(4, 9))],
    [300, check(component)],
    [3_000, takeOverScene(component)],
    [3_500, deployWithout(chance, component)],
  ];
}

/** A deploy that waits for a cloud is replaced by another one. */
function replacedDeploy(chance: Chance): ReturnType<Scene> {
  const component = chance.pick(["a/net", "b/net"]);
  return [
    [0, slow(component, chance.pick([60_000, 90_000]))],
    [100, edit(component, "size", chance.between(4, 9))],
    [200, deployScene(chance)],
    [chance.between(4_000, 30_000), deployScene(chance)],
  ];
}

/** A deploy fails at a component, and then what that needs is made again, which takes time. */
function missingNeed(chance: Chance): ReturnType<Scene> {
  const component = chance.pick(["a/app", "b/app"]);
  const net = component.replace("app", "net");
  return [
    [0, { kind: "cloud-fault", cloud: cloudOf(component), call: "write", fault: { what: "reject", times: 3 } }],
    [100, deployScene(chance)],
    [8_000, slow(component, 90_000, { hidden: true, times: 1 })],
    [8_100, { kind: "remove", component: net }],
    [8_300, check(net)],
    [12_000, edit(component, "size", chance.between(4, 9))],
    [12_500, check(component)],
  ];
}

/** A creation takes time, and is shown late. */
function lateCreation(chance: Chance): ReturnType<Scene> {
  const component = chance.pick(simulatedComponents);
  return [
    [0, slow(component, chance.pick([3_000, 20_000]), { hidden: chance.happens(0.7) })],
    [100, { kind: "remove", component }],
    [300, check(component)],
    [6_000, check(component)],
    [25_000, check(component)],
  ];
}

/** A write that contains a new secret is accepted and fails. */
function brokenWrite(chance: Chance): ReturnType<Scene> {
  const component = chance.pick(["a/app", "b/app"]);
  const ends = chance.pick(["unmarked", "marked"]);
  return [
    [0, slow(component, 3_000, { ends, times: 2 })],
    [100, { kind: "rotate", value: chance.between(1, 9) }],
    [300, check(component)],
    [5_000, check(component)],
  ];
}

/** A cloud gives up what a deploy requested, and the component leaves. */
function brokenDeploy(chance: Chance): ReturnType<Scene> {
  const component = chance.pick(["a/app", "b/app"]);
  return [
    [0, slow(component, 3_000, { ends: "marked", times: 2 })],
    [100, edit(component, "size", chance.between(4, 9))],
    [200, deployScene(chance)],
    ...(chance.happens(0.6) ? [[9_000, deployWithout(chance, component)] as const] : []),
  ];
}

/** A drifting place is changed once more right before the take-over, and the plan is asked for. */
function noticedAtOnce(chance: Chance): ReturnType<Scene> {
  const component = chance.pick(taggable);
  return [
    [0, { kind: "cloud-fault", cloud: cloudOf(component), call: "write", fault: { what: "reject", times: 2 } }],
    [100, edit(component, "size", chance.between(4, 6))],
    [300, check(component)],
    [1_500, edit(component, "size", chance.between(7, 9))],
    [1_510, takeOverScene(component)],
    [1_700, check(component)],
    [3_000, { kind: "plan", component }],
    [4_000, deployScene(chance)],
    [9_000, { kind: "plan", component }],
  ];
}
