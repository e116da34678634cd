import { describe, expect, test } from "vitest";
import type { SimulatedCloud } from "../../src/clouds/index.ts";
import type { SimulatedRewrite } from "../../src/clouds/simulated/simulated-options.ts";
import { LiveplaneError } from "../../src/errors.ts";
import type { Cloud } from "../../src/ports/cloud.ts";
import { memoryStore } from "../../src/ports/memory-store.ts";
import type { Store } from "../../src/ports/store.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";
import { bothClouds, toldIn } from "../builders/both-clouds.ts";
import { both, managed } from "../builders/handed-over.ts";
import { overrideWorld } from "../builders/override.ts";

/** The stories behind the questions about the specification that no other file tells. */
describe.each(bothClouds)("$provider", (kind) => {
  const { declared, deployed, overridden } = toldIn(kind);

  /** The writes that the agent sends, and what happens right after a read of its own. */
  function watched() {
    const sent: string[] = [];
    const after: { read: (() => Promise<unknown>) | null } = { read: null };
    const watching = (cloud: Cloud): Cloud => ({
      ...(cloud as SimulatedCloud),
      read: async (...call) => {
        const reading = await cloud.read(...call);
        const then = after.read;
        after.read = null;
        await then?.();
        return reading;
      },
      create: (...call) => told("create", () => cloud.create(...call)),
      update: (...call) => told("update", () => cloud.update(...call)),
      remove: (...call) => told("remove", () => cloud.remove(...call)),
      removeTag: (...call) => told("removeTag", () => cloud.removeTag(...call)),
    });
    const told = <T>(name: string, call: () => Promise<T>): Promise<T> => {
      sent.push(name);
      return call();
    };
    return { sent, after, clouds: (all: readonly Cloud[]) => all.map(watching) };
  }

  test("an Active component that differs is corrected before a stray reconcile tag is removed", async () => {
    const { sent, clouds } = watched();
    const { world, id, resourceId, console } = await deployed({}, { clouds });
    await console.patchParameters(resourceId, { size: 7 });
    await console.putTags(resourceId, both);
    sent.length = 0;
    await world.cycle();
    expect(sent).toEqual(["update", "removeTag"]);
    expect(await console.get(resourceId)).toMatchObject({ tags: managed, parameters: { size: 1 } });
    expect((await world.component(id)).status).toBe("Active");
  });

  test("a request that is withdrawn before its correction writes nothing", async () => {
    const { sent, after, clouds } = watched();
    const { world, id, resourceId, console } = await overridden({}, { clouds });
    await console.patchParameters(resourceId, { size: 7 });
    await console.putTags(resourceId, both);
    sent.length = 0;
    after.read = () => console.putTags(resourceId, managed);
    await world.cycle();
    expect(await world.component(id)).toMatchObject({
      status: "ManualOverride",
      override: { awaiting: "reconcile-tag" },
    });
    const types = (await world.events()).map(({ type }) => type);
    expect(types.filter((type) => /reconcile\.(requested|withdrawn)/.test(type))).toHaveLength(2);
    expect(sent).toEqual([]);
  });

  test("what failed isn't taken back by the management tag alone, though nothing else differs", async () => {
    let fails = false;
    const failing = (cloud: Cloud): Cloud => ({
      ...(cloud as SimulatedCloud),
      read: async (...call) => {
        const reading = await cloud.read(...call);
        if (!fails || reading.state !== "present") return reading;
        const { state: _, ...resource } = reading;
        return { state: "failed", code: "Broken", message: "It is broken.", resource };
      },
    });
    const { world, id, resourceId, console } = await overridden({}, { clouds: (all) => all.map(failing) });
    fails = true;
    await console.putTags(resourceId, managed);
    await world.cycle();
    await world.check(id);
    expect(await world.component(id)).toMatchObject({
      status: "ManualOverride",
      override: { awaiting: "reconcile-tag" },
    });
    fails = false;
    await world.check(id);
    expect((await world.component(id)).status).toBe("Active");
  });

  test("who has put the management tag back doesn't hold the resource against a deletion", async () => {
    const { world, id, system, resourceId, console } = await overridden();
    await console.patchParameters(resourceId, { size: 7 });
    await console.putTags(resourceId, managed);
    await world.cycle();
    expect((await world.component(id)).override).toMatchObject({ awaiting: "reconcile-tag" });
    expect((await world.remove(system)).status).toBe("Succeeded");
    expect(await console.get(resourceId)).toBeNull();
  });

  test("what a person has is released though the cloud is working on it", async () => {
    let isWorking = false;
    const working = (cloud: Cloud): Cloud => ({
      ...(cloud as SimulatedCloud),
      read: async (...call) => {
        const reading = await cloud.read(...call);
        if (!isWorking || reading.state !== "present") return reading;
        const { state: _, ...resource } = reading;
        return { state: "working", resource };
      },
    });
    const { world, id, system, resourceId, console } = await overridden({}, { clouds: (all) => all.map(working) });
    isWorking = true;
    expect(await world.remove(system)).toMatchObject({ status: "Succeeded", released: [id] });
    expect(await console.get(resourceId)).not.toBeNull();
  });

  test("a check that a person requests doesn't wait for the pause between corrections", async () => {
    const { world, id, resourceId, console } = await deployed();
    const size = async () => (await console.get(resourceId))?.parameters.size;
    for (let times = 0; (await size()) === 1 && times < 20; times++) {
      await console.patchParameters(resourceId, { size: 7 });
      await world.cycles(1);
    }
    expect(await size()).toBe(7);
    expect(await world.component(id)).toMatchObject({ conditions: { inSync: { reason: "Contested" } } });
    await world.check(id);
    expect(await size()).toBe(1);
  });

  test("what is gone is made again only once what it depends on exists", async () => {
    let isDown = false;
    const { sent, clouds } = watched();
    const limited = (cloud: Cloud): Cloud => ({
      ...(cloud as SimulatedCloud),
      create: async (...call) => {
        if (isDown && call[0].name.includes("base"))
          throw new LiveplaneError("ProviderError", "The cloud has no room.", { retryable: true });
        return cloud.create(...call);
      },
    });
    const world = overrideWorld({ clouds: (all) => clouds(all).map(limited) });
    const { components } = await world.create(declared({ path: "base" }, { path: "app", dependsOn: ["base"] }));
    const [base = "", app = ""] = ["base", "app"].map(
      (path) => components.find(({ id }) => id.endsWith(`/${path}`))?.resourceId ?? "",
    );
    const console = world.consoles[kind.provider];
    isDown = true;
    await console.delete(base);
    await world.cycles(1);
    await console.delete(app);
    sent.length = 0;
    await world.cycles(2);
    expect(await console.get(app)).toBeNull();
    isDown = false;
    await world.cycles(3);
    expect(await console.get(base)).not.toBeNull();
    expect(await console.get(app)).not.toBeNull();
  });

  test("a worker that dies between a correction and its record loses its lesson, and the write doesn't count", async () => {
    const { first, second, dieWith, updates } = successors();
    const { components } = await first.create(declared({ path: "app", parameters: { tier: "gold" } }));
    const [{ id = "", resourceId = "" } = {}] = components as { id: string; resourceId: string }[];
    const console = first.consoles[kind.provider];
    await first.cycles(3);
    updates.length = 0;
    await console.patchParameters(resourceId, { tier: "T1" });
    await dieWith(() => first.cycle());
    expect(updates).toHaveLength(1);
    await second.cycles(6);
    // The place was moved by a write of which nobody knows: two more prove nothing.
    expect(updates).toHaveLength(3);
    expect(await second.component(id)).toMatchObject({
      settled: [],
      conditions: { inSync: { value: false, reason: "Ineffective" } },
    });
  });

  test("a deploy that finds another resource during a hand-back leaves it alone, and the next deploy adopts it", async () => {
    const { world, id, system, resourceId, console } = await overridden();
    await console.setFaults({ write: "fail" });
    await console.patchParameters(resourceId, { size: 7 });
    await console.putTags(resourceId, both);
    await world.cycle();
    expect((await world.component(id)).status).toBe("ReconcileRequested");
    await console.setFaults({});
    const before = await console.get(resourceId);
    await console.delete(resourceId);
    await console.put(resourceId, { type: before?.type, tags: both, parameters: { size: 7 } });
    expect(await world.deploy(system, declared({ path: "app" }))).toMatchObject({ status: "Succeeded", held: [id] });
    expect(await world.component(id)).toMatchObject({ status: "ManualOverride", override: { awaiting: "redeploy" } });
    await world.deploy(system, declared({ path: "app" }));
    expect((await world.component(id)).status).toBe("Active");
    expect((await console.get(resourceId))?.parameters).toEqual({ size: 1 });
  });

  test("what leaves while a person has it is observed by the table, and nothing is written", async () => {
    const { sent, clouds } = watched();
    const settings = { restoredTag: "resume" } as const;
    const { world, id, system, resourceId, console } = await overridden({}, { clouds, settings });
    await console.patchParameters(resourceId, { size: 7 });
    await console.setFaults({ read: "fail" });
    expect((await world.passing(world.deploy(system, declared({ path: "other" })))).status).toBe("Failed");
    await console.setFaults({});
    await console.putTags(resourceId, managed);
    sent.length = 0;
    await world.cycles(2);
    expect(await world.component(id)).toMatchObject({ status: "ReconcileRequested", leaving: true });
    // The create is the other component's.
    expect(sent.filter((name) => name !== "create")).toEqual([]);
  });

  test("what is gone isn't made again while the one that it depends on is gone in a person's hands", async () => {
    const world = overrideWorld();
    const { components } = await world.create(declared({ path: "base" }, { path: "app", dependsOn: ["base"] }));
    const [base = "", app = ""] = ["base", "app"].map(
      (path) => components.find(({ id }) => id.endsWith(`/${path}`))?.resourceId ?? "",
    );
    const console = world.consoles[kind.provider];
    await console.putTags(base, {});
    await world.cycles(1);
    await console.delete(base);
    await world.cycles(1);
    await console.delete(app);
    await world.cycles(3);
    expect(await console.get(app)).toBeNull();
  });

  test("a correction whose answer is lost teaches nothing, and the next one teaches a spelling", async () => {
    let isLost = false;
    const sent: unknown[] = [];
    const losing = (cloud: Cloud): Cloud => ({
      ...(cloud as SimulatedCloud),
      update: async (...call) => {
        sent.push(call[1].parameters);
        const { shown: _, ...made } = await cloud.update(...call);
        if (!isLost) return made;
        isLost = false;
        throw new LiveplaneError("ProviderTimeout", "No answer.", { details: { outcome: "unknown" } });
      },
    });
    const rewrites = ({ parameters }: SimulatedRewrite) => ({
      ...parameters,
      tier: String(parameters.tier).toUpperCase(),
    });
    const shouting = { clouds: (all: readonly Cloud[]) => all.map(losing), cloud: { rewrites } };
    const { world, id, system } = await deployed({ parameters: { tier: "Gold" } }, shouting);
    isLost = true;
    await world.deploy(system, declared({ path: "app", parameters: { tier: "Silver" } }));
    expect(sent).toHaveLength(2);
    expect((await world.component(id)).settled).toMatchObject([{ form: "SILVER", by: "spelling" }]);
  });
});

/** Two processes, one after the other, over clouds that show every tier as T3. The first dies right after a correction, if told to. */
function successors() {
  const runtime = fakeRuntime();
  const [store, cloudStore] = [memoryStore({ now: runtime.clock.now }), memoryStore({ now: runtime.clock.now })];
  let life: "safe" | "mortal" | "over" = "safe";
  const updates: string[] = [];
  const alive = <T>(call: () => Promise<T>): Promise<T> =>
    life === "over" ? Promise.reject(new LiveplaneError("StoreFailed", "The process is gone.")) : call();
  const mortal: Store = {
    ...store,
    get: (...call) => alive(() => store.get(...call)),
    list: (...call) => alive(() => store.list(...call)),
    commit: (...call) => alive(() => store.commit(...call)),
  };
  const dying = (cloud: Cloud): Cloud => ({
    ...(cloud as SimulatedCloud),
    update: async (...call) => {
      const made = await cloud.update(...call);
      updates.push(call[0].resourceId);
      if (life === "mortal") life = "over";
      return made;
    },
  });
  const own = {
    runtime,
    cloudStore,
    clouds: (all: readonly Cloud[]) => all.map(dying),
    cloud: { rewrites: ({ parameters }: SimulatedRewrite) => ({ ...parameters, tier: "T3" }) },
  };
  return {
    first: overrideWorld({ ...own, store: mortal }),
    second: overrideWorld({ ...own, store }),
    updates,
    async dieWith(work: () => Promise<unknown>) {
      life = "mortal";
      await work().catch(() => {});
    },
  };
}
