import { expect, test } from "vitest";
import { components } from "../../src/override/records/component-record.ts";
import { fillFleet } from "../builders/fleet.ts";
import { overrideWorld } from "../builders/override.ts";

/** A world with a fleet of several pages, and how many components its sweeps have counted. */
async function fleetOf(size: number) {
  const world = overrideWorld();
  const ids = await fillFleet(world.records, size, world.runtime.newId);
  const swept = async (...shards: string[]) => {
    for (const shard of shards) await world.runtime.during(world.override.agent.sweepShard(shard));
    return world.metrics.gauges.get("liveplane_components{}");
  };
  return { world, ids, swept };
}

test("a sweep of several pages covers each component once", async () => {
  const { swept } = await fleetOf(1_300);
  expect(await swept("0:0")).toBe(1_300);
});

test("a sweep covers the live systems of its shard alone", async () => {
  const { ids, swept } = await fleetOf(1_300);
  const inFirst = ids.filter((id) => id < "8").length;
  expect(inFirst).toBeGreaterThan(0);
  expect(inFirst).toBeLessThan(1_300);
  expect(await swept("1:0")).toBe(inFirst);
  expect(await swept("1:1")).toBe(1_300);
});

test("a live system with more components than a page, of which some leave, is covered as a whole, and so are the others", async () => {
  const { world, ids, swept } = await fleetOf(60);
  const [first = ""] = ids.toSorted();
  const key = [first.slice(0, 36), first.slice(37)];
  await world.records.change({ actor: "test", requestId: "test" }, async (change) => {
    const record = await change.get(components, key);
    if (record === null) throw new Error(`${first} is gone`);
    for (let at = 0; at < 700; at++) {
      const resource = { ...record.resource, id: `${record.resource.id}-${at}` };
      change.put(components, { ...record, path: `former/c${at}`, leaving: true, resource });
    }
  });
  expect(await swept("0:0")).toBe(760);
});
