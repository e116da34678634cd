import { expect, test } from "vitest";
import { code, managed } from "../builders/handed-over.ts";
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
