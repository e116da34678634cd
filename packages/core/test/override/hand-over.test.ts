import { expect, test } from "vitest";
import type { LiveSystemDefinition } from "../../src/contract/schemas/live-system-schemas.ts";
import { environmentId, overrideWorld } from "../builders/override.ts";

const managed = { "managed-by": "platform" };
const both = { "managed-by": "platform", platform: "reconcile" };

const flavours = [
  { provider: "provider-a", type: "Microsoft.Storage/storageAccounts@2024-01-01" },
  { provider: "provider-b", type: "storage.v1.bucket" },
] as const;

function definition(
  { provider, type }: (typeof flavours)[number],
  parameters: Record<string, unknown> = { tier: "hot", size: 1 },
) {
  return {
    name: "shop",
    environmentId,
    components: [{ path: "data/store", provider, type, parameters }],
  } as LiveSystemDefinition;
}

async function deployed(flavour: (typeof flavours)[number], options: Parameters<typeof overrideWorld>[0] = {}) {
  const world = overrideWorld(options);
  const mutation = await world.create(definition(flavour));
  const [component] = mutation.components;
  if (component === undefined || component.resourceId === null) throw new Error("nothing was deployed");
  return {
    world,
    mutation,
    id: component.id,
    system: mutation.livesystemId,
    resourceId: component.resourceId,
    console: world.consoles[flavour.provider],
  };
}

test.each(flavours)("$provider: deploys, is taken over, is given back", async (flavour) => {
  const { world, mutation, id, resourceId, console } = await deployed(flavour);
  expect(mutation.status).toBe("Succeeded");
  expect(await console.get(resourceId)).toMatchObject({ tags: managed, parameters: { tier: "hot", size: 1 } });
  expect((await world.component(id)).outputFields).toEqual({
    id: resourceId,
    name: expect.any(String),
    tier: "hot",
    size: 1,
  });

  await console.putTags(resourceId, {});
  await console.patchParameters(resourceId, { tier: "cold", size: 5 });
  await world.cycle();
  const taken = await world.component(id);
  expect(taken).toMatchObject({ status: "ManualOverride", override: { awaiting: "management-tag" } });
  expect(taken.outputFields.drift).toEqual({
    tier: { declared: "hot", actual: "cold" },
    size: { declared: 1, actual: 5 },
  });
  expect(await console.get(resourceId)).toMatchObject({ tags: {}, parameters: { tier: "cold", size: 5 } });

  await console.putTags(resourceId, both);
  await world.cycle();
  const back = await world.component(id);
  expect(back).toMatchObject({ status: "Active", override: null });
  expect(back.outputFields.drift).toBeUndefined();
  expect(await console.get(resourceId)).toMatchObject({ tags: managed, parameters: { tier: "hot", size: 1 } });
});

async function taken(flavour: (typeof flavours)[number], options: Parameters<typeof overrideWorld>[0] = {}) {
  const all = await deployed(flavour, options);
  await all.console.putTags(all.resourceId, {});
  await all.world.cycle();
  return all;
}

test.each(flavours)("$provider: the agent stops reconciling and never restores the tag itself", async (flavour) => {
  const { world, id, resourceId, console } = await taken(flavour);
  await console.patchParameters(resourceId, { tier: "cold" });
  for (let cycle = 0; cycle < 3; cycle++) await world.cycle();
  expect(await console.get(resourceId)).toMatchObject({ tags: {}, parameters: { tier: "cold" } });
  expect((await world.component(id)).status).toBe("ManualOverride");
});

test.each(flavours)("$provider: the agent keeps reading: outputs and drift follow the resource", async (flavour) => {
  const { world, id, resourceId, console } = await taken(flavour);
  expect((await world.component(id)).outputFields).not.toHaveProperty("drift");
  await console.patchParameters(resourceId, { tier: "cold", extra: "new" });
  await world.cycle();
  expect((await world.component(id)).outputFields).toMatchObject({
    tier: "cold",
    extra: "new",
    drift: { tier: { declared: "hot", actual: "cold" } },
  });
  await console.patchParameters(resourceId, { tier: "hot" });
  await world.cycle();
  expect((await world.component(id)).outputFields).not.toHaveProperty("drift");
});

test.each(flavours)("$provider: a changed declaration recalculates the drift and writes nothing", async (flavour) => {
  const { world, system, id, resourceId, console } = await taken(flavour);
  const mutation = await world.deploy(system, definition(flavour, { tier: "cool", size: 1 }));
  expect(mutation).toMatchObject({ status: "Succeeded", held: [id] });
  expect((await world.component(id)).outputFields.drift).toEqual({ tier: { declared: "cool", actual: "hot" } });
  expect((await console.get(resourceId))?.parameters).toMatchObject({ tier: "hot" });
});

test.each(flavours)("$provider: both tags are a request, stored before anything is written", async (flavour) => {
  const { world, id, resourceId, console } = await taken(flavour);
  await console.patchParameters(resourceId, { tier: "cold" });
  await console.putTags(resourceId, both);
  const { component } = await world.check(id);
  expect(component.status).toBe("ReconcileRequested");
  expect((await console.get(resourceId))?.parameters).toMatchObject({ tier: "cold" });
  await world.override.agent.idle();
  expect((await world.component(id)).status).toBe("Active");
});

test.each(flavours)("$provider: the reconcile tag has no effect without the management tag", async (flavour) => {
  const { world, id, resourceId, console } = await taken(flavour);
  await console.putTags(resourceId, { platform: "reconcile" });
  await world.cycle();
  expect(await world.component(id)).toMatchObject({
    status: "ManualOverride",
    override: { awaiting: "management-tag" },
    conditions: {
      inSync: { message: expect.stringMatching(/The reconcile tag has no effect without the management tag\.$/) },
    },
  });
  expect((await console.get(resourceId))?.tags).toEqual({ platform: "reconcile" });
  await console.putTags(resourceId, {});
  await world.cycle();
  expect((await world.component(id)).conditions.inSync.message).not.toMatch(/reconcile tag/);
});

test.each(flavours)("$provider: the management tag alone does not trigger reconciliation", async (flavour) => {
  const { world, id, resourceId, console } = await taken(flavour);
  await console.patchParameters(resourceId, { tier: "cold" });
  await console.putTags(resourceId, managed);
  await world.cycle();
  expect(await world.component(id)).toMatchObject({
    status: "ManualOverride",
    override: { awaiting: "reconcile-tag" },
  });
  expect((await console.get(resourceId))?.parameters).toMatchObject({ tier: "cold" });
});

test.each(flavours)(
  "$provider: put back after an accident, the component is Active on the next cycle",
  async (flavour) => {
    const { world, id, resourceId, console } = await taken(flavour);
    const before = await console.putTags(resourceId, managed);
    await world.cycle();
    expect(await world.component(id)).toMatchObject({ status: "Active", override: null });
    expect(await console.get(resourceId)).toEqual(before);
  },
);

test.each(flavours)("$provider: removed and put back between two checks, it never left Active", async (flavour) => {
  const { world, id, resourceId, console } = await deployed(flavour);
  await console.putTags(resourceId, {});
  await console.putTags(resourceId, managed);
  await world.cycle();
  expect((await world.component(id)).status).toBe("Active");
  expect((await world.events()).map(({ type }) => type)).not.toContain("component.override.started");
});

test.each(flavours)(
  "$provider: an override of one component leaves its dependents as they are, and their references resolve",
  async (flavour) => {
    const world = overrideWorld();
    const { provider, type } = flavour;
    const declared = (size: number) =>
      ({
        name: "shop",
        environmentId,
        components: [
          { path: "base", provider, type, parameters: { tier: "hot" } },
          { path: "reader", provider, type, parameters: { from: { $output: "base#tier" }, size } },
        ],
      }) as LiveSystemDefinition;
    const mutation = await world.create(declared(1));
    const [base, reader] = mutation.components;
    const console = world.consoles[provider];
    await console.putTags(base?.resourceId ?? "", {});
    await console.patchParameters(base?.resourceId ?? "", { tier: "cold" });
    await world.cycle();
    await world.cycle();
    expect((await world.component(base?.id ?? "")).status).toBe("ManualOverride");
    expect(await world.component(reader?.id ?? "")).toMatchObject({ status: "Active", outputFields: { from: "cold" } });
    const again = await world.deploy(mutation.livesystemId, declared(2));
    expect(again).toMatchObject({ status: "Succeeded", held: [base?.id] });
    expect((await console.get(reader?.resourceId ?? ""))?.parameters).toMatchObject({ from: "cold", size: 2 });
  },
);

test.each(flavours)(
  "$provider: deleted during the override, it stays overridden, tags can't bring it back, a redeploy does",
  async (flavour) => {
    const { world, system, id, resourceId, console } = await taken(flavour);
    await console.delete(resourceId);
    await world.cycle();
    const gone = await world.component(id);
    expect(gone).toMatchObject({
      status: "ManualOverride",
      override: { awaiting: "redeploy" },
      conditions: { exists: { value: false } },
    });
    expect(gone.outputFields.drift).toEqual({
      tier: { declared: "hot", actual: null },
      size: { declared: 1, actual: null },
    });
    await console.put(resourceId, { type: flavour.type, tags: both, parameters: { tier: "hot", size: 1 } });
    await world.cycle();
    expect(await world.component(id)).toMatchObject({ status: "ManualOverride", override: { awaiting: "redeploy" } });
    await console.delete(resourceId);
    await world.cycle();
    expect(await world.deploy(system, definition(flavour))).toMatchObject({ status: "Succeeded", held: [] });
    expect(await world.component(id)).toMatchObject({ status: "Active", override: null });
    expect(await console.get(resourceId)).toMatchObject({ tags: managed, parameters: { tier: "hot" } });
  },
);

test.each(flavours)(
  "$provider: a redeploy adopts what was made by hand in the place of what is gone",
  async (flavour) => {
    const { world, system, id, resourceId, console } = await taken(flavour);
    await console.delete(resourceId);
    await world.cycle();
    await console.put(resourceId, { type: flavour.type, tags: managed, parameters: { tier: "cold", size: 1 } });
    await world.cycle();
    expect((await world.component(id)).outputFields.drift).toEqual({ tier: { declared: "hot", actual: "cold" } });
    await world.deploy(system, definition(flavour));
    expect((await world.component(id)).status).toBe("Active");
    expect((await console.get(resourceId))?.parameters).toMatchObject({ tier: "hot" });
  },
);

test.each(flavours)("$provider: an override lasts as long as it lasts", async (flavour) => {
  const { world, id } = await taken(flavour);
  await world.runtime.advance(400 * 24 * 3_600_000);
  await world.cycle();
  expect((await world.component(id)).status).toBe("ManualOverride");
});

test.each(flavours)(
  "$provider: keeping manual changes: the plan's patch empties the drift, and the hand-back writes nothing else",
  async (flavour) => {
    const { world, system, id, resourceId, console } = await taken(flavour);
    await console.patchParameters(resourceId, { tier: "cold" });
    await world.cycle();
    const plan = (await world.call("liveSystems.components.adoptionPlan", {
      params: { id: system, componentId: id },
    })) as unknown as {
      keepPatch: unknown[];
      changes: unknown[];
      possible: boolean;
    };
    expect(plan.possible).toBe(true);
    expect(plan.changes).toEqual([
      {
        parameter: "tier",
        pointer: "/tier",
        declared: "hot",
        actual: "cold",
        declaredAtOverride: "hot",
        cause: "cloud",
      },
    ]);
    expect(plan.keepPatch).toEqual([
      { op: "test", path: "/components/0/path", value: "data/store" },
      { op: "replace", path: "/components/0/parameters/tier", value: "cold" },
    ]);
    await world.deploy(system, definition(flavour, { tier: "cold", size: 1 }));
    expect((await world.component(id)).outputFields).not.toHaveProperty("drift");
    const before = await console.putTags(resourceId, both);
    await world.cycle();
    expect((await world.component(id)).status).toBe("Active");
    expect(await console.get(resourceId)).toMatchObject({ parameters: before?.parameters, tags: managed });
  },
);

test.each(flavours)("$provider: a request can be taken back before it is carried out", async (flavour) => {
  const { world, id, resourceId, console } = await taken(flavour);
  await console.patchParameters(resourceId, { tier: "cold" });
  await console.putTags(resourceId, both);
  const following = world.check(id);
  await following;
  await console.putTags(resourceId, {});
  await world.override.agent.idle();
  await world.cycle();
  const { status } = await world.component(id);
  expect(["ManualOverride", "Active"]).toContain(status);
  if (status === "ManualOverride") expect((await console.get(resourceId))?.parameters.tier).toBe("cold");
});

test.each(flavours)(
  "$provider: a stray reconcile tag on an Active component is removed, so that it arms nothing later",
  async (flavour) => {
    const { world, id, resourceId, console } = await deployed(flavour);
    await console.putTags(resourceId, { ...both, own: "kept" });
    await world.cycle();
    expect((await console.get(resourceId))?.tags).toEqual({ ...managed, own: "kept" });
    expect((await world.component(id)).status).toBe("Active");
  },
);

test.each(flavours)(
  "$provider: a first deploy adopts what is tagged and never overwrites what isn't",
  async (flavour) => {
    const world = overrideWorld();
    const console = world.consoles[flavour.provider];
    const cloud = flavour.provider === "provider-a" ? world.clouds.a : world.clouds.b;
    const scope = flavour.provider === "provider-a" ? "3f2504e0-4f89-41d3-9a0c-0305e82c3302" : "project-one";
    const ids = ["mine", "theirs"].map(
      (name) => cloud.resourceIdFor(flavour.type, name, { scope, region: "westeurope", container: "dev" }) ?? "",
    );
    await console.put(ids[0] ?? "", { type: flavour.type, tags: managed, parameters: { tier: "cold" } });
    await console.put(ids[1] ?? "", { type: flavour.type, tags: {}, parameters: { tier: "cold" } });
    const { provider, type } = flavour;
    const mutation = await world.create({
      name: "shop",
      environmentId,
      components: ids.map((resourceId, at) => ({
        path: `c${at}`,
        provider,
        type,
        resourceId,
        parameters: { tier: "hot" },
      })),
    } as LiveSystemDefinition);
    expect(mutation).toMatchObject({
      status: "Succeeded",
      components: [{ status: "Active" }, { status: "ManualOverride" }],
    });
    expect(mutation.held).toEqual([mutation.components[1]?.id]);
    expect((await console.get(ids[0] ?? ""))?.parameters).toEqual({ tier: "hot" });
    expect(await console.get(ids[1] ?? "")).toMatchObject({ tags: {}, parameters: { tier: "cold" } });
  },
);

test.each(flavours)(
  "$provider: a component that left the declaration is deleted while managed and released while overridden",
  async (flavour) => {
    const world = overrideWorld();
    const { provider, type } = flavour;
    const component = (path: string) => ({ path, provider, type, parameters: { tier: "hot" } });
    const all = { name: "shop", environmentId, components: [component("stays"), component("goes"), component("held")] };
    const mutation = await world.create(all as LiveSystemDefinition);
    const named = (path: string) => mutation.components.find(({ id }) => id.endsWith(`/${path}`));
    const [goes, held] = [named("goes"), named("held")];
    const console = world.consoles[provider];
    await console.putTags(held?.resourceId ?? "", { own: "tag" });
    await world.cycle();
    const after = await world.deploy(mutation.livesystemId, {
      ...all,
      components: [component("stays")],
    } as LiveSystemDefinition);
    expect(after).toMatchObject({ status: "Succeeded", released: [held?.id] });
    expect(after.components).toHaveLength(1);
    expect(await console.get(goes?.resourceId ?? "")).toBeNull();
    expect((await console.get(held?.resourceId ?? ""))?.tags).toEqual({ own: "tag" });
  },
);
