import { expect, test } from "vitest";
import type { LiveSystemDefinition } from "../../src/contract/schemas/live-system-schemas.ts";
import { intervalScheduler } from "../../src/ports/interval-scheduler.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";
import { environmentId, overrideWorld, type World, type WorldOptions } from "../builders/override.ts";

const managed = { "managed-by": "platform" };
const both = { "managed-by": "platform", platform: "reconcile" };

const flavours = [
  { provider: "provider-a", type: "Microsoft.Storage/storageAccounts@2024-01-01" },
  { provider: "provider-b", type: "storage.v1.bucket" },
] as const;
type Flavour = (typeof flavours)[number];

/** A component and one that reads an output of it. */
async function deployed({ provider, type }: Flavour, options: WorldOptions = {}) {
  const world = overrideWorld(options);
  const definition = {
    name: "shop",
    environmentId,
    components: [
      { path: "base", provider, type, parameters: { tier: "hot" } },
      { path: "reader", provider, type, parameters: { from: { $output: "base#tier" } } },
    ],
  } as LiveSystemDefinition;
  const { components, livesystemId } = await world.create(definition);
  const [base, reader] = components.map(({ id, resourceId }) => ({ id, resourceId: resourceId ?? "" }));
  if (base === undefined || reader === undefined) throw new Error("nothing was deployed");
  return { world, console: world.consoles[provider], definition, livesystemId, base, reader };
}

function writesOf({ metrics }: World): number {
  let total = 0;
  for (const [name, count] of metrics.counts)
    if (/^liveplane_cloud_calls_total.*"(create|update|remove|removeTag)"/.test(name)) total += count;
  return total;
}

test.each(flavours)("$provider: a removed tag is noticed within three minutes, by itself", async (flavour) => {
  const runtime = fakeRuntime();
  const { world, console, base } = await deployed(flavour, { runtime, scheduler: intervalScheduler({ runtime }) });
  await world.override.start();
  await world.runtime.advance(200_000);
  await console.putTags(base.resourceId, { own: "tag" });
  for (let seconds = 0; seconds < 180; seconds += 10) await world.runtime.advance(10_000);
  await world.override.agent.idle();
  expect((await world.component(base.id)).status).toBe("ManualOverride");
  expect((await console.get(base.resourceId))?.tags).toEqual({ own: "tag" });
  await world.override.stop();
});

test.each(flavours)("$provider: it doesn't matter by which way the tag was removed", async (flavour) => {
  const ways = [
    ({ console, base }: Awaited<ReturnType<typeof deployed>>) => console.putTags(base.resourceId, {}),
    ({ console, base }: Awaited<ReturnType<typeof deployed>>) =>
      console.put(base.resourceId, { type: flavour.type, tags: { "managed-by": "me" }, parameters: { tier: "hot" } }),
  ];
  for (const remove of ways) {
    const all = await deployed(flavour);
    await remove(all);
    await all.world.cycle();
    expect((await all.world.component(all.base.id)).status).toBe("ManualOverride");
  }
});

test.each(flavours)(
  "$provider: while overridden, drift is recalculated with every change in the cloud",
  async (flavour) => {
    const { world, console, base } = await deployed(flavour);
    await console.putTags(base.resourceId, {});
    const driftWith = async (tier: string) => {
      await console.patchParameters(base.resourceId, { tier });
      await world.cycle();
      return (await world.component(base.id)).outputFields;
    };
    expect(await driftWith("cold")).toHaveProperty("drift", { tier: { declared: "hot", actual: "cold" } });
    expect(await driftWith("cool")).toHaveProperty("drift", { tier: { declared: "hot", actual: "cool" } });
    expect(await driftWith("hot")).not.toHaveProperty("drift");
  },
);

test.each(flavours)(
  "$provider: completed, the agent removes the reconcile tag itself, and no other",
  async (flavour) => {
    const { world, console, base } = await deployed(flavour);
    await console.putTags(base.resourceId, {});
    await console.patchParameters(base.resourceId, { tier: "cold" });
    await world.cycle();
    await console.putTags(base.resourceId, { ...both, own: "tag" });
    await world.cycle();
    const { status, outputFields } = await world.component(base.id);
    expect(status).toBe("Active");
    expect(outputFields).not.toHaveProperty("drift");
    expect((await console.get(base.resourceId))?.tags).toEqual({ ...managed, own: "tag" });
  },
);

test.each(flavours)("$provider: outputs that change during an override reach who refers to them", async (flavour) => {
  const { world, console, base, reader } = await deployed(flavour);
  await console.putTags(base.resourceId, {});
  for (const tier of ["cold", "cool"]) {
    await console.patchParameters(base.resourceId, { tier });
    await world.cycle();
    await world.cycle();
    expect((await world.component(base.id)).outputFields).toMatchObject({ tier });
    expect(await world.component(reader.id)).toMatchObject({ status: "Active", outputFields: { from: tier } });
    expect((await console.get(reader.resourceId))?.parameters).toMatchObject({ from: tier });
  }
});

test.each(flavours)(
  "$provider: dependents keep working when what they refer to is deleted by hand",
  async (flavour) => {
    const { world, console, base, reader } = await deployed(flavour);
    await console.putTags(base.resourceId, {});
    await world.cycle();
    await console.delete(base.resourceId);
    await world.cycle();
    await world.cycle();
    expect((await world.component(base.id)).status).toBe("ManualOverride");
    expect((await world.component(reader.id)).status).toBe("Active");
    expect((await console.get(reader.resourceId))?.parameters).toEqual({ from: "hot" });
  },
);

test.each(flavours)("$provider: only the component whose tag was removed is overridden", async (flavour) => {
  const { world, console, base, reader } = await deployed(flavour);
  await console.putTags(base.resourceId, {});
  await console.patchParameters(reader.resourceId, { from: "by hand" });
  await world.cycle();
  expect((await world.component(base.id)).status).toBe("ManualOverride");
  expect((await world.component(reader.id)).status).toBe("Active");
  expect((await console.get(reader.resourceId))?.parameters).toEqual({ from: "hot" });
});

test.each(flavours)(
  "$provider: re-adopted with drift present, the resource is reverted to the declaration",
  async (flavour) => {
    const { world, console, base } = await deployed(flavour);
    await console.putTags(base.resourceId, {});
    await console.patchParameters(base.resourceId, { tier: "cold", own: "kept" });
    await world.cycle();
    await console.putTags(base.resourceId, both);
    await world.cycle();
    expect((await console.get(base.resourceId))?.parameters).toEqual({ tier: "hot", own: "kept" });
  },
);

test.each(flavours)(
  "$provider: an override costs nothing: nothing is made, changed or removed for it",
  async (flavour) => {
    const { world, console, base, definition, livesystemId } = await deployed(flavour);
    const [writes, resources] = [writesOf(world), (await console.list()).items.length];
    await console.putTags(base.resourceId, {});
    const left = await console.patchParameters(base.resourceId, { tier: "cold" });
    for (let cycle = 0; cycle < 3; cycle++) await world.cycle();
    await world.deploy(livesystemId, definition);
    await world.cycle();
    expect(await console.get(base.resourceId)).toEqual(left);
    expect((await console.list()).items).toHaveLength(resources);
    // The reader alone, which follows the output.
    expect(writesOf(world) - writes).toBe(1);
  },
);
