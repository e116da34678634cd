import type { Reading } from "@liveplane/core/clouds";
import type { CloudUnderTest } from "@liveplane/core/testing";
import { planOf, simulate } from "@liveplane/simulator";
import { describe, expect, onTestFinished, test } from "vitest";
import { azureUnderTest, typesUnderTest } from "../azure/azure-under-test.ts";
import { departures } from "../descriptions/departures.ts";
import { googleUnderTest } from "../google/google-world.ts";
import { placesOver } from "../simulator/places.ts";

interface Opened extends CloudUnderTest {
  readonly changing: string;
  readonly lag: () => void;
  readonly catchUp: () => void;
}

async function azure(): Promise<Opened> {
  const type = typesUnderTest.find((one) => one.type === "Microsoft.Web/sites");
  if (type === undefined) throw new RangeError("There is no such type.");
  const under = await azureUnderTest(type);
  const { changing } = type;
  return { ...under, changing, lag: () => under.azure.lag(), catchUp: () => under.azure.catchUp() };
}

async function google(): Promise<Opened> {
  const under = await googleUnderTest("run.v2.service");
  onTestFinished(() => under.google.close());
  // A listing is asked for anew each time.
  return { ...under, lag: () => under.google.lag(true), catchUp: () => under.google.lag(false) };
}

describe.each([
  ["azure", azure],
  ["google", google],
] as const)("lists that lag behind: %s", (over, opened) => {
  test("say what was, while a direct read says what is", async () => {
    const { cloud, call, target, type, parameters, changing, byHand, lag, catchUp } = await opened();
    const make = async (name: string) => {
      const resourceId = cloud.resourceIdFor(type, name, target);
      const tags = { "managed-by": "platform" };
      const made = await cloud.create({ type, name, resourceId, target, parameters, tags, intent: name }, call);
      return { type, resourceId: made.resourceId };
    };
    const refs = [await make("taken"), await make("changed"), await make("gone")];
    lag();
    const [taken, altered, gone] = refs;
    if (taken === undefined || altered === undefined || gone === undefined) throw new RangeError("Three were made.");
    await byHand.setTags(taken.resourceId, {});
    await cloud.update(altered, { parameters: [{ pointer: changing, value: "other" }], tags: {} }, {}, call);
    await byHand.remove(gone.resourceId);
    const all = [...refs, await make("new")];
    const told = (readings: readonly Reading[]) => readings.map((one) => [one.state, "tags" in one ? one.tags : null]);
    const managed = { "managed-by": "platform" };

    expect(told(await cloud.readMany(all, call))).toEqual([
      ["present", managed],
      ["present", managed],
      ["present", managed],
      ["missing", null],
    ]);
    const now = [
      ["present", {}],
      ["present", managed],
      ["missing", null],
      ["present", managed],
    ];
    expect(told(await Promise.all(all.map((ref) => cloud.read(ref, call))))).toEqual(now);
    catchUp();
    expect(told(await cloud.readMany(all, call))).toEqual(now);
  });

  // What only a list says is missing isn't made anew, what it shows untouched isn't held to be, and nothing is corrected to what was.
  test.each([4, 7])(
    "move no status and permit no write, whatever people do: seed %i",
    { timeout: 60_000 },
    async (seed) => {
      const judged = departures();
      const plan = planOf(seed, { deeds: 120, faults: 60 });
      const clouds = plan.world.clouds.map((one) => ({ ...one, lagMs: 40_000 }));
      const late = { ...plan, world: { ...plan.world, clouds } };
      const { broken } = await simulate(late, { newPlaces: placesOver(over, judged) });
      expect(broken).toBeNull();
      expect(judged.list()).toEqual([]);
    },
  );
});
