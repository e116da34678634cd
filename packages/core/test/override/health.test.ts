import { expect, test } from "vitest";
import type { Component } from "../../src/contract/schemas/live-system-schemas.ts";
import { LiveplaneError } from "../../src/errors.ts";
import type { Cloud } from "../../src/ports/cloud.ts";
import { environmentId, overrideWorld } from "../builders/override.ts";

const type = "Microsoft.Storage/storageAccounts@2023-01-01";
const shop = (size: number) => ({
  name: "shop",
  environmentId,
  components: [
    { path: "db", provider: "provider-a", type, parameters: { size } },
    { path: "app", provider: "provider-a", type, parameters: { size }, dependsOn: ["db"] },
  ],
});

async function deployed() {
  const world = overrideWorld();
  const { livesystemId: id, components } = await world.create(shop(1));
  const console = world.consoles["provider-a"];
  const [app, db] = components as [Component, Component];
  const shown = async () => [await world.component(db.id), await world.component(app.id)] as const;
  return { world, id, db, console, shown };
}

test("a component whose writes fail says so: in whose words, since when, how often, and when the agent tries again", async () => {
  const { world, id, db, console, shown } = await deployed();
  expect(await shown()).toMatchObject([
    { health: "InSync", failing: null },
    { health: "InSync", nextTryAt: null },
  ]);
  const fails = { code: "QuotaExceeded", message: "There is no more of it." };
  await console.setFaults({ slow: { takesMs: 1, fails } });
  expect(await world.passing(world.deploy(id, shop(7)))).toMatchObject({ status: "Failed" });
  const words = { providerCode: "QuotaExceeded", providerMessage: "There is no more of it." };
  const [first] = await shown();
  expect(first).toMatchObject({ status: "Active", health: "Failing", failing: { attempts: 1, ...words } });
  expect(Date.parse(first.nextTryAt ?? "")).toBeGreaterThan(Date.parse(first.failing?.since ?? ""));
  for (let cycles = 0; cycles < 4; cycles++) {
    await world.runtime.advance(20_000);
    await world.cycle();
  }
  const [again] = await shown();
  expect(again.failing?.attempts).toBeGreaterThan(1);
  expect(again.failing?.since).toBe(first.failing?.since);
  expect((await shown())[1]).toMatchObject({ health: "Blocked", conditions: { inSync: { blockedBy: db.id } } });

  await console.setFaults({});
  expect(await world.passing(world.deploy(id, shop(7)))).toMatchObject({ status: "Succeeded" });
  expect(await shown()).toMatchObject([{ health: "InSync", failing: null, nextTryAt: null }, { health: "InSync" }]);
});

test("what the cloud has no call for can't be corrected; trying again wouldn't help", async () => {
  const noCall = (cloud: Cloud): Cloud => ({
    ...cloud,
    update: async () => {
      throw new LiveplaneError("ProviderError", "There is no call for that.", {
        details: { reason: "NotCorrectable" },
      });
    },
  });
  const world = overrideWorld({ clouds: (clouds) => clouds.map(noCall) });
  const { components } = await world.create(shop(1));
  const { id, resourceId } = components[1] as Component;
  await world.consoles["provider-a"].patchParameters(resourceId ?? "", { size: 4 });
  await world.cycle();
  expect(await world.component(id)).toMatchObject({ health: "Uncorrectable" });
});

test("who controls a component comes before what differs", async () => {
  const { world, db, console } = await deployed();
  const resourceId = db.resourceId ?? "";
  const health = async () => (await world.check(db.id)).component.health;
  await console.putTags(resourceId, {});
  await console.patchParameters(resourceId, { size: 4 });
  expect(await health()).toBe("Overridden");
  await console.putTags(resourceId, { "managed-by": "platform" });
  expect(await health()).toBe("AwaitingReconcileTag");
  await console.delete(resourceId);
  expect(await health()).toBe("Missing");
});
