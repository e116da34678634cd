import { performance } from "node:perf_hooks";

/** One line of a report: our time and a peer's for the same work, measured in turn in one run. */
export interface Ratio {
  readonly bench: string;
  readonly what: string;
  readonly peer: string;
  /** How many times as fast as the peer we are: the median of the pairs. Above 1 is faster. */
  readonly ratio: number;
  /** The lowest acceptable ratio; `null`: for information. */
  readonly goal: number | null;
  readonly unit: string;
  readonly ours: number;
  readonly theirs: number;
}

/** The work to time: `work` is one round of `count` operations. */
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
  /** Rounds after two uncounted ones. @default 15 */
  readonly rounds?: number;
}

/** What a benchmark file exports as `bench`. */
export interface Bench {
  readonly name: string;
  run(context: BenchContext): Promise<Ratio[]>;
}

/** The context of a benchmark. */
export interface BenchContext {
  /** A smoke test instead of a measurement: a few rounds of little work. */
  readonly quick: boolean;
  compare(comparison: Comparison): Promise<Ratio[]>;
}

/** Times ours and each peer in turn, A B C A B C …, so that changes of the machine's speed affect all alike. */
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

/** The median of a list. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
