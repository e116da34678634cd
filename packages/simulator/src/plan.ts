import type { Settings } from "@liveplane/core";
import type { Binding } from "@liveplane/core/clouds";
import { type Chance, chanceOf } from "./chance.ts";
import type { Habit } from "./habits.ts";
import { deedTime, simulatedComponents, variantOf } from "./variants.ts";
import { rewordings, withHabits, withRecoding, wordings } from "./wordings.ts";

/** An event in the world: what people do, which calls fail, what ends a process. */
export type Deed =
  | {
      readonly kind: "tag";
      readonly component: string;
      readonly key: ProtocolTag | NoteTag | OddTag["key"];
      readonly value: string | null;
    }
  | { readonly kind: "hand-back"; readonly component: string }
  | { readonly kind: "edit"; readonly component: string; readonly parameter: string; readonly value: number }
  /** The cloud or a person changes the form of a worded place. @default the member that `value` picks */
  | {
      readonly kind: "reword";
      readonly component: string;
      readonly by: "cloud" | "person";
      readonly value: number;
      readonly member?: Habit;
    }
  /** A person changes a worded place right after the component's next update sends it, before anybody can read the result. */
  | { readonly kind: "trail"; readonly component: string; readonly value: number }
  /** A person accepts what the cloud shows there, or forgets what is known. */
  | { readonly kind: "accept" | "forget"; readonly component: string }
  | { readonly kind: "restore"; readonly component: string }
  | { readonly kind: "remove"; readonly component: string }
  | { readonly kind: "recreate"; readonly component: string; readonly tags: number }
  | { readonly kind: "deploy"; readonly variant: Variant }
  | { readonly kind: "delete" }
  /** Another live system names a component's resource as its own. */
  | { readonly kind: "claim"; readonly component: string }
  /** The environment's secret gets a new value or, with `null`, is deleted. */
  | { readonly kind: "rotate"; readonly value: number | null }
  | { readonly kind: "check" | "plan" | "annotate"; readonly component: string }
  | { readonly kind: "cloud-fault"; readonly cloud: number; readonly call: CloudCallKind; readonly fault: CloudFault }
  /** The next writes of a cloud are accepted and take time. */
  | { readonly kind: "slow"; readonly cloud: number; readonly writes: SlowWrites }
  | { readonly kind: "store-fault"; readonly fault: StoreFault }
  | { readonly kind: "credentials"; readonly cloud: number; readonly there: boolean }
  | { readonly kind: "clock"; readonly process: number; readonly ms: number }
  | { readonly kind: "crash"; readonly process: number; readonly afterCalls: number; readonly downMs: number }
  | { readonly kind: "restart"; readonly process: number }
  | ExistingDeed;

/** What happens to a resource that exists before any declaration names it. */
export interface ExistingDeed {
  readonly kind: "existing";
  readonly cloud: number;
  /** Which of the cloud's existing resources. */
  readonly nth: number;
  /**
   * A person makes it, changes it, sets its management tag to the value of `tag` or deletes it; a live system of its own declares it
   * exactly, or is deleted.
   */
  readonly what: "make" | "edit" | "tag" | "remove" | "adopt" | "release";
  readonly size: number;
  readonly tag: string | null;
}

/** The two tags of the protocol. */
export type ProtocolTag = "managed-by" | "platform";
/** A tag of the protocol in another spelling. Only clouds that ignore case take a differently spelled key for it. */
interface OddTag {
  readonly key: ProtocolTag | "Managed-By" | "MANAGED-BY" | "Platform" | "Platform-Reason";
  readonly value: string;
}
/** The tags by which people say why they take over. */
export type NoteTag = "platform-reason" | "platform-owner" | "platform-until";

/** One possible declaration. */
export interface Variant {
  /** The declared components, of those that may be left out. */
  readonly declared: readonly string[];
  readonly size: number;
  readonly level: number;
  readonly retained: boolean;
  /** Changes of `/scale` are ignored. */
  readonly ignored?: boolean;
  /** Unbound writes are allowed. */
  readonly unconditional?: boolean;
  /** The components that have their other name. */
  readonly renamed?: readonly string[];
  /** Renamed components aren't declared as moved. */
  readonly unsaid?: boolean;
}

/** The calls that a fault affects. */
export type CloudCallKind = "read" | "bulk" | "write" | "removeTag" | "find";

/** The result of the next calls: how many fail, are refused, succeed without an answer, or are late. */
export interface CloudFault {
  readonly what: "fail" | "reject" | "throttle" | "lose-answer" | "late";
  readonly times: number;
}

/** The next slow writes: how many, how long, and how they end. */
export interface SlowWrites {
  readonly takesMs: number;
  readonly times: number;
  /** `done`; or failed, which the resource shows (`marked`), or only the operation (`unmarked`). */
  readonly ends: "done" | "marked" | "unmarked";
  /** Nobody sees a new resource until it is done. */
  readonly hidden: boolean;
}

/** The result of the next commits. */
export interface StoreFault {
  readonly what: "fail" | "lose-answer" | "late";
  readonly times: number;
}

/** What differs between worlds and stays the same within one. */
export interface WorldFacts {
  /** Two processes share the store; one owns it alone. */
  readonly processes: 1 | 2;
  readonly restoredTag: Settings["restoredTag"];
  readonly clouds: readonly CloudVariation[];
}

/** What clouds can and can't do. */
export interface CloudVariation {
  readonly conditionalWrites: boolean;
  readonly choosesIds: boolean;
  readonly identities: boolean;
  /** How far bulk reads lag behind. */
  readonly lagMs: number;
  /** How long a direct read doesn't show a new resource. */
  readonly lateMs?: number;
  /** How it treats apps' values: each habit has a place in their declaration. @default values are shown as sent */
  readonly habits?: readonly Habit[];
  /** Writes are answered without the resource, so only reads show their result. */
  readonly answersEmpty?: boolean;
  /** How the writes of the declared types are bound. @default by etag with `conditionalWrites`, otherwise by mask */
  readonly bindings?: Readonly<Record<DeclaredKind, Binding>>;
}

/** The kinds declared in each cloud. */
export type DeclaredKind = "net" | "app" | "rule";

/** A whole simulation: nothing else influences it. */
export interface SimulationPlan {
  readonly seed: number;
  readonly world: WorldFacts;
  readonly deeds: readonly { readonly at: number; readonly deed: Deed }[];
}

/** The number of events in a simulation. */
export interface PlanSize {
  /** Deeds of people. @default 220 */
  readonly deeds?: number;
  /** Faults. @default 220 */
  readonly faults?: number;
}

/** Derives the events of a seed: this many deeds and this many faults. */
export function planOf(seed: number, { deeds = 220, faults = 220 }: PlanSize = {}): SimulationPlan {
  const chance = chanceOf(seed);
  const processes = chance.happens(0.5) ? 1 : 2;
  const plain: WorldFacts = {
    processes,
    restoredTag: chance.pick(["resume-when-clean", "resume-when-clean", "resume-when-clean", "resume", "wait"]),
    clouds: [variation(chance, { conditionalWrites: true }), variation(chance, { conditionalWrites: false })],
  };
  const world = withRecoding(seed, withHabits(seed, plain));
  const planned = [
    ...Array.from({ length: deeds }, () => ({ at: deedTime(chance), deed: handiwork(chance) })),
    ...Array.from({ length: faults }, () => ({ at: deedTime(chance), deed: mishap(chance, world) })),
    ...remarks(seed, Math.floor(deeds / 14)),
    ...spellings(seed, Math.floor(deeds / 9)),
    ...wordings(seed, world, Math.floor(deeds / 6)),
    ...rewordings(seed, world, Math.floor(deeds / 20)),
  ];
  return { seed, world, deeds: planned.sort((a, b) => a.at - b.at) };
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
    const [at, component] = [momentOf(chance), chance.pick(simulatedComponents)];
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
