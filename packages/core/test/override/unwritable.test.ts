import { describe, expect, test } from "vitest";
import type { DeployPlan } from "../../src/contract/schemas/live-system-schemas.ts";
import { LiveplaneError } from "../../src/errors.ts";
import type { Cloud } from "../../src/ports/cloud.ts";
import { both, definition, deployed, overridden, planOf } from "../builders/handed-over.ts";

const immutable = { reason: "Immutable", message: "location can't change once the resource exists." };

test("the plan of a hand-back names what can't be put back and why, and the request says so at once", async () => {
  const { world, id, resourceId, console, params } = await overridden({ parameters: { location: "a", size: 1 } });
  await console.patchParameters(resourceId, { location: "b", size: 2 });
  await world.cycle();
  const plan = await planOf(world, params);
  expect(plan).toMatchObject({
    possible: false,
    reason: "/location can't be put back. location can't change once the resource exists.",
    changes: [
      { pointer: "/location", unwritable: immutable },
      { pointer: "/size", unwritable: null },
    ],
  });
  await console.putTags(resourceId, both);
  await world.cycle();
  const { status, health, conditions } = await world.component(id);
  expect(status).toBe("ReconcileRequested");
  expect(health).toBe("Uncorrectable");
  expect(conditions.inSync).toMatchObject(immutable);
});

test("the plan of a deploy names what it can't write and why", async () => {
  const { world, system } = await deployed({ parameters: { location: "a", size: 1 } });
  const body = definition([{ path: "app", parameters: { location: "b", size: 2 } }]);
  const plan = (await world.call("liveSystems.planDeploy", { params: { id: system }, body })) as DeployPlan;
  expect(plan.components[0]?.changes).toMatchObject([
    { pointer: "/location", unwritable: immutable },
    { pointer: "/size", unwritable: null },
  ]);
});

test("plans name what nothing would bind to what was read; a request for it says so at once", async () => {
  const cloud = { boundBy: () => ({ create: "etag", properties: "none", tags: "etag" }) as const };
  const { world, id, system, resourceId, console, params } = await overridden({ parameters: { size: 1 } }, { cloud });
  const unwritable = { reason: "NotCorrectable", message: expect.stringContaining("can only be replaced as a whole") };
  await console.patchParameters(resourceId, { size: 2 });
  await world.cycle();
  expect(await planOf(world, params)).toMatchObject({
    possible: false,
    reason: expect.stringMatching(/^\/size can't be put back\. /),
    changes: [{ pointer: "/size", unwritable }],
  });
  await console.putTags(resourceId, both);
  await world.cycle();
  const { status, health, conditions } = await world.component(id);
  expect({ status, health, inSync: conditions.inSync }).toMatchObject({
    ...{ status: "ReconcileRequested", health: "Uncorrectable", inSync: unwritable },
  });
  expect((await world.plan(system, definition([{ path: "app" }]))).components[0]?.changes).toMatchObject([
    { pointer: "/size", unwritable },
  ]);
});

test("a plan says that a tag is put back beside a place that can't change, though nothing binds other places", async () => {
  const cloud = { boundBy: () => ({ create: "etag", properties: "none", tags: "etag" }) as const };
  const parameters = { location: "a", tags: { team: "one" } };
  const { world, id, resourceId, console, params } = await overridden({ parameters }, { cloud });
  await console.patchParameters(resourceId, { location: "b" });
  await console.putTags(resourceId, { team: "two" });
  await world.cycle();
  expect((await planOf(world, params)).changes).toMatchObject([
    { pointer: "/location", unwritable: immutable },
    { pointer: "/tags/team", unwritable: null },
  ]);
  await console.putTags(resourceId, { ...both, team: "two" });
  await world.cycles(2);
  expect((await console.get(resourceId))?.tags.team).toBe("one");
  expect((await world.component(id)).conditions.inSync).toMatchObject(immutable);
});

test("a request whose writes have no effect says so, in its plan too; a deploy writes again", async () => {
  const without = (cloud: Cloud): Cloud => ({ ...cloud, update: async () => ({}) });
  const clouds = (all: readonly Cloud[]) => all.map(without);
  const { world, id, system, resourceId, console, params } = await overridden({ parameters: { size: 1 } }, { clouds });
  await console.patchParameters(resourceId, { size: 7 });
  await console.putTags(resourceId, both);
  await world.cycles(3);
  const unwritable = { reason: "Ineffective", message: expect.any(String) };
  const { status, health, conditions } = await world.component(id);
  expect({ status, health, inSync: conditions.inSync }).toMatchObject({
    ...{ status: "ReconcileRequested", health: "Uncorrectable", inSync: unwritable },
  });
  expect(await planOf(world, params)).toMatchObject({ possible: false, changes: [{ pointer: "/size", unwritable }] });
  expect((await world.plan(system, definition([{ path: "app" }]))).components[0]).toMatchObject({
    action: "correct",
    changes: [{ pointer: "/size", unwritable: null }],
  });
});

describe("what a cloud has no call for", () => {
  const refusing = (cloud: Cloud): Cloud => ({
    ...cloud,
    async update() {
      const details = { reason: "NotCorrectable" };
      throw new LiveplaneError("ProviderError", "The cloud can't change size.", { retryable: false, details });
    },
  });
  const clouds = (all: readonly Cloud[]) => all.map(refusing);
  const notCorrectable = { value: false, reason: "NotCorrectable", message: "The cloud can't change size." };

  test("is said of drift", async () => {
    const { world, id, resourceId, console } = await deployed({ parameters: { size: 1 } }, { clouds });
    await console.patchParameters(resourceId, { size: 2 });
    await world.cycle();
    await world.cycle();
    expect((await world.component(id)).conditions.inSync).toMatchObject(notCorrectable);
    await console.patchParameters(resourceId, { size: 1 });
    await world.cycle();
    expect((await world.component(id)).conditions.inSync).toMatchObject({ value: true, reason: "InSync" });
  });

  test("ends a hand-back with that reason", async () => {
    const { world, id, resourceId, console } = await overridden({ parameters: { size: 1 } }, { clouds });
    await console.patchParameters(resourceId, { size: 2 });
    await console.putTags(resourceId, both);
    for (let looks = 0; looks < 4; looks++) await world.cycle();
    expect(await world.component(id)).toMatchObject({
      status: "ReconcileRequested",
      conditions: { inSync: notCorrectable },
    });
  });
});

test("a type of which nothing can change is handed back where nothing differs, though it has hidden values", async () => {
  const fixed = (cloud: Cloud): Cloud => ({
    ...cloud,
    resourceType: (type) => ({ ...cloud.resourceType(type), changeable: ["tags"], inputOnly: ["key"] }),
  });
  const options = { clouds: (all: readonly Cloud[]) => all.map(fixed) };
  const { world, id, resourceId, console, params } = await overridden({ parameters: { size: 1, key: "k" } }, options);
  expect(await planOf(world, params)).toMatchObject({ possible: true, unobservable: [] });
  await console.putTags(resourceId, both);
  for (let looks = 0; looks < 4; looks++) await world.cycle();
  expect(await world.component(id)).toMatchObject({ status: "Active", conditions: { inSync: { value: true } } });
  await console.patchParameters(resourceId, { size: 2 });
  await world.cycle();
  expect((await world.component(id)).conditions.inSync).toMatchObject({
    reason: "Immutable",
    message: "size can't change once the resource exists.",
  });
});

test("a hand-back of what had no effect before is written again", async () => {
  let isIgnored = true;
  const ignoring = (cloud: Cloud): Cloud => ({
    ...cloud,
    update: async (...call) => (isIgnored ? {} : cloud.update(...call)),
  });
  const clouds = (all: readonly Cloud[]) => all.map(ignoring);
  const { world, id, resourceId, console } = await deployed({ parameters: { size: 1 } }, { clouds });
  await console.patchParameters(resourceId, { size: 7 });
  await world.cycles(4);
  expect((await world.component(id)).conditions.inSync.reason).toBe("Ineffective");
  await console.putTags(resourceId, {});
  await world.cycles(1);
  isIgnored = false;
  await console.putTags(resourceId, both);
  await world.cycles(3);
  expect(await world.component(id)).toMatchObject({ status: "Active", conditions: { inSync: { value: true } } });
});
