import { setTimeout as pass } from "node:timers/promises";
import { isLiveplaneError } from "@liveplane/core/errors";
import { raiseFormat } from "@liveplane/core/store";
import { expect, onTestFinished, test } from "vitest";
import { mulberry32 } from "../../../core/src/testing/fake-runtime.ts";
import { modelRules, modelTableOf } from "../../../simulator/test/models/model-rule.ts";
import { quintTable } from "../../../simulator/test/models/quint.ts";
import { judgeTrace } from "./cluster-trace.ts";
import { type Build, type ClusterNode, type ClusterWorld, clusterWorld } from "./cluster-world.ts";

const seconds = Number(process.env.LIVEPLANE_CLUSTER_SECONDS ?? 60);
const size = Number(process.env.LIVEPLANE_CLUSTER_COMPONENTS ?? 6_000);
const seed = Number(process.env.LIVEPLANE_CLUSTER_SEED ?? Math.floor(Math.random() * 2 ** 31));
/** A neighbouring build, which runs some of the nodes. */
const other = process.env.LIVEPLANE_CLUSTER_OTHER || undefined;
/** What the model does for each combination of facts. */
const table = quintTable().then(modelTableOf);
const intervalMs = 60_000;
const secretNames = Array.from({ length: 8 }, (_, at) => `s${at}`);

/** What chance decides, from the seed alone: who is hit when, and by what. */
function chanceOf(next: () => number) {
  const below = (limit: number) => Math.floor(next() * limit);
  return { below, oneOf: <T>(all: readonly T[]): T | undefined => all[below(all.length)] };
}
type Chance = ReturnType<typeof chanceOf>;

/** What came of the writes through nodes, by secret: the versions that were answered, and how many answers were lost. */
interface Ledger {
  readonly acknowledged: Map<string, number[]>;
  readonly lost: Map<string, number>;
}

/** Writes through whatever node is there. */
async function writeAlong({ nodes }: ClusterWorld, chance: Chance, until: AbortSignal): Promise<Ledger> {
  const ledger: Ledger = { acknowledged: new Map(), lost: new Map() };
  while (!until.aborted) {
    const node = chance.oneOf([...nodes]);
    const secret = chance.oneOf(secretNames);
    if (node === undefined || secret === undefined) continue;
    const signal = AbortSignal.timeout(20_000);
    const answer = await fetch(`${node.url}/${secret}`, { method: "POST", signal }).catch(() => null);
    if (answer?.status === 200) {
      const { currentVersion } = (await answer.json()) as { currentVersion: number };
      ledger.acknowledged.set(secret, [...(ledger.acknowledged.get(secret) ?? []), currentVersion]);
    } else ledger.lost.set(secret, (ledger.lost.get(secret) ?? 0) + 1);
    await pass(100);
  }
  return ledger;
}

/** Changes resources by hand, a few at a time. */
async function driftAlong({ ids, ask }: ClusterWorld, chance: Chance, until: AbortSignal): Promise<void> {
  while (!until.aborted) {
    await ask(
      "/drift",
      Array.from({ length: 5 }, () => chance.oneOf(ids)),
    );
    await pass(1_000);
  }
}

/** Reads along, from the beginning, and again from where it was when Postgres is back. */
async function followAlong({ liveplane }: ClusterWorld, until: AbortSignal): Promise<number[]> {
  const read: number[] = [];
  while (!until.aborted) {
    try {
      const events = liveplane.log.follow({ after: read.at(-1) ?? 0, signal: until });
      for await (const { sequence } of events) read.push(sequence);
    } catch (error) {
      if (!isLiveplaneError(error, "StoreFailed")) throw error;
      await pass(200);
    }
  }
  return read;
}

/** One that is at a shard, where there is one within some seconds. */
async function victimOf({ nodes, ask }: ClusterWorld, chance: Chance, build: Build | null): Promise<ClusterNode> {
  for (let tries = 0; tries < 50; tries++) {
    const held = await ask<string[]>("/holders");
    const node = chance.oneOf(
      [...nodes].filter((one) => held.includes(one.name) && (build === null || one.build === build)),
    );
    if (node !== undefined) return node;
    await pass(200);
  }
  return chance.oneOf([...nodes].filter((one) => build === null || one.build === build)) as ClusterNode;
}

/** The build that is being rolled out: once every node runs it, the other one again. */
function createRollout({ nodes }: ClusterWorld): () => Build {
  let build: Build = "this";
  return () => {
    if (other !== undefined && [...nodes].every((node) => node.build === build))
      build = build === "this" ? "other" : "this";
    return build;
  };
}

const otherThan = (build: Build): Build | null => {
  if (other === undefined) return null;
  return build === "this" ? "other" : "this";
};

/** Hits the fleet every few seconds; once each it cuts a node off from Postgres, and stops Postgres under all. */
async function hit(world: ClusterWorld, chance: Chance, endsAt: number): Promise<string[]> {
  const told: string[] = [];
  const say = (what: string) => told.push(`${Math.round(performance.now() / 1000)} ${what}`);
  const rollout = createRollout(world);
  for (let round = 1; performance.now() < endsAt; round++) {
    const build = rollout();
    const node = await victimOf(world, chance, otherThan(build));
    if (round % 7 === 3) {
      say(`cut ${node.name}`);
      node.line.silence();
      await pass(30_000);
      node.line.heal();
      say(`healed ${node.name}`);
    } else if (round % 7 === 5) {
      say("restart Postgres");
      await world.postgres.stop();
      await pass(1_000 + chance.below(2_000));
      await world.postgres.start();
    } else {
      await world.kill(node);
      const { name } = await world.startNode(build);
      say(`killed ${node.name} of ${node.build}, started ${name} of ${build}`);
    }
    await pass(2_000 + chance.below(4_000));
  }
  return told;
}

/**
 * Ends an upgrade: while the older release runs the format stays, and once it is raised nothing of it can write. A killed process counts as
 * running for ten minutes, which are skipped here.
 */
async function raise(world: ClusterWorld): Promise<string> {
  const { store, nodes, kill, startNode } = world;
  for (const node of [...nodes].filter(({ build }) => build === "other")) {
    await kill(node);
    await startNode("this");
  }
  const left = await startNode("other");
  const write = () => fetch(`${left.url}/${secretNames[0]}`, { method: "POST", signal: AbortSignal.timeout(20_000) });
  await expect.poll(async () => (await write()).status, { timeout: 20_000 }).toBe(200);
  const present = await store.list({ prefix: ["installation", "process"] });
  if (new Set(present.map(({ value }) => value)).size === 1) return "both builds write the same format";
  await expect(raiseFormat(store)).rejects.toMatchObject({ code: "InvalidState" });
  await store.commit({ deletes: present.map(({ key }) => key) });
  const { from, to } = await raiseFormat(store);
  for (let tries = 0; tries < 3; tries++) expect((await write()).status).toBe(503);
  await expect(startNode("other")).rejects.toThrow("too old");
  await kill(left);
  return `raised the format from ${from} to ${to}`;
}

test(`a cluster of four over ${size} components, hit for ${seconds} s (LIVEPLANE_CLUSTER_SEED=${seed})`, {
  timeout: 360_000 + seconds * 2_000,
}, async () => {
  const chance = chanceOf(mulberry32(seed));
  const world = await clusterWorld({ size, intervalMs, other });
  onTestFinished(() => world.end());
  await Promise.all([1, 2, 3, 4].map(() => world.startNode(other === undefined ? "this" : "other")));
  const over = new AbortController();
  const [writing, drifting, following] = [
    writeAlong(world, chanceOf(mulberry32(seed + 1)), over.signal),
    driftAlong(world, chanceOf(mulberry32(seed + 2)), over.signal),
    followAlong(world, over.signal),
  ];

  const told = await hit(world, chance, performance.now() + seconds * 1000);
  if (other !== undefined) told.push(await raise(world));
  await pass(intervalMs / 4);
  over.abort();
  const [ledger] = await Promise.all([writing, drifting]);
  // When the faults cease, everything is as declared within two intervals, and the minute that a dead one's claim stands.
  await expect.poll(() => world.drifting(), { timeout: 3 * intervalMs, interval: 500 }).toEqual([]);

  const judged = await world.verdict();
  process.stdout.write(`${JSON.stringify({ seed, told, ...judged })}\n`);
  expect(judged.violations).toEqual([]);
  expect(judged.longestTakeoverMs).toBeLessThan(30_000);
  expect(judged.longestGapMs).toBeLessThan(2 * intervalMs);
  // What was hit was at work: else nothing was tried.
  expect(judged.takeovers).toBeGreaterThan(0);
  // Both builds were rolled out.
  if (other !== undefined)
    expect(told.join()).toMatch(/of other, started n\d+ of this.*of this, started n\d+ of other/);

  for (const secret of secretNames) {
    const params = { type: "Personal", ownerId: world.ownerId, shortName: "web", secretShortName: secret } as const;
    const versions = ledger.acknowledged.get(secret) ?? [];
    if (versions.length === 0) continue;
    const { currentVersion } = await world.api.environments.secrets.get(params);
    expect(new Set(versions).size).toBe(versions.length);
    expect(Math.max(...versions)).toBeLessThanOrEqual(currentVersion);
    expect(currentVersion - versions.length).toBeLessThanOrEqual(ledger.lost.get(secret) ?? 0);
  }

  // Every commit, read and write of the nodes is a step of the model; and a model without corrections knows the run for none of its own.
  const [trace, rows] = [await world.trace(), await table];
  const { broken, counts } = judgeTrace(trace, modelRules(rows));
  process.stdout.write(`${JSON.stringify(counts)}\n`);
  expect(broken).toBeNull();
  expect(Math.min(counts.read, counts.sent, counts.changed, counts.stored)).toBeGreaterThan(50);
  const others = new Map(
    [...rows].map(([facts, row]) => [facts, row.number === "108" ? { ...row, effect: "nothing" } : row]),
  );
  expect(judgeTrace(trace, modelRules(others)).broken).toMatchObject({ invariant: "behaves-as-the-model" });

  const { log } = world.liveplane;
  await log.sequence();
  expect(await log.verify()).toMatchObject({ broken: null, waiting: 0 });
  const read = await following;
  expect(read).toEqual(Array.from({ length: read.length }, (_, at) => at + 1));
});
