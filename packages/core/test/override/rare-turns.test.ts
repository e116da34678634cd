import { expect, test } from "vitest";
import type { SimulatedCloud, SimulatedCloudOptions } from "../../src/clouds/index.ts";
import { LiveplaneError } from "../../src/errors.ts";
import type { Cloud, Reading } from "../../src/ports/cloud.ts";
import { memoryStore } from "../../src/ports/memory-store.ts";
import { definition, managed, overridden } from "../builders/handed-over.ts";
import { overrideWorld } from "../builders/override.ts";

const net = { path: "net", provider: "provider-a", type: "Microsoft.Network/virtualNetworks@2024-05-01" };
const subnet = { path: "subnet", provider: "provider-a", type: `${net.type.replace("@", "/subnets@")}` };

/** Both clouds, with some of their calls done in another way. */
const changing = (change: (cloud: SimulatedCloud) => Partial<Cloud>) => ({
  clouds: (clouds: readonly Cloud[]) => clouds.map((cloud) => ({ ...cloud, ...change(cloud as SimulatedCloud) })),
});

test("a resource that was found by its intent once, and not the next time, isn't made a second time", async () => {
  const made: string[] = [];
  let [finds, isDying] = [0, true];
  const flapping = changing((cloud) => ({
    create: async (...call) => {
      const written = await cloud.create(...call);
      made.push(call[0].name);
      return isDying ? new Promise<never>(() => {}) : written;
    },
    read: async () => ({ state: "missing" }),
    readMany: async (refs) => refs.map(() => ({ state: "missing" })),
    findCreated: async (...call) => (++finds === 1 ? cloud.findCreated(...call) : null),
  }));
  const cloud: Partial<SimulatedCloudOptions> = { choosesIds: true };
  const options = { store: memoryStore(), cloudStore: memoryStore(), ...flapping, cloud, follows: false };
  const dying = overrideWorld(options);
  const bucket = { path: "app", provider: "provider-b", type: "storage.v1.bucket" };
  const { livesystemId } = await dying.create(definition([bucket]));
  void dying.override.mutations.advance(livesystemId);
  for (let at = 0; at < 200 && made.length === 0; at++) await dying.runtime.advance(10);
  [finds, isDying] = [0, false];

  const next = overrideWorld(options);
  await next.runtime.advance(1_000_000);
  const id = `${livesystemId}/app`;
  await next.passing(next.check(id).catch(() => {}));
  await next.runtime.advance(61_000);
  for (let at = 0; at < 3; at++) {
    await next.passing(next.check(id));
    await next.runtime.advance(5_000);
  }
  expect(finds).toBeGreaterThan(1);
  expect(made).toHaveLength(1);
});

test("what goes by another's tag, and can't be bound, isn't written if the read right before finds it at work", async () => {
  const updated: string[] = [];
  let [reads, isWatched] = [0, false];
  const busy = changing((cloud) => ({
    read: async (ref, call) => {
      const reading = await cloud.read(ref, call);
      const isLate = isWatched && ref.resourceId.includes("subnet") && ++reads > 1;
      if (!isLate || reading.state !== "present") return reading;
      const { state: _, ...resource } = reading;
      return { state: "working", resource };
    },
    update: async (ref, ...rest) => {
      if (isWatched) updated.push(ref.resourceId);
      return cloud.update(ref, ...rest);
    },
  }));
  const boundBy: SimulatedCloudOptions["boundBy"] = () => ({ create: "etag", properties: "mask", tags: "mask" });
  const world = overrideWorld({ cloud: { boundBy }, ...busy });
  const { livesystemId } = await world.create(definition([net, { ...subnet, overrideWith: "net" }]));
  await world.cycle();
  const { resourceId } = await world.component(`${livesystemId}/subnet`);
  await world.consoles["provider-a"].patchParameters(resourceId ?? "", { size: 7 });
  isWatched = true;
  await world.cycle();
  expect(reads).toBeGreaterThan(1);
  expect(updated).toEqual([]);
});

test("what goes by the tag of a resource isn't written while nobody knows whether that was created", async () => {
  const updated: string[] = [];
  let owner = "";
  const losing = changing((cloud) => ({
    create: async (...call) => {
      const written = await cloud.create(...call);
      if (!call[0].name.startsWith("net")) return written;
      owner = (written as { readonly resourceId: string }).resourceId;
      throw new LiveplaneError("ProviderTimeout", "Lost.", { details: { outcome: "unknown" } });
    },
    findCreated: async (...call) => {
      const found = await cloud.findCreated(...call);
      if (found?.resourceId === owner) throw new LiveplaneError("ProviderError", "Later.");
      return found;
    },
    update: async (ref, ...rest) => {
      updated.push(ref.resourceId);
      return cloud.update(ref, ...rest);
    },
  }));
  const world = overrideWorld({ cloud: { choosesIds: true }, ...losing, follows: false });
  const inGoogle = (path: string, kind: string) => ({ path, provider: "provider-b", type: `compute.v1.${kind}` });
  const { livesystemId } = await world.create(
    definition([
      { ...inGoogle("net", "instance"), dependsOn: ["subnet"] },
      { ...inGoogle("subnet", "subnetwork"), overrideWith: "net" },
    ]),
  );
  await world.passing(world.override.mutations.advance(livesystemId));
  const console = world.consoles["provider-b"];
  await console.putTags(owner, {});
  const { resourceId } = await world.component(`${livesystemId}/subnet`);
  await console.patchParameters(resourceId ?? "", { size: 7 });
  await world.cycles(2);
  expect(updated).toEqual([]);
});

test("a form that a person accepted is kept while the reference that it stands for has no value", async () => {
  let isHidden = false;
  const shown = (reading: Reading, resourceId: string): Reading => {
    if (reading.state !== "present" || !isHidden || !resourceId.includes("base")) return reading;
    const { level: _, ...outputs } = reading.outputs;
    return { ...reading, outputs };
  };
  const hiding = changing((cloud) => ({
    read: async (ref, call) => shown(await cloud.read(ref, call), ref.resourceId),
    readMany: async (refs, call) =>
      (await cloud.readMany(refs, call)).map((one, at) => shown(one, refs[at]?.resourceId ?? "")),
  }));
  const rewrites: SimulatedCloudOptions["rewrites"] = ({ parameters }) =>
    "tier" in parameters ? { ...parameters, tier: `T-${parameters.tier}` } : parameters;
  const world = overrideWorld({ cloud: { rewrites }, ...hiding });
  const { livesystemId } = await world.create(
    definition([
      { path: "base", parameters: { size: 1, level: "gold" } },
      { path: "app", parameters: { size: 1, tier: { $output: "base#level" } } },
    ]),
  );
  const id = `${livesystemId}/app`;
  await world.cycles(4);
  const { conditions, fingerprint } = await world.component(id);
  expect(conditions.inSync.reason).toBe("Ineffective");
  const params = { id: livesystemId, componentId: id };
  const body = { pointers: ["/tier"], fingerprint: fingerprint ?? "" };
  await world.call("liveSystems.components.acceptSettled", { params, body });
  const isInSync = async () => (await world.component(id)).conditions.inSync.value;
  expect(await isInSync()).toBe(true);
  isHidden = true;
  await world.cycles(2);
  expect(await isInSync()).not.toBe(true);
  isHidden = false;
  await world.cycles(3);
  expect((await world.component(id)).settled).toHaveLength(1);
  expect(await isInSync()).toBe(true);
});

test("a reminder that is due as an override ends doesn't bring it back", async () => {
  const { world, id, params, console, resourceId } = await overridden();
  const remindAt = new Date(world.runtime.clock.now() + 3_600_000).toISOString();
  await world.call("liveSystems.components.annotateOverride", { params, body: { remindAt } });
  await world.runtime.advance(7_200_000);
  await console.putTags(resourceId, managed);
  await world.cycle();
  expect(await world.component(id)).toMatchObject({ status: "Active", override: null });
});

test("a component isn't forgotten while the read after its deletion fails", async () => {
  let isAsked = false;
  const blind = changing((cloud) => ({
    // The cloud accepts the deletion, and does nothing.
    remove: async () => {
      isAsked = true;
      return {};
    },
    read: async (...call) => {
      if (!isAsked) return cloud.read(...call);
      isAsked = false;
      return { state: "unreadable", reason: "Later" };
    },
  }));
  const world = overrideWorld({ ...blind, follows: false });
  const { livesystemId } = await world.create(definition([{ path: "app" }]));
  await world.passing(world.override.mutations.advance(livesystemId));
  const removal = await world.remove(livesystemId);
  const going = world.override.mutations.advance(livesystemId);
  await world.runtime.advance(100);
  expect(await world.component(`${livesystemId}/app`)).toMatchObject({ leaving: true });
  expect(await world.mutation(removal)).toMatchObject({ status: "Running" });
  await world.passing(going);
});

test("what names a tag owner while it is overridden itself is deleted by its own tag, whoever has that one", async () => {
  const world = overrideWorld();
  const declared = (overrideWith?: string) =>
    definition([net, { path: "app", ...(overrideWith !== undefined && { overrideWith }) }]);
  const { livesystemId, components } = await world.create(declared());
  const placeOf = (path: string) => components.find(({ id }) => id.endsWith(`/${path}`))?.resourceId ?? "";
  const console = world.consoles["provider-a"];
  await console.putTags(placeOf("app"), {});
  await world.cycle();
  await world.deploy(livesystemId, declared("net"));
  await console.putTags(placeOf("net"), {});
  await world.cycle();
  await console.patchParameters(placeOf("app"), { size: 7 });
  await console.putTags(placeOf("app"), managed);
  await world.cycle();
  expect((await world.component(`${livesystemId}/app`)).status).toBe("ManualOverride");
  await world.passing(world.remove(livesystemId));
  expect(await console.get(placeOf("app"))).toBeNull();
});

test("who holds a component is told by the new path as soon as a move of its tag owner is accepted", async () => {
  const world = overrideWorld({ follows: false });
  const { livesystemId } = await world.create(definition([net, { ...subnet, overrideWith: "net" }]));
  await world.passing(world.override.mutations.advance(livesystemId));
  const { resourceId } = await world.component(`${livesystemId}/net`);
  await world.consoles["provider-a"].putTags(resourceId ?? "", {});
  await world.cycles(2);
  const holder = async () => (await world.component(`${livesystemId}/subnet`)).override;
  expect(await holder()).toEqual({ heldBy: `${livesystemId}/net` });
  const moved = { ...net, path: "moved", movedFrom: "net" };
  await world.deploy(livesystemId, definition([moved, { ...subnet, overrideWith: "moved" }]));
  expect(await holder()).toEqual({ heldBy: `${livesystemId}/moved` });
});
