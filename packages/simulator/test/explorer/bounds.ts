import type { EndingBounds, ExploreBounds, ExploredWorld } from "../../src/index.ts";

/** The worlds that are explored, by the names under which a schedule is told. */
export const worlds = {
  /** One component, in a cloud that binds writes to what was read. */
  one: { beside: "nothing", conditionalWrites: true, choosesIds: false },
  /** One component, in a cloud that binds nothing and chooses ids. */
  bare: { beside: "nothing", conditionalWrites: false, choosesIds: true },
  /** A network, and an app that refers to it. */
  two: { beside: "an app", conditionalWrites: true, choosesIds: false },
  /** The same, in a cloud that shows values in its own words. */
  worded: { beside: "an app in words", conditionalWrites: true, choosesIds: false },
  /** A network, and a rule that carries no tags: it goes with the network. */
  owned: { beside: "a rule", conditionalWrites: true, choosesIds: false },
} as const satisfies Record<string, ExploredWorld>;

/** Deeds that belong together, by the names under which bounds are told. */
const groups = {
  all: null,
  /** What the protocol itself is about: the tags, the resource, the declaration. */
  "the protocol": [
    "take over a/net",
    "set the management tag of a/net",
    "set the reconcile tag of a/net",
    "hand back a/net",
    "edit the size of a/net",
    "remove a/net",
    "make anew without tags a/net",
    "make anew with the management tag a/net",
    "deploy as it was",
    "deploy size 2",
  ],
  /** What a hand-over cannot do without. */
  "a hand-over": ["take over a/net", "hand back a/net", "edit the size of a/net", "remove a/net", "deploy size 2"],
  /** What is held, and how it comes back. */
  "a hand-back": [
    "take over a/net",
    "edit the size of a/net",
    "set the management tag of a/net",
    "hand back a/net",
    "take the reconcile tag off a/net",
    "remove a/net",
    "make anew with both tags a/net",
    "deploy size 2",
  ],
  /** What is declared, and what becomes of what isn't any more. */
  "a deploy": [
    "deploy as it was",
    "deploy size 2",
    "deploy size 2, retained",
    "deploy with an app",
    "deploy with the network alone",
    "delete the live system",
    "take over a/net",
    "take over a/app",
    "edit the size of a/net",
    "remove a/net",
    "remove a/app",
    "cloud: write fail",
    "crash worker 0",
  ],
  /** Parameters of each kind, and what they refer to. */
  parameters: [
    "deploy size 2, scale left to the cloud",
    "edit the scale of a/app",
    "edit the zones of a/app",
    "edit the password of a/app",
    "edit the mode of a/net",
    "take over a/app",
    "hand back a/app",
    "rotate the secret",
    "take the secret away",
  ],
  /** What carries no tags, and what it goes with. */
  "a tag owner": [
    "take over a/net",
    "hand back a/net",
    "edit the size of a/rule",
    "deploy size 2",
    "deploy with the network alone",
    "delete the live system",
  ],
  /** A take-over that crosses a write. */
  "a crossing": ["take over a/net", "edit the size of a/net"],
  /** Writes that take their time, and what they meet. */
  "slow writes": [
    "take over a/net",
    "edit the size of a/net",
    "cloud: slow write, done in the end",
    "cloud: slow write, given up, marked",
    "cloud: slow write, given up, unmarked",
  ],
  /** The same, and what else people ask for meanwhile. */
  "slow work": [
    "take over a/net",
    "hand back a/net",
    "edit the size of a/net",
    "remove a/net",
    "deploy size 2",
    "delete the live system",
    "crash worker 0",
    "cloud: slow write, done in the end",
    "cloud: slow write, given up, marked",
    "cloud: slow write, given up, unmarked",
  ],
  /** What a cloud shows in its own words, and who changes, accepts and forgets it. */
  words: [
    "put a word of one's own at a/app",
    "let the cloud use another word at a/app",
    "accept the words of a/app",
    "forget the words of a/app",
    "take over a/app",
    "hand back a/app",
    "remove a/app",
    "deploy size 2",
    "cloud: slow write, done in the end",
    "crash worker 0",
  ],
  /** Answers that nobody gets, and who has to make good for that. */
  losses: [
    "remove a/net",
    "edit the size of a/net",
    "hand back a/net",
    "set the reconcile tag of a/net",
    "cloud: write lose-answer",
    "cloud: removeTag lose-answer",
    "cloud: write late",
    "store: lose-answer",
    "crash worker 0",
    "restart worker 0",
  ],
} as const satisfies Record<string, readonly string[] | null>;

/** Bounds, and what they must at least come to: an accident must not make them mean nothing. */
export interface PinnedBounds extends ExploreBounds {
  readonly name: keyof typeof worlds;
  /** World, deeds and preemptions, and which deeds: as the guide names them. */
  readonly title: string;
  readonly leastStates: number;
}

function within(
  name: keyof typeof worlds,
  [deeds, preemptions]: readonly [number, number],
  leastStates: number,
  group: keyof typeof groups = "all",
): PinnedBounds {
  const title = `${name} [${deeds}, ${preemptions}] of ${group}`;
  return { name, title, world: worlds[name], deeds, preemptions, leastStates, ...amongThese(groups[group]) };
}

/** These deeds alone; `null`: any. */
function amongThese(deeds: readonly string[] | null): Pick<ExploreBounds, "among"> {
  return deeds === null ? {} : { among: (deed) => deeds.includes(deed) };
}

/** What is tried with every test. */
export const quickBounds: readonly PinnedBounds[] = [
  within("one", [1, 0], 1_497),
  within("two", [1, 0], 2_506),
  within("owned", [1, 0], 2_005),
  within("one", [1, 1], 7_977, "a hand-over"),
  within("bare", [1, 1], 8_398, "a hand-over"),
  within("one", [2, 0], 2_818, "a hand-over"),
  within("one", [2, 0], 1_502, "slow writes"),
  within("worded", [1, 0], 673, "words"),
];

/** What a night is for. The last takes a quarter of an hour. */
export const nightlyBounds: readonly PinnedBounds[] = [
  within("bare", [2, 0], 79_939),
  within("two", [2, 0], 191_194),
  within("bare", [2, 1], 89_341, "a hand-over"),
  within("one", [2, 1], 85_240, "a hand-over"),
  within("one", [1, 1], 33_519),
  within("bare", [1, 1], 34_113),
  within("one", [3, 0], 29_035, "the protocol"),
  within("one", [3, 0], 18_650, "a hand-back"),
  within("two", [2, 0], 15_614, "a deploy"),
  within("two", [2, 0], 9_919, "parameters"),
  within("owned", [2, 0], 5_103, "a tag owner"),
  within("one", [2, 0], 7_357, "slow work"),
  within("bare", [2, 0], 7_524, "slow work"),
  within("two", [3, 0], 206_851, "a deploy"),
  within("two", [1, 1], 63_381),
  within("worded", [2, 0], 10_837, "words"),
  within("one", [5, 0], 174_963, "a hand-over"),
  within("one", [2, 2], 2_600_000, "a hand-over"),
];

/** Crashes after something was done, and how many schedules they must at least come to. */
export interface PinnedEndings extends EndingBounds {
  readonly name: keyof typeof worlds;
  readonly title: string;
  readonly leastSchedules: number;
}

function crashesIn(
  name: keyof typeof worlds,
  deeds: keyof typeof groups | readonly string[],
  { after = [], leastSchedules }: { readonly after?: readonly string[]; readonly leastSchedules: number },
): PinnedEndings {
  const chosen = typeof deeds === "string" ? groups[deeds] : deeds;
  const what = typeof deeds === "string" ? deeds : deeds.join(", ");
  const title = `${name}, crashes in ${[...after, what].join("; ")}`;
  return { name, title, world: worlds[name], after, leastSchedules, ...amongThese(chosen) };
}

/** Crashes that are tried with every test. */
export const quickEndings: readonly PinnedEndings[] = [crashesIn("one", ["take over a/net"], { leastSchedules: 100 })];

const edited = ["take over a/net", "edit the size of a/net"];

/** Crashes that a night is for. */
export const nightlyEndings: readonly PinnedEndings[] = [
  crashesIn("one", "a hand-over", { leastSchedules: 749 }),
  crashesIn("bare", "a hand-over", { leastSchedules: 773 }),
  crashesIn("one", ["hand back a/net"], { after: edited, leastSchedules: 213 }),
  crashesIn("bare", ["hand back a/net"], { after: edited, leastSchedules: 229 }),
  crashesIn("bare", ["deploy size 2"], { after: ["take over a/net", "remove a/net"], leastSchedules: 261 }),
  crashesIn("two", "a deploy", { leastSchedules: 2_400 }),
];

/** Where mistakes are looked for, one bounds after the other: what is cheap comes first. */
export const huntingBounds: readonly PinnedBounds[] = [
  within("one", [1, 0], 0),
  within("two", [1, 0], 0),
  within("owned", [1, 0], 0),
  within("bare", [1, 0], 0),
  within("one", [2, 0], 0, "the protocol"),
  within("two", [2, 0], 0, "a deploy"),
  within("two", [2, 0], 0, "parameters"),
  within("owned", [2, 0], 0, "a tag owner"),
  within("bare", [2, 0], 0, "losses"),
  within("bare", [2, 1], 0, "a crossing"),
  within("one", [2, 1], 0, "a crossing"),
  within("one", [3, 0], 0, "a hand-back"),
  within("one", [1, 1], 0, "a hand-over"),
  within("one", [2, 1], 0, "a hand-over"),
];
