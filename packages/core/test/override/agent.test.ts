import { expect, test } from "vitest";
import { LiveplaneError } from "../../src/errors.ts";
import type { Cloud } from "../../src/ports/cloud.ts";
import { both, callsOf, definition, deployed, failingBy, managed, overridden } from "../builders/handed-over.ts";
import { overrideWorld } from "../builders/override.ts";

const bucket = { provider: "provider-b", type: "storage.v1.bucket" };
test("a sweep that finds nothing new writes nothing, and reads many with one call", async () => {
  const world = overrideWorld();
  await world.create(
    definition(Array.from({ length: 300 }, (_, at) => ({ path: `c${at}`, ...(at % 2 ? bucket : {}) }))),
  );
  await world.cycle();
  const [direct, bulk] = [callsOf(world, "read"), callsOf(world, "bulk")];
  const before = JSON.stringify([await world.store.list({ prefix: ["record"], limit: 10_000 }), await world.events()]);
  await world.cycles(5);
  expect(JSON.stringify([await world.store.list({ prefix: ["record"], limit: 10_000 }), await world.events()])).toBe(
    before,
  );
  expect(direct).toBeGreaterThan(0);
  expect([callsOf(world, "read") - direct, callsOf(world, "bulk") - bulk]).toEqual([0, 10]);
});

test("an overridden component whose drift stays as it is costs no direct read and no write", async () => {
  const { world, resourceId, console } = await deployed();
  await console.putTags(resourceId, {});
  await console.patchParameters(resourceId, { size: 2 });
  await world.cycle();
  const before = [callsOf(world, "read"), (await world.events()).length];
  await world.cycle();
  expect([callsOf(world, "read"), (await world.events()).length]).toEqual(before);
});

test("a read that fails changes no status and permits no write", async () => {
  const { world, id, resourceId, console } = await deployed();
  await console.patchParameters(resourceId, { size: 7 });
  await console.putTags(resourceId, {});
  await console.setFaults({ read: "fail", bulk: "fail" });
  await world.cycle();
  expect(await world.component(id)).toMatchObject({ status: "Active", conditions: { readable: { value: false } } });
  const { acknowledgement } = await world.check(id);
  expect(acknowledgement.managementTag).toBeNull();
  expect((await console.get(resourceId))?.parameters.size).toBe(7);
  await console.setFaults({});
  await world.cycle();
  expect(await world.component(id)).toMatchObject({
    status: "ManualOverride",
    conditions: { readable: { value: true } },
  });
});

test("missing in a bulk read alone is nothing: a direct read decides", async () => {
  const { world, id, resourceId, console } = await deployed({}, { cloud: { lagMs: 600_000 } });
  await world.cycle();
  expect((await world.component(id)).conditions.exists.value).toBe(true);
  expect(await world.events("component.provisioned")).toHaveLength(1);
  expect(await console.get(resourceId)).not.toBeNull();
});

test("without credentials a component is unreadable, and says why", async () => {
  const { world, id } = await deployed();
  world.withoutCredentials.add("provider-a");
  await world.cycle();
  const unreadable = await world.component(id);
  expect(unreadable).toMatchObject({
    status: "Active",
    conditions: { readable: { value: false, reason: "NoAgentCredentials" } },
  });
  await world.cycle();
  expect((await world.component(id)).version).toBe(unreadable.version);
});

test("a request that arrives while a pass is under way isn't swallowed with the old one", async () => {
  let meanwhile = async () => {};
  const removing = (cloud: Cloud): Cloud => ({
    ...cloud,
    async removeTag(...call) {
      await meanwhile();
      return cloud.removeTag(...call);
    },
  });
  const { world, id, resourceId, console } = await deployed({}, { clouds: (clouds) => clouds.map(removing) });
  await console.putTags(resourceId, {});
  await world.cycle();
  await console.putTags(resourceId, both);
  meanwhile = async () => {
    meanwhile = async () => {};
    await console.patchParameters(resourceId, { size: 9 });
  };
  await world.cycle();
  await world.cycle();
  expect(await console.get(resourceId)).toMatchObject({ tags: managed, parameters: { size: 1 } });
  expect((await world.component(id)).status).toBe("Active");
});

test("a lost answer of a correction is looked up, not repeated", async () => {
  let writes = 0;
  const { world, id, resourceId, console } = await deployed(
    {},
    { cloud: { faultOf: ({ operation }) => (operation === "write" && ++writes === 2 ? "lose-answer" : null) } },
  );
  await console.patchParameters(resourceId, { size: 7 });
  await world.cycle();
  expect(writes).toBe(2);
  expect(await world.component(id)).toMatchObject({ status: "Active", conditions: { inSync: { value: true } } });
});

test("a reconcile tag that can't be removed is removed later, and is no new request", async () => {
  const { world, id, resourceId, console } = await deployed();
  await console.putTags(resourceId, {});
  await world.cycle();
  await console.setFaults({ removeTag: "fail" });
  await console.putTags(resourceId, both);
  await world.cycle();
  expect((await world.component(id)).status).toBe("ReconcileRequested");
  await console.setFaults({});
  await world.cycles(1);
  expect((await world.component(id)).status).toBe("Active");
  expect(await world.events("component.reconcile.requested")).toHaveLength(1);
});

test("after three equal corrections without effect it slows down and says so", async () => {
  const stubborn = (clouds: readonly unknown[]) =>
    clouds.map((cloud) => ({ ...(cloud as Cloud), update: async () => ({}) }));
  const { world, id, resourceId, console } = await deployed({}, { clouds: stubborn });
  await console.patchParameters(resourceId, { size: 7 });
  await world.cycles(3);
  expect(await world.component(id)).toMatchObject({
    status: "Active",
    conditions: { inSync: { value: false, reason: "Ineffective" } },
  });
  const failed = await world.events("component.correction_failed");
  expect(failed).toMatchObject([{ data: { code: "Ineffective" } }]);
  const updates = callsOf(world, "update");
  await world.cycles(1);
  expect(callsOf(world, "update")).toBe(updates);
});

test("a sweep shows the next component that blocks another one, once the first doesn't any more", async () => {
  const refused = new Set(["aa", "bb"]);
  let isDeployed = false;
  const picky = (cloud: Cloud): Cloud => ({
    ...cloud,
    update: async (...call) => {
      const isRefused = [...refused].some((path) => call[0].resourceId.includes(`/${path}-`));
      if (isDeployed && isRefused) throw new LiveplaneError("ProviderError", "It is locked.");
      return cloud.update(...call);
    },
  });
  const world = overrideWorld({ clouds: (all) => all.map(picky) });
  const parts = (size: number) =>
    definition([
      { path: "aa", parameters: { size } },
      { path: "bb", parameters: { size } },
      { path: "app", parameters: { size }, dependsOn: ["aa", "bb"] },
    ]);
  const { livesystemId: system } = await world.create(parts(1));
  isDeployed = true;
  await world.passing(world.deploy(system, parts(2)));
  const shown = async () => (await world.component(`${system}/app`)).conditions.inSync;
  for (const path of ["aa", "bb"]) {
    await world.cycles(4);
    expect(await shown()).toMatchObject({ reason: "Blocked", blockedBy: `${system}/${path}` });
    refused.delete(path);
  }
  await world.cycles(4);
  expect(await shown()).toMatchObject({ value: true });
});

test("a sweep shows that what a person has failed in another way", async () => {
  let code: string | null = null;
  const { world, id } = await overridden({}, { clouds: failingBy(() => code) });
  for (const providerCode of ["Quota", "Conflict"]) {
    code = providerCode;
    await world.cycles(1);
    const words = { providerCode, providerMessage: `It says ${code}.` };
    expect((await world.component(id)).conditions.inSync).toMatchObject({ reason: "ProvisioningFailed", ...words });
  }
  expect(await world.events("component.failed")).toHaveLength(2);
});
