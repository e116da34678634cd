import { type Chance, chanceOf } from "./chance.ts";
import { type Habit, steadyHabits } from "./habits.ts";
import type { Deed, WorldFacts } from "./plan.ts";
import { deedTime, optionalComponents, variantOf } from "./variants.ts";

/** In every other world the clouds have their own forms. Drawn separately, so that a seed's other choices don't change. */
export function withHabits(seed: number, world: WorldFacts): WorldFacts {
  if (chanceOf(seed ^ 0x29c655).happens(0.5)) return world;
  const chance = chanceOf(seed ^ 0x3ab17);
  const least = chance.happens(0.5) ? 2 : 1;
  const clouds = world.clouds.map((cloud) => {
    const some = Array.from({ length: chance.between(least, 3) }, () =>
      chance.pick(steadyHabits as [Habit, ...Habit[]]),
    );
    return { ...cloud, habits: [...new Set(some)], answersEmpty: chance.happens(0.3) };
  });
  return { ...world, clouds };
}

/** In some of the worlds with habits, a cloud spells addresses or numbers in its own way, or undoes one write by another. Drawn separately again. */
export function withSpelling(seed: number, world: WorldFacts): WorldFacts {
  const [chance, ofTens] = [chanceOf(seed ^ 0x5be11), chanceOf(seed ^ 0x7e45)];
  const clouds = world.clouds.map((cloud) => {
    const spelled = (["hosts", "narrows"] as const).filter(() => chance.happens(0.3));
    const more = chance.happens(0.15) ? (["swings", "sways"] as const) : [];
    const tens = ofTens.happens(0.3) ? (["tens"] as const) : [];
    return cloud.habits === undefined ? cloud : { ...cloud, habits: [...cloud.habits, ...spelled, ...more, ...tens] };
  });
  return { ...world, clouds };
}

/** In some of the worlds with habits, a cloud gives its words to other values later. Drawn separately again. */
export function withRecoding(seed: number, world: WorldFacts): WorldFacts {
  const chance = chanceOf(seed ^ 0xc0de5);
  const clouds = world.clouds.map((cloud) => {
    const { habits = [] } = cloud;
    return habits.length > 0 && chance.happens(0.4) ? { ...cloud, habits: [...habits, "recodes" as const] } : cloud;
  });
  return { ...world, clouds };
}

/** Events at worded places, mostly while something else is going on. Also drawn separately. */
export function wordings(seed: number, { clouds }: WorldFacts, count: number): { at: number; deed: Deed }[] {
  if (clouds.every(({ habits = [] }) => habits.length === 0)) return [];
  const chance = chanceOf(seed ^ 0x77e5);
  const few = Array.from({ length: count }, () => {
    const component = chance.pick(["a/app", "b/app"]);
    const kind = chance.pick(["reword", "reword", "reword", "accept", "accept", "forget"]);
    const by = chance.happens(0.4) ? "cloud" : "person";
    const deed: Deed = kind === "reword" ? { kind, component, by, value: chance.between(1, 3) } : { kind, component };
    return { at: deedTime(chance), deed };
  });
  return [...few, ...Array.from({ length: Math.floor(count / 9) }, () => crossing(chance)).flat()];
}

/** What people do to an app during a slow write. */
function crossing(chance: Chance): { at: number; deed: Deed }[] {
  const [cloud, component] = chance.pick([
    [0, "a/app"],
    [1, "b/app"],
  ] as const);
  const [start, takesMs] = [deedTime(chance), chance.pick([10_000, 40_000])];
  const ends = chance.pick(["done", "done", "marked"] as const);
  const reword = (): Deed => ({ kind: "reword", component, by: "person", value: chance.between(1, 3) });
  const isDeployed = chance.happens(0.6);
  const deploy = (): Deed => ({ kind: "deploy", variant: { ...variantOf(chance), renamed: [] } });
  const begun = isDeployed ? deploy() : reword();
  const deeds: readonly [Deed, ...Deed[]] = [
    deploy(),
    { kind: "tag", component, key: "managed-by", value: null },
    { kind: "hand-back", component },
  ];
  const during = [reword(), reword(), chance.pick(deeds)];
  return [
    { at: start, deed: { kind: "slow", cloud, writes: { takesMs, times: 5, ends, hidden: false } } },
    { at: start + 100, deed: begun },
    { at: start + 300, deed: { kind: "check", component } },
    ...during.map((deed) => ({ at: start + chance.between(2_000, takesMs), deed })),
    { at: start + takesMs + 2_000, deed: { kind: "check", component } },
  ];
}

/** Series of changes at worded places, which only show together what is wrong. Drawn separately too. */
export function rewordings(seed: number, { clouds }: WorldFacts, count: number): { at: number; deed: Deed }[] {
  const chance = chanceOf(seed ^ 0x7a11);
  const components = clouds.flatMap(({ habits = [] }, at) => {
    const component = at === 0 ? "a/app" : "b/app";
    const series = habits.includes("recodes") ? [trailed, recoded, recoded, thereAndBack, thereAndBack] : [trailed];
    return habits.length === 0 ? [] : [{ component, series }];
  });
  const [first, ...others] = components;
  if (first === undefined) return [];
  return Array.from({ length: count }, () => {
    const { component, series } = chance.pick([first, ...others]);
    return chance.pick(series as [Series, ...Series[]])(component, chance);
  }).flat();
}

type Series = (component: string, chance: Chance) => { at: number; deed: Deed }[];

/** A person changes what was just corrected. */
function trailed(component: string, chance: Chance): ReturnType<Series> {
  const [start, value] = [deedTime(chance), chance.between(1, 3)];
  return [
    { at: start, deed: { kind: "trail", component, value: chance.between(1, 3) } },
    { at: start + 100, deed: { kind: "reword", component, by: "person", value } },
    { at: start + 300, deed: { kind: "check", component } },
  ];
}

/** A value that the cloud shows by one word is shown by another from then on, and a person sets a word by hand. */
function recoded(component: string, chance: Chance): ReturnType<Series> {
  const by = ["person", "person", "cloud", "person", "person", "person"] as const;
  return inTurn(
    chance,
    by.map((one) => [rewordingOf(component, one, chance), { kind: "check", component }]),
  );
}

/** One value is declared, another one, and the first one again, while the cloud's words change. */
function thereAndBack(component: string, chance: Chance): ReturnType<Series> {
  const [here, there] = chance.happens(0.5) ? [1, 2] : [2, 3];
  const deploy = (level: number): Deed => {
    const { unconditional: _, ...variant } = variantOf(chance);
    return {
      kind: "deploy",
      variant: { ...variant, level, declared: [...optionalComponents], renamed: [], ignored: false },
    };
  };
  const reword = (by: "cloud" | "person") => rewordingOf(component, by, chance);
  return inTurn(chance, [
    [deploy(here)],
    [reword("person"), { kind: "check", component }],
    [reword("cloud"), { kind: "check", component }],
    [deploy(there)],
    [reword("person"), deploy(here)],
    [reword("person"), { kind: "check", component }],
  ]);
}

function rewordingOf(component: string, by: "cloud" | "person", chance: Chance): Deed {
  return { kind: "reword", component, by, value: chance.between(1, 3), member: "recodes" };
}

/** Groups of deeds, with time for the agent between two of them. */
function inTurn(chance: Chance, groups: readonly (readonly Deed[])[]): { at: number; deed: Deed }[] {
  let at = deedTime(chance);
  return groups.flatMap((deeds) => {
    at += chance.between(4_000, 12_000);
    return deeds.map((deed, nth) => ({ at: at + nth * 100, deed }));
  });
}
