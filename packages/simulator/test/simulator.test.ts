import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { existingPlanOf, planOf, simulate, variedPlanOf } from "../src/index.ts";
import { type DigestedRun, digestOf, variedDigestOf } from "./facts.ts";

/** Seeds from 1 on, eight at a time. */
const batches = (count: number) => Array.from({ length: count }, (_, at) => ({ from: at * 8 + 1, to: at * 8 + 8 }));

describe("whatever people, clouds, stores and crashes do, what must hold does", () => {
  test.each(batches(15))("seeds $from to $to", { timeout: 240_000 }, async ({ from, to }) => {
    await goAsBefore("pnpm simulate --seed", { from, to }, (seed) => digestOf(planOf(seed)));
  });

  test.each(batches(8))("seeds $from to $to, with leases", { timeout: 240_000 }, async ({ from, to }) => {
    const leased = (seed: number) => digestOf(planOf(seed, { leases: "drawn" }));
    await goAsBefore("pnpm simulate --leases --seed", { from, to }, leased);
  });
});

describe("whatever happens to resources that exist before they are declared, what must hold does", () => {
  test.each(batches(4))("adoptions of seeds $from to $to", { timeout: 240_000 }, async ({ from, to }) => {
    await goAsBefore("adoptions of seed", { from, to }, (seed) => digestOf(existingPlanOf(seed)));
  });

  test("adoptions happen, and are refused", async () => {
    const told: string[] = [];
    for (let seed = 1; seed <= 4; seed++) await simulate(existingPlanOf(seed), { onStep: (line) => told.push(line) });
    const of = (pattern: RegExp) => told.filter((line) => pattern.test(line)).length;
    expect(of(/event component\.provisioned .*existing.*"adopted":true/)).toBeGreaterThan(3);
    expect(of(/NotAdoptable/)).toBeGreaterThan(1);
  });
});

describe("whatever is declared, and in whatever form clouds store it, what must hold does", () => {
  test.each(batches(11))("varied seeds $from to $to", { timeout: 120_000 }, async ({ from, to }) => {
    await goAsBefore("pnpm simulate --varied --seed", { from, to }, (seed) => variedDigestOf(variedPlanOf(seed)));
  });
});

/**
 * Seeds break no rule, and everything happens as it did before. If a change was meant to change that, `vitest -u` stores the new digests;
 * `pnpm simulate --seed N --facts` prints what a seed's digest is made of, to compare it with the sources before the change.
 */
async function goAsBefore(
  called: string,
  { from, to }: { readonly from: number; readonly to: number },
  run: (seed: number) => Promise<DigestedRun>,
): Promise<void> {
  const digests: Record<string, string> = {};
  for (let seed = from; seed <= to; seed++) {
    const { broken, digest } = await run(seed);
    expect(broken, `${called} ${seed}`).toBeNull();
    digests[`seed ${seed}`] = digest;
  }
  expect(digests).toMatchSnapshot();
}

/** What they broke was mended; what they do moves with the agent, so that the agent's mends have stories of their own beside them. */
const onceBroken: readonly { readonly seed: number; readonly mended: string; readonly leases?: "drawn" }[] = [
  { seed: 156, leases: "drawn", mended: "what a process wrote before its store failed is told by nobody" },
  {
    seed: 286,
    leases: "drawn",
    mended: "a race is told once an accepted write has ended, and not while it counts as running",
  },
  {
    seed: 345,
    leases: "drawn",
    mended: "a race is told once an accepted write has ended, and not while it counts as running",
  },
  { seed: 995, mended: "a plan knows what another process has waited for in vain" },
  { seed: 2860, mended: "a plan knows what another process has waited for in vain" },
  { seed: 1393, mended: "what left and came back went by what was declared of it last" },
  { seed: 2297, mended: "the world is at rest once nothing was written in a whole cycle" },
  { seed: 101_520, mended: "what leaves has the identity that a look at a failed write showed" },
  { seed: 4081, mended: "a cloud's index shows what was made out of sight once it is made" },
  { seed: 6549, mended: "who stood for a component that a person held still does, whatever is declared since" },
  { seed: 3340, mended: "who stood for a component that is gone still does" },
  { seed: 8346, mended: "what was under way of a component that left isn't another's, which has its resource" },
  { seed: 7860, mended: "what the cloud gave up is corrected once a declaration lets it be written" },
  { seed: 12_733, mended: "what refers to nothing is in the way of others" },
  { seed: 18_766, mended: "whether a removal is still asked for is looked at last" },
  { seed: 103_390, mended: "whether a removal is still asked for is looked at last" },
  { seed: 110_003, mended: "a look that somebody asks for while the agent stops is refused, or waited for" },
  { seed: 113_249, mended: "a request that is withdrawn while its write comes to nothing holds" },
  { seed: 1698, mended: "its tag alone doesn't hand back what the cloud gave up" },
  { seed: 102_979, mended: "its tag alone doesn't hand back what the cloud gave up" },
  { seed: 103_034, mended: "its tag alone doesn't hand back what the cloud gave up" },
  { seed: 951, mended: "while a write goes on, nobody says which resource is there" },
  { seed: 8_500_041, mended: "an adoption carries the etag of the read right before it" },
  { seed: 117, mended: "what a missing tag owner depends on is made again before it" },
  { seed: 8_450_391, leases: "drawn", mended: "a process that paused past its claim sends nothing" },
  { seed: 8_311_581, mended: "two processes may wait for different things" },
  { seed: 8_333_610, mended: "while a cloud works, nobody says which resource is there" },
  { seed: 8_333_617, mended: "while a cloud works, nobody says which resource is there" },
  { seed: 8_380_643, mended: "a write fits one of the reads that went on at once" },
  { seed: 8_380_737, mended: "what a newer deploy has replaced may still wait" },
  { seed: 8_381_054, mended: "a form may be accepted within another one" },
];

test.each(onceBroken)(
  "seed $seed, which once broke a rule, holds: $mended",
  { timeout: 60_000 },
  async ({ seed, leases }) => {
    expect((await simulate(planOf(seed, leases && { leases }))).broken).toBeNull();
  },
);

test("a seed always goes the same way", async () => {
  const traces = await Promise.all([traceOf(7), traceOf(7)]);
  expect(traces[0]).toEqual(traces[1]);
  expect(traces[0].length).toBeGreaterThan(500);
  expect(await traceOf(8)).not.toEqual(traces[0]);
});

async function traceOf(seed: number): Promise<string[]> {
  const trace: string[] = [];
  await simulate(planOf(seed), { onStep: (line) => trace.push(line) });
  return trace;
}

test("a seed goes the same way first in a process, as the tenth, and after whatever ran here", async () => {
  const before = Array.from({ length: 9 }, (_, at) => at + 1);
  const [first, tenth, here] = await Promise.all([
    lastDigest([115]),
    lastDigest([...before, 115]),
    digestOf(planOf(115)),
  ]);
  expect(tenth).toBe(first);
  expect(here.digest).toBe(first);
}, 60_000);

/** The digest of the last of these seeds, which a process of their own tries one after the other. */
async function lastDigest(seeds: readonly number[]): Promise<string> {
  const script = join(import.meta.dirname, "facts.ts");
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ["--conditions=@liveplane/source", script, ...seeds.map(String)]);
  return stdout.trim();
}
