import { isObject } from "@liveplane/core/clouds";
import type { LiveSystemDefinition } from "@liveplane/core/contract";
import type { Json } from "@liveplane/core/store";
import type { Chance } from "../chance.ts";
import { simulatedEnvironment } from "../environments.ts";
import type { SimulatedPlace } from "../places.ts";
import type { DeclaredKind } from "../plan.ts";
import { referenceMark, secretMark, type VariedName, variedNames, variedValues } from "./values.ts";

/** A component of the varied worlds. */
export interface VariedComponent {
  /** Its two paths. */
  readonly paths: readonly [string, string];
  readonly cloud: number;
  readonly kind: DeclaredKind;
}

/** The components. The rules can't have tags. */
export const variedComponents: readonly VariedComponent[] = [
  { paths: ["net", "Net-2"], cloud: 0, kind: "net" },
  { paths: ["app", "app/two"], cloud: 0, kind: "app" },
  { paths: ["rule", "rule-2"], cloud: 0, kind: "rule" },
  { paths: ["far/net", "far/net-2"], cloud: 1, kind: "net" },
  { paths: ["far/app", "far/app-2"], cloud: 1, kind: "app" },
];

/** What is declared of a component. */
export interface VariedState {
  readonly isDeclared: boolean;
  /** Which value of each parameter; those it lacks aren't declared. */
  readonly values: Readonly<Partial<Record<VariedName, number>>>;
  /** Secrets are declared as plain values. */
  readonly isPlain: boolean;
  readonly isRenamed: boolean;
  readonly isRetained: boolean;
  /** Its resource has a name of its own. */
  readonly isNamed: boolean;
  readonly unconditional: boolean;
  /** The output that references name, of which component. */
  readonly refersTo: { readonly component: number; readonly output: string };
  readonly dependsOn: number | null;
  /** What it goes by the tags of, if it can't have tags itself. */
  readonly tagOwner: number;
  /** What an app goes by the tags of, though it could have its own. */
  readonly overridesWith: number | null;
  readonly ignored: readonly string[];
  readonly extras: readonly string[];
  readonly muted: readonly string[];
}

/** What is declared of each component. */
export type VariedStates = readonly VariedState[];

/** What is declared more often than the rest. */
const favoured = ["fixed", "deep", "code", "settings", "variables", "of", "pairs", "rules"] as const;

function drawnName(chance: Chance): VariedName {
  return chance.happens(0.3) ? chance.pick(favoured) : chance.pick(variedNames);
}

const outputs = [
  "id",
  "id",
  "size",
  "size",
  "code",
  "password",
  "/settings/url",
  "/settings/level",
  "/nested/list/0",
  "/variables/0/value",
  "shown",
  "/shown/url",
  "access",
  "absent",
] as const;

/** The states that are declared first. */
export function firstStates(chance: Chance): VariedStates {
  return variedComponents.map((_, at) => {
    const names = new Set<VariedName>([
      "size",
      ...Array.from({ length: chance.between(4, 11) }, () => drawnName(chance)),
    ]);
    return {
      isDeclared: chance.happens(0.85),
      values: Object.fromEntries([...names].map((name) => [name, chance.between(1, 2)])),
      isPlain: chance.happens(0.2),
      isRenamed: false,
      isRetained: chance.happens(0.2),
      isNamed: chance.happens(0.1),
      unconditional: chance.happens(0.3),
      refersTo: { component: otherThan(at, chance), output: chance.pick(outputs) },
      dependsOn: chance.happens(0.2) ? otherThan(at, chance) : null,
      tagOwner: chance.below(2),
      overridesWith: chance.happens(0.15) ? 0 : null,
      ...{ ignored: [], extras: [], muted: [] },
    };
  });
}

/** In which order the components may need each other. */
const ranks = [1, 2, 3, 0, 4] as const;

/** A component that may be needed by another, or that other itself, which needs nobody then. Seldom any, so that two may need each other. */
function otherThan(at: number, chance: Chance): number {
  if (chance.happens(0.05)) return chance.below(variedComponents.length);
  const earlier = variedComponents.flatMap((_, other) => ((ranks[other] ?? 0) < (ranks[at] ?? 0) ? [other] : []));
  return earlier[chance.below(earlier.length)] ?? at;
}

/** The states after somebody has changed up to three things. */
export function changedStates(before: VariedStates, chance: Chance): VariedStates {
  let states = before;
  for (let left = chance.between(1, 3); left > 0; left--) {
    const at = chance.below(states.length);
    const changed = { ...(states[at] as VariedState), ...change(states[at] as VariedState, at, chance) };
    states = states.map((state, other) => (other === at ? changed : state));
  }
  return states;
}

function change(state: VariedState, at: number, chance: Chance): Partial<VariedState> {
  const declared = Object.keys(state.values) as [VariedName, ...VariedName[]];
  const name = chance.happens(0.75) ? chance.pick(declared) : drawnName(chance);
  const { [name]: _, ...others } = state.values;
  const ways: readonly [Partial<VariedState>, ...Partial<VariedState>[]] = [
    { values: { ...others, [name]: chance.between(1, 3) } },
    { values: { ...others, [name]: chance.between(1, 3) } },
    { values: { ...others, [name]: chance.between(1, 3) } },
    declared.length > 2 ? { values: others } : {},
    { isPlain: !state.isPlain },
    { isDeclared: !state.isDeclared },
    { isRenamed: !state.isRenamed },
    { isRetained: !state.isRetained },
    { unconditional: !state.unconditional },
    { refersTo: { component: otherThan(at, chance), output: chance.pick(outputs) } },
    { dependsOn: chance.happens(0.5) ? otherThan(at, chance) : null },
    { tagOwner: 1 - state.tagOwner, overridesWith: state.overridesWith === null ? 0 : null },
    { ignored: chance.happens(0.3) ? [] : [chance.pick(placesIn(name))] },
    {
      extras: chance.happens(0.4)
        ? []
        : [`/${chance.pick(["group", "order", "rules", "codes", "variables", "links"])}`],
    },
    { muted: chance.happens(0.3) ? [] : [name] },
  ];
  return chance.pick(ways);
}

/** The places of a parameter whose changes may be ignored. */
function placesIn(name: VariedName): [string, ...string[]] {
  const deeper: Partial<Record<VariedName, [string, ...string[]]>> = {
    settings: ["/settings", "/settings/url", "/settings/level"],
    nested: ["/nested/level", "/nested/list", "/nested/empty"],
    rules: ["/rules", "/rules/name=one", "/rules/name=two/size"],
    codes: ["/codes/code=i", "/codes/code=j/size"],
    variables: ["/variables/name=TOKEN", "/variables/name=TOKEN/value"],
    deep: ["/deep/free"],
    byLink: ["/byLink"],
  };
  return deeper[name] ?? [`/${name}`];
}

type Declared = LiveSystemDefinition["components"][number];

interface Declaring {
  readonly places: readonly SimulatedPlace[];
  /** How often each component has gone. What comes back has other paths, and so another resource. */
  readonly generations: readonly number[];
  /** @default none */
  readonly mistake?: Mistake | null;
}

/** The declaration of these states. */
export function variedDefinition(
  states: VariedStates,
  { places, generations, mistake = null }: Declaring,
): LiveSystemDefinition {
  const pathIn = (at: number, { isOther }: { readonly isOther: boolean }) =>
    `${variedComponents[at]?.paths[isOther ? 1 : 0]}${suffixOf(generations[at])}`;
  const pathOf = (at: number) => pathIn(at, { isOther: states[at]?.isRenamed === true });
  const components = states.flatMap((state, at): Declared[] => {
    const component = variedComponents[at];
    const place = places[component?.cloud ?? 0];
    if (!isDeclared(states, at) || component === undefined || place === undefined) return [];
    const isThere = (other: number | null) => other !== null && other !== at && isDeclared(states, other);
    const { component: source, output } = state.refersTo;
    const reference = isThere(source) ? `${pathOf(source)}#${output}` : null;
    const isTaggable = component.kind !== "rule";
    const tagOwner = isTaggable ? state.overridesWith : tagOwnerIn(states, state);
    const isGoverned = !isTaggable || (component.kind === "app" && component.cloud === 0 && isThere(tagOwner));
    const names = Object.keys(state.values);
    const declares = (pointer: string) => names.includes(pointer.split("/")[1] ?? "");
    const parameters = {
      location: place.location,
      ...Object.fromEntries(
        Object.entries(state.values).map(([name, nth]) => {
          const declared = variedValues[name as VariedName].declared(nth);
          return [name, marked(declared, { secret: state.isPlain ? `open-${nth}` : null, reference })];
        }),
      ),
      ...(isTaggable && { [place.capabilities.tagParameter]: { team: `t${state.values.size ?? 1}` } }),
    };
    return [
      {
        path: pathOf(at),
        movedFrom: pathIn(at, { isOther: !state.isRenamed }),
        provider: place.provider,
        type: place.types[component.kind] ?? place.types.app,
        parameters,
        ...(state.isNamed && component.kind === "net" && { resourceName: `named-${at}${suffixOf(generations[at])}` }),
        ...(state.isRetained && { deletionPolicy: "Retain" }),
        ...(state.unconditional && { unconditionalWrites: true }),
        ...(state.dependsOn !== null && isThere(state.dependsOn) && { dependsOn: [pathOf(state.dependsOn)] }),
        ...(isGoverned && { overrideWith: pathOf(tagOwner ?? 0) }),
        ...(state.ignored.some(declares) && { ignoreChanges: state.ignored.filter(declares) }),
        ...(state.extras.some(declares) && { allowExtraItems: state.extras.filter(declares) }),
        ...(state.muted.length > 0 && { muteDrift: [...state.muted] }),
      },
    ];
  });
  const own = mistake === null ? components : mistakes[mistake](components);
  return { name: "varied", environmentId: simulatedEnvironment, components: own };
}

function suffixOf(generation = 0): string {
  return generation === 0 ? "" : `-${generation}`;
}

/** Whether a path is one of a component's, of whichever generation. */
export function isPathOf({ paths }: VariedComponent, path: string): boolean {
  return paths.some((one) => path.startsWith(one) && /^(-\d+)?$/.test(path.slice(one.length)));
}

/** What can't have tags is declared only with what it goes by the tags of. */
function isDeclared(states: VariedStates, at: number): boolean {
  const state = states[at];
  if (state?.isDeclared !== true) return false;
  return variedComponents[at]?.kind !== "rule" || states[tagOwnerIn(states, state)]?.isDeclared === true;
}

/** Nothing goes by the tags of an app that itself goes by those of a network. */
function tagOwnerIn(states: VariedStates, { tagOwner }: VariedState): number {
  return states[tagOwner]?.overridesWith === null ? tagOwner : 0;
}

/** A declared value with secrets and references in their places. */
function marked(value: Json, to: { readonly secret: string | null; readonly reference: string | null }): Json {
  if (value === secretMark) return to.secret ?? { $secret: "password" };
  if (value === referenceMark) return to.reference === null ? "nobody" : { $output: to.reference };
  if (Array.isArray(value)) return value.map((item) => marked(item, to));
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([name, member]) => [
    name === referenceMark && to.reference !== null ? `$output:${to.reference}` : name,
    marked(member, to),
  ]);
  return Object.fromEntries(members);
}

type Wrong = (components: readonly Declared[]) => Declared[];

/** Changes the first component. */
const first =
  (wrong: (one: Declared) => Partial<Declared>): Wrong =>
  ([one, ...others]) =>
    one === undefined ? [] : [{ ...one, ...wrong(one) }, ...others];
const declaring = (parameters: Declared["parameters"]) =>
  first((one) => ({ parameters: { ...one.parameters, ...parameters } }));

const declaringPlaces = (ignoreChanges: string[]) => first(() => ({ ignoreChanges }));

/** What is wrong with some declarations. */
const mistakes = {
  twice: (all) => [...all, ...all.slice(0, 1)],
  otherCase: (all) => [...all, ...all.slice(0, 1).map((one) => ({ ...one, path: one.path.toUpperCase() }))],
  unknownCloud: first(() => ({ provider: "provider-z" })),
  reserved: first(() => ({ path: "net/overrides" })),
  unknownNeed: first(() => ({ dependsOn: ["nowhere"] })),
  itself: first(({ path }) => ({ dependsOn: [path] })),
  ownTags: first(({ path }) => ({ overrideWith: path })),
  movedFromOther: ([one, other, ...rest]) =>
    one === undefined || other === undefined
      ? []
      : [{ ...one, path: "new", movedFrom: other.path, resourceName: null }, ...rest],
  badPath: first(() => ({ path: "a//b c" })),
  deepPath: first(() => ({ path: "a/b/c/d/e/f/g/h/i/j/k/l/m" })),
  manyTags: first(({ parameters }) => {
    const tags = Object.fromEntries(Array.from({ length: 70 }, (_, nth) => [`tag${nth}`, "x"]));
    return { parameters: { ...parameters, tags, labels: tags } };
  }),
  oddTags: first(({ parameters }) => ({
    parameters: { ...parameters, tags: { one: 1, ONE: "x" }, labels: { one: 1 } },
  })),
  noTags: first(({ parameters }) => ({ parameters: { ...parameters, tags: "none", labels: [] } })),
  otherCloud: ([one, ...rest]) => [
    ...rest,
    ...(one === undefined ? [] : [{ ...one, provider: "provider-b", type: "run.v1.service" }]),
  ],
  badLists: declaringPlaces(["/variables/0/value", "/nested/list/0", "/of", "/codes/code=", "/rules/name=one/nowhere"]),
  movedFromItself: first(({ path }) => ({ movedFrom: path })),
  unknownOwner: first(() => ({ overrideWith: "nowhere" })),
  circle: ([one, other, ...rest]) =>
    one === undefined || other === undefined
      ? []
      : [{ ...one, dependsOn: [other.path] }, { ...other, dependsOn: [one.path] }, ...rest],
  brokenReference: declaring({
    wrong: { $output: "no mark" },
    other: { $output: 1 },
    both: { $secret: "a", $output: "b" },
  }),
  driftReference: declaring({
    wrong: { $output: "app#drift" },
    secret: { $secret: "" },
    nowhere: { $output: "nowhere#id" },
  }),
  badPlaces: first(() => ({ ignoreChanges: ["size", "/nowhere", "/rules/0"], allowExtraItems: ["/size", "nowhere"] })),
  protocolTags: first(({ parameters }) => ({
    parameters: { ...parameters, tags: { platform: "x", odd: 1 }, labels: { platform: "x", "Bad Key": "x" } },
  })),
  otherType: ([one, other, ...rest]) =>
    one === undefined || other === undefined ? [] : [{ ...one, type: other.type }, other, ...rest],
  taggedRule: (all) => all.map((one) => (one.overrideWith ? { ...one, parameters: { tags: { a: "b" } } } : one)),
  untagged: (all) => all.map(({ overrideWith: _, ...one }) => one),
  sameResource: (all) => all.map((one) => ({ ...one, resourceId: "/subscriptions/s/resourceGroups/g/x" })),
  badName: first(() => ({ resourceName: "no such name!" })),
} as const satisfies Readonly<Record<string, Wrong>>;

/** The name of a mistake. */
export type Mistake = keyof typeof mistakes;
export const mistakeNames = Object.keys(mistakes) as [Mistake, ...Mistake[]];
