import { type Chance, chanceOf } from "./chance.ts";
import type { Deed, SlipDeed, Variant, WorldFacts } from "./plan.ts";
import {
  anyone,
  check,
  cloudOf,
  deployScene,
  deployWithout,
  edit,
  type Scene,
  scenesAmong,
  slow,
  type Timed,
  taggable,
  takeOverScene,
  wholeVariant,
} from "./scenes.ts";

/** Scenes about what is declared again, names and items that could be mixed up, and long waits. Drawn separately again. */
export function rareScenes(seed: number, world: WorldFacts, count: number): Timed[] {
  const chance = chanceOf(seed ^ 0x4a3e5);
  const possible = [...always, ...(world.twins ? ofTwins : []), ...(world.items ? ofItems : [])];
  const all = [...possible, ...(world.waits ? [...ofWaits, ...ofWaits] : [])];
  return scenesAmong(all, chance, { count, longestMs: 120_000 });
}

const always: readonly Scene[] = [
  sameAgain,
  sameAgain,
  thereAndBack,
  notedDuringWrite,
  busyBeforeWrite,
  ownerNeverMade,
];
const ofTwins: readonly Scene[] = [swapped, swapped, chained, bornTogether, bornTogether];
const ofItems: readonly Scene[] = [itemsEdited, itemsEdited];
const ofWaits: readonly Scene[] = [waitedFor, failingOn];

const again = (variant: Variant): Deed => ({ kind: "deploy", variant });
const twins = ["a/net", "b/net", "a/twin-net", "b/twin-net"] as const;

/** What is in force is deployed once more: while that goes on, or later. Meanwhile somebody edits, or makes a write fail. */
function sameAgain(chance: Chance): ReturnType<Scene> {
  const [component, variant] = [chance.pick(anyone), wholeVariant(chance)];
  const fails = { what: chance.pick(["reject", "fail", "lose-answer"]), times: chance.between(1, 3) } as const;
  const meanwhile: readonly [Deed, ...Deed[]] = [
    edit(component, "size", chance.between(4, 9)),
    { kind: "cloud-fault", cloud: cloudOf(component), call: "write", fault: fails },
    { kind: "remove", component },
    takeOverScene(component),
  ];
  return [
    ...(chance.happens(0.5) ? [[0, slow(component, chance.pick([4_000, 25_000]))] as const] : []),
    [50, edit(component, "size", chance.between(4, 9))],
    [100, again(variant)],
    [200, chance.pick(meanwhile)],
    [chance.pick([300, 1_500, 5_000, 20_000]), again(variant)],
    [22_000, chance.pick(meanwhile)],
    [23_000, check(component)],
    [chance.pick([24_000, 40_000]), again(variant)],
  ];
}

/** One definition, another, and the first again, while a write goes on. */
function thereAndBack(chance: Chance): ReturnType<Scene> {
  const component = chance.pick(anyone);
  const [one, other] = [wholeVariant(chance), wholeVariant(chance)];
  return [
    [0, slow(component, chance.pick([3_000, 30_000]))],
    [100, again(one)],
    [chance.pick([200, 2_000, 9_000]), again(other)],
    [chance.pick([9_100, 12_000, 35_000]), again(one)],
    [chance.pick([14_000, 36_000]), edit(component, "level", chance.between(4, 9))],
    [36_500, check(component)],
  ];
}

/** A person notes why a component was taken over, right after a process has claimed it to end a hand-back. */
function notedDuringWrite(chance: Chance): ReturnType<Scene> {
  const component = chance.pick(taggable);
  const then = "note";
  const slip: SlipDeed = { kind: "slip", component, then, at: "any" };
  return [
    [0, takeOverScene(component)],
    [200, check(component)],
    [5_000, edit(component, "size", chance.between(4, 9))],
    [5_100, slip],
    ...(chance.happens(0.3) ? [[5_150, slow(component, 8_000)] as const] : []),
    [5_200, { kind: "hand-back", component }],
    [5_400, check(component)],
  ];
}

/** Right before a write, the cloud is seen to work on the resource. */
function busyBeforeWrite(chance: Chance): ReturnType<Scene> {
  const component = chance.pick(["b/net", "b/net", "b/app", "a/app", "b/rule"]);
  const then = "busy";
  return [
    [0, { kind: "slip", component, then, at: "any" }],
    [100, edit(component, "size", chance.between(4, 9))],
    [300, check(component)],
    [1_500, check(component)],
  ];
}

/** A tag owner gets another name and is never made, while what goes by its tags is edited. */
function ownerNeverMade(chance: Chance): ReturnType<Scene> {
  const [prefix, member] = [chance.pick(["a", "b"]), chance.pick(["rule", "rule", "app"])];
  const [net, component] = [`${prefix}/net`, `${prefix}/${member}`];
  const fault = { what: "reject", times: chance.between(2, 6) } as const;
  const renamed: Deed = { kind: "deploy", variant: { ...wholeVariant(chance), renamed: [net], unsaid: true } };
  return [
    [0, { kind: "cloud-fault", cloud: cloudOf(net), call: "write", fault }],
    [100, renamed],
    [4_000, edit(component, "size", chance.between(4, 9))],
    [4_200, check(component)],
    [9_000, chance.happens(0.5) ? renamed : deployScene(chance)],
    [9_500, check(component)],
  ];
}

/** Two networks swap their paths, while one of them is written, edited or taken over. */
function swapped(chance: Chance): ReturnType<Scene> {
  const component = chance.pick(twins);
  const plain = { ...wholeVariant(chance), unsaid: true };
  const meanwhile: readonly [Deed, ...Deed[]] = [
    takeOverScene(component),
    edit(component, "size", chance.between(4, 9)),
    slow(component, 12_000),
    { kind: "hand-back", component },
  ];
  return [
    ...(chance.happens(0.5) ? [[0, again(plain)] as const] : []),
    [3_000, chance.pick(meanwhile)],
    [3_100, edit(component, "size", chance.between(4, 9))],
    [3_200, check(component)],
    [chance.pick([3_250, 3_400, 6_000]), again({ ...plain, twins: "swap" })],
    [chance.pick([3_600, 7_000]), chance.pick(meanwhile)],
    [7_200, check(component)],
    [chance.pick([8_000, 30_000]), again(chance.happens(0.5) ? plain : wholeVariant(chance))],
  ];
}

/** One network takes the path that another one has just left, and a new one takes its own. */
function chained(chance: Chance): ReturnType<Scene> {
  const component = chance.pick(twins);
  const plain = { ...wholeVariant(chance), unsaid: true };
  return [
    ...(chance.happens(0.5) ? [[0, takeOverScene(component)] as const] : []),
    [100, edit(component, "size", chance.between(4, 9))],
    ...(chance.happens(0.5) ? [[200, slow(component, 12_000)] as const] : []),
    [300, check(component)],
    [chance.pick([350, 3_000]), again({ ...plain, twins: "chain" })],
    [5_000, chance.happens(0.5) ? edit(component, "size", chance.between(4, 9)) : { kind: "hand-back", component }],
    [5_200, check(component)],
    [chance.pick([20_000, 60_000]), again(plain)],
  ];
}

/** Two networks are gone, and made again at once, while answers are lost. */
function bornTogether(chance: Chance): ReturnType<Scene> {
  const prefix = chance.pick(["a", "b"]);
  const [one, other] = [`${prefix}/net`, `${prefix}/twin-net`];
  const fault = { what: chance.pick(["lose-answer", "late", "fail"]), times: chance.between(1, 3) } as const;
  return [
    [0, { kind: "remove", component: one }],
    [10, { kind: "remove", component: other }],
    ...(chance.happens(0.6) ? [[20, { kind: "cloud-fault", cloud: cloudOf(one), call: "write", fault }] as const] : []),
    ...(chance.happens(0.3) ? [[30, slow(one, 9_000, { hidden: true, times: 2 })] as const] : []),
    [100, check(one)],
    [110, check(other)],
    [chance.pick([200, 4_000]), deployScene(chance)],
    [5_000, chance.happens(0.5) ? deployWithout(chance, `${prefix}/app`) : check(other)],
  ];
}

/** People change a list of items with names. */
function itemsEdited(chance: Chance): ReturnType<Scene> {
  const component = chance.pick(["a/app", "b/app"]);
  return [
    [0, edit(component, "rules", chance.below(18))],
    [chance.pick([50, 200, 3_000]), edit(component, "rules", chance.below(18))],
    [3_200, check(component)],
    ...(chance.happens(0.4) ? [[4_000, deployScene(chance)] as const] : []),
    [5_900, { kind: "restore", component }],
    [6_000, edit(component, "rules", chance.below(18))],
    [6_200, check(component)],
  ];
}

/** A cloud takes longer for a write than a deploy waits. */
function waitedFor(chance: Chance): ReturnType<Scene> {
  const component = chance.pick(anyone);
  const variant = wholeVariant(chance);
  return [
    [0, slow(component, chance.pick([30_000, 60_000, 110_000]), { hidden: chance.happens(0.3) })],
    [50, chance.happens(0.3) ? { kind: "remove", component } : edit(component, "size", chance.between(4, 9))],
    [100, again(variant)],
    ...(chance.happens(0.3) ? [[20_000, { kind: "restart", process: 0 }] as const] : []),
    ...(chance.happens(0.3) ? [[30_000, again(variant)] as const] : []),
    [60_000, check(component)],
  ];
}

/** A cloud fails for longer than a deploy tries again. */
function failingOn(chance: Chance): ReturnType<Scene> {
  const component = chance.pick(anyone);
  const call = chance.pick(["read", "write", "write"]);
  const fault = { what: chance.pick(["fail", "throttle"]), times: chance.pick([3, 12, 40]) } as const;
  return [
    [0, edit(component, "size", chance.between(4, 9))],
    [50, { kind: "cloud-fault", cloud: cloudOf(component), call, fault }],
    [100, deployScene(chance)],
    [30_000, check(component)],
  ];
}
