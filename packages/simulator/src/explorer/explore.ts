import type { RulesOf } from "../judge/create-judge.ts";
import type { Broken } from "../judge/facts.ts";
import { type NamedDeed, namedDeeds } from "./deeds.ts";
import { type Choice, type ChosenStep, type ExploredWorld, followSchedule, type Moment } from "./schedule.ts";
import { stateDigest } from "./state-digest.ts";

/** The bounds of an exploration. */
export interface ExploreBounds {
  readonly world: ExploredWorld;
  /** The most deeds of people and faults. */
  readonly deeds: number;
  /** The most choices that interrupt a worker. */
  readonly preemptions: number;
  /** Which deeds, by name. @default all */
  readonly among?: (name: string) => boolean;
}

/** Options of an exploration. */
export interface ExploreOptions {
  /** Asked before each schedule, with the number so far. @default until everything was tried */
  readonly goesOn?: (schedules: number) => boolean;
  /** What to judge by. @default the judge's own rules */
  readonly rulesOf?: RulesOf;
}

/** The result of an exploration. */
export interface Explored {
  /** The number of schedules followed: each until its end, or until a known state. */
  readonly schedules: number;
  readonly states: number;
  /** A digest of all these states: another one means that the agent does something else. */
  readonly digest: number;
  /** Everything within the bounds was tried. */
  readonly exhausted: boolean;
  /** Pairs of deeds that were done one after the other. */
  readonly combined: ReadonlySet<string>;
  /** The shortest failing schedule; `null` if everything held. */
  readonly found: { readonly broken: Broken; readonly decisions: readonly ChosenStep[] } | null;
}

/** What a schedule has used of its bounds. */
interface Spent {
  readonly deeds: number;
  readonly preemptions: number;
}

/** A followed schedule, and the moments after its last decision at which something else could happen. */
interface Branch {
  readonly decisions: readonly ChosenStep[];
  readonly moments: readonly Moment[];
}

/** Runs the agent through all schedules within bounds, those with few decisions first. No state is continued twice. */
export async function explore(bounds: ExploreBounds, options: ExploreOptions = {}): Promise<Explored> {
  const { goesOn = () => true, rulesOf } = options;
  const exploration = new Exploration(bounds, rulesOf);
  let branches = [await exploration.follow([])];
  while (branches.length > 0) {
    const next: Branch[] = [];
    for (const branch of branches) {
      for (const decisions of exploration.continued(branch)) {
        if (exploration.found !== null || !goesOn(exploration.schedules))
          return exploration.result({ exhausted: false });
        const longer = await exploration.follow(decisions);
        if (longer.moments.length > 0) next.push(longer);
      }
    }
    branches = next;
  }
  return exploration.result({ exhausted: true });
}

/** The pair of two deeds, in either order. */
export function pairOf(one: string, other: string): string {
  return [one, other].sort().join(" + ");
}

class Exploration {
  readonly #bounds: ExploreBounds;
  readonly #rulesOf: RulesOf | undefined;
  readonly #deeds: readonly NamedDeed[];
  /** What the schedules had used when they reached a state. */
  readonly #known = new Map<number, readonly Spent[]>();
  readonly #combined = new Set<string>();
  schedules = 0;
  found: Explored["found"] = null;

  constructor(bounds: ExploreBounds, rulesOf: RulesOf | undefined) {
    const { world, among = () => true } = bounds;
    this.#bounds = bounds;
    this.#rulesOf = rulesOf;
    this.#deeds = namedDeeds(world.beside).filter(({ name }) => among(name));
  }

  async follow(decisions: readonly ChosenStep[]): Promise<Branch> {
    const moments: Moment[] = [];
    const spent = spentBy(decisions);
    const visit = (moment: Moment): boolean => {
      if (!this.#isNew(moment, spent)) return false;
      moments.push(moment);
      return true;
    };
    const rulesOf = this.#rulesOf;
    const { broken } = await followSchedule({
      world: this.#bounds.world,
      decisions,
      visit,
      ...(rulesOf && { rulesOf }),
    });
    this.schedules += 1;
    if (broken !== null) this.found ??= { broken, decisions };
    const names = decisions.flatMap(({ choice }) => ("deed" in choice ? [choice.deed.name] : []));
    const last = names.at(-1);
    for (const name of names.slice(0, -1)) this.#combined.add(pairOf(name, last ?? ""));
    return { decisions, moments };
  }

  /** The schedules that follow a branch and then make one more choice. */
  *continued({ decisions, moments }: Branch): Generator<readonly ChosenStep[]> {
    const { deeds, preemptions } = this.#bounds;
    for (const { step, isRest, others } of moments) {
      const workers: Choice[] = others.map((worker) => ({ worker }));
      for (const choice of [...workers, ...this.#deeds.map((deed) => ({ deed }))]) {
        const longer = [...decisions, { step, choice, interrupts: !isRest }];
        const spent = spentBy(longer);
        if (spent.deeds <= deeds && spent.preemptions <= preemptions) yield longer;
      }
    }
  }

  result({ exhausted }: Pick<Explored, "exhausted">): Explored {
    const { schedules, found } = this;
    const states = [...this.#known.keys()].sort((a, b) => a - b);
    const digest = stateDigest(states.join(" "));
    return { schedules, states: states.length, digest, exhausted, combined: this.#combined, found };
  }

  /** A schedule that used no more of any bound can continue in every way that this one can. */
  #isNew({ digest }: Moment, spent: Spent): boolean {
    const known = this.#known.get(digest) ?? [];
    if (known.some((one) => isWithin(one, spent))) return false;
    this.#known.set(digest, [...known.filter((one) => !isWithin(spent, one)), spent]);
    return true;
  }
}

function spentBy(decisions: readonly ChosenStep[]): Spent {
  return {
    deeds: decisions.filter(({ choice }) => "deed" in choice).length,
    preemptions: decisions.filter(({ interrupts }) => interrupts).length,
  };
}

function isWithin(one: Spent, other: Spent): boolean {
  return one.deeds <= other.deeds && one.preemptions <= other.preemptions;
}
