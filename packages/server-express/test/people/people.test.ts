import { afterAll, beforeAll, expect, test } from "vitest";
import { type Difference, trySequence } from "./people.ts";
import { type PeopleWorld, startPeopleWorld } from "./people-world.ts";

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
