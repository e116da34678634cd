import { expect, test } from "vitest";
import type { EnvironmentRef } from "../../src/contract/target.ts";
import { componentKey, components, type PendingWork } from "../../src/override/records/component-record.ts";
import type { Cloud, CloudCredentials } from "../../src/ports/cloud.ts";
import type { Lease } from "../../src/ports/scheduler.ts";
import { SecretValue } from "../../src/ports/secret-value.ts";
import { defaultSettings } from "../../src/settings.ts";
import { callsOf, code, definition, deployed, failingBy, managed, vm } from "../builders/handed-over.ts";
import { environmentId, overrideWorld, type World } from "../builders/override.ts";

const bucket = { provider: "provider-b", type: "storage.v1.bucket" };
/** A component of this size, where 1 is declared, under the claim of a process that is dead. */
async function claimedByTheDead(under: string | null, now = 7) {
  const { world, id, system, resourceId, console } = await deployed({}, { sharedByProcesses: true });
  await console.patchParameters(resourceId, { size: now });
  const key = ["record", "component", system, "app"];
  const [record] = await world.store.get([key]);
  const work = { id: "w", worker: "dead", kind: "correct", ...(under !== null && { under }) };
  await world.store.commit({ sets: [{ key, value: { ...(record?.value as object), work } }] });
  return { world, id, system, size: async () => (await console.get(resourceId))?.parameters.size };
}

/** A lease that is renewed for as long as it is held. */
function renewedLease({ clock }: World["runtime"]): Lease {
  return {
    get deadline() {
      return clock.monotonic() + 40_000;
    },
    signal: new AbortController().signal,
  };
}

test("a claim that nobody gives back runs out", async () => {
  const { world, id, size } = await claimedByTheDead("sweep 0:0");
  // Of a lease that doesn't end nobody knows whether another one has it, too.
  const lease = { deadline: Number.POSITIVE_INFINITY, signal: new AbortController().signal };
  await world.override.agent.sweepShard("0:0", lease);
  expect(await size()).toBe(7);
  await world.runtime.advance(60_000);
  await world.override.agent.sweepShard("0:0", lease);
  expect(await size()).toBe(1);
  expect((await world.component(id)).status).toBe("Active");
});

test.each([
  ["at once where it was made under the same lease", "sweep 0:0", 0],
  ["after a minute where it was made under another one", "sweep 1:0", 60_000],
  ["after a minute where no lease frees it, within this sweep: the next one may be another's", null, 60_000],
])("a sweep under a lease that ends goes on with what a dead one claimed, %s", async (_, under, ms) => {
  const { world, size } = await claimedByTheDead(under);
  const { clock } = world.runtime;
  const startedAt = clock.monotonic();
  await world.runtime.during(world.override.agent.sweepShard("0:0", renewedLease(world.runtime)));
  expect(clock.monotonic() - startedAt).toBe(ms);
  expect(await size()).toBe(1);
});

test("the claim of a dead process is removed by the sweep where nothing differs", async () => {
  const { world, system, size } = await claimedByTheDead(null, 1);
  await world.cycles(2);
  const [record] = await world.store.get([["record", "component", system, "app"]]);
  expect(record?.value).toMatchObject({ work: null });
  expect(await size()).toBe(1);
});

test("a worker whose lease has ended leaves what the next holder claimed", async () => {
  const { world, id, size } = await claimedByTheDead("sweep 0:0");
  const [liveSystemId = "", ...path] = id.split("/");
  const key = componentKey(liveSystemId, path.join("/"));
  const pass = (deadline: number) => {
    const lease = { name: "sweep 0:0", deadline, signal: new AbortController().signal };
    return world.override.agent.pass(key, { lane: "sweep", lease });
  };
  const now = world.runtime.clock.monotonic();
  expect(await pass(now - 1)).toMatchObject({ end: "busy" });
  expect(await size()).toBe(7);
  expect(await pass(now + 60_000)).not.toMatchObject({ end: "busy" });
  expect(await size()).toBe(1);
});

const bound = (properties: "etag" | "mask", tags: "etag" | "mask") => () => ({ create: properties, properties, tags });
const boundBy = (part: "etag" | "mask") => bound(part, part);

test.each([
  ["correct", "names its lease where the cloud refuses it when it comes late", { boundBy: boundBy("etag") }, true],
  ["correct", "keeps others off for its minute where only its names bind it", { boundBy: boundBy("mask") }, false],
  ["correct", "goes by what binds parameters, and not tags", { boundBy: bound("etag", "mask") }, true],
  ["correct", "goes by what binds parameters, though more binds tags", { boundBy: bound("mask", "etag") }, false],
  ["create", "names its lease where the name makes the id", { choosesIds: false }, true],
  ["create", "keeps others off for its minute where two would make two", { choosesIds: true }, false],
])("the claim to %s %s", async (kind, _, cloud, isNamed) => {
  const { world, system, resourceId, console } = await deployed({}, { sharedByProcesses: true, cloud });
  if (kind === "correct") await console.patchParameters(resourceId, { size: 7 });
  else await console.delete(resourceId);
  await world.runtime.advance(180_000);
  await console.setFaults({ write: { delayMs: 5_000 } });
  const sweeping = world.override.agent.sweepShard("0:0", renewedLease(world.runtime));
  await world.runtime.settle();
  const [record] = await world.store.get([["record", "component", system, "app"]]);
  const { work = null } = (record?.value ?? {}) as { work?: PendingWork };
  expect([work?.kind, work?.under]).toEqual([kind, isNamed ? "sweep 0:0" : undefined]);
  await world.runtime.during(sweeping);
});

test.each([
  ["names its lease where parameters are bound", bound("etag", "mask"), true],
  ["keeps others off for its minute where only tags are bound", bound("mask", "etag"), false],
])("the claim to write a failed resource again as it is %s", async (_, boundByIt, isNamed) => {
  let failure: string | null = null;
  const options = { cloud: { boundBy: boundByIt }, clouds: failingBy(() => failure) };
  const { world, system, console } = await deployed({}, { sharedByProcesses: true, ...options });
  failure = "Quota";
  await console.setFaults({ write: { delayMs: 5_000 } });
  const sweeping = world.override.agent.sweepShard("0:0", renewedLease(world.runtime));
  await world.runtime.settle();
  const [record] = await world.store.get([["record", "component", system, "app"]]);
  const { work = null } = (record?.value ?? {}) as { work?: PendingWork };
  expect([work?.kind, work?.under]).toEqual(["correct", isNamed ? "sweep 0:0" : undefined]);
  await world.runtime.during(sweeping);
});

test.each([
  ["names its lease where the cloud refuses it when it comes late", boundBy("etag"), true],
  ["keeps others off for its minute where nothing binds it", boundBy("mask"), false],
])("the claim to delete %s", async (_, boundByIt, isNamed) => {
  const { world, system, console } = await deployed({}, { sharedByProcesses: true, cloud: { boundBy: boundByIt } });
  await console.setFaults({ write: { delayMs: 5_000 } });
  await world.call("liveSystems.delete", { params: { id: system } });
  const deleting = world.override.mutations.advance(system, renewedLease(world.runtime));
  await world.runtime.settle();
  const [record] = await world.store.get([["record", "component", system, "app"]]);
  const { work = null } = (record?.value ?? {}) as { work?: PendingWork };
  expect([work?.kind, work?.under]).toEqual(["remove", isNamed ? `mutations ${system}` : undefined]);
  await world.runtime.during(deleting);
});

test("of processes that share a store each counts what it has swept within the last interval", async () => {
  const running = { request: async () => {}, stop: async () => {} };
  const scheduler = { leaseMs: 20_000, start: async () => running, enqueue: async () => {} };
  const shared = { sharedByProcesses: true, scheduler };
  const { world, resourceId, console } = await deployed({}, shared);
  const { store, cloudStore, runtime } = world;
  const other = overrideWorld({ ...shared, store, cloudStore, runtime });
  const counted = () =>
    [world, other].map(({ override, metrics }) => {
      override.agent.measure();
      return ["liveplane_components", "liveplane_overrides"].map((name) => metrics.gauges.get(`${name}{}`));
    });
  await world.cycle();
  expect(counted()).toEqual([
    [1, 0],
    [0, 0],
  ]);
  await console.putTags(resourceId, {});
  await runtime.advance(defaultSettings.checkSeconds * 1000);
  await other.cycle();
  await other.cycle();
  expect(counted()).toEqual([
    [0, 0],
    [1, 1],
  ]);
  expect(await store.list({ prefix: ["record", "fleet-tally"] })).toEqual([]);
});

test("begins no write within a call's time of the end of its lease", async () => {
  const { world, resourceId, console } = await deployed();
  await console.patchParameters(resourceId, { size: 7 });
  const signal = new AbortController().signal;
  await world.override.agent.sweepShard("0:0", { deadline: world.runtime.clock.monotonic() + 29_000, signal });
  expect((await console.get(resourceId))?.parameters.size).toBe(7);
  await world.override.agent.sweepShard("0:0", { deadline: world.runtime.clock.monotonic() + 31_000, signal });
  expect((await console.get(resourceId))?.parameters.size).toBe(1);
});

test("gives up a write once it has taken half a lease, and looks up what became of it", async () => {
  const scheduler = {
    leaseMs: 20_000,
    start: async () => ({ request: async () => {}, stop: async () => {} }),
    enqueue: async () => {},
  };
  const { world, resourceId, console } = await deployed({}, { scheduler });
  const { clock } = world.runtime;
  const sweep = () => {
    const lease = { deadline: clock.monotonic() + 19_000, signal: new AbortController().signal };
    return world.override.agent.sweepShard("0:0", lease);
  };
  await console.patchParameters(resourceId, { size: 7 });
  await console.setFaults({ write: { delayMs: 60_000 } });
  const startedAt = clock.monotonic();
  await world.runtime.during(sweep());
  expect(clock.monotonic() - startedAt).toBe(10_000);
  expect((await console.get(resourceId))?.parameters.size).toBe(7);
  await console.setFaults({});
  await world.runtime.during(sweep());
  expect((await console.get(resourceId))?.parameters.size).toBe(1);
});

test("a check waits ten seconds for a look under way, then says that it is busy", async () => {
  const { world, id, console } = await deployed();
  await console.setFaults({ read: { delayMs: 60_000 } });
  const first = world.check(id);
  await world.runtime.settle();
  const second = code(world.check(id));
  await world.runtime.advance(11_000);
  expect(await second).toBe("Conflict");
  await console.setFaults({});
  await world.runtime.settle();
  expect((await first).acknowledgement).toMatchObject({ managementTag: true, writesInFlight: 0 });
});

test("a check acknowledges what it saw, when, and what the agent last wrote", async () => {
  const { world, id, resourceId, console } = await deployed();
  const deployedAt = new Date(world.runtime.clock.now()).toISOString();
  await world.runtime.advance(5_000);
  await console.putTags(resourceId, {});
  const { component, acknowledgement } = await world.check(id);
  expect(component.status).toBe("ManualOverride");
  expect(acknowledgement).toEqual({
    observedAt: new Date(world.runtime.clock.now()).toISOString(),
    managementTag: false,
    writesInFlight: 0,
    lastWriteAt: deployedAt,
  });
});

test("the sweep reads each environment's resources with its own credentials", async () => {
  const asked: (readonly [count: number, secret: string | undefined])[] = [];
  const listening = (cloud: Cloud): Cloud => ({
    ...cloud,
    readMany: (refs, call) => {
      asked.push([refs.length, call.credentials.secret?.reveal()]);
      return cloud.readMany(refs, call);
    },
  });
  const credentialsIn = ({ shortName }: EnvironmentRef): CloudCredentials => {
    return { kind: "servicePrincipal", name: "agent", secret: new SecretValue(`secret of ${shortName}`) };
  };
  const world = overrideWorld({ clouds: (all) => all.map(listening), credentialsIn });
  for (const shortName of ["dev", "test"])
    await world.create({ ...definition([{ path: "app" }]), environmentId: { ...environmentId, shortName } });
  await world.cycle();
  expect(asked.toSorted()).toEqual([
    [1, "secret of dev"],
    [1, "secret of test"],
  ]);
});

test("a sweep reads every component of however many live systems, and is whole if each page is", async () => {
  let asked = 0;
  const counting = (cloud: Cloud): Cloud => ({
    ...cloud,
    readMany: (refs, call) => {
      asked += refs.length;
      return cloud.readMany(refs, call);
    },
  });
  const world = overrideWorld({ clouds: (all) => all.map(counting) });
  const paths = Array.from({ length: 160 }, (_, at) => `app-${at}`);
  const systems: { id: string; provider: "provider-a" | "provider-b" }[] = [];
  for (const cloud of [vm, bucket, vm, bucket]) {
    const { livesystemId: id } = await world.create(definition(paths.map((path) => ({ path, ...cloud }))));
    systems.push({ id, provider: cloud === vm ? "provider-a" : "provider-b" });
  }
  await world.runtime.advance(60_000);
  await world.passing(world.override.agent.sweepShard("0:0"));
  expect(asked).toBe(640);
  // The last page is read, and the cloud of a live system on the first one asks for a pause.
  const last = systems.sort((a, b) => (a.id < b.id ? -1 : 1)).at(-1);
  const lookedAt = async () => (await world.component(`${last?.id}/app-0`)).lookedAt;
  const before = await lookedAt();
  await world.consoles[last?.provider === "provider-a" ? "provider-b" : "provider-a"].setFaults({ bulk: "throttle" });
  for (let at = 0; at < 2; at++) {
    await world.runtime.advance(1_000);
    await world.passing(world.override.agent.sweepShard("0:0"));
  }
  expect(await lookedAt()).toBe(before);
});

test("bulk reads keep to the pace that their cloud names for them", async () => {
  const many = { perSecond: 100, burst: 100 };
  const slow = (cloud: Cloud): Cloud => ({
    ...cloud,
    capabilities: {
      ...cloud.capabilities,
      bulkReadSize: 1,
      pace: { read: many, write: many, bulk: { perSecond: 1, burst: 1 } },
    },
  });
  const world = overrideWorld({ clouds: (all) => all.map(slow) });
  await world.create(definition([{ path: "a" }, { path: "b" }, { path: "c" }]));
  await world.cycle();
  const before = world.runtime.clock.monotonic();
  const asked = callsOf(world, "bulk");
  await world.passing(world.override.agent.sweepShard("0:0"));
  expect(callsOf(world, "bulk")).toBe(asked + 3);
  expect(world.runtime.clock.monotonic() - before).toBeGreaterThanOrEqual(2_000);
});

test("a throttled scope slows only itself", async () => {
  const world = overrideWorld();
  const mutation = await world.create(definition([{ path: "a" }, { path: "b", ...bucket }]));
  const [a, b] = mutation.components;
  await world.consoles["provider-a"].setFaults({ bulk: "throttle", read: "throttle" });
  await world.consoles["provider-b"].patchParameters(b?.resourceId ?? "", { size: 7 });
  await world.cycle();
  const asked = callsOf(world, "bulk");
  await world.cycle();
  expect((await world.consoles["provider-b"].get(b?.resourceId ?? ""))?.parameters.size).toBe(1);
  expect(callsOf(world, "bulk")).toBe(asked + 1);
  expect((await world.component(a?.id ?? "")).status).toBe("Active");
});

test("notices a take-over while the component's step waits for its turn in a deploy", async () => {
  const { world, id, system, resourceId, console } = await deployed({});
  await world.records.change({ actor: "test", requestId: "test" }, async (change) => {
    const record = await change.get(components, [system, "app"]);
    if (record !== null)
      change.put(components, { ...record, step: { mutationId: "m", state: "pending", error: null } });
  });
  await console.putTags(resourceId, {});
  await world.cycle();
  expect((await world.component(id)).status).toBe("ManualOverride");
});

test("reminds once at each age, and at the time its holder named; muted drift reminds nobody", async () => {
  const { world, id, system, resourceId, console } = await deployed({}, { settings: { overdueHours: [24, 72] } });
  await console.putTags(resourceId, {});
  await world.cycle();
  const remindIn = (hours: number) =>
    world.call("liveSystems.components.annotateOverride", {
      params: { id: system, componentId: id },
      body: { remindAt: new Date(world.runtime.clock.now() + hours * 3_600_000).toISOString() },
    });
  await remindIn(1);
  const overdue = async () =>
    (await world.events("component.override.overdue")).map(({ data }) => [data.because, data.hours]);
  for (const hours of [2, 23, 1, 48, 24]) {
    await world.runtime.advance(hours * 3_600_000);
    await world.cycle();
    await world.cycle();
  }
  expect(await overdue()).toEqual([
    ["remindAt", null],
    ["age", 24],
    ["age", 72],
  ]);
  await remindIn(1);
  await world.runtime.advance(2 * 3_600_000);
  await world.cycles(2);
  expect((await overdue()).slice(3)).toEqual([["remindAt", null]]);
  const muted = await deployed({ muteDrift: ["size"] });
  await muted.console.putTags(muted.resourceId, {});
  await muted.console.patchParameters(muted.resourceId, { size: 3 });
  await muted.world.cycle();
  await muted.world.runtime.advance(100 * 3_600_000);
  await muted.world.cycle();
  expect((await muted.world.events()).map(({ type }) => type)).not.toContain("component.override.overdue");
  expect(await muted.world.component(muted.id)).toMatchObject({
    conditions: { inSync: { value: false, reason: "Muted" } },
    outputFields: { drift: { size: {} } },
  });
});

test("reminds of what isn't muted, though something muted differs, too", async () => {
  const parameters = { size: 1, zone: "a" };
  const { world, resourceId, console } = await deployed({ parameters, muteDrift: ["size"] });
  await console.putTags(resourceId, {});
  await console.patchParameters(resourceId, { size: 3, zone: "b" });
  await world.cycle();
  await world.runtime.advance(100 * 3_600_000);
  await world.cycle();
  expect(await world.events("component.override.overdue")).not.toEqual([]);
});

test("lets a host choose that the management tag alone takes it back", async () => {
  const { world, id, resourceId, console } = await deployed({}, { settings: { restoredTag: "resume" } });
  await console.putTags(resourceId, {});
  await console.patchParameters(resourceId, { size: 7 });
  await world.cycle();
  await console.putTags(resourceId, managed);
  await world.cycle();
  expect((await world.component(id)).status).toBe("Active");
  expect((await console.get(resourceId))?.parameters.size).toBe(1);
  const types = (await world.events()).map(({ type }) => type).filter((type) => type.startsWith("component.reconcile"));
  expect(types).toEqual(["component.reconcile.requested", "component.reconcile.completed"]);
});

test("drains: what is under way finishes, nothing new begins", async () => {
  const { world, resourceId, console } = await deployed({}, { cloud: {} });
  await console.patchParameters(resourceId, { size: 7 });
  const sweeping = world.cycle();
  await world.override.stop();
  await sweeping;
  await console.patchParameters(resourceId, { size: 8 });
  await world.cycle();
  expect((await console.get(resourceId))?.parameters.size).toBe(8);
});

test("drains: looks that somebody asked for finish, and one that is asked for then is refused", async () => {
  const gate = Promise.withResolvers<void>();
  let reads = 0;
  let waits = false;
  const gated = (cloud: Cloud): Cloud => ({
    ...cloud,
    async read(...asked) {
      if (waits) await gate.promise;
      reads += 1;
      return cloud.read(...asked);
    },
  });
  const { world, id } = await deployed({}, { clouds: (all) => all.map(gated) });
  waits = true;
  const before = reads;
  // The second waits for the first.
  const asked = [world.check(id), world.check(id)];
  await world.runtime.settle();
  const stopping = world.override.stop();
  expect(await code(world.check(id))).toBe("Unavailable");
  expect(reads).toBe(before);
  gate.resolve();
  await stopping;
  expect(reads).toBe(before + 2);
  expect(await Promise.all(asked)).toHaveLength(2);
});
