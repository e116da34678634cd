import { expect, test } from "vitest";
import { components } from "../../src/override/records/component-record.ts";
import type { Cloud } from "../../src/ports/cloud.ts";
import { unread } from "../../src/ports/readings.ts";
import { definition, deployed } from "../builders/handed-over.ts";
import { overrideWorld } from "../builders/override.ts";

/** Clouds of which nothing can be read while they are down. */
function failing(isDown: () => boolean) {
  const unreadable = { state: "unreadable", reason: "Down" } as const;
  const down = (cloud: Cloud): Cloud => ({
    ...cloud,
    read: async (...call) => (isDown() ? unreadable : cloud.read(...call)),
    readMany: async (...call) => (isDown() ? call[0].map(() => unreadable) : cloud.readMany(...call)),
  });
  return { clouds: (all: readonly Cloud[]) => all.map(down) };
}

test.each([false, true])(
  "a look that finds nothing new is shown and stored once a shard (shared store: %s)",
  async (sharedByProcesses) => {
    const { world, id, console } = await deployed({}, { sharedByProcesses });
    const before = await world.component(id);
    const stored = async () => JSON.stringify(await world.store.list({ prefix: ["record", "component"], limit: 100 }));
    const records = await stored();
    await world.runtime.advance(60_000);
    const at = world.runtime.clock.now();
    await world.cycle();
    const { lookedAt, conditions, version } = await world.component(id);
    expect(Date.parse(lookedAt ?? "")).toBe(at);
    expect({ conditions, version }).toEqual({ conditions: before.conditions, version: before.version });
    expect(await stored()).toBe(records);

    await console.setFaults({ bulk: "throttle", read: "throttle" });
    await world.runtime.advance(60_000);
    await world.cycle();
    expect((await world.component(id)).lookedAt).toBe(lookedAt);
    await console.setFaults({});
    await world.runtime.advance(600_000);
    await world.cycle();
    expect((await world.component(id)).lookedAt).not.toBe(lookedAt);
  },
);

test("what can't be read isn't looked at by a sweep: it says when it was read last", async () => {
  let isDown = false;
  const { world, id } = await deployed(
    {},
    failing(() => isDown),
  );
  const { observedAt } = (await world.component(id)).conditions.readable;
  isDown = true;
  await world.cycles(3);
  const { conditions, lookedAt } = await world.component(id);
  expect([conditions.readable.value, conditions.readable.observedAt, lookedAt]).toEqual([
    false,
    observedAt,
    observedAt,
  ]);
});

test("what bulk reads leave out and couldn't be read once is read again by the next sweep", async () => {
  let isDown = false;
  const leaving = (cloud: Cloud): Cloud => ({
    ...cloud,
    read: async (...call) => (isDown ? { state: "unreadable", reason: "Down" } : cloud.read(...call)),
    readMany: async (refs) => refs.map(() => unread),
  });
  const { world, id, console, resourceId } = await deployed({}, { clouds: (all) => all.map(leaving) });
  isDown = true;
  await world.cycles(2);
  expect((await world.component(id)).conditions.readable.value).toBe(false);
  isDown = false;
  await console.putTags(resourceId, {});
  await world.cycles(2);
  expect(await world.component(id)).toMatchObject({
    status: "ManualOverride",
    conditions: { readable: { value: true } },
  });
});

test("what could never be read was looked at at no time", async () => {
  const world = overrideWorld(failing(() => true));
  const { components } = await world.passing(world.create(definition([{ path: "app" }])));
  await world.cycles(2);
  const { conditions, lookedAt } = await world.component(components[0]?.id ?? "");
  expect([conditions.readable.value, conditions.readable.observedAt, lookedAt]).toEqual([false, null, null]);
});

test("what somebody changes during a long sweep, after it was read, isn't shown as looked at since", async () => {
  let meanwhile = async () => {};
  const slow = (cloud: Cloud): Cloud => ({
    ...cloud,
    readMany: async (...call) => {
      const readings = await cloud.readMany(...call);
      await meanwhile();
      return readings;
    },
  });
  const { world, id, console, resourceId } = await deployed({}, { clouds: (all) => all.map(slow) });
  await world.runtime.advance(180_000);
  const startedAt = world.runtime.clock.now();
  meanwhile = async () => {
    await world.runtime.clock.sleep(60_000);
    await console.patchParameters(resourceId, { size: 7 });
    await world.runtime.clock.sleep(60_000);
  };
  await world.cycle();
  expect(world.runtime.clock.now()).toBeGreaterThanOrEqual(startedAt + 120_000);
  expect(Date.parse((await world.component(id)).lookedAt ?? "")).toBe(startedAt);
});

test("what another process is writing isn't looked at by a sweep, and nothing is by one that loses its lease", async () => {
  let meanwhile = async () => {};
  const slow = (cloud: Cloud): Cloud => ({
    ...cloud,
    readMany: async (...call) => {
      await meanwhile();
      return cloud.readMany(...call);
    },
  });
  const { world, id, system } = await deployed({}, { clouds: (all) => all.map(slow), sharedByProcesses: true });
  const { agent } = world.override;
  const { clock } = world.runtime;
  const { lookedAt: deployedAt } = await world.component(id);
  await world.runtime.advance(60_000);
  meanwhile = async () => clock.sleep(30_000);
  const { signal } = new AbortController();
  await world.passing(agent.sweepShard("0:0", { deadline: clock.monotonic() + 20_000, signal }));
  expect((await world.component(id)).lookedAt).toBe(deployedAt);
  meanwhile = async () => {};
  await world.records.change({ actor: "test", requestId: "test" }, async (change) => {
    const record = await change.get(components, [system, "app"]);
    if (record !== null) change.put(components, { ...record, work: { id: "a", worker: "other", kind: "correct" } });
  });
  await agent.sweepShard("0:0");
  expect((await world.component(id)).lookedAt).toBe(deployedAt);
});
