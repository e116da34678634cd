import type { Cloud } from "@liveplane/core/clouds";
import { type NewPlaces, planOf, simulate } from "@liveplane/simulator";
import { describe, expect, test } from "vitest";
import { departures } from "../descriptions/departures.ts";
import type { Snatched } from "./aws-place.ts";
import { type Over, placesOver } from "./places.ts";

// One world for each way in which the vendor binds writes; a thousand are `pnpm simulate:clouds --over azure`.
describe.each(["aws", "azure", "google"] as const)(
  "whatever people, clouds and crashes do, what must hold does: %s",
  (over) => {
    test.each([1, 2, 3, 9])("seed %i", { timeout: 60_000 }, async (seed) => {
      const judged = departures();
      const { broken } = await simulate(planOf(seed), { newPlaces: placesOver(over, judged) });
      expect(broken, `pnpm simulate:clouds --over ${over} --seed ${seed}`).toBeNull();
      expect(judged.list()).toEqual([]);
    });

    test("a seed always goes the same way", { timeout: 60_000 }, async () => {
      const [first, second] = [await traceOf(6), await traceOf(6)];
      expect(first).toEqual(second);
      expect(first.filter((line) => line.includes(": update ")).length).toBeGreaterThan(10);
    });

    async function traceOf(seed: number): Promise<string[]> {
      const trace: string[] = [];
      const plan = planOf(seed, { deeds: 60, faults: 60 });
      await simulate(plan, { newPlaces: placesOver(over), onStep: (line) => trace.push(line) });
      return trace;
    }
  },
);

test("whoever takes a resource over while an update is on its way keeps it, in each form of tags", {
  timeout: 120_000,
}, async () => {
  const snatched: Snatched = { refused: new Set(), carriedOut: [] };
  for (const seed of [7, 9, 50]) {
    const { broken } = await simulate(planOf(seed), { newPlaces: placesOver("aws", departures(), snatched) });
    expect(broken, `seed ${seed}`).toBeNull();
  }
  expect(snatched.carriedOut).toEqual([]);
  expect([...snatched.refused].sort()).toEqual(["launched", "list", "map"]);
});

/** Mistakes of an adapter, each with what it breaks in a seed that finds it. */
const mistakes: readonly {
  readonly name: string;
  readonly over: readonly Over[];
  readonly seed: number;
  readonly breaks: string;
  readonly made: (cloud: Cloud) => Cloud;
}[] = [
  {
    name: "takes the management tag off with the other one",
    over: ["aws", "azure", "google"],
    seed: 2,
    breaks: "writes-what-is-declared",
    made: (cloud) => ({
      ...cloud,
      async removeTag(ref, key, condition, call) {
        await cloud.removeTag(ref, "managed-by", {}, call);
        return cloud.removeTag(ref, key, condition, call);
      },
    }),
  },
  {
    name: "makes resources without their tags",
    over: ["aws", "azure", "google"],
    seed: 1,
    breaks: "management-tag-set-at-creation-only",
    made: (cloud) => ({ ...cloud, create: (resource, call) => cloud.create({ ...resource, tags: {} }, call) }),
  },
  {
    name: "takes what a list shows for what is there",
    over: ["azure"],
    seed: 1,
    breaks: "plans-come-true",
    made: (cloud) => ({
      ...cloud,
      read: async (ref, call) => (await cloud.readMany([ref], call))[0] ?? { state: "missing" },
    }),
  },
];

const tried = mistakes.flatMap((mistake) => mistake.over.map((over) => ({ ...mistake, over })));
test.each(tried)("an adapter with a mistake in it is found out: $over $name", { timeout: 60_000 }, async (mistake) => {
  const { over, seed, breaks, made } = mistake;
  const provider = over === "azure" ? "provider-a" : "provider-b";
  const newPlaces: NewPlaces = (...world) =>
    placesOver(over)(...world).map((place) =>
      place.provider === provider ? { ...place, open: (user) => made(place.open(user)) } : place,
    );
  expect((await simulate(planOf(seed), { newPlaces })).broken).toMatchObject({ invariant: breaks });
});
