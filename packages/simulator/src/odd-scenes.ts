import { type Chance, chanceOf } from "./chance.ts";
import type { WorldFacts } from "./plan.ts";
import {
  anyone,
  check,
  cloudOf,
  deployScene,
  deployWithout,
  edit,
  type Scene,
  scenesAmong,
  type Timed,
  takeOverScene,
  wholeVariant,
} from "./scenes.ts";

/** Scenes about items that others add to lists, writes that a busy cloud refuses, and secrets that become plain values. Drawn separately again. */
export function oddScenes(seed: number, { extras = [] }: WorldFacts, count: number): Timed[] {
  const ofItems = extras.map((pointer) => (chance: Chance) => itemsOfOthers(chance, pointer.slice(1)));
  const all: readonly Scene[] = [refusedAsBusy, secretReplaced, ...ofItems, ...ofItems, ...ofItems.map(() => tagBack)];
  return scenesAmong(all, chanceOf(seed ^ 0x0dd5c), { count, longestMs: 60_000 });
}

const apps = ["a/app", "b/app"] as const;

/** Somebody adds an item to a list and removes or changes others, while declarations with more and with fewer items follow each other. */
function itemsOfOthers(chance: Chance, parameter: string): ReturnType<Scene> {
  const component = chance.pick(apps);
  const adds = edit(component, parameter, parameter === "rules" ? chance.between(12, 14) : chance.between(4, 6));
  const other = () => edit(component, parameter, chance.below(18));
  return [
    ...(chance.happens(0.4) ? [[0, takeOverScene(component)] as const] : []),
    [100, chance.happens(0.7) ? adds : other()],
    [300, check(component)],
    [4_000, deployScene(chance)],
    [9_000, chance.pick([adds, other(), other()])],
    [9_200, check(component)],
    [12_000, chance.happens(0.5) ? { kind: "hand-back", component } : deployScene(chance)],
    [16_000, other()],
    [16_200, check(component)],
  ];
}

/** Somebody sets a tag that is declared not to be there. */
function tagBack(chance: Chance): ReturnType<Scene> {
  const component = chance.pick(["a/net", "b/net"]);
  return [
    ...(chance.happens(0.5) ? [[0, takeOverScene(component)] as const] : []),
    [100, edit(component, "former", chance.between(1, 3))],
    [300, check(component)],
    [5_000, chance.happens(0.5) ? deployScene(chance) : { kind: "hand-back", component }],
    [9_000, edit(component, "former", chance.between(1, 3))],
    [9_200, check(component)],
  ];
}

/** A cloud refuses writes and deletions because it is still at work. */
function refusedAsBusy(chance: Chance): ReturnType<Scene> {
  const component = chance.pick(anyone);
  const fault = { what: "conflict", times: chance.pick([1, 1, 2, 5]) } as const;
  const [prefix = "a"] = component.split("/");
  const without = chance.pick([component, `${prefix}/app`, `${prefix}/rule`] as const);
  return [
    [0, { kind: "cloud-fault", cloud: cloudOf(component), call: chance.pick(["write", "write", "removeTag"]), fault }],
    ...(chance.happens(0.5) ? [[50, edit(component, "size", chance.between(4, 9))] as const] : []),
    [100, chance.pick([deployWithout(chance, without), deployScene(chance), check(component)])],
    ...(chance.happens(0.15) ? [[150, { kind: "delete" }] as const] : []),
    [6_000, check(component)],
    [15_000, chance.happens(0.5) ? deployScene(chance) : { kind: "hand-back", component }],
  ];
}

/** A declaration replaces a secret by a plain value. Meanwhile somebody changes the value, or holds the app. */
function secretReplaced(chance: Chance): ReturnType<Scene> {
  const component = chance.pick(apps);
  const variant = { ...wholeVariant(chance), plain: true };
  const changes = edit(component, "password", chance.between(1, 3));
  return [
    ...(chance.happens(0.5) ? [[0, takeOverScene(component)] as const] : []),
    ...(chance.happens(0.4) ? [[50, changes] as const] : []),
    [100, { kind: "deploy", variant }],
    [chance.pick([300, 5_000]), check(component)],
    [6_000, chance.pick([changes, deployScene(chance), { kind: "rotate", value: chance.between(10, 19) }])],
    [6_200, check(component)],
    [10_000, { kind: "hand-back", component }],
    [14_000, chance.happens(0.5) ? { kind: "deploy", variant } : deployScene(chance)],
    [14_200, check(component)],
  ];
}
