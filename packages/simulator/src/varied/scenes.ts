import type { Chance } from "../chance.ts";
import type { SlowWrites } from "../plan.ts";
import type { VariedState, VariedStates } from "./declarations.ts";
import type { VariedDeed } from "./plan.ts";
import { type VariedName, variedNames } from "./values.ts";

/** What scenes about one component are made of. */
interface SceneParts {
  readonly component: number;
  readonly state: VariedState;
  readonly check: VariedDeed;
  /** A person takes it over, and that is noticed. */
  readonly takenOver: readonly VariedDeed[];
  readonly handedBack: readonly VariedDeed[];
  /** A person acts during its next write. */
  readonly crossing: VariedDeed;
  readonly release: VariedDeed;
  edit(): VariedDeed;
  note(): VariedDeed;
  /** Declares it otherwise, or plans that. */
  changed(change: Partial<VariedState>): VariedDeed;
  planned(change: Partial<VariedState>): VariedDeed;
  /** Its next write takes time. */
  slow(ends?: SlowWrites["ends"]): VariedDeed;
  pick<const T>(from: readonly [T, ...T[]]): T;
}

/** Deeds that mean more one behind the other. */
export function scene(chance: Chance, states: VariedStates): readonly VariedDeed[] {
  const parts = partsOf(chance, states);
  return chance.pick([...scenesOfPeople(parts), ...scenesOfWrites(parts)] as [VariedDeed[], ...VariedDeed[][]]);
}

function partsOf(chance: Chance, states: VariedStates): SceneParts {
  const component = chance.pick([0, 1, 1, 3, 4]);
  const failing = chance.pick(["marked", "unmarked"] as const);
  const check: VariedDeed = { kind: "check", component };
  const withChange = (change: Partial<VariedState>): VariedStates =>
    states.map((state, at) => (at === component ? { ...state, ...change } : state));
  return {
    component,
    state: states[component] as VariedState,
    check,
    takenOver: [{ kind: "take-over", component }, check],
    handedBack: [{ kind: "plan-hand-back", component }, { kind: "hand-back", component }, check],
    crossing: {
      ...{ kind: "cross", component },
      ...{ when: chance.pick(["claimed", "sent"]), does: chance.pick(["take-over", "take-over", "remove", "edit"]) },
    },
    release: released(chance),
    edit: () => edited(chance, component, states),
    note: () => annotated(chance, component),
    changed: (change) => ({ kind: "declare", states: withChange(change) }),
    planned: (change) => ({ kind: "plan", states: withChange(change), mistake: null }),
    slow: (ends = failing) => ({
      kind: "slow",
      cloud: component < 3 ? 0 : 1,
      writes: { takesMs: chance.pick([500, 5_000]), times: 1, ends, hidden: chance.happens(0.2) },
    }),
    pick: chance.pick,
  };
}

/** What happens to something that a person has, and what people accept. */
function scenesOfPeople(parts: SceneParts): VariedDeed[][] {
  const { component, state, check, takenOver, handedBack, release, edit, note, changed, pick } = parts;
  const left = { isDeclared: false, isRetained: true };
  const accepted: VariedDeed = { kind: "accept", component, every: 1 };
  const governed = changed({ overridesWith: 0 });
  const ownerTakenOver: VariedDeed = { kind: "take-over", component: 0 };
  return [
    [...takenOver, note(), note(), edit(), ...handedBack],
    [...takenOver, note(), { kind: "remove", component }, changed(left)],
    [...takenOver, { kind: "remove", component }, check, pick<VariedDeed>([changed({}), release, { kind: "delete" }])],
    [...takenOver, edit(), edit(), accepted, ...handedBack, edit(), check],
    [edit(), accepted, edit(), edit(), check],
    [...takenOver, changed({ isPlain: !state.isPlain }), check, check, ...handedBack],
    [...takenOver, governed, ownerTakenOver, check, changed(left)],
    [governed, ownerTakenOver, check, edit(), check, { kind: "hand-back", component: 0 }, check],
  ];
}

/** What becomes of writes and declarations. */
function scenesOfWrites(parts: SceneParts): VariedDeed[][] {
  const { component, check, edit, changed, planned, slow, crossing } = parts;
  const { values, isRenamed } = parts.state;
  const larger = changed({ values: { ...values, size: 3 } });
  const withCode = { ...values, code: 1, size: 4 - (values.size ?? 1) };
  const renamed = { isRenamed: !isRenamed };
  return [
    [{ kind: "delete" }, changed({}), changed({})],
    [slow(), larger, check, check],
    [slow(), changed({ values: withCode, isPlain: false }), check, check],
    [changed({ values: { ...values, code: 1, settings: 1 }, isPlain: false, ...renamed }), check],
    [
      planned(renamed),
      changed(renamed),
      planned({ isDeclared: false }),
      planned({ values: { ...values, fixed: 3, deep: 3, size: 3 } }),
    ],
    [slow(), edit(), check, check],
    [slow("done"), edit(), crossing, check, check],
    [crossing, edit(), check, check, edit()],
    [crossing, edit(), check, check, edit()],
    [crossing, larger, check],
    [{ kind: "remove", component }, crossing, check, check],
    [
      ...Array.from({ length: 4 }, (): VariedDeed => ({ kind: "fault", cloud: 0, call: "read", what: "fail" })),
      { kind: "adopt", exact: false, size: 1, refers: false, hides: true },
      { kind: "rotate", value: null },
      check,
    ],
  ];
}

/** A resource that exists is declared. */
export function adopted(chance: Chance): VariedDeed {
  const [exact, refers, hides] = [chance.happens(0.6), chance.happens(0.4), chance.happens(0.4)];
  return { kind: "adopt", exact, size: chance.between(1, 2), refers, hides };
}

/** An owner goes, at once or while the agent goes on. */
export function released(chance: Chance): VariedDeed {
  return { kind: "release", afterMs: chance.pick([0, 0, 40_000]) };
}

/** A person changes a parameter of a component, mostly one that is declared. */
export function edited(chance: Chance, component: number, states: VariedStates): VariedDeed {
  const declared = Object.keys(states[component]?.values ?? {}) as [VariedName, ...VariedName[]];
  const name = chance.happens(0.9) ? chance.pick(declared) : chance.pick(variedNames);
  return { kind: "edit", component, name, nth: chance.below(3) };
}

/** One of two people notes something. */
export function annotated(chance: Chance, component: number): VariedDeed {
  const word = (name: string) => chance.pick([null, `${name} ${chance.below(9)}`, `${name} ${chance.below(9)}`]);
  const [reason, ticket] = [word("reason"), word("ticket")];
  return {
    ...{ kind: "annotate", component, isOther: chance.happens(0.5) },
    note: { ...(chance.happens(0.8) && { reason }), ...(chance.happens(0.5) && { ticket }) },
    remindInMs: chance.pick([null, null, 1_000, 60_000, -1_000]),
  };
}
