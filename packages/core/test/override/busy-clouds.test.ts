import { expect, test } from "vitest";
import type { Mutation } from "../../src/contract/schemas/live-system-schemas.ts";
import { LiveplaneError } from "../../src/errors.ts";
import type { Cloud } from "../../src/ports/cloud.ts";
import { definition, deployed } from "../builders/handed-over.ts";

/** A deploy that meets a cloud which is busy with somebody else's change: it refuses updates, and reads show nothing of it. */
async function refused() {
  const cloudState = { isBusy: false, asked: 0 };
  const busy = (cloud: Cloud): Cloud => ({
    ...cloud,
    update: async (...call) => {
      cloudState.asked += 1;
      if (cloudState.isBusy) throw new LiveplaneError("InvalidState", "Another operation is in progress.");
      return cloud.update(...call);
    },
  });
  const settings = { stepWaitSeconds: 600 };
  const { world, system, resourceId, console } = await deployed({}, { settings, clouds: (all) => all.map(busy) });
  cloudState.isBusy = true;
  const body = definition([{ path: "app", parameters: { size: 2 } }]);
  const begun = (await world.call("liveSystems.deploy", { params: { id: system }, body })) as Mutation;
  const running = world.override.mutations.advance(system);
  await world.runtime.advance(1_000);
  return { world, cloudState, running, now: () => world.mutation(begun), shown: () => console.get(resourceId) };
}

test("a deploy waits for a cloud that is busy with somebody else's change, says so, and asks every ten seconds", async () => {
  const { world, cloudState, running, now, shown } = await refused();
  const detail = "The cloud is still processing another change to this resource.";
  const waiting = { why: "working", detail, since: expect.any(String) };
  expect(await now()).toMatchObject({ status: "Running", steps: [{ state: "begun", waiting }] });
  await world.runtime.advance(60_000);
  expect(cloudState.asked).toBe(7);
  cloudState.isBusy = false;
  await world.runtime.advance(10_000);
  await running;
  expect(await now()).toMatchObject({ status: "Succeeded", steps: [{ state: "converged", waiting: null }] });
  expect(await shown()).toMatchObject({ parameters: { size: 2 } });
});

test("a deploy fails if a cloud is busy with somebody else's change for longer than a step waits", async () => {
  const { world, running, now, shown } = await refused();
  await world.runtime.advance(590_000);
  expect(await now()).toMatchObject({ status: "Running" });
  await world.runtime.advance(20_000);
  await running;
  const detail = "The cloud took too long to process another change to this resource.";
  const error = { code: "ProviderTimeout", detail };
  expect(await now()).toMatchObject({ status: "Failed", error, steps: [{ state: "failed", error }] });
  expect(await shown()).toMatchObject({ parameters: { size: 1 } });
});
