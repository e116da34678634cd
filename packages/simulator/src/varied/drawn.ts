import type { Binding } from "@liveplane/core/clouds";
import { type Chance, chanceOf } from "../chance.ts";
import type { CloudFault, CloudVariation, DeclaredKind, SlowWrites, WorldFacts } from "../plan.ts";
import { changedStates, firstStates, mistakeNames, type VariedStates, variedComponents } from "./declarations.ts";
import type { VariedDeed, VariedPlan, VariedTurn } from "./plan.ts";
import { adopted, annotated, edited, released, scene } from "./scenes.ts";
import { type VariedName, variedNames } from "./values.ts";

/** Draws a world in which declarations, clouds and people's deeds vary, and seldom anything fails. */
export function variedPlanOf(seed: number): VariedPlan {
  const chance = chanceOf(seed ^ 0x7a41ed);
  const world: WorldFacts = {
    processes: 1,
    restoredTag: chance.pick(["resume-when-clean", "resume", "wait"]),
    clouds: [variation(chance, { conditionalWrites: true }), variation(chance, { conditionalWrites: false })],
  };
  const stored = world.clouds.map(
    () =>
      Object.fromEntries(variedNames.map((name) => [name, chance.happens(0.5) ? 0 : chance.below(4)])) as Record<
        VariedName,
        number
      >,
  );
  const omitsEmpty = chance.happens(0.5);
  let states = firstStates(chance);
  const deeds: VariedTurn[] = [{ deed: { kind: "declare", states }, thenMs: 20_000 }];
  for (let turns = 90; turns > 0; turns--) {
    const drawn = chance.happens(0.3) ? scene(chance, states) : [drawnDeed(chance, states)];
    for (const deed of drawn) {
      if (deed.kind === "declare") states = deed.states;
      deeds.push({ deed, thenMs: chance.pick([10, 300, 2_000, 8_000, 20_000, 45_000]) });
    }
  }
  const last = chance.pick<VariedDeed>([released(chance), { kind: "delete" }, { kind: "read" }]);
  return { seed, world, stored, omitsEmpty, deeds: [...deeds, { deed: last, thenMs: chance.pick([200, 60_000]) }] };
}

function variation(chance: Chance, { conditionalWrites }: Pick<CloudVariation, "conditionalWrites">): CloudVariation {
  const binding = (): Binding => chance.pick(["etag", "etag", "mask", "fingerprint", "test", "none"]);
  const bindings: Record<DeclaredKind, Binding> = { net: binding(), app: binding(), rule: binding() };
  return {
    conditionalWrites,
    choosesIds: chance.happens(0.2),
    identities: chance.happens(0.7),
    lagMs: chance.pick([0, 2_000]),
    answersEmpty: chance.happens(0.3),
    longWords: chance.pick([0, 0, 990, 1_010, 1_020]),
    ...(chance.happens(0.7) && { bindings }),
    ...(chance.happens(0.3) && { tagBindings: { net: binding(), app: binding() } }),
    ...(chance.happens(0.3) && { forgetsEtags: true }),
    ...(chance.happens(0.3) && { movesOperations: true }),
  };
}

function drawnDeed(chance: Chance, states: VariedStates): VariedDeed {
  const component = chance.below(variedComponents.length);
  const edit = edited(chance, component, states);
  const next = changedStates(states, chance);
  const cloud = chance.below(2);
  return chance.pick<VariedDeed>([
    { kind: "declare", states },
    ...Array.from({ length: 4 }, (): VariedDeed => ({ kind: "declare", states: next })),
    { kind: "plan", states: next, mistake: chance.pick(mistakeNames) },
    { kind: "plan", states: next, mistake: chance.pick(mistakeNames) },
    { kind: "plan", states: next, mistake: null },
    { kind: "plan-new", states: next },
    ...[edit, edit, edit, edit, edit],
    { kind: "take-over", component },
    { kind: "take-over", component },
    { kind: "take-over", component },
    { kind: "hand-back", component },
    { kind: "hand-back", component },
    { kind: "hand-back", component },
    { kind: "remove", component },
    { kind: "recreate", component, isManaged: chance.happens(0.5) },
    tagged(chance, component),
    annotated(chance, component),
    annotated(chance, component),
    annotated(chance, component),
    { kind: "accept", component, every: chance.between(1, 2) },
    { kind: "accept", component, every: chance.between(1, 2) },
    { kind: "forget", component, every: chance.between(1, 2) },
    { kind: "check", component },
    { kind: "plan-hand-back", component },
    { kind: "plan-hand-back", component },
    { kind: "rotate", value: chance.happens(0.08) ? null : `hunter-${chance.below(1000)}-${chance.below(1000)}` },
    { kind: "fault", cloud, call: chance.pick(["read", "write", "write", "bulk"]), what: faultIn(chance) },
    { kind: "slow", cloud, writes: slowWrites(chance) },
    { kind: "slow", cloud, writes: slowWrites(chance) },
    adopted(chance),
    adopted(chance),
    { kind: "read" },
    ...(chance.happens(0.1) ? [{ kind: "delete" } as const] : []),
  ]);
}

function faultIn(chance: Chance): CloudFault["what"] {
  return chance.pick(["fail", "reject", "reject", "throttle", "lose-answer", "late", "busy", "conflict"]);
}

function slowWrites(chance: Chance): SlowWrites {
  return {
    takesMs: chance.pick([500, 5_000, 50_000]),
    times: chance.between(1, 3),
    ends: chance.pick(["done", "done", "marked", "unmarked"]),
    hidden: chance.happens(0.3),
  };
}

function tagged(chance: Chance, component: number): VariedDeed {
  const [key, value] = chance.pick<readonly [string, string]>([
    ["platform-reason", "because"],
    ["platform-owner", "somebody"],
    ["platform-until", "2026-02-01"],
    ["team", "by-hand"],
    ["platform", "reconcile"],
    ["managed-by", "platform"],
    ["managed-by", "somebody-else"],
    ["goog-terraform-provisioned", "true"],
  ]);
  return { kind: "tag", component, key, value };
}
