import { type Chance, chanceOf } from "./chance.ts";
import type { Deed, WorldFacts } from "./plan.ts";
import {
  check,
  cloudOf,
  deployScene,
  deployWithout,
  edit,
  type Scene,
  scenesAmong,
  type Timed,
  takeOverScene,
} from "./scenes.ts";
import { simulatedComponents } from "./variants.ts";

/** Scenes about moments: right after a record was read, when a reminder is due, while an activity log is slow. Drawn separately again. */
export function moments(seed: number, { clouds }: WorldFacts, count: number): Timed[] {
  const ofLogs = clouds.flatMap(({ logMs }, cloud) =>
    logMs === undefined ? [] : [(chance: Chance) => takenAgain(chance, cloud, logMs)],
  );
  const ofWords = clouds.flatMap(({ habits = [] }, cloud) =>
    habits.length === 0 ? [] : [(chance: Chance) => accepted(chance, cloud === 0 ? "a/app" : "b/app")],
  );
  const all: readonly Scene[] = [peeked, peeked, peeked, remindedTwice, ...ofLogs, ...ofWords];
  return scenesAmong(all, chanceOf(seed ^ 0x303e2), { count, longestMs: 120_000 });
}

const taggable = ["a/net", "b/net", "a/app", "b/app"] as const;

/** Somebody acts while a process decides: after it has read the record, and before it reads the declaration, the resource or the record again. */
function peeked(chance: Chance): ReturnType<Scene> {
  const component = chance.pick(simulatedComponents);
  const changes = edit(component, chance.pick(["size", "level"]), chance.between(4, 9));
  const acts: readonly [Deed, ...Deed[]] = [
    deployScene(chance),
    deployScene(chance),
    deployWithout(chance, component),
    { kind: "delete" },
    takeOverScene(component),
    changes,
    { kind: "hand-back", component },
    { kind: "remove", component },
    { kind: "recreate", component, tags: chance.below(3) },
    { kind: "accept", component },
    { kind: "annotate", component },
    check(component),
  ];
  const before = chance.pick<readonly Deed[]>([
    [],
    [changes],
    [takeOverScene(component)],
    [takeOverScene(component), { kind: "remove", component }],
    [{ kind: "reword", component, by: "person", value: chance.between(1, 3) }],
  ]);
  const begins = chance.pick([check(component), deployScene(chance), { kind: "hand-back", component } as const]);
  return [
    ...before.map((deed) => [0, deed] as const),
    [200, check(component)],
    [3_000, { kind: "peek", component, nth: chance.between(1, 8), deed: chance.pick(acts) }],
    [3_010, begins],
    [3_020, check(component)],
    ...(chance.happens(0.5) ? [[9_000, deployScene(chance)] as const] : []),
    [12_000, check(component)],
  ];
}

/** A person who has a resource is reminded of it at a time, and at another one later. */
function remindedTwice(chance: Chance): ReturnType<Scene> {
  const component = chance.pick(taggable);
  const remind = (remindInMs: number): Deed => ({ kind: "annotate", component, remindInMs });
  return [
    [0, takeOverScene(component)],
    [200, check(component)],
    [1_000, remind(chance.pick([500, 20_000]))],
    [3_000, check(component)],
    [40_000, remind(chance.pick([500, 20_000, -60_000]))],
    [43_000, check(component)],
    [65_000, check(component)],
  ];
}

/** A person hands back, and another one takes over, while the activity log is slow to say who did. */
function takenAgain(chance: Chance, cloud: number, logMs: number): ReturnType<Scene> {
  const component = chance.pick(
    taggable.filter((one) => cloudOf(one) === cloud) as ["a/net", ...(typeof taggable)[number][]],
  );
  const fault = { what: "late", times: 3 } as const;
  return [
    [0, takeOverScene(component)],
    [200, check(component)],
    [400, { kind: "cloud-fault", cloud, call: "log", fault }],
    [logMs + 1_000, check(component)],
    [logMs + 1_500, { kind: "hand-back", component }],
    [logMs + 1_600, check(component)],
    [logMs + 2_600, takeOverScene(component)],
    [logMs + 2_700, check(component)],
    [logMs + 9_000, check(component)],
  ];
}

/** A person accepts what is shown, and what was accepted is changed and corrected, more than once. */
function accepted(chance: Chance, component: string): ReturnType<Scene> {
  const reword = (): Deed => ({ kind: "reword", component, by: "person", value: chance.between(1, 3) });
  const after = chance.happens(0.5) ? ([[20_000, deployScene(chance)]] as const) : [];
  return [
    [0, reword()],
    [100, { kind: "cloud-fault", cloud: cloudOf(component), call: "write", fault: { what: "reject", times: 2 } }],
    [200, check(component)],
    [1_000, { kind: "accept", component }],
    [1_500, check(component)],
    [4_000, reword()],
    [4_200, check(component)],
    [8_000, reword()],
    [8_200, check(component)],
    ...after,
    [24_000, check(component)],
  ];
}
