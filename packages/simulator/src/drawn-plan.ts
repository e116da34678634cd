import type { Binding } from "@liveplane/core/clouds";
import { type Chance, chanceOf } from "./chance.ts";
import { handOvers } from "./hand-overs.ts";
import { heldScenes } from "./held-scenes.ts";
import { moments } from "./moments.ts";
import { oddScenes } from "./odd-scenes.ts";
import type {
  CloudVariation,
  Deed,
  NoteTag,
  OddTag,
  ProtocolTag,
  SimulationPlan,
  SlowWrites,
  WorldFacts,
} from "./plan.ts";
import { rareScenes } from "./rare-scenes.ts";
import { scenes } from "./scenes.ts";
import { withExtras, withOddBindings, withRareTraits, withTraits } from "./traits.ts";
import { deedTime, simulatedComponents, variantOf } from "./variants.ts";
import { rewordings, withHabits, withRecoding, withSpelling, wordings } from "./wordings.ts";

/** The number of events in a simulation. */
export interface PlanSize {
  /** Deeds of people. @default 220 */
  readonly deeds?: number;
  /** Faults. @default 220 */
  readonly faults?: number;
  /**
   * `drawn`: most of the worlds with two processes have leases that end. In half of all worlds, writes arrive late, and in all of them people
   * act right before writes. @default "none"
   */
  readonly leases?: "drawn" | "none";
}

/** Derives the events of a seed: this many deeds and this many faults. */
export function planOf(seed: number, { deeds = 220, faults = 220, leases = "none" }: PlanSize = {}): SimulationPlan {
  const chance = chanceOf(seed);
  const processes = chance.happens(0.5) ? 1 : 2;
  const plain: WorldFacts = {
    processes,
    restoredTag: chance.pick(["resume-when-clean", "resume-when-clean", "resume-when-clean", "resume", "wait"]),
    clouds: [variation(chance, { conditionalWrites: true }), variation(chance, { conditionalWrites: false })],
  };
  const unleased = withSpelling(seed, withRecoding(seed, withHabits(seed, plain)));
  const usual = withTraits(seed, leases === "none" ? unleased : withLeases(seed, unleased));
  const world = withOddBindings(seed, withExtras(seed, withRareTraits(seed, usual)));
  const planned = [
    ...Array.from({ length: deeds }, () => ({ at: deedTime(chance), deed: handiwork(chance) })),
    ...Array.from({ length: faults }, () => ({ at: deedTime(chance), deed: mishap(chance, world) })),
    ...remarks(seed, Math.floor(deeds / 14)),
    ...spellings(seed, Math.floor(deeds / 9)),
    ...wordings(seed, world, Math.floor(deeds / 6)),
    ...rewordings(seed, world, Math.floor(deeds / 20)),
    ...pauses(seed, world, Math.floor(faults / 8)),
    ...crossings(seed, world, Math.floor(deeds / 11)),
    ...scenes(seed, Math.floor(deeds / 14)),
    ...rareScenes(seed, world, Math.floor(deeds / 14)),
    ...heldScenes(seed, world, Math.floor(deeds / 18)),
    ...oddScenes(seed, world, Math.floor(deeds / 36)),
    ...moments(seed, world, Math.floor(deeds / 24)),
    ...handOvers(seed, Math.floor(deeds / 110)),
    ...(leases === "none" ? [] : stragglers(seed, Math.floor(faults / 11))),
    ...(leases === "none" ? [] : slips(seed, Math.floor(deeds / 15))),
  ];
  // When people are reminded, and who took over, is judged by the clocks, so none is wrong there.
  const isTimed = world.muted !== undefined || world.clouds.some(({ logMs }) => logMs !== undefined);
  const kept = isTimed ? planned.filter(({ deed }) => deed.kind !== "clock") : planned;
  return { seed, world, deeds: kept.sort((a, b) => a.at - b.at) };
}

/** Most of the worlds with two processes have leases. Drawn separately, so that a seed's other choices don't change. */
function withLeases(seed: number, world: WorldFacts): WorldFacts {
  return world.processes === 2 && chanceOf(seed ^ 0x1ea5e).happens(0.8) ? { ...world, leases: true } : world;
}

/** Pauses, shorter and longer than a lease and than a claim. */
function pauses(seed: number, { leases, processes }: WorldFacts, count: number): { at: number; deed: Deed }[] {
  if (leases !== true) return [];
  const chance = chanceOf(seed ^ 0x9a05e);
  return Array.from({ length: count }, () => {
    const after = chance.happens(0.5) ? "claim" : chance.below(40);
    const pause = { kind: "pause", after, ms: chance.pick([5_000, 14_000, 25_000, 70_000]) } as const;
    return { at: deedTime(chance), deed: { ...pause, process: chance.below(processes) } };
  });
}

/** Take-overs that cross a write, each after an edit that somebody makes. */
function crossings(seed: number, { leases }: WorldFacts, count: number): { at: number; deed: Deed }[] {
  if (leases !== true) return [];
  const chance = chanceOf(seed ^ 0xc2055);
  return Array.from({ length: count }, (): { at: number; deed: Deed }[] => {
    const [at, component] = [deedTime(chance), chance.pick(simulatedComponents)];
    const then = chance.pick(["lose-answer", "fail-read", "nothing"]);
    const edit: Deed = { kind: "edit", component, parameter: "level", value: chance.between(4, 9) };
    return [
      { at, deed: { kind: "cross", component, then } },
      { at: at + 1, deed: edit },
    ];
  }).flat();
}

/** Writes that arrive after their sender has given up, in half of the worlds. */
function stragglers(seed: number, count: number): { at: number; deed: Deed }[] {
  const chance = chanceOf(seed ^ 0x57a66);
  if (chance.happens(0.5)) return [];
  return Array.from({ length: count }, () => {
    const call = chance.pick(["write", "write", "write", "removeTag"]);
    const fault = { what: "straggle", times: 1 } as const;
    return { at: deedTime(chance), deed: { kind: "cloud-fault", cloud: chance.below(2), call, fault } };
  });
}

/** Hand-backs with drift, and what people do between the decision about them and the write. */
function slips(seed: number, count: number): { at: number; deed: Deed }[] {
  const chance = chanceOf(seed ^ 0x5119);
  return Array.from({ length: count }, (): { at: number; deed: Deed }[] => {
    const [end, component] = [deedTime(chance), chance.pick(simulatedComponents)];
    const then = chance.pick(["withdraw", "take-over", "replace"]);
    return [
      { at: Math.max(0, end - 40_000), deed: { kind: "tag", component, key: "managed-by", value: null } },
      { at: end, deed: { kind: "edit", component, parameter: "level", value: chance.between(4, 9) } },
      { at: end, deed: { kind: "slip", component, then } },
      { at: end, deed: { kind: "hand-back", component } },
    ];
  }).flat();
}

function variation(chance: Chance, { conditionalWrites }: Pick<CloudVariation, "conditionalWrites">): CloudVariation {
  const [most, some] = conditionalWrites ? (["etag", "mask"] as const) : (["mask", "etag"] as const);
  const binding = (): Binding => {
    if (chance.happens(0.07)) return "none";
    return chance.happens(0.88) ? most : some;
  };
  return {
    conditionalWrites,
    choosesIds: chance.happens(0.25),
    identities: !chance.happens(0.25),
    lagMs: chance.pick([0, 0, 5_000, 40_000]),
    lateMs: chance.pick([0, 0, 4_000, 20_000]),
    bindings: { net: binding(), app: binding(), rule: binding() },
  };
}

const kinds = [
  ...["tag", "tag", "tag", "tag", "tag", "tag", "hand-back", "hand-back", "hand-back", "edit", "edit", "edit"],
  ...["restore", "remove", "recreate", "recreate", "deploy", "check", "check", "plan", "annotate", "claim"],
] as unknown as readonly ["tag", ...Deed["kind"][]];

function handiwork(chance: Chance): Deed {
  if (chance.happens(0.01)) return { kind: "delete" };
  if (chance.happens(0.01)) return { kind: "rotate", value: chance.happens(0.2) ? null : chance.between(1, 9) };
  const component = chance.pick(simulatedComponents);
  const kind = chance.pick(kinds);
  switch (kind) {
    case "tag":
      return { kind, component, ...tagEdit(chance) };
    case "edit":
      return { kind, component, parameter: chance.pick(edited), value: chance.between(1, 3) };
    case "recreate":
      return { kind, component, tags: chance.below(3) };
    case "deploy":
      return { kind, variant: variantOf(chance) };
    default:
      return { kind, component } as Deed;
  }
}

type Note = { readonly key: NoteTag; readonly value: string | null };

/** The notes of take-overs, including unreadable and expired ones. */
const notes: readonly [Note, ...Note[]] = [
  { key: "platform-reason", value: "maintenance" },
  { key: "platform-owner", value: "team-blue" },
  { key: "platform-until", value: "2030-01-02" },
  { key: "platform-until", value: "2020-01-02" },
  { key: "platform-until", value: "soon" },
  { key: "platform-reason", value: null },
];

/** Notes on current and future take-overs. Drawn separately, so that a seed's other choices don't change. */
function remarks(seed: number, count: number): { at: number; deed: Deed }[] {
  const chance = chanceOf(seed ^ 0x5a1d);
  return Array.from({ length: count }, () => {
    const deed: Deed = { kind: "tag", component: chance.pick(simulatedComponents), ...chance.pick(notes) };
    return { at: deedTime(chance), deed };
  });
}

/** Tags whose keys or values are spelled in another way. Drawn separately, so that a seed's other choices don't change. */
function spellings(seed: number, count: number): { at: number; deed: Deed }[] {
  const chance = chanceOf(seed ^ 0x7a65);
  return Array.from({ length: count }, () => {
    const [at, component] = [deedTime(chance), chance.pick(simulatedComponents)];
    const tags = chance.happens(0.5) ? oddHandBack : [chance.pick(oddTags)];
    return tags.map((tag, nth) => ({ at: at + nth, deed: { kind: "tag", component, ...tag } as const }));
  }).flat();
}

/** A hand-back in other letters. */
const oddHandBack: readonly OddTag[] = [
  { key: "Managed-By", value: "platform" },
  { key: "Platform", value: "reconcile" },
];

const oddTags: readonly [OddTag, ...OddTag[]] = [
  { key: "Managed-By", value: "platform" },
  { key: "MANAGED-BY", value: "platform" },
  { key: "Managed-By", value: "me" },
  { key: "Platform", value: "reconcile" },
  { key: "Platform-Reason", value: "maintenance" },
  { key: "Platform-Reason", value: "upgrade" },
  { key: "Platform-Reason", value: "incident" },
  { key: "managed-by", value: "Platform" },
  { key: "managed-by", value: "" },
  { key: "platform", value: "Reconcile" },
];

/** What people edit: scalars, a tag, a nested value, a list, an ignored place, and a secret. */
const edited = ["size", "size", "level", "level", "team", "mode", "zones", "scale", "password"] as const;

function tagEdit(chance: Chance): { key: ProtocolTag; value: string | null } {
  if (chance.happens(0.65)) {
    const value = chance.pick([null, null, null, "platform", "platform", "me", "none"]);
    return { key: "managed-by", value };
  }
  return { key: "platform", value: chance.pick(["reconcile", "reconcile", null, "done"]) };
}

function mishap(chance: Chance, { processes }: WorldFacts): Deed {
  const process = chance.below(processes);
  const cloud = chance.below(2);
  const kind = chance.below(100);
  if (kind < 66) {
    const call = chance.pick(["read", "read", "bulk", "write", "write", "removeTag", "find"]);
    const what = chance.pick(["fail", "throttle", "lose-answer", "lose-answer", "late", "reject"]);
    return { kind: "cloud-fault", cloud, call, fault: { what, times: chance.between(1, 3) } };
  }
  if (kind < 72) return { kind: "slow", cloud, writes: slowWrites(chance) };
  if (kind < 84) {
    const what = chance.pick(["fail", "lose-answer", "late"]);
    return { kind: "store-fault", fault: { what, times: chance.between(1, 2) } };
  }
  if (kind < 88) return { kind: "credentials", cloud, there: chance.happens(0.6) };
  if (kind < 92)
    return { kind: "clock", process, ms: chance.pick([-5 * 3_600_000, -60_000, -5_000, 5_000, 60_000, 3_600_000]) };
  if (kind < 98)
    return { kind: "crash", process, afterCalls: chance.below(40), downMs: chance.between(10_000, 40_000) };
  return { kind: "restart", process };
}

function slowWrites(chance: Chance): SlowWrites {
  return {
    takesMs: chance.pick([3_000, 20_000, 60_000, 180_000]),
    times: chance.between(1, 2),
    ends: chance.pick(["done", "done", "marked", "unmarked"]),
    hidden: chance.happens(0.3),
  };
}
