import { type Chance, chanceOf } from "./chance.ts";
import type { Habit } from "./habits.ts";
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
  taggable,
  takeOverScene,
} from "./scenes.ts";
import { simulatedComponents } from "./variants.ts";

/** Scenes about moments: right after a record was read, when a reminder is due, while an activity log is slow. Drawn separately again. */
export function moments(seed: number, { clouds }: WorldFacts, count: number): Timed[] {
  const ofLogs = clouds.flatMap(({ logMs = soonMs }, cloud) =>
    logMs >= soonMs ? [] : [(chance: Chance) => takenAgain(chance, cloud, logMs)],
  );
  const ofWords = clouds.flatMap(({ habits = [] }, cloud) => {
    const [first, ...others] = habits;
    const app = cloud === 0 ? "a/app" : "b/app";
    return first === undefined ? [] : [(chance: Chance) => accepted(chance, app, [first, ...others])];
  });
  const all: readonly Scene[] = [
    peeked,
    peeked,
    peeked,
    outpaced,
    outpaced,
    remindedTwice,
    bothGone,
    ...ofLogs,
    ...ofWords,
  ];
  return scenesAmong(all, chanceOf(seed ^ 0x303e2), { count, longestMs: 120_000 });
}

/** A log that takes longer isn't asked between two take-overs. */
const soonMs = 10_000;

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

/** While a deploy decides about something that a person has and that is gone, a newer deploy or a deletion is accepted. */
function outpaced(chance: Chance): ReturnType<Scene> {
  const component = chance.pick(taggable);
  const newer = chance.pick<Deed>([deployScene(chance), deployWithout(chance, component), { kind: "delete" }]);
  return [
    [0, takeOverScene(component)],
    [200, check(component)],
    [2_000, { kind: "remove", component }],
    ...(chance.happens(0.3) ? [[2_050, { kind: "recreate", component, tags: chance.below(3) }] as const] : []),
    [2_100, { kind: "peek", component, nth: chance.between(1, 8), deed: newer }],
    [2_200, deployScene(chance)],
    [12_000, check(component)],
  ];
}

/** What a person has is gone, and then also what refers to it. */
function bothGone(chance: Chance): ReturnType<Scene> {
  const [component, dependent] = chance.pick([
    ["a/net", "a/app"],
    ["b/net", "b/app"],
  ]);
  return [
    ...(chance.happens(0.7) ? [[0, takeOverScene(component)] as const] : []),
    [200, check(component)],
    [3_000, { kind: "remove", component }],
    [3_100, check(component)],
    [6_000, { kind: "remove", component: dependent }],
    [6_100, check(dependent)],
    [9_000, check(dependent)],
    [20_000, chance.happens(0.5) ? deployScene(chance) : check(component)],
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

/** People take over and hand back in turn, while the activity log is slow to say who did. */
function takenAgain(chance: Chance, cloud: number, logMs: number): ReturnType<Scene> {
  const component = chance.pick(taggable.filter((one) => cloudOf(one) === cloud) as [string, ...string[]]);
  const turnMs = logMs + 3_000;
  const turns = Array.from({ length: Math.floor(60_000 / turnMs) }, (_, nth) => nth * turnMs);
  return [
    [0, { kind: "cloud-fault", cloud, call: "log", fault: { what: "late", times: 6 } }],
    ...turns.flatMap(
      (at): ReturnType<Scene> => [
        [at, takeOverScene(component)],
        [at + 100, check(component)],
        [at + turnMs - 1_200, { kind: "hand-back", component }],
        [at + turnMs - 1_100, check(component)],
        [at + turnMs - 600, check(component)],
      ],
    ),
  ];
}

/** A person accepts what is shown at a place, and changes it to something else and back. In between the agent corrects it. */
function accepted(chance: Chance, component: string, habits: readonly [Habit, ...Habit[]]): ReturnType<Scene> {
  const member = chance.pick(habits);
  const [value, other] = chance.pick<readonly [number, number]>([
    [1, 2],
    [2, 3],
    [3, 1],
  ]);
  const reword = (to: number): Deed => ({ kind: "reword", component, by: "person", value: to, member });
  return [
    [0, { kind: "cloud-fault", cloud: cloudOf(component), call: "write", fault: { what: "reject", times: 2 } }],
    [100, reword(value)],
    [200, check(component)],
    [1_000, { kind: "accept", component }],
    [1_500, check(component)],
    [4_000, reword(other)],
    [4_200, check(component)],
    [8_000, reword(value)],
    [8_200, check(component)],
    [24_000, chance.happens(0.5) ? deployScene(chance) : check(component)],
  ];
}
