import type { Binding } from "@liveplane/core/clouds";
import { type Chance, chanceOf } from "../chance.ts";
import type { CloudFault, CloudVariation, DeclaredKind, SlowWrites, WorldFacts } from "../plan.ts";
import {
  changedStates,
  firstStates,
  isDeclared,
  type Mistake,
  mistakeNames,
  type VariedState,
  type VariedStates,
  variedComponents,
} from "./declarations.ts";
import { type VariedName, variedNames } from "./values.ts";

/** What happens in a varied world. Components are named by their position. */
export type VariedDeed =
  | { readonly kind: "declare" | "plan" | "plan-new"; readonly states: VariedStates; readonly mistake: Mistake | null }
  | { readonly kind: "edit"; readonly component: number; readonly name: VariedName; readonly nth: number }
  | { readonly kind: "take-over" | "hand-back" | "remove"; readonly component: number }
  /** A person acts once the agent has claimed the component for its next write, or right after it has sent that. */
  | {
      readonly kind: "cross";
      readonly component: number;
      readonly when: "claimed" | "sent";
      readonly does: "take-over" | "remove" | "edit";
    }
  | { readonly kind: "recreate"; readonly component: number; readonly isManaged: boolean }
  | { readonly kind: "tag"; readonly component: number; readonly key: string; readonly value: string }
  /** One of two people notes something about an override; `null` clears what was noted. */
  | {
      readonly kind: "annotate";
      readonly component: number;
      readonly isOther: boolean;
      readonly note: { readonly reason?: string | null; readonly ticket?: string | null };
      readonly remindInMs: number | null;
    }
  /** A person accepts what the cloud shows at some places, or forgets it. */
  | { readonly kind: "accept" | "forget"; readonly component: number; readonly every: number }
  | { readonly kind: "check" | "plan-hand-back"; readonly component: number }
  | { readonly kind: "rotate"; readonly value: string | null }
  | {
      readonly kind: "fault";
      readonly cloud: number;
      readonly call: "read" | "write" | "bulk";
      readonly what: CloudFault["what"];
    }
  | { readonly kind: "slow"; readonly cloud: number; readonly writes: SlowWrites }
  | { readonly kind: "delete" }
  /** The owner's account is closed: everything is fenced, and then released. */
  | { readonly kind: "release" }
  /** Another live system declares a resource that exists, as it is or as it should be. */
  | { readonly kind: "adopt"; readonly exact: boolean; readonly size: number; readonly refers: boolean }
  | { readonly kind: "read" };

/** A deed, and how long nothing else happens after it. */
interface Timed {
  readonly deed: VariedDeed;
  readonly thenMs: number;
}

/** A whole varied world. */
export interface VariedPlan {
  readonly seed: number;
  readonly world: WorldFacts;
  /** How each cloud stores each parameter, by position. */
  readonly stored: readonly Readonly<Record<VariedName, number>>[];
  /** Whether the clouds leave out empty values. */
  readonly omitsEmpty: boolean;
  readonly deeds: readonly Timed[];
}

/** Draws a world in which declarations, clouds and people's deeds vary, and seldom anything fails. */
export function variedPlanOf(seed: number): VariedPlan {
  const chance = chanceOf(seed ^ 0x7a41ed);
  const world: WorldFacts = {
    processes: 1,
    restoredTag: chance.pick(["resume-when-clean", "resume", "wait"]),
    clouds: [variation(chance, true), variation(chance, false)],
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
  const left = new Set<number>();
  const deeds: Timed[] = [{ deed: { kind: "declare", states, mistake: null }, thenMs: 20_000 }];
  for (let turns = 90; turns > 0; turns--) {
    const drawn = chance.happens(0.3) ? scene(chance, states) : [drawnDeed(chance, states)];
    for (const one of drawn) {
      const deed = one.kind === "declare" ? { ...one, states: withSecretsOf(left, one.states) } : one;
      if (deed.kind === "declare" && deed.mistake === null) {
        for (const at of states.keys()) if (isDeclared(states, at) && !isDeclared(deed.states, at)) left.add(at);
        states = withSecretsOf(left, deed.states);
      }
      deeds.push({ deed, thenMs: chance.pick([10, 300, 2_000, 8_000, 20_000, 45_000]) });
    }
  }
  const last = chance.pick<VariedDeed>([{ kind: "release" }, { kind: "delete" }, { kind: "read" }]);
  return { seed, world, stored, omitsEmpty, deeds: [...deeds, { deed: last, thenMs: chance.pick([200, 60_000]) }] };
}

/** What has left may come back to a resource that still has a secret, and nobody knows that any more: it is declared with the secret again. */
function withSecretsOf(left: ReadonlySet<number>, states: VariedStates): VariedStates {
  return states.map((state, at) => (left.has(at) ? { ...state, isPlain: false } : state));
}

function variation(chance: Chance, conditionalWrites: boolean): CloudVariation {
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

/** Deeds that mean more one behind the other. */
function scene(chance: Chance, states: VariedStates): VariedDeed[] {
  const component = chance.pick([0, 1, 1, 3, 4]);
  const edit = () => edited(chance, component, states);
  const withChange = (change: Partial<VariedState>) =>
    states.map((state, at) => (at === component ? { ...state, ...change } : state));
  const changed = (change: Partial<VariedState>): VariedDeed => ({
    ...{ kind: "declare", states: withChange(change), mistake: null },
  });
  const { isPlain = false, isRenamed = false, values = {} } = states[component] ?? {};
  const planned = (change: Partial<VariedState>): VariedDeed => ({
    ...{ kind: "plan", states: withChange(change), mistake: null },
  });
  const takenOver: VariedDeed[] = [
    { kind: "take-over", component },
    { kind: "check", component },
  ];
  const handedBack: VariedDeed[] = [
    { kind: "plan-hand-back", component },
    { kind: "hand-back", component },
    { kind: "check", component },
  ];
  const check: VariedDeed = { kind: "check", component };
  const failing = chance.pick(["marked", "unmarked"] as const);
  const slow = (ends: SlowWrites["ends"]): VariedDeed => ({
    kind: "slow",
    cloud: component < 3 ? 0 : 1,
    writes: { takesMs: chance.pick([500, 5_000]), times: 1, ends, hidden: chance.happens(0.2) },
  });
  const governed = { overridesWith: 0 };
  const crossing: VariedDeed = {
    ...{ kind: "cross", component },
    ...{ when: chance.pick(["claimed", "sent"]), does: chance.pick(["take-over", "take-over", "remove", "edit"]) },
  };
  return chance.pick<VariedDeed[]>([
    [...takenOver, annotated(chance, component), annotated(chance, component), edit(), ...handedBack],
    [
      ...takenOver,
      annotated(chance, component),
      { kind: "remove", component },
      changed({ isDeclared: false, isRetained: true }),
    ],
    [
      ...takenOver,
      { kind: "remove", component },
      check,
      chance.pick([changed({}), { kind: "release" }, { kind: "delete" }]),
    ],
    [...takenOver, edit(), edit(), { kind: "accept", component, every: 1 }, ...handedBack, edit(), check],
    [edit(), { kind: "accept", component, every: 1 }, edit(), edit(), check],
    [...takenOver, changed({ isPlain: !isPlain }), check, check, ...handedBack],
    [
      ...takenOver,
      changed(governed),
      { kind: "take-over", component: 0 },
      check,
      changed({ isDeclared: false, isRetained: true }),
    ],
    [
      changed(governed),
      { kind: "take-over", component: 0 },
      check,
      edit(),
      check,
      { kind: "hand-back", component: 0 },
      check,
    ],
    [{ kind: "delete" }, changed({}), changed({})],
    [slow(failing), changed({ values: { ...values, size: 3 } }), check, check],
    [
      slow(failing),
      changed({ values: { ...values, code: 1, size: 4 - (values.size ?? 1) }, isPlain: false }),
      check,
      check,
    ],
    [changed({ values: { ...values, code: 1, settings: 1 }, isPlain: false, isRenamed: !isRenamed }), check],
    [
      planned({ isRenamed: !isRenamed }),
      changed({ isRenamed: !isRenamed }),
      planned({ isDeclared: false }),
      planned({ values: { ...values, fixed: 3, deep: 3, size: 3 } }),
    ],
    [slow(failing), edit(), check, check],
    [slow("done"), edit(), crossing, check, check],
    [crossing, edit(), check, check, edit()],
    [crossing, edit(), check, check, edit()],
    [crossing, changed({ values: { ...values, size: 3 } }), check],
    [{ kind: "remove", component }, crossing, check, check],
  ]);
}

function edited(chance: Chance, component: number, states: VariedStates): VariedDeed {
  const declared = Object.keys(states[component]?.values ?? {}) as [VariedName, ...VariedName[]];
  const name = chance.happens(0.9) ? chance.pick(declared) : chance.pick(variedNames);
  return { kind: "edit", component, name, nth: chance.below(3) };
}

function drawnDeed(chance: Chance, states: VariedStates): VariedDeed {
  const component = chance.below(variedComponents.length);
  const edit = edited(chance, component, states);
  const mistake = chance.happens(0.15) ? chance.pick(mistakeNames) : null;
  const next = changedStates(states, chance);
  const cloud = chance.below(2);
  return chance.pick<VariedDeed>([
    { kind: "declare", states: next, mistake },
    { kind: "declare", states: next, mistake },
    { kind: "declare", states: next, mistake },
    { kind: "declare", states: next, mistake: null },
    { kind: "declare", states, mistake: null },
    { kind: "plan", states: next, mistake: chance.pick(mistakeNames) },
    { kind: "plan", states: next, mistake: chance.pick(mistakeNames) },
    { kind: "plan", states: next, mistake: null },
    { kind: "plan-new", states: next, mistake: null },
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
    { kind: "adopt", exact: chance.happens(0.6), size: chance.between(1, 2), refers: chance.happens(0.4) },
    { kind: "adopt", exact: chance.happens(0.6), size: chance.between(1, 2), refers: chance.happens(0.4) },
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

function annotated(chance: Chance, component: number): VariedDeed {
  const word = (name: string) => chance.pick([null, `${name} ${chance.below(9)}`, `${name} ${chance.below(9)}`]);
  const [reason, ticket] = [word("reason"), word("ticket")];
  return {
    ...{ kind: "annotate", component, isOther: chance.happens(0.5) },
    note: { ...(chance.happens(0.8) && { reason }), ...(chance.happens(0.5) && { ticket }) },
    remindInMs: chance.pick([null, null, 1_000, 60_000, -1_000]),
  };
}
