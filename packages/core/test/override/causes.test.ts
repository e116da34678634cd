import { expect, test } from "vitest";
import { explainChanges } from "../../src/override/protocol/adoption-plan.ts";
import { bothClouds } from "../builders/both-clouds.ts";
import { definition, deployed, managed, planOf, vm } from "../builders/handed-over.ts";
import { overrideWorld } from "../builders/override.ts";

const causes = async (...args: Parameters<typeof planOf>) =>
  Object.fromEntries((await planOf(...args)).changes.map(({ pointer, cause }) => [pointer, cause]));

test.each(bothClouds)("$provider: what was declared and never written wasn't changed in the cloud", async (flavour) => {
  const declared = { ...flavour, parameters: { size: 1, zone: "a", place: "West Europe" } };
  const { world, system, resourceId, console, params } = await deployed(declared);
  await console.setFaults({ write: "fail" });
  const next = { path: "app", ...flavour, parameters: { size: 2, zone: "b", place: "north europe" } };
  await world.passing(world.deploy(system, definition([next])));
  expect(await causes(world, params)).toEqual({
    "/size": "declaration",
    "/zone": "declaration",
    "/place": "declaration",
  });

  await console.putTags(resourceId, {});
  await console.patchParameters(resourceId, { zone: "c" });
  await world.cycle();
  expect(await causes(world, params)).toEqual({ "/size": "declaration", "/zone": "both", "/place": "declaration" });

  await console.setFaults({});
  await world.passing(world.deploy(system, definition([{ path: "app", ...declared }])));
  await world.cycle();
  expect(await causes(world, params)).toEqual({ "/zone": "cloud" });
});

test("what a cloud shows in other words hasn't changed there: only the declaration has", () => {
  const change = { parameter: "zone", pointer: "/zone", declared: "b", actual: "WEST-1" };
  const before = { start: null, declared: { zone: "b" }, applied: { zone: "west-1" } };
  expect(explainChanges([change], {}, before)).toMatchObject([{ cause: "declaration" }]);
  expect(explainChanges([{ ...change, actual: "c" }], {}, before)).toMatchObject([{ cause: "both" }]);
});

test("what a person changed is never blamed on the declaration, however often it was deployed since", async () => {
  const { world, system, resourceId, console, params } = await deployed({ parameters: { size: 1, zone: "a" } });
  await console.putTags(resourceId, {});
  await console.patchParameters(resourceId, { size: 4 });
  await world.cycle();
  for (const zone of ["b", "c", "a"])
    await world.passing(world.deploy(system, definition([{ path: "app", parameters: { size: 1, zone } }])));
  await world.cycle();
  expect(await causes(world, params)).toEqual({ "/size": "cloud" });
});

test("a component in the agent's hands explains what differs, too", async () => {
  const { world, resourceId, console, params, id } = await deployed({ parameters: { size: 1 } });
  await console.setFaults({ write: "fail" });
  await console.patchParameters(resourceId, { size: 4 });
  await world.check(id);
  expect(await causes(world, params)).toEqual({ "/size": "cloud" });
});

test("what differed before and was changed once more at the take-over was changed in the cloud", async () => {
  const { world, id, resourceId, console, params } = await differing();
  await console.patchParameters(resourceId, { size: 7 });
  await console.putTags(resourceId, {});
  await world.check(id);
  expect(await causes(world, params)).toEqual({ "/size": "cloud" });
});

/** A component that has differed since it was found, because nothing can be written. */
async function differing() {
  const world = overrideWorld();
  const console = world.consoles["provider-a"];
  const target = { scope: "3f2504e0-4f89-41d3-9a0c-0305e82c3302", region: "westeurope", container: "dev" };
  const resourceId = world.clouds.a.resourceIdFor(vm.type, "found", target) ?? "";
  await console.put(resourceId, { type: vm.type, tags: managed, parameters: { size: 5 } });
  await console.setFaults({ write: "fail" });
  const { livesystemId, components } = await world.passing(world.create(definition([{ path: "app", resourceId }])));
  const id = components[0]?.id ?? "";
  return { world, id, resourceId, console, params: { id: livesystemId, componentId: id } };
}
