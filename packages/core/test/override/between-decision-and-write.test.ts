import { describe, expect, test } from "vitest";
import type { SimulatedCloud } from "../../src/clouds/index.ts";
import { LiveplaneError } from "../../src/errors.ts";
import { componentKey, components } from "../../src/override/records/component-record.ts";
import type { Cloud, Reading } from "../../src/ports/cloud.ts";
import { memoryStore } from "../../src/ports/memory-store.ts";
import type { Store } from "../../src/ports/store.ts";
import { bothClouds, toldIn } from "../builders/both-clouds.ts";
import { flavours } from "../builders/drawn-deploys.ts";
import { both, definition, managed } from "../builders/handed-over.ts";
import { overrideWorld } from "../builders/override.ts";

const unbound = () => ({ create: "none", properties: "mask", tags: "mask" }) as const;

describe.each(bothClouds)("$provider: between a decision and its write", (kind) => {
  const { overridden, deployed, declared } = toldIn(kind);

  /** A hand-back with drift, and a deed right before the second read of its correction: the third read of the cycle. */
  async function handedBack(deed: (made: Awaited<ReturnType<typeof overridden>>) => Promise<unknown>) {
    const sent: string[] = [];
    let reads = Number.NaN;
    let act = async (): Promise<unknown> => null;
    const watching = (cloud: Cloud): Cloud => ({
      ...(cloud as SimulatedCloud),
      read: async (...call) => {
        reads += 1;
        if (reads === 3) await act();
        return cloud.read(...call);
      },
      update: (...call) => {
        sent.push("update");
        return cloud.update(...call);
      },
    });
    const made = await overridden({}, { clouds: (all) => all.map(watching), cloud: { boundBy: unbound } });
    await made.console.patchParameters(made.resourceId, { size: 7 });
    await made.console.putTags(made.resourceId, both);
    reads = 0;
    act = () => deed(made);
    await made.world.cycle();
    return { ...made, sent };
  }

  test("a request that is withdrawn before the second read stops an unbound correction", async () => {
    const { sent } = await handedBack(({ console, resourceId }) => console.putTags(resourceId, managed));
    expect(sent).toEqual([]);
  });

  test("another resource at the second read stops an unbound correction", async () => {
    const { sent } = await handedBack(async ({ console, resourceId }) => {
      const before = await console.get(resourceId);
      await console.delete(resourceId);
      await console.put(resourceId, { type: before?.type, tags: both, parameters: { size: 9 } });
    });
    expect(sent).toEqual([]);
  });

  test("a creation that lands late makes no second resource where the cloud chooses IDs", async () => {
    let isLate = false;
    let creates = 0;
    const late = (cloud: Cloud): Cloud => ({
      ...(cloud as SimulatedCloud),
      create: async (...call) => {
        creates += 1;
        if (!isLate) return cloud.create(...call);
        isLate = false;
        void world.runtime.clock.sleep(2_000).then(() => cloud.create(...call));
        throw new LiveplaneError("ProviderTimeout", "No answer.", { details: { outcome: "unknown" } });
      },
    });
    const world = overrideWorld({ cloud: { choosesIds: true }, clouds: (all) => all.map(late) });
    const { components } = await world.create(declared({ path: "app" }));
    await world.cycles(2);
    creates = 0;
    isLate = true;
    await world.consoles[kind.provider].delete(components[0]?.resourceId ?? "");
    await world.cycles(1);
    expect(creates).toBe(1);
    await world.runtime.advance(10_000);
    await world.cycles(1);
    expect((await world.consoles[kind.provider].list()).items).toHaveLength(1);
  });

  test("a creation that takes longer than a check interval, with its answer lost, makes no second resource", async () => {
    let isLost = false;
    const losing = (cloud: Cloud): Cloud => ({
      ...(cloud as SimulatedCloud),
      create: async (...call) => {
        const created = await cloud.create(...call);
        if (!isLost) return created;
        isLost = false;
        throw new LiveplaneError("ProviderTimeout", "No answer.", { details: { outcome: "unknown" } });
      },
    });
    const world = overrideWorld({ cloud: { choosesIds: true }, clouds: (all) => all.map(losing) });
    const { components } = await world.create(declared({ path: "app" }));
    await world.cycles(2);
    isLost = true;
    const console = world.consoles[kind.provider];
    await console.setFaults({ slow: { takesMs: 600_000, hidden: true } });
    await console.delete(components[0]?.resourceId ?? "");
    for (let times = 0; times < 8; times++) {
      await world.cycles(1);
      await world.runtime.advance(100_000);
    }
    expect((await console.list()).items).toHaveLength(1);
  });

  test("a creation that lands late makes no second resource, though the store failed before its lost answer was stored", async () => {
    let isLate = false;
    let isDown = false;
    const kept = memoryStore({ now: () => world.runtime.clock.now() });
    const store: Store = {
      ...kept,
      commit: async (...commit) => {
        if (!isDown) return kept.commit(...commit);
        isDown = false;
        throw new LiveplaneError("Unavailable");
      },
    };
    const late = (cloud: Cloud): Cloud => ({
      ...(cloud as SimulatedCloud),
      create: async (...call) => {
        if (!isLate) return cloud.create(...call);
        isLate = false;
        isDown = true;
        void world.runtime.clock.sleep(20_000).then(() => cloud.create(...call));
        throw new LiveplaneError("ProviderTimeout", "No answer.", { details: { outcome: "unknown" } });
      },
    });
    const world = overrideWorld({ store, cloud: { choosesIds: true }, clouds: (all) => all.map(late) });
    const { components } = await world.create(declared({ path: "app" }));
    const id = components[0]?.id ?? "";
    await world.cycles(2);
    isLate = true;
    await world.consoles[kind.provider].delete(components[0]?.resourceId ?? "");
    const pass = world.override.agent.pass(id.split("/"), { lane: "sweep" });
    await expect(pass).rejects.toMatchObject({ code: "Unavailable" });
    for (let times = 0; times < 10; times++) {
      await world.override.agent.pass(id.split("/"), { lane: "sweep" });
      await world.runtime.advance(10_000);
    }
    expect((await world.consoles[kind.provider].list()).items).toHaveLength(1);
    expect(await world.component(id)).toMatchObject({ conditions: { exists: { value: true } } });
  });

  test("a creation that is tried again has the intent that it had before, and no bulk read asks for what has no ID", async () => {
    const intents: string[] = [];
    const asked: unknown[] = [];
    const refusing = (cloud: Cloud): Cloud => ({
      ...(cloud as SimulatedCloud),
      create: async (resource, call) => {
        intents.push(resource.intent);
        if (intents.length < 3) throw new LiveplaneError("ProviderError", "Not now.");
        return cloud.create(resource, call);
      },
      readMany: async (refs, call) => {
        asked.push(...refs.map(({ resourceId }) => resourceId));
        return cloud.readMany(refs, call);
      },
    });
    const world = overrideWorld({ cloud: { choosesIds: true }, clouds: (all) => all.map(refusing) });
    await world.create(declared({ path: "app" }));
    await world.cycles(4);
    expect(asked).not.toContain("");
    expect(intents).toHaveLength(3);
    expect(new Set(intents).size).toBe(1);
  });

  test("a note that is made during a write stays, though the cloud refuses the write", async () => {
    let meanwhile = async (): Promise<unknown> => null;
    const refusing = (cloud: Cloud): Cloud => ({
      ...(cloud as SimulatedCloud),
      update: async () => {
        await meanwhile();
        throw new LiveplaneError("ProviderError", "It is locked.");
      },
    });
    const { world, id, params, resourceId, console } = await overridden({}, { clouds: (all) => all.map(refusing) });
    await console.patchParameters(resourceId, { size: 7 });
    await console.putTags(resourceId, both);
    meanwhile = () => world.call("liveSystems.components.annotateOverride", { params, body: { reason: "tuning" } });
    await world.cycle();
    const failing = { detail: expect.any(String) };
    expect(await world.component(id)).toMatchObject({
      status: "ReconcileRequested",
      override: { reason: "tuning" },
      failing,
    });
  });

  test("who takes over while the agent asks about an accepted write is told that it landed", async () => {
    let meanwhile = async (): Promise<unknown> => null;
    const asked = (cloud: Cloud): Cloud => ({
      ...(cloud as SimulatedCloud),
      follow: async (...call) => {
        await meanwhile();
        return (await cloud.follow?.(...call)) ?? { state: "gone" };
      },
    });
    const { world, id, resourceId, console } = await deployed({}, { clouds: (all) => all.map(asked) });
    await console.patchParameters(resourceId, { size: 7 });
    await console.setFaults({ slow: { takesMs: 60_000 } });
    await world.cycle();
    await console.setFaults({});
    await world.runtime.advance(61_000);
    meanwhile = () => console.putTags(resourceId, {});
    await world.check(id);
    expect((await world.component(id)).status).toBe("ManualOverride");
    expect(await world.events("component.race_detected")).toHaveLength(1);
  });

  test("what a worker has written is stored though it is told to stop", async () => {
    const stop = new AbortController();
    const stopping = (cloud: Cloud): Cloud => ({
      ...(cloud as SimulatedCloud),
      read: async (ref, call) => {
        if (call.signal?.aborted) throw new LiveplaneError("Aborted");
        return cloud.read(ref, call);
      },
      update: async (...call) => {
        const written = await cloud.update(...call);
        stop.abort();
        return written;
      },
    });
    const { world, id, resourceId, console } = await deployed({}, { clouds: (all) => all.map(stopping) });
    await console.patchParameters(resourceId, { size: 7 });
    const lease = { name: "sweep 0:0", deadline: Number.POSITIVE_INFINITY, signal: stop.signal };
    await world.override.agent.pass(id.split("/"), { lane: "sweep", lease });
    expect(await world.events("component.corrected")).toHaveLength(1);
    expect(await world.component(id)).toMatchObject({ conditions: { inSync: { value: true } } });
  });

  test.each([
    ["has ended by then", 61_000],
    ["is still going on", 0],
  ])("a slow correction that crosses a take-over is told before its component is released: it %s", async (_, ms) => {
    const { world, system, resourceId, console } = await deployed({}, { cloud: { boundBy: unbound } });
    await console.patchParameters(resourceId, { size: 7 });
    await console.setFaults({ slow: { takesMs: 60_000 } });
    await world.cycle();
    await console.putTags(resourceId, {});
    await world.runtime.advance(ms);
    expect((await world.passing(world.remove(system))).released).toHaveLength(1);
    expect(await console.get(resourceId)).toMatchObject({ tags: {}, parameters: { size: 1 } });
    expect(await world.events("component.race_detected")).toHaveLength(1);
  });

  test("a slow correction that crosses a take-over is told before its component is released, though the read after it failed", async () => {
    let isDown = false;
    const unreadable = (cloud: Cloud): Cloud => ({
      ...(cloud as SimulatedCloud),
      read: async (...call): Promise<Reading> =>
        isDown ? { state: "unreadable", reason: "Down" } : cloud.read(...call),
    });
    const options = { clouds: (all: readonly Cloud[]) => all.map(unreadable), cloud: { boundBy: unbound } };
    const { world, system, id, resourceId, console } = await deployed({}, options);
    await console.patchParameters(resourceId, { size: 7 });
    await console.setFaults({ slow: { takesMs: 60_000 } });
    await world.cycle();
    await console.putTags(resourceId, {});
    await world.runtime.advance(61_000);
    isDown = true;
    await world.override.agent.pass(id.split("/"), { lane: "people" });
    isDown = false;
    expect((await world.passing(world.remove(system))).released).toHaveLength(1);
    expect(await world.events("component.race_detected")).toHaveLength(1);
  });

  test("a deletion that the cloud refuses leaves no claim, though somebody has stored the component meanwhile", async () => {
    const refusing = (cloud: Cloud): Cloud => ({
      ...(cloud as SimulatedCloud),
      remove: async () => {
        const key = componentKey(made.system, "app");
        await made.world.records.change({ actor: "agent", requestId: "noted" }, async (change) => {
          const record = await change.get(components, key);
          if (record !== null) change.put(components, { ...record, updatedBy: "somebody" });
        });
        throw new LiveplaneError("ProviderError", "It is locked.");
      },
    });
    const made = await deployed({}, { clouds: (all) => all.map(refusing) });
    expect(await made.world.passing(made.world.remove(made.system))).toMatchObject({ status: "Failed" });
    expect(await made.world.records.get(components, made.id.split("/"))).toMatchObject({ work: null });
  });
});

describe.each(flavours)("$provider: while a tag owner can't be read", ({ provider, kinds }) => {
  test("what answers to it isn't released", async () => {
    let isDown = false;
    let owner = "";
    const unreadable = (cloud: Cloud): Cloud => ({
      ...cloud,
      read: async (ref, call): Promise<Reading> =>
        isDown && ref.resourceId === owner ? { state: "unreadable", reason: "Down" } : cloud.read(ref, call),
    });
    const world = overrideWorld({ clouds: (all) => all.map(unreadable) });
    const net = { path: "net", provider, type: kinds.tagOwner };
    const subnet = { path: "subnet", provider, type: kinds.governed, overrideWith: "net" };
    const { livesystemId: system, components } = await world.create(definition([net, subnet]));
    owner = components.find(({ id }) => id.endsWith("/net"))?.resourceId ?? "";
    await world.cycles(1);
    isDown = true;
    const planned = (await world.plan(system, definition([net]))).components;
    expect(planned).toContainEqual(
      expect.objectContaining({ componentId: `${system}/subnet`, action: "hold", reason: "net could not be read." }),
    );
    expect((await world.passing(world.deploy(system, definition([net])))).released).toEqual([]);
  });
});

describe.each(flavours)("$provider: once a tag owner is overridden", ({ provider, kinds }) => {
  test("what answers to it isn't written, though its tag is back before the write", async () => {
    let owner = "";
    let member = "";
    let act: (() => Promise<unknown>) | null = null;
    const watched = (cloud: Cloud): Cloud => ({
      ...cloud,
      read: async (ref, call) => {
        const reading = await cloud.read(ref, call);
        const deed = ref.resourceId === member ? act : null;
        if (deed !== null) act = null;
        await deed?.();
        return reading;
      },
    });
    const world = overrideWorld({ clouds: (all) => all.map(watched) });
    const net = { path: "net", provider, type: kinds.tagOwner };
    const subnet = { path: "subnet", provider, type: kinds.governed, overrideWith: "net" };
    const { livesystemId: system, components } = await world.create(definition([net, subnet]));
    const idOf = (path: string) => components.find(({ id }) => id.endsWith(`/${path}`))?.resourceId ?? "";
    [owner, member] = [idOf("net"), idOf("subnet")];
    const console = world.consoles[provider];
    await world.cycles(1);
    await console.patchParameters(member, { size: 7 });
    act = async () => {
      await console.putTags(owner, {});
      await world.check(`${system}/net`);
      await console.patchParameters(owner, { size: 9 });
      await console.putTags(owner, managed);
    };
    await world.passing(world.check(`${system}/subnet`));
    expect((await world.component(`${system}/net`)).status).toBe("ManualOverride");
    expect((await console.get(member))?.parameters.size).toBe(7);
  });
});
