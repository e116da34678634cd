import { expect, test } from "vitest";
import type { Component, LiveSystemHealth } from "../../src/contract/schemas/live-system-schemas.ts";
import { LiveplaneError } from "../../src/errors.ts";
import { healthOf } from "../../src/override/protocol/health.ts";
import type { Cloud } from "../../src/ports/cloud.ts";
import { memoryStore } from "../../src/ports/memory-store.ts";
import { environmentId, overrideWorld } from "../builders/override.ts";

const type = "Microsoft.Storage/storageAccounts@2023-01-01";
const shop = (size: number) => ({
  name: "shop",
  environmentId,
  components: [
    { path: "db", provider: "provider-a", type, parameters: { size } },
    { path: "app", provider: "provider-a", type, parameters: { size }, dependsOn: ["db"] },
  ],
});

async function deployed() {
  const world = overrideWorld();
  const { livesystemId: id, components } = await world.create(shop(1));
  const console = world.consoles["provider-a"];
  const [app, db] = components as [Component, Component];
  const shown = async () => [await world.component(db.id), await world.component(app.id)] as const;
  return { world, id, db, console, shown };
}

test("a component whose writes fail says so: in whose words, since when, how often, and when the agent tries again", async () => {
  const { world, id, db, console, shown } = await deployed();
  expect(await shown()).toMatchObject([
    { health: "InSync", failing: null },
    { health: "InSync", nextTryAt: null },
  ]);
  const fails = { code: "QuotaExceeded", message: "There is no more of it." };
  await console.setFaults({ slow: { takesMs: 1, fails } });
  expect(await world.passing(world.deploy(id, shop(7)))).toMatchObject({ status: "Failed" });
  const words = { providerCode: "QuotaExceeded", providerMessage: "There is no more of it." };
  const [first] = await shown();
  expect(first).toMatchObject({ status: "Active", health: "Failing", failing: { attempts: 1, ...words } });
  expect(Date.parse(first.nextTryAt ?? "")).toBeGreaterThan(Date.parse(first.failing?.since ?? ""));
  for (let cycles = 0; cycles < 4; cycles++) {
    await world.runtime.advance(20_000);
    await world.cycle();
  }
  const [again] = await shown();
  expect(again.failing?.attempts).toBeGreaterThan(1);
  expect(again.failing?.since).toBe(first.failing?.since);
  expect((await shown())[1]).toMatchObject({ health: "Blocked", conditions: { inSync: { blockedBy: db.id } } });

  await console.setFaults({});
  expect(await world.passing(world.deploy(id, shop(7)))).toMatchObject({ status: "Succeeded" });
  expect(await shown()).toMatchObject([{ health: "InSync", failing: null, nextTryAt: null }, { health: "InSync" }]);
});

test("a failure for another reason is counted and dated anew, and no try is told while the cloud works", async () => {
  const { world, db, console, shown } = await deployed();
  await console.setFaults({ write: "fail" });
  await console.patchParameters(db.resourceId ?? "", { size: 4 });
  await world.cycle();
  const [first] = await shown();
  expect(first).toMatchObject({ failing: { code: "ProviderError" }, nextTryAt: expect.any(String) });
  const fails = { code: "QuotaExceeded", message: "There is no more of it." };
  await console.setFaults({ slow: { takesMs: 600_000, fails } });
  await world.runtime.advance(60_000);
  await world.cycle();
  const [working] = await shown();
  expect(working).toMatchObject({ working: { progress: expect.anything() }, nextTryAt: null });
  await world.runtime.advance(700_000);
  await world.cycle();
  const { component: last } = await world.check(db.id);
  expect(last.failing).toMatchObject({ code: "ProvisioningFailed", attempts: 1 });
  const since = (component: Component) => Date.parse(component.failing?.since ?? "");
  expect(since(last) - since(first)).toBeGreaterThan(600_000);
});

test("what fails by itself comes before what waits for another, and what can't be read before both, everywhere", async () => {
  const { world, id, db, console, shown } = await deployed();
  const [, app] = await shown();
  await console.setFaults({ write: "fail" });
  await console.patchParameters(app.resourceId ?? "", { size: 4 });
  await world.cycle();
  await world.call("liveSystems.deploy", { params: { id }, body: shop(7) });
  await world.cycle();
  const troubles = async () => {
    const listed = await world.call("liveSystems.health", { query: { limit: 10 } });
    const [system] = (listed as { items: LiveSystemHealth[] }).items;
    return system?.troubled.map(({ componentId, health, message }) => [componentId, health, message]);
  };
  expect((await shown())[1]).toMatchObject({
    health: "Failing",
    failing: { code: "ProviderError" },
    conditions: { inSync: { reason: "Blocked", blockedBy: db.id } },
  });
  expect(await troubles()).toContainEqual([app.id, "Failing", "The cloud failed."]);
  await console.setFaults({ read: "fail", bulk: "fail" });
  const { component } = await world.check(app.id);
  expect(component).toMatchObject({ health: "Unreadable", failing: { attempts: expect.any(Number) }, nextTryAt: null });
  // Whether it still waits isn't known.
  expect(component.conditions.inSync.blockedBy).toBeUndefined();
  expect(await troubles()).toContainEqual([app.id, "Unreadable", "The resource could not be read."]);
});

test("what is as declared already is in sync, whatever comes first and fails", async () => {
  const { world, id, db, console, shown } = await deployed();
  const [, app] = await shown();
  await console.setFaults({ write: "fail" });
  await console.patchParameters(app.resourceId ?? "", { size: 7 });
  await world.passing(world.deploy(id, shop(7)));
  expect(await shown()).toMatchObject([
    { id: db.id, health: "Failing" },
    { id: app.id, health: "InSync" },
  ]);
});

test("what the cloud has no call for can't be corrected; trying again wouldn't help", async () => {
  const noCall = (cloud: Cloud): Cloud => ({
    ...cloud,
    update: async () => {
      throw new LiveplaneError("ProviderError", "There is no call for that.", {
        details: { reason: "NotCorrectable" },
      });
    },
  });
  const world = overrideWorld({ clouds: (clouds) => clouds.map(noCall) });
  const { components } = await world.create(shop(1));
  const { id, resourceId } = components[1] as Component;
  await world.consoles["provider-a"].patchParameters(resourceId ?? "", { size: 4 });
  await world.cycle();
  expect(await world.component(id)).toMatchObject({ health: "Uncorrectable" });
});

test("who controls a component comes before what differs", async () => {
  const { world, db, console } = await deployed();
  const resourceId = db.resourceId ?? "";
  const health = async () => (await world.check(db.id)).component.health;
  await console.putTags(resourceId, {});
  await console.patchParameters(resourceId, { size: 4 });
  expect(await health()).toBe("Overridden");
  await console.putTags(resourceId, { "managed-by": "platform" });
  expect(await health()).toBe("AwaitingReconcileTag");
  await console.delete(resourceId);
  expect(await health()).toBe("Missing");
});

test("live systems report how many components have each health, and name those in trouble that nobody has taken over", async () => {
  const { world, id, db, console } = await deployed();
  const { livesystemId: other } = await world.create({ ...shop(1), name: "other" });
  const health = async () => {
    const listed = await world.call("liveSystems.health", { query: { limit: 10 } });
    return (listed as { items: LiveSystemHealth[] }).items;
  };
  const succeeded = { kind: "Deploy", status: "Succeeded" };
  expect(await health()).toMatchObject([
    { id, name: "shop", status: "Active", lastMutation: succeeded, counts: { InSync: 2 }, troubled: [] },
    { id: other, name: "other", counts: { InSync: 2 } },
  ]);
  await console.setFaults({
    slow: { takesMs: 1, fails: { code: "QuotaExceeded", message: "There is no more of it." } },
  });
  await world.passing(world.deploy(id, shop(7)));
  const [failing] = await health();
  expect(failing).toMatchObject({ lastMutation: { status: "Failed" }, counts: { Failing: 1, Blocked: 1 } });
  // The one that waits for it needs nobody.
  expect(failing?.troubled).toMatchObject([
    { componentId: db.id, health: "Failing", message: "There is no more of it.", since: expect.any(String) },
  ]);
  await console.setFaults({});
  await console.putTags(db.resourceId ?? "", {});
  await world.check(db.id);
  const [overridden] = await health();
  expect(overridden?.counts).toMatchObject({ Overridden: 1 });
  expect(overridden?.troubled.map(({ componentId }) => componentId)).not.toContain(db.id);
});

test("the health of more live systems takes no more requests to the store", async () => {
  let requests = 0;
  const base = memoryStore();
  const store = {
    ...base,
    get: (...given: Parameters<typeof base.get>) => {
      requests++;
      return base.get(...given);
    },
    list: (...given: Parameters<typeof base.list>) => {
      requests++;
      return base.list(...given);
    },
  };
  const world = overrideWorld({ store });
  const requestsNow = async () => {
    await world.call("liveSystems.health", { query: { limit: 10 } });
    requests = 0;
    await world.call("liveSystems.health", { query: { limit: 10 } });
    return requests;
  };
  await world.create(shop(1));
  const withOne = await requestsNow();
  for (let more = 0; more < 4; more++) await world.create({ ...shop(1), name: `shop ${more}` });
  expect(await requestsNow()).toBe(withOne);
});

const [overridden, awaited] = [{ status: "ManualOverride", override: {} }, { status: "ReconcileRequested" }];
const not = (reason: string) => ({ value: false, reason });
const unreadable = not("Unreadable");
const unknown = (reason: string) => ({ value: null, reason });
const gone = { exists: not("Missing") };

/** What is known of a component, where nothing else is said of it as it should be, and which of that comes first. */
test.each<[Record<string, unknown>, Component["health"]]>([
  [{ leaving: true, ...overridden, override: { awaiting: "redeploy" } }, "Leaving"],
  [{ ...overridden, override: { awaiting: "redeploy" }, readable: unreadable }, "Missing"],
  [{ ...overridden, override: { awaiting: "reconcile-tag" }, readable: unreadable }, "AwaitingReconcileTag"],
  [{ ...overridden, readable: unreadable, failing: { code: "ProviderError" } }, "Overridden"],
  [{ readable: unreadable, working: {}, failing: { code: "ProviderError" } }, "Unreadable"],
  [{ working: {}, inSync: not("Immutable") }, "Working"],
  [{ working: {}, failing: { code: "ProviderError" } }, "Failing"],
  [{ ...awaited, inSync: not("Immutable") }, "Uncorrectable"],
  [{ inSync: not("Blocked"), failing: { code: "NotCorrectable" } }, "Uncorrectable"],
  [{ inSync: not("Ineffective"), failing: { code: "ProviderError" } }, "Failing"],
  [{ inSync: unknown("Unresolved"), failing: { code: "NotCorrectable" } }, "Failing"],
  [{ ...awaited, inSync: not("ProvisioningFailed") }, "Failing"],
  [{ ...awaited, override: {}, inSync: not("Blocked") }, "ReconcileRequested"],
  [{ override: { heldBy: "net" }, inSync: not("Blocked"), ...gone }, "Held"],
  [{ inSync: not("Blocked"), ...gone }, "Blocked"],
  [{ inSync: not("Held"), exists: not("NotProvisioned") }, "Blocked"],
  [{ inSync: not("Missing"), ...gone }, "Missing"],
  [{ inSync: unknown("Redeclared"), ...gone }, "Missing"],
  [{ inSync: unknown("NotProvisioned"), exists: not("NotProvisioned") }, "NotProvisioned"],
  [{ inSync: unknown("Redeclared") }, "Unknown"],
  [{ inSync: not("Contested") }, "Differs"],
  [{}, "InSync"],
])(
  "of all that is known of a component, one thing is said: %j is %s",
  ({ readable, exists, inSync, ...facts }, health) => {
    const fine = { value: true, reason: "" };
    const conditions = { readable: readable ?? fine, exists: exists ?? fine, inSync: inSync ?? fine };
    const nothing = { leaving: false, status: "Active", override: null, working: null, failing: null };
    expect(healthOf({ ...nothing, conditions, ...facts } as unknown as Parameters<typeof healthOf>[0])).toBe(health);
  },
);
