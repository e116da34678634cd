import type { ExploreBounds, ExploredWorld } from "../../src/testing/index.ts";

/** The worlds that are explored, by the names under which a schedule is told. */
export const worlds = {
  /** One component, in a cloud that binds writes to what was read. */
  one: { components: 1, conditionalWrites: true, choosesIds: false },
  /** One component, in a cloud that binds nothing and chooses ids. */
  bare: { components: 1, conditionalWrites: false, choosesIds: true },
  /** A network, and an app that refers to it. */
  two: { components: 2, conditionalWrites: true, choosesIds: false },
} as const satisfies Record<string, ExploredWorld>;

/** Bounds, and what they must at least come to: an accident must not make them mean nothing. */
export interface PinnedBounds extends ExploreBounds {
  readonly name: keyof typeof worlds;
  readonly leastStates: number;
}

/** What the protocol itself is about: the tags, the resource, the declaration. */
const amongProtocol = (name: string) => protocol.has(name);
const protocol: ReadonlySet<string> = new Set([
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
]);

/** What a hand-over cannot do without. */
const amongHandover = (name: string) => handover.has(name);
const handover: ReadonlySet<string> = new Set([
  "take over a/net",
  "hand back a/net",
  "edit the size of a/net",
  "remove a/net",
  "deploy size 2",
]);

function within(
  name: keyof typeof worlds,
  [deeds, preemptions]: readonly [number, number],
  leastStates: number,
  among?: (name: string) => boolean,
): PinnedBounds {
  return { name, world: worlds[name], deeds, preemptions, leastStates, ...(among && { among }) };
}

/** What is tried with every test. */
export const quickBounds: readonly PinnedBounds[] = [
  within("one", [1, 0], 600),
  within("two", [1, 0], 600),
  within("one", [1, 1], 5_000, amongHandover),
  within("bare", [1, 1], 5_000, amongHandover),
  within("one", [3, 0], 600, amongHandover),
];

/** What a night is for. */
export const nightlyBounds: readonly PinnedBounds[] = [
  within("bare", [2, 0], 25_000),
  within("two", [2, 0], 45_000),
  within("bare", [2, 1], 60_000, amongHandover),
  within("one", [2, 1], 60_000, amongHandover),
  within("one", [1, 1], 9_000),
  within("bare", [1, 1], 9_000),
  within("one", [3, 0], 9_000, amongProtocol),
  within("two", [1, 1], 15_000),
  within("one", [5, 0], 100_000, amongHandover),
  within("one", [2, 2], 60_000, amongHandover),
];
