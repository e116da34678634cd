import { describe, expect, test } from "vitest";
import { intervalScheduler } from "../../src/ports/interval-scheduler.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";
import { bothClouds, toldIn } from "../builders/both-clouds.ts";
import { both, callsOf, managed, planOf } from "../builders/handed-over.ts";
import { overrideWorld, type WorldOptions } from "../builders/override.ts";
import { named } from "../builders/sites.ts";

describe.each(bothClouds)("$provider: a hand-over", (kind) => {
  const { declared, deployed: deployedWith, overridden } = toldIn(kind);
  const hot = { parameters: { tier: "hot", size: 1 } };
  const deployed = () => deployedWith(hot);
  const taken = () => overridden(hot);

  test("deploys, is taken over, is given back", async () => {
    const { world, id, resourceId, console } = await deployed();
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

    await console.patchParameters(resourceId, { own: "kept" });
    await console.putTags(resourceId, { ...both, own: "tag" });
    await world.cycle();
    const back = await world.component(id);
    expect(back).toMatchObject({ status: "Active", override: null });
    expect(back.outputFields.drift).toBeUndefined();
    const parameters = { tier: "hot", size: 1, own: "kept" };
    expect(await console.get(resourceId)).toMatchObject({ tags: { ...managed, own: "tag" }, parameters });
  });

  test("the agent keeps reading: outputs and drift follow the resource", async () => {
    const { world, id, resourceId, console } = await taken();
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

  test("both tags are a request, stored before anything is written", async () => {
    const { world, id, resourceId, console } = await taken();
    await console.patchParameters(resourceId, { tier: "cold" });
    await console.putTags(resourceId, both);
    const { component } = await world.check(id);
    expect(component.status).toBe("ReconcileRequested");
    expect((await console.get(resourceId))?.parameters).toMatchObject({ tier: "cold" });
    await world.override.agent.idle();
    expect((await world.component(id)).status).toBe("Active");
  });

  test("the reconcile tag has no effect without the management tag", async () => {
    const { world, id, resourceId, console } = await taken();
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

  test("the management tag alone does not trigger reconciliation", async () => {
    const { world, id, resourceId, console } = await taken();
    await console.patchParameters(resourceId, { tier: "cold" });
    await console.putTags(resourceId, managed);
    await world.cycle();
    expect(await world.component(id)).toMatchObject({
      status: "ManualOverride",
      override: { awaiting: "reconcile-tag" },
    });
    expect((await console.get(resourceId))?.parameters).toMatchObject({ tier: "cold" });
  });

  test("put back after an accident, the component is Active on the next cycle", async () => {
    const { world, id, resourceId, console } = await taken();
    const before = await console.putTags(resourceId, managed);
    await world.cycle();
    expect(await world.component(id)).toMatchObject({ status: "Active", override: null });
    expect(await console.get(resourceId)).toEqual(before);
  });

  test("removed and put back between two checks, it never left Active", async () => {
    const { world, id, resourceId, console } = await deployed();
    await console.putTags(resourceId, {});
    await console.putTags(resourceId, managed);
    await world.cycle();
    expect((await world.component(id)).status).toBe("Active");
    expect((await world.events()).map(({ type }) => type)).not.toContain("component.override.started");
  });

  /** A component, and one that reads an output of it. */
  async function related(options: WorldOptions = {}) {
    const world = overrideWorld(options);
    const definition = (size: number) =>
      declared(
        { path: "base", parameters: { tier: "hot" } },
        { path: "reader", parameters: { from: { $output: "base#tier" }, size } },
      );
    const { components, livesystemId } = await world.create(definition(1));
    const at = (path: string) => {
      const { id, resourceId } = named(components, path);
      return { id, resourceId: resourceId ?? "" };
    };
    const console = world.consoles[kind.provider];
    return { world, console, livesystemId, definition, base: at("base"), reader: at("reader") };
  }

  test("a removed tag is noticed within three minutes, by itself", async () => {
    const runtime = fakeRuntime();
    const { world, console, base } = await related({ runtime, scheduler: intervalScheduler({ runtime }) });
    await world.override.start();
    await runtime.advance(200_000);
    await console.putTags(base.resourceId, { "managed-by": "me", own: "tag" });
    for (let seconds = 0; seconds < 180; seconds += 10) await runtime.advance(10_000);
    await world.override.agent.idle();
    expect((await world.component(base.id)).status).toBe("ManualOverride");
    expect((await console.get(base.resourceId))?.tags).toEqual({ "managed-by": "me", own: "tag" });
    await world.override.stop();
  });

  test("an override of one component leaves its dependents as they are, and their references resolve", async () => {
    const { world, console, livesystemId, definition, base, reader } = await related();
    await console.putTags(base.resourceId, {});
    await console.patchParameters(base.resourceId, { tier: "cold" });
    await world.cycle();
    await world.cycle();
    expect((await world.component(base.id)).status).toBe("ManualOverride");
    expect(await world.component(reader.id)).toMatchObject({ status: "Active", outputFields: { from: "cold" } });
    const again = await world.deploy(livesystemId, definition(2));
    expect(again).toMatchObject({ status: "Succeeded", held: [base.id] });
    const ended = await world.events("livesystem.mutation.succeeded");
    expect(ended.map(({ data }) => data.held)).toEqual([[], [base.id]]);
    expect((await console.get(reader.resourceId))?.parameters).toMatchObject({ from: "cold", size: 2 });
  });

  test("only the component whose tag was removed is overridden", async () => {
    const { world, console, base, reader } = await related();
    await console.putTags(base.resourceId, {});
    await console.patchParameters(reader.resourceId, { from: "by hand" });
    await world.cycle();
    expect((await world.component(base.id)).status).toBe("ManualOverride");
    expect((await world.component(reader.id)).status).toBe("Active");
    expect((await console.get(reader.resourceId))?.parameters).toMatchObject({ from: "hot" });
    await console.delete(base.resourceId);
    await world.cycle();
    await world.cycle();
    expect((await world.component(reader.id)).status).toBe("Active");
    expect((await console.get(reader.resourceId))?.parameters).toMatchObject({ from: "hot" });
  });

  test("an override costs nothing: nothing is made, changed or removed for it", async () => {
    const { world, console, base, definition, livesystemId } = await related();
    const writesOf = () => callsOf(world, "create") + callsOf(world, "update") + callsOf(world, "remove");
    const [writes, resources] = [writesOf(), (await console.list()).items.length];
    await console.putTags(base.resourceId, {});
    const left = await console.patchParameters(base.resourceId, { tier: "cold" });
    for (let cycle = 0; cycle < 3; cycle++) await world.cycle();
    await world.deploy(livesystemId, definition(1));
    await world.cycle();
    expect(await console.get(base.resourceId)).toEqual(left);
    expect((await console.list()).items).toHaveLength(resources);
    // The reader alone, which follows the output.
    expect(writesOf() - writes).toBe(1);
  });

  test("deleted during the override, it stays overridden, tags can't bring it back, a redeploy does", async () => {
    const { world, system, id, resourceId, console } = await taken();
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
    await console.put(resourceId, { type: kind.type, tags: both, parameters: { tier: "hot", size: 1 } });
    await world.cycle();
    expect(await world.component(id)).toMatchObject({ status: "ManualOverride", override: { awaiting: "redeploy" } });
    await console.delete(resourceId);
    await world.cycle();
    expect(await world.deploy(system, declared({ path: "app", ...hot }))).toMatchObject({
      status: "Succeeded",
      held: [],
    });
    expect(await world.component(id)).toMatchObject({ status: "Active", override: null });
    expect(await console.get(resourceId)).toMatchObject({ tags: managed, parameters: { tier: "hot" } });
  });

  test("a redeploy adopts what was made by hand in the place of what is gone", async () => {
    const { world, system, id, resourceId, console } = await taken();
    await console.delete(resourceId);
    await world.cycle();
    await console.put(resourceId, { type: kind.type, tags: managed, parameters: { tier: "cold", size: 1 } });
    await world.cycle();
    expect((await world.component(id)).outputFields.drift).toEqual({ tier: { declared: "hot", actual: "cold" } });
    await world.deploy(system, declared({ path: "app", ...hot }));
    expect((await world.component(id)).status).toBe("Active");
    expect((await console.get(resourceId))?.parameters).toMatchObject({ tier: "hot" });
  });

  test("an override lasts as long as it lasts", async () => {
    const { world, id } = await taken();
    await world.runtime.advance(400 * 24 * 3_600_000);
    await world.cycle();
    expect((await world.component(id)).status).toBe("ManualOverride");
  });

  test("keeping manual changes: the plan's patch empties the drift, and the hand-back writes nothing else", async () => {
    const { world, system, id, params, resourceId, console } = await taken();
    await console.patchParameters(resourceId, { tier: "cold" });
    await world.cycle();
    const values = { declared: "hot", actual: "cold", declaredAtOverride: "hot" };
    expect(await planOf(world, params)).toMatchObject({
      possible: true,
      changes: [{ parameter: "tier", pointer: "/tier", cause: "cloud", ...values }],
      keepPatch: [
        { op: "test", path: "/components/0/path", value: "app" },
        { op: "replace", path: "/components/0/parameters/tier", value: "cold" },
      ],
    });
    await world.deploy(system, declared({ path: "app", parameters: { tier: "cold", size: 1 } }));
    expect((await world.component(id)).outputFields).not.toHaveProperty("drift");
    const before = await console.putTags(resourceId, both);
    await world.cycle();
    expect((await world.component(id)).status).toBe("Active");
    expect(await console.get(resourceId)).toMatchObject({ parameters: before?.parameters, tags: managed });
  });

  test("a plan counts on a hand-back that no check has noticed yet", async () => {
    const { world, system, resourceId, console } = await taken();
    await console.patchParameters(resourceId, { tier: "hand" });
    await console.putTags(resourceId, both);
    const same = declared({ path: "app", ...hot });
    expect(await world.plan(system, same)).toMatchObject({ components: [{ action: "correct", reason: null }] });
    expect(await world.passing(world.deploy(system, same))).toMatchObject({ status: "Succeeded", held: [] });
    expect(await console.get(resourceId)).toMatchObject({ tags: managed, parameters: { tier: "hot" } });
  });

  test("a stray reconcile tag on an Active component is removed, so that it arms nothing later", async () => {
    const { world, id, resourceId, console } = await deployed();
    await console.putTags(resourceId, { ...both, own: "kept" });
    await world.cycle();
    expect((await console.get(resourceId))?.tags).toEqual({ ...managed, own: "kept" });
    expect((await world.component(id)).status).toBe("Active");
  });

  test("a first deploy adopts what is tagged and never overwrites what isn't", async () => {
    const world = overrideWorld();
    const console = world.consoles[kind.provider];
    const cloud = kind.provider === "provider-a" ? world.clouds.a : world.clouds.b;
    const scope = kind.provider === "provider-a" ? "3f2504e0-4f89-41d3-9a0c-0305e82c3302" : "project-one";
    const target = { scope, region: "westeurope", container: "dev" };
    const [mine = "", theirs = ""] = ["mine", "theirs"].map(
      (name) => cloud.resourceIdFor(kind.type, name, target) ?? "",
    );
    await console.put(mine, { type: kind.type, tags: managed, parameters: { tier: "cold" } });
    await console.put(theirs, { type: kind.type, tags: {}, parameters: { tier: "cold" } });
    const parts = [mine, theirs].map((resourceId, at) => ({ path: `c${at}`, resourceId, parameters: { tier: "hot" } }));
    const mutation = await world.create(declared(...parts));
    expect(mutation).toMatchObject({
      status: "Succeeded",
      components: [{ status: "Active" }, { status: "ManualOverride" }],
    });
    expect(mutation.held).toEqual([mutation.components[1]?.id]);
    expect((await console.get(mine))?.parameters).toEqual({ tier: "hot" });
    expect(await console.get(theirs)).toMatchObject({ tags: {}, parameters: { tier: "cold" } });
  });

  test("a component that left the declaration is deleted while managed and released while overridden", async () => {
    const world = overrideWorld();
    const { components, livesystemId } = await world.create(
      declared({ path: "stays" }, { path: "goes" }, { path: "held" }),
    );
    const [goes, held] = [named(components, "goes"), named(components, "held")];
    const console = world.consoles[kind.provider];
    await console.putTags(held.resourceId ?? "", { own: "tag" });
    await world.cycle();
    const after = await world.deploy(livesystemId, declared({ path: "stays" }));
    expect(after).toMatchObject({ status: "Succeeded", released: [held.id] });
    expect(after.components).toHaveLength(1);
    expect(await console.get(goes.resourceId ?? "")).toBeNull();
    expect((await console.get(held.resourceId ?? ""))?.tags).toEqual({ own: "tag" });
  });
});
