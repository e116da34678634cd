import type { OperationId } from "@liveplane/core";
import { byHand } from "./by-hand.ts";
import { chanceOf } from "./chance.ts";
import { pathsOf, simulatedDefinition } from "./declared.ts";
import { asked, deployDefinition } from "./hands.ts";
import type {
  Invariant,
  OverrideRow,
  ShownComponent,
  ShownEpisode,
  ShownLiveSystem,
  ShownMutation,
  StoredComponent,
} from "./judge/facts.ts";
import { wrongAfterDelete } from "./judge/invariants/deletes-what-was-asked.ts";
import {
  type Foretold,
  forecastOf,
  isUpToTheOrder,
  makes,
  wrongOutcome,
  wrongPlan,
} from "./judge/invariants/plans-come-true.ts";
import { componentName } from "./judge/names.ts";
import type { Variant } from "./plan.ts";
import { checkSeconds, optionalComponents, simulatedComponents, variantOf } from "./variants.ts";
import type { SimulatedWorld } from "./world.ts";

const cycleMs = checkSeconds * 1000;

type Pass = (ms: number) => Promise<void>;

/**
 * In a world without faults: a plan comes true, a hand-back ends within two or three cycles, words that change their meaning are learned again, and a
 * delete removes everything it should.
 */
export async function judgeCalm(world: SimulatedWorld, pass: Pass): Promise<void> {
  for (const stage of [redeploy, handBack, relearn, remove]) {
    if (world.watch.broken !== null || world.liveSystemId === null) return;
    if (world.watch.judge.evidence.stored.systems.get(world.liveSystemId) !== "Active") return;
    await judgeShown(world, pass, world.liveSystemId);
    await stage(world, pass, world.liveSystemId);
  }
}

/** While nothing changes, people see the actual state. */
async function judgeShown(world: SimulatedWorld, pass: Pass, id: string): Promise<void> {
  const { written } = world.watch;
  const ask = async <T>(operation: OperationId, more: object = {}) => {
    const work = asked(world, ({ call }) => call(operation, { params: { id, ...more } }));
    return (await answerTo(work, pass)) as T | null;
  };
  type Page<T> = { readonly items: readonly T[] };
  const system = await ask<ShownLiveSystem>("liveSystems.get");
  const page = await ask<Page<ShownComponent>>("liveSystems.components.list");
  const mutationId = system?.lastMutation?.id;
  const mutation = await ask<ShownMutation>("liveSystems.mutations.get", { mutationId });
  const overrides = await ask<Page<OverrideRow>>("overrides.list");
  if (system === null || page === null || mutation === null || overrides === null)
    return world.watch.fail("nothing-out-of-sight", `nobody is shown ${id}`);
  const ledgers = new Map<string, readonly ShownEpisode[]>();
  for (const { id: componentId } of page.items.slice(0, 3)) {
    const lines = await ask<Page<ShownEpisode>>("liveSystems.components.overrides", { componentId });
    ledgers.set(componentId, lines?.items ?? []);
  }
  // A correction that was paused may come between.
  if (world.watch.written !== written) return;
  world.watch.judge.sees({
    ...{ kind: "shown", system, components: page.items, mutation, ledgers },
    overrides: overrides.items,
  });
}

/** The length of a cycle for people: a sweep may see older state. */
function slowCycleMs({ plan }: SimulatedWorld): number {
  return cycleMs + Math.max(...plan.world.clouds.map(({ lagMs, lateMs = 0 }) => lagMs + lateMs)) + 5_000;
}

async function redeploy(world: SimulatedWorld, pass: Pass, id: string): Promise<void> {
  const { watch, plan } = world;
  const { evidence } = watch.judge;
  const variant = variantOf(chanceOf(plan.seed ^ 0xca17));
  const definition = simulatedDefinition(world, withPossibleNames(variant, world, id));
  const forecast = forecastOf(id, definition, evidence);
  const work = asked(world, ({ call }) => call("liveSystems.planDeploy", { params: { id }, body: definition }));
  const foretold = (await answerTo(work, pass)) as Foretold | null;
  if (foretold === null) return watch.fail("plans-come-true", "In a calm world a plan was refused.");
  watch.tell("calm", () => `the plan is ${JSON.stringify(foretold.components)}`);
  expect(world, "plans-come-true", wrongPlan(foretold, forecast));
  const known = evidence.stored.mutations.size;
  await answerTo(deployDefinition(world, definition), pass);
  if (evidence.stored.mutations.size === known) return watch.fail("plans-come-true", "What was planned was refused.");
  await mutationsOver(world, pass, id);
  const [last] = [...evidence.stored.mutations.values()].filter(({ liveSystemId }) => liveSystemId === id).slice(-1);
  watch.tell("calm", () => `the deploy ${last?.status}`);
  // That a write has no effect, no plan can know.
  const isMade = makes(foretold, forecast, last?.error?.componentId ?? "");
  const isKnowable = !isMade && ["Immutable", "NotCorrectable"].includes(last?.error?.code ?? "");
  const isWrong = foretold.error === null ? isKnowable : last?.status === "Succeeded";
  if (isWrong && !isUpToTheOrder(foretold, forecast))
    watch.fail("plans-come-true", `the plan's error is ${foretold.error?.code}, the deploy's ${last?.error?.code}`);
  // Dependent components come one after the other.
  await pass(4 * slowCycleMs(world));
  if (watch.broken !== null) return;
  if (last?.status === "Succeeded")
    expect(world, "plans-come-true", wrongOutcome(foretold.components, forecast, evidence));
  // An output that somebody removed from a resource has no value; what nothing binds isn't corrected.
  else if (last?.error?.code !== "InvalidDeclaration" && !isStuck(last?.error?.componentId ?? null, world))
    watch.fail(
      "plans-come-true",
      `in a calm world the deploy ended ${last?.status}: ${last?.error?.code} at ${last?.error?.componentId}`,
    );
  watch.judge.atRest();
}

/** Renamed components are declared as moved. If a component with the other name couldn't be deleted, all keep their current names. */
function withPossibleNames(variant: Variant, { watch }: SimulatedWorld, id: string): Variant {
  const { declarations } = watch.judge.evidence;
  const isThere = (path: string) => watch.component(`${id}/${path}`) !== null;
  if (!simulatedComponents.some((one) => pathsOf(one).every(isThere))) return { ...variant, unsaid: false };
  const renamed = simulatedComponents.filter((one) => declarations.newest(id, pathsOf(one)[1]) !== null);
  return { ...variant, renamed, unsaid: true };
}

function isStuck(id: string | null, { watch }: SimulatedWorld): boolean {
  const component = watch.component(id ?? "");
  return component !== null && watch.judge.isStuck(component);
}

/** A requested hand-back is Active within two or three cycles, and changed what its plan said. */
async function handBack(world: SimulatedWorld, pass: Pass): Promise<void> {
  const { watch } = world;
  const held = [...watch.components.values()].filter((one) => isGiveable(one, world));
  for (const component of held.slice(0, 2)) {
    const name = componentName(component);
    const params = { id: component.liveSystemId, componentId: name };
    const work = asked(world, ({ call }) => call("liveSystems.components.adoptionPlan", { params }));
    const plan = (await answerTo(work, pass)) as { possible: boolean; changes: { parameter: string }[] } | null;
    const shown = [...new Set(plan?.changes.map(({ parameter }) => parameter))].sort();
    const drift = Object.keys(watch.component(name)?.observed.drift ?? {}).sort();
    if (JSON.stringify(shown) !== JSON.stringify(drift))
      watch.fail(
        "plans-come-true",
        `the plan of the hand-back of ${name} names ${shown.join(", ")}, its drift is ${drift.join(", ")}`,
      );
    // What the cloud gave up takes a write of its own, before anything that was sent shows.
    const cycles = watch.judge.evidence.truthOf(component)?.failed === undefined ? 2 : 3;
    await byHand(world, { kind: "hand-back", component: component.path });
    await pass(cycles * slowCycleMs(world));
    const after = watch.component(name);
    if (after?.status !== "Active" && !watch.judge.isStuck(component))
      watch.fail("at-rest-as-declared", `${name} was handed back, and is ${after?.status} ${cycles} cycles later`);
  }
  if (held.length === 0 || watch.broken !== null) return;
  // What was handed over with it follows within two more cycles.
  await pass(2 * slowCycleMs(world));
  watch.judge.atRest();
}

function isGiveable(
  { path, status, lost, leaving, liveSystemId }: StoredComponent,
  { watch, liveSystemId: own }: SimulatedWorld,
): boolean {
  const isDeclared = watch.judge.evidence.declarations.newest(liveSystemId, path) !== null;
  return liveSystemId === own && status === "ManualOverride" && !lost && !leaving && isDeclared;
}

/** Clouds that change their words do so, while people use these words and values are declared there and back. */
async function relearn(world: SimulatedWorld, pass: Pass, id: string): Promise<void> {
  const apps = world.plan.world.clouds.flatMap(({ habits = [] }, at) =>
    habits.includes("recodes") ? [at === 0 ? "a/app" : "b/app"] : [],
  );
  const looked = () => pass(slowCycleMs(world));
  const reword = async (by: "cloud" | "person", value: number) => {
    for (const component of apps) await byHand(world, { kind: "reword", component, by, value, member: "recodes" });
  };
  const deploy = async (level: number) => {
    const variant = { ...variantOf(chanceOf(world.plan.seed)), declared: [...optionalComponents], level };
    await answerTo(deployDefinition(world, simulatedDefinition(world, withPossibleNames(variant, world, id))), pass);
    await mutationsOver(world, pass, id);
  };
  const useEachWord = async () => {
    for (const value of [1, 2, 3]) {
      await reword("person", value);
      await looked();
    }
  };
  if (apps.length === 0) return;
  await deploy(1);
  await useEachWord();
  await reword("cloud", 2);
  await looked();
  await useEachWord();
  await reword("cloud", 1);
  for (const value of [1, 2, 3]) {
    await deploy(2);
    await reword("person", value);
    await deploy(1);
  }
  await looked();
}

async function remove(world: SimulatedWorld, pass: Pass, id: string): Promise<void> {
  const { watch } = world;
  const { evidence } = watch.judge;
  const forecast = forecastOf(id, { components: [] }, evidence);
  await answerTo(
    asked(world, ({ call }) => call("liveSystems.delete", { params: { id } })),
    pass,
  );
  await mutationsOver(world, pass, id);
  await pass(slowCycleMs(world));
  if (watch.broken !== null) return;
  expect(world, "deletes-what-was-asked", wrongAfterDelete(forecast, evidence));
  watch.judge.atRest();
}

function expect({ watch }: SimulatedWorld, invariant: Invariant, wrong: string | null): void {
  if (wrong !== null) watch.fail(invariant, wrong);
}

/** Passes time until the call is answered. */
async function answerTo(work: Promise<unknown>, pass: Pass): Promise<unknown> {
  let answer: { readonly value: unknown } | null = null;
  const end = (value: unknown) => {
    answer = { value };
  };
  work.then(end, () => end(null));
  for (let turns = 0; answer === null && turns < 60; turns++) await pass(1_000);
  return (answer as { readonly value: unknown } | null)?.value ?? null;
}

async function mutationsOver({ watch }: SimulatedWorld, pass: Pass, id: string): Promise<void> {
  for (let turns = 0; watch.judge.evidence.stored.openMutation(id) !== null && turns < 60; turns++) await pass(2_000);
}
