import { performance } from "node:perf_hooks";

/** One line of a report: our time and a peer's for the same work, measured in turn in one run. */
export interface Ratio {
  readonly bench: string;
  readonly what: string;
  readonly peer: string;
  /** How many times as fast as the peer we are: the median of the pairs. Above one: faster. */
  readonly ratio: number;
  /** The least that a good build holds; `null`: for information. */
  readonly goal: number | null;
  readonly unit: string;
  readonly ours: number;
  readonly theirs: number;
}

/** What to time: `work` is one round, `count` the operations in it. */
export interface Subject {
  readonly name: string;
  readonly work: () => unknown;
  readonly count: number;
}

/** A subject against its peers. */
export interface Comparison {
  readonly what: string;
  readonly ours: Subject;
  readonly peers: readonly (Subject & { readonly goal?: number })[];
  /** @default "op/s" */
  readonly unit?: string;
  /** Rounds after two that don't count. @default 15 */
  readonly rounds?: number;
}

/** What a benchmark file exports as `bench`. */
export interface Bench {
  readonly name: string;
  run(context: BenchContext): Promise<Ratio[]>;
}

/** What a benchmark is given. */
export interface BenchContext {
  /** To see that it works, not how fast: a few rounds of little. */
  readonly quick: boolean;
  compare(comparison: Comparison): Promise<Ratio[]>;
}

/** Times ours and each peer in turn, A B C A B C …, so that a drift of the machine's speed meets all alike. */
export function comparer(bench: string, quick: boolean): BenchContext["compare"] {
  return async ({ what, ours, peers, unit = "op/s", rounds = 15 }) => {
    const subjects = [ours, ...peers];
    const rates: number[][] = subjects.map(() => []);
    const warmUp = quick ? 0 : 2;
    for (let round = 0; round < (quick ? 2 : rounds + warmUp); round++) {
      for (const [at, subject] of subjects.entries()) {
        const rate = await rateOf(subject);
        if (round >= warmUp) rates[at]?.push(rate);
      }
    }
    const own = rates[0] ?? [];
    return peers.map((peer, at) => {
      const theirs = rates[at + 1] ?? [];
      const ratio = median(own.map((rate, round) => rate / (theirs[round] ?? Number.NaN)));
      return {
        bench,
        what,
        peer: peer.name,
        ratio,
        goal: peer.goal ?? null,
        unit,
        ours: median(own),
        theirs: median(theirs),
      };
    });
  };
}

async function rateOf({ work, count }: Subject): Promise<number> {
  const start = performance.now();
  await work();
  return (count * 1000) / (performance.now() - start);
}

/** The middle of a list of numbers. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
