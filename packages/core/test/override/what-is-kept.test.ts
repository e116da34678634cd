import { expect, test } from "vitest";
import type { Cloud, Reading } from "../../src/ports/cloud.ts";
import { both, busyWhile, definition, deployed } from "../builders/handed-over.ts";
import { overrideWorld } from "../builders/override.ts";

const cache = {
  path: "cache",
  type: "Microsoft.Cache/Redis@2024-01-01",
  parameters: { size: 1, primaryKey: "the key" },
};
const app = { path: "app", parameters: { size: { $output: "cache#size" }, conn: { $output: "cache#primaryKey" } } };

/** A component that refers to what another one shows, and to what that one hides. */
async function withReader() {
  const world = overrideWorld();
  const { livesystemId: system } = await world.create(definition([cache, app]));
  const componentId = `${system}/cache`;
  const { resourceId } = await world.component(componentId);
  const console = world.consoles["provider-a"];
  return { world, system, componentId, console, resourceId: resourceId ?? "", params: { id: system, componentId } };
}

test("what a missing resource last showed and hid is kept: what refers to it is compared with that", async () => {
  const { world, system, componentId, console, resourceId } = await withReader();
  const { outputFields } = await world.component(componentId);
  expect(outputFields).toMatchObject({ size: 1, primaryKey: "[redacted]" });
  await console.setFaults({ write: "fail" });
  await console.delete(resourceId);
  await world.cycles(2);
  const missing = await world.component(componentId);
  expect(missing).toMatchObject({ health: expect.stringMatching(/Missing|Failing/), outputFields });
  await world.check(`${system}/app`);
  expect(await world.component(`${system}/app`)).toMatchObject({ conditions: { inSync: { value: true } } });
});

/** A cloud that shows the settings of a resource as an output. */
function showingSettings(cloud: Cloud): Cloud {
  const shown = <R extends Reading>(reading: R): R =>
    reading.state === "present"
      ? { ...reading, outputs: { ...reading.outputs, settings: reading.parameters.settings ?? null } }
      : reading;
  return {
    ...cloud,
    read: async (ref, call) => shown(await cloud.read(ref, call)),
    readMany: async (refs, call) => (await cloud.readMany(refs, call)).map(shown),
  };
}

test("a place in a hidden output has its own value, not what is shown instead of it", async () => {
  const world = overrideWorld({ clouds: (all) => all.map(showingSettings) });
  world.secrets.set("db", "s3cret");
  const settings = { url: "postgres://db", password: { $secret: "db" } };
  const reader = { path: "reader", parameters: { key: { $output: "cache#/settings/password" } } };
  const { livesystemId: system } = await world.create(definition([{ ...cache, parameters: { settings } }, reader]));
  expect((await world.component(`${system}/cache`)).outputFields).toMatchObject({
    settings: { url: "postgres://db", password: "[redacted]" },
  });
  const { resourceId } = await world.component(`${system}/reader`);
  const there = await world.consoles["provider-a"].get(resourceId ?? "");
  expect(there?.parameters).toEqual({ key: "s3cret" });
});

test("who reads a hidden output is told that it has changed since the take-over, and not before it has", async () => {
  const { world, console, resourceId, params } = await withReader();
  const changed = async () => {
    const { items } = (await world.call("liveSystems.components.dependents", { params })) as {
      items: { output: string; changed: boolean }[];
    };
    return Object.fromEntries(items.map((one) => [one.output, one.changed]));
  };
  await console.putTags(resourceId, {});
  await world.cycle();
  expect(await changed()).toEqual({ size: false, primaryKey: false });
  await console.patchParameters(resourceId, { primaryKey: "another" });
  await world.cycle();
  expect(await changed()).toEqual({ size: false, primaryKey: true });
});

test("a cloud that doesn't say since when it works has worked since it was first seen at it", async () => {
  let isBusy = false;
  const { world, id } = await deployed({}, { clouds: busyWhile(() => isBusy) });
  isBusy = true;
  const first = await world.check(id);
  await world.runtime.advance(60_000);
  expect((await world.check(id)).component.working).toEqual(first.component.working);
});

test("what was contested before a take-over doesn't put off the hand-back", async () => {
  const { world, id, console, resourceId } = await deployed();
  for (let times = 0; times < 5; times++) {
    await console.patchParameters(resourceId, { size: 7 });
    await world.cycle();
  }
  expect(await world.component(id)).toMatchObject({ conditions: { inSync: { reason: "Contested" } } });
  await console.putTags(resourceId, {});
  await world.cycle();
  await console.putTags(resourceId, both);
  await world.cycle();
  expect(await world.component(id)).toMatchObject({ status: "Active", conditions: { inSync: { value: true } } });
  expect((await console.get(resourceId))?.parameters.size).toBe(1);
});
