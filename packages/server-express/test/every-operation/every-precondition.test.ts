import { operationsById, parseRoute, takesPreconditions } from "@liveplane/core/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { script } from "./every-operation.ts";
import { call, carryOut, outcomeOf, type Step, type World } from "./script.ts";
import { type RunningWorld, startWorld } from "./two-worlds.ts";

let world: RunningWorld;
beforeAll(async () => {
  world = await startWorld("in process");
}, 60_000);
afterAll(() => world.end());

/** The same call, bound to a version that nothing ever has. */
function boundToNothing({ id, args }: Step, to: World): readonly unknown[] {
  const { params, takes } = parseRoute(id);
  const named = (params.length > 0 ? 1 : 0) + (takes === "body" ? 1 : 0);
  const sent = args(to);
  return [...sent.slice(0, named), { ...Object(sent[named]), ifMatch: "nothing" }];
}

test("whatever says that it takes preconditions holds to them", { timeout: 120_000 }, async () => {
  const held = new Set<string>();
  for (const step of script) {
    const row = operationsById[step.id];
    const bound = takesPreconditions(row)
      ? await outcomeOf(() => call(world.as(step.who), step.id, boundToNothing(step, world)))
      : null;
    const outcome = await carryOut(step, world);
    if (bound === null || "error" in outcome) continue;
    expect({ id: step.id, bound }).toMatchObject({ id: step.id, bound: { error: { code: "PreconditionFailed" } } });
    held.add(step.id);
  }
  const all = Object.values(operationsById).filter(takesPreconditions);
  // The script's component shows nothing in its cloud's own words: what accepts or forgets that is refused there.
  const tried = all.filter(({ id }) => !/^liveSystems\.components\.(accept|forget)Settled$/.test(id));
  expect([...held].sort()).toEqual(tried.map(({ id }) => id).sort());
});
