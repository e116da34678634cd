import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { modelRules, modelTableOf } from "../../../simulator/test/models/model-rule.ts";
import { quintTable } from "../../../simulator/test/models/quint.ts";
import { type Difference, trySequence } from "./people.ts";
import { type PeopleWorld, startPeopleWorld } from "./people-world.ts";

/** What the model does for each combination of facts. */
const table = quintTable().then(modelTableOf);

/** How many sequences are tried, and where their seeds begin: `pnpm test:people` tries 2,000. */
const sequences = Number(process.env.LIVEPLANE_PEOPLE_SEQUENCES ?? 25);
const firstSeed = Number(process.env.LIVEPLANE_PEOPLE_SEED ?? 1);

let world: PeopleWorld;
beforeAll(async () => {
  world = await startPeopleWorld();
});
afterAll(() => world.end());

const timeout = 10_000 + sequences * 2_000;

test("whatever people do over HTTP, the service shows what a model of the specification shows", {
  timeout,
}, async () => {
  const differences: Difference[] = [];
  for (let at = 0; at < sequences && differences.length < 3; at++) {
    const difference = await trySequence(world, firstSeed + at);
    if (difference !== null) differences.push(difference);
  }
  expect(differences).toEqual([]);
});

test("what the server does for people is a behaviour of the Quint model", { timeout: 120_000 }, async () => {
  const traced = await startPeopleWorld(modelRules(await table));
  onTestFinished(traced.end);
  for (let seed = 1; seed <= 4; seed++) expect(await trySequence(traced, seed)).toBeNull();
  expect(traced.broken).toBeNull();
});

test("a server whose hand-backs aren't in the model is found", { timeout: 120_000 }, async () => {
  const rows = new Map(await table);
  for (const [facts, row] of rows) if (row.number === "210") rows.set(facts, { ...row, status: "Active" });
  const traced = await startPeopleWorld(modelRules(rows));
  onTestFinished(traced.end);
  for (let seed = 1; seed <= 12 && traced.broken === null; seed++) await trySequence(traced, seed);
  expect(traced.broken).toMatchObject({ invariant: "behaves-as-the-model" });
});
