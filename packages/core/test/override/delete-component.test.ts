import { expect, test } from "vitest";
import type { Cloud } from "../../src/ports/cloud.ts";
import { code, deployed, managed, overridden } from "../builders/handed-over.ts";
import { recorded, sites } from "../builders/sites.ts";

test("a retained component is left behind with its tags, told with its resource's id, and a later declaration adopts it", async () => {
  const { world } = recorded();
  const mutation = await world.create(sites({ path: "keep", deletionPolicy: "Retain" }));
  const resourceId = mutation.components[0]?.resourceId ?? "";
  const removed = await world.remove(mutation.livesystemId);
  expect(removed.released).toEqual([mutation.components[0]?.id]);
  const told = await world.events("component.released");
  expect(told).toMatchObject([{ subject: mutation.components[0]?.id, data: { resourceId } }]);
  expect((await world.consoles["provider-a"].get(resourceId))?.tags).toEqual(managed);
  const again = await world.create(sites({ path: "keep", resourceId }));
  expect(again).toMatchObject({ status: "Succeeded", components: [{ status: "Active", resourceId }] });
});

test("what is missing when it is to be deleted isn't named as left behind", async () => {
  const { world } = recorded();
  const mutation = await world.create(sites({ path: "a" }));
  await world.consoles["provider-a"].delete(mutation.components[0]?.resourceId ?? "");
  expect(await world.remove(mutation.livesystemId)).toMatchObject({ status: "Succeeded", released: [] });
});

test("deleting goes by a fresh read: the tag taken off a moment ago is enough to be left alone", async () => {
  const { world } = recorded();
  const mutation = await world.create(sites({ path: "a" }));
  await world.consoles["provider-a"].putTags(mutation.components[0]?.resourceId ?? "", { mine: "now" });
  const removed = await world.remove(mutation.livesystemId);
  expect(removed.released).toEqual([mutation.components[0]?.id]);
  expect((await world.consoles["provider-a"].get(mutation.components[0]?.resourceId ?? ""))?.tags).toEqual({
    mine: "now",
  });
});

test("the ledger ends a release with what its own read showed, and not an earlier one", async () => {
  const { world, system, params, resourceId, console } = await overridden();
  await console.patchParameters(resourceId, { size: 7 });
  await world.remove(system);
  const { items } = (await world.call("liveSystems.components.overrides", { params })) as { items: unknown[] };
  expect(items).toMatchObject([{ outcome: "Released", end: { actual: { size: 7 } } }]);
});

test("a failed resource whose tags the cloud doesn't show is neither deleted nor released", async () => {
  let isFailed = false;
  const failing = (cloud: Cloud): Cloud => ({
    ...cloud,
    read: (ref, call) =>
      isFailed ? Promise.resolve({ state: "failed", code: "Broken", message: "It broke." }) : cloud.read(ref, call),
  });
  const { world, id, system, resourceId, console } = await deployed({}, { clouds: (all) => all.map(failing) });
  isFailed = true;
  expect(await world.passing(world.remove(system))).toMatchObject({ status: "Failed", released: [] });
  expect(await world.component(id)).toMatchObject({ leaving: true });
  expect(await console.get(resourceId)).not.toBeNull();
});

test("purges what was deleted long ago, and not before", async () => {
  const { world } = recorded();
  const mutation = await world.create(sites({ path: "a" }));
  await world.remove(mutation.livesystemId);
  await world.housekeep();
  expect((await world.mutation(mutation)).status).toBe("Succeeded");
  await world.runtime.advance(31 * 24 * 3_600_000);
  await world.housekeep();
  expect(await code(world.mutation(mutation))).toBe("NotFound");
});
