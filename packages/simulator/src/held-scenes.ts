import { type Chance, chanceOf } from "./chance.ts";
import type { Deed, ExistingDeed, SlipDeed, WorldFacts } from "./plan.ts";
import {
  check,
  cloudOf,
  deployScene,
  deployWithout,
  edit,
  type Scene,
  scenesAmong,
  type Timed,
  taggable,
  takeOverScene,
  wholeVariant,
} from "./scenes.ts";
import { optionalComponents } from "./variants.ts";

/** Scenes about what a person has for a while, in most worlds. Drawn separately again. */
export function heldScenes(seed: number, { twins }: WorldFacts, count: number): Timed[] {
  const chance = chanceOf(seed ^ 0x4e1d5);
  if (chance.happens(0.4)) return [];
  const all = [...always, ...(twins ? [otherOwner, otherOwner] : [])];
  return scenesAmong(all, chance, { count, longestMs: 150_000 });
}

const always: readonly Scene[] = [
  busyWhileHeld,
  busyWhileHeld,
  heldNeed,
  replacedDeletion,
  replacedDeletion,
  foreignTag,
  foreignTag,
  plannedSecret,
  stuckHandBack,
  unreadWrite,
  unreadWrite,
];

/** The cloud works on what a person has, while that is deployed or left out. */
function busyWhileHeld(chance: Chance): ReturnType<Scene> {
  const component = chance.pick(taggable);
  const fault = { what: "busy", times: chance.between(4, 12) } as const;
  const isLeft = component.endsWith("app") && chance.happens(0.6);
  return [
    [0, takeOverScene(component)],
    [200, check(component)],
    [5_000, { kind: "cloud-fault", cloud: cloudOf(component), call: "read", fault }],
    [5_050, isLeft ? deployWithout(chance, component) : deployScene(chance)],
    [9_000, check(component)],
  ];
}

/** A person has for long what something else needs, and a deploy leaves it as it is. */
function heldNeed(chance: Chance): ReturnType<Scene> {
  const net = chance.pick(["a/net", "a/net", "b/net"]);
  return [
    [0, takeOverScene(net)],
    [200, check(net)],
    [65_000, deployScene(chance)],
    [80_000, edit("b/app", "size", chance.between(4, 9))],
    [80_200, check("b/app")],
    [chance.pick([90_000, 140_000]), { kind: "hand-back", component: net }],
  ];
}

/** Right before something is deleted, another resource takes its place. */
function replacedDeletion(chance: Chance): ReturnType<Scene> {
  const component = chance.pick(optionalComponents);
  const then = "replace";
  const slip: SlipDeed = { kind: "slip", component, then, at: "remove" };
  return [
    [0, slip],
    [100, deployWithout(chance, component)],
    [20_000, deployScene(chance)],
  ];
}

/** A person has a tag owner for long, and another one is declared for what goes by its tags. */
function otherOwner(chance: Chance): ReturnType<Scene> {
  const prefix = chance.pick(["a", "b"]);
  const [net, member] = [`${prefix}/net`, `${prefix}/${chance.pick(["rule", "rule", "app"])}`];
  const variant = { ...wholeVariant(chance), unsaid: true };
  const declared: Deed = { kind: "deploy", variant: { ...variant, otherOwner: true } };
  return [
    [0, takeOverScene(net)],
    [200, check(net)],
    [65_000, declared],
    [80_000, edit(member, "size", chance.between(4, 9))],
    [80_200, check(member)],
    [100_000, { kind: "hand-back", component: net }],
    [100_200, check(net)],
    [120_000, { kind: "deploy", variant }],
  ];
}

/** A resource that exists has the tag with a value of somebody else's, perhaps the agent's in other letters, and is declared as it is. */
function foreignTag(chance: Chance): ReturnType<Scene> {
  const [cloud, size] = [chance.pick([0, 0, 1]), chance.between(1, 2)];
  const tag = cloud === 0 ? chance.pick(["Platform", "PLATFORM", "Platform", "me"]) : "platforms";
  const existing = (what: ExistingDeed["what"]): Deed => ({ kind: "existing", cloud, nth: 7, what, size, tag });
  return [
    [0, existing("make")],
    [100, existing("tag")],
    [2_000, existing("adopt")],
    [60_000, existing("release")],
  ];
}

/** A person takes a component over, changes a secret of it and something else, and asks what a hand-back would change. */
function plannedSecret(chance: Chance): ReturnType<Scene> {
  const component = chance.pick(["a/app", "b/app"]);
  return [
    [0, takeOverScene(component)],
    [200, check(component)],
    [3_000, edit(component, chance.pick(["password", "password", "level"]), chance.between(1, 3))],
    [3_100, edit(component, "size", chance.between(4, 9))],
    [3_300, check(component)],
    [6_000, { kind: "plan", component }],
  ];
}

/** A hand-back without drift can't be completed for a while, and is deployed meanwhile. */
function stuckHandBack(chance: Chance): ReturnType<Scene> {
  const component = chance.pick(taggable);
  const fault = {
    what: chance.pick(["reject", "fail", "lose-answer", "throttle"]),
    times: chance.between(2, 8),
  } as const;
  const variant = { ...wholeVariant(chance), unconditional: chance.happens(0.3) };
  return [
    [0, { kind: "deploy", variant }],
    [5_000, takeOverScene(component)],
    [5_200, check(component)],
    [9_000, { kind: "cloud-fault", cloud: cloudOf(component), call: "removeTag", fault }],
    [9_050, { kind: "hand-back", component }],
    [9_100, { kind: "deploy", variant }],
  ];
}

/** A person takes over what is being written, and then nobody can read it for a while. */
function unreadWrite(chance: Chance): ReturnType<Scene> {
  const component = chance.pick(["b/net", "b/app", "b/app", "a/app"]);
  const fails = { what: "fail", times: chance.between(2, 6) } as const;
  const isGone = component.endsWith("app") && chance.happens(0.4);
  const then = "fail-read";
  return [
    [0, { kind: "cross", component, then }],
    [100, edit(component, "level", chance.between(4, 9))],
    [110, edit(component, "size", chance.between(4, 9))],
    [300, check(component)],
    [chance.pick([350, 600]), { kind: "cloud-fault", cloud: cloudOf(component), call: "read", fault: fails }],
    ...(isGone ? [[900, deployWithout(chance, component)] as const] : []),
    [8_000, check(component)],
  ];
}
