import { planOf, simulate } from "@liveplane/core/testing";
import { describe, expect, test } from "vitest";
import { departures } from "../descriptions/departures.ts";
import { placesOver } from "./places.ts";

// One world for each way in which the vendor binds writes; a thousand are `pnpm simulate:clouds --over azure`.
describe.each(["azure", "google"] as const)(
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
