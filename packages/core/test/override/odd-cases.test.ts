import { describe, expect, test } from "vitest";
import type { SimulatedCloud } from "../../src/clouds/index.ts";
import { LiveplaneError } from "../../src/errors.ts";
import type { Cloud, Reading } from "../../src/ports/cloud.ts";
import { bothClouds, toldIn } from "../builders/both-clouds.ts";
import { both, managed } from "../builders/handed-over.ts";
import { overrideWorld } from "../builders/override.ts";

/** The stories of the specification that no other file tells. Each is told on both clouds. */
describe.each(bothClouds)("$provider", (kind) => {
  const { declared, deployed, overridden } = toldIn(kind);

  /** The writes that the agent sends, by kind. */
  function counted(alter: (cloud: Cloud) => Partial<Cloud> = () => ({})) {
    const sent: string[] = [];
    const watched = (cloud: Cloud): Cloud => {
      const { create, update, remove, removeTag, ...others } = { ...(cloud as SimulatedCloud), ...alter(cloud) };
      const told =
        <Args extends unknown[], T>(name: string, call: (...args: Args) => Promise<T>) =>
        (...args: Args) => {
          sent.push(name);
          return call(...args);
        };
      return {
        ...others,
        create: told("create", create),
        update: told("update", update),
        remove: told("remove", remove),
        removeTag: told("removeTag", removeTag),
      };
    };
    return { sent, clouds: (all: readonly Cloud[]) => all.map(watched) };
  }

  /** Shows these tags on every resource, wherever they come from. */
  const inheriting = (tags: Readonly<Record<string, string>>) => (cloud: Cloud) => {
    const shown = (reading: Reading): Reading =>
      reading.state === "present" ? { ...reading, tags: { ...tags, ...reading.tags } } : reading;
    return {
      read: async (...call: Parameters<Cloud["read"]>) => shown(await cloud.read(...call)),
      readMany: async (...call: Parameters<Cloud["readMany"]>) => (await cloud.readMany(...call)).map(shown),
    };
  };

  test("what somebody deleted in the cloud is told once, with the ID that it had, though it is there again at once", async () => {
    const { world, id, resourceId, console } = await deployed();
    await console.delete(resourceId);
    await world.cycles(2);
    expect(await console.get((await world.component(id)).resourceId ?? "")).not.toBeNull();
    const event = { subject: id, data: { from: "Active", status: "Active", resourceId } };
    expect(await world.events("component.missing")).toMatchObject([event]);
    const held = await overridden();
    await held.console.delete(held.resourceId);
    await held.world.cycles(3);
    const told = await held.world.events("component.missing");
    expect(told).toMatchObject([{ data: { status: "ManualOverride", resourceId: held.resourceId } }]);
    await held.world.passing(held.world.remove(held.system));
    expect(await held.world.events("component.missing")).toHaveLength(1);
  });

  test("a policy that puts the management tag back ends an override without drift, and no other", async () => {
    const { world, id, resourceId, console } = await overridden();
    await console.patchParameters(resourceId, { size: 7 });
    await world.cycle();
    await console.putTags(resourceId, managed);
    await world.cycles(2);
    expect(await world.component(id)).toMatchObject({
      status: "ManualOverride",
      override: { awaiting: "reconcile-tag" },
    });
    expect((await console.get(resourceId))?.parameters.size).toBe(7);
    await console.patchParameters(resourceId, { size: 1 });
    await world.cycle();
    expect((await world.component(id)).status).toBe("Active");
  });

  test("an inherited management tag that the resource shows counts, and keeps it managed", async () => {
    const { sent, clouds } = counted(inheriting(managed));
    const { world, id, resourceId, console } = await deployed({}, { clouds });
    sent.length = 0;
    await console.putTags(resourceId, {});
    await console.patchParameters(resourceId, { size: 7 });
    await world.cycle();
    expect(await world.component(id)).toMatchObject({ status: "Active", conditions: { inSync: { value: true } } });
    expect(sent).toEqual(["update"]);
  });

  test("an inherited reconcile tag is removed once a check, and never in a loop", async () => {
    const { sent, clouds } = counted(inheriting({ platform: "reconcile" }));
    const { world, id } = await deployed({}, { clouds });
    sent.length = 0;
    await world.cycles(3);
    expect(sent).toEqual(["removeTag", "removeTag", "removeTag"]);
    expect((await world.component(id)).status).toBe("Active");
  });

  test("while the bulk index still shows a removed tag, nothing is written", async () => {
    const { sent, clouds } = counted();
    const { world, id, resourceId, console } = await deployed({}, { clouds, cloud: { lagMs: 600_000 } });
    sent.length = 0;
    await world.cycles(4);
    await console.putTags(resourceId, {});
    await console.patchParameters(resourceId, { size: 7 });
    await world.cycles(2);
    expect(sent).toEqual([]);
    expect((await world.check(id)).component.status).toBe("ManualOverride");
    await world.cycles(1);
    expect(sent).toEqual([]);
  });

  test("a clone with the same tags is nobody's: it is never read or written", async () => {
    const read: string[] = [];
    const { sent, clouds } = counted((cloud) => ({
      read: (ref, call) => {
        read.push(ref.resourceId);
        return cloud.read(ref, call);
      },
      readMany: (refs, call) => {
        read.push(...refs.map(({ resourceId }) => resourceId));
        return cloud.readMany(refs, call);
      },
    }));
    const { world, resourceId, console } = await deployed({}, { clouds });
    const clone = `${resourceId}-clone`;
    const { type = "", parameters = {} } = (await console.get(resourceId)) ?? {};
    await console.put(clone, { type, tags: both, parameters: { ...parameters, size: 9 } });
    sent.length = 0;
    await world.cycles(2);
    expect(sent).toEqual([]);
    expect(read).not.toContain(clone);
    expect(await console.get(clone)).toMatchObject({ tags: both, parameters: { size: 9 } });
  });

  test("replaced under the same name: an untagged one is a take-over, a tagged one is managed", async () => {
    const { world, id, resourceId, console } = await deployed();
    const { type = "", parameters = {} } = (await console.get(resourceId)) ?? {};
    const replace = async (tags: Record<string, string>) => {
      await console.delete(resourceId);
      await console.put(resourceId, { type, tags, parameters: { ...parameters, size: 5 } });
    };
    await replace(managed);
    await world.cycle();
    expect(await world.component(id)).toMatchObject({ status: "Active", conditions: { inSync: { value: true } } });
    await replace({});
    await world.cycle();
    expect((await world.component(id)).status).toBe("ManualOverride");
    // The next one isn't the one that was taken over: its tags give nothing back.
    await replace(both);
    await world.cycles(2);
    expect(await world.component(id)).toMatchObject({
      status: "ManualOverride",
      override: { awaiting: "redeploy" },
    });
    expect((await console.get(resourceId))?.parameters.size).toBe(5);
  });

  test("moved to another group: an Active component is made again, an overridden one is lost", async () => {
    const active = await deployed();
    const held = await overridden();
    for (const { console, resourceId } of [active, held]) {
      const { type = "", parameters = {}, tags = {} } = (await console.get(resourceId)) ?? {};
      await console.put(`${resourceId}-elsewhere`, { type, tags, parameters });
      await console.delete(resourceId);
    }
    await active.world.cycle();
    await held.world.cycle();
    expect(await active.console.get(active.resourceId)).toMatchObject({ tags: managed });
    expect(await held.console.get(held.resourceId)).toBeNull();
    expect(await held.world.component(held.id)).toMatchObject({
      status: "ManualOverride",
      override: { awaiting: "redeploy" },
    });
  });

  test("a name that a deleted resource still takes: the cloud's words are shown, and pauses grow", async () => {
    const words = { providerCode: "NameReserved", providerMessage: "A deleted resource still has this name." };
    const refused = new LiveplaneError("ProviderError", "The cloud refused the creation.", { details: words });
    let isTaken = false;
    const { sent, clouds } = counted((cloud) => ({
      create: async (...call) => {
        if (isTaken) throw refused;
        return (cloud as SimulatedCloud).create(...call);
      },
    }));
    const { world, id, resourceId, console } = await deployed({}, { clouds });
    isTaken = true;
    await console.delete(resourceId);
    sent.length = 0;
    for (let seconds = 0; seconds < 60; seconds += 2) {
      await world.runtime.advance(2_000);
      await world.cycle();
    }
    expect(sent.length).toBeGreaterThan(2);
    expect(sent.length).toBeLessThan(9);
    expect(await world.component(id)).toMatchObject({ status: "Active", failing: words });
    isTaken = false;
    await world.cycles(1);
    expect(await console.get(resourceId)).toMatchObject({ tags: managed });
  });

  test.each([
    ["ScopeLocked", "The resource is locked."],
    ["TooManyTags", "The resource has as many tags as it can."],
  ])("a write that fails with %s changes no status, and is shown", async (providerCode, providerMessage) => {
    let isRefused = false;
    const refuses = async <T>(call: () => Promise<T>): Promise<T> => {
      if (!isRefused) return call();
      const details = { providerCode, providerMessage };
      throw new LiveplaneError("ProviderError", "The cloud refused the write.", { details });
    };
    const { clouds } = counted((cloud) => ({
      update: (...call) => refuses(() => (cloud as SimulatedCloud).update(...call)),
      removeTag: (...call) => refuses(() => (cloud as SimulatedCloud).removeTag(...call)),
    }));
    const { world, id, resourceId, console } = await overridden({}, { clouds });
    await console.patchParameters(resourceId, { size: 7 });
    await console.putTags(resourceId, both);
    isRefused = true;
    await world.cycles(3);
    const words = { providerCode, providerMessage };
    expect(await world.component(id)).toMatchObject({ status: "ReconcileRequested", failing: words });
    await console.patchParameters(resourceId, { size: 1 });
    await world.cycles(2);
    expect((await world.component(id)).status).toBe("ReconcileRequested");
    expect((await console.get(resourceId))?.tags).toEqual(both);
    isRefused = false;
    await world.cycles(2);
    expect((await world.component(id)).status).toBe("Active");
  });

  test("two installations whose tags say the same see each other's writes as drift, and say that it is contested", async () => {
    const first = await deployed();
    const { cloudStore, runtime } = first.world;
    const second = overrideWorld({ cloudStore, runtime });
    const taken = await second.create(declared({ path: "app", resourceId: first.resourceId, parameters: { size: 2 } }));
    const other = taken.components[0]?.id ?? "";
    const seen = new Set<string>();
    for (let round = 0; round < 12; round++) {
      await first.world.cycles(1);
      await second.cycle();
      for (const one of [await first.world.component(first.id), await second.component(other)]) {
        expect(one.status).toBe("Active");
        seen.add(one.conditions.inSync.reason);
      }
    }
    expect([...seen]).toContain("Contested");
    await first.console.putTags(first.resourceId, {});
    await first.world.cycles(1);
    await second.cycle();
    expect((await first.world.component(first.id)).status).toBe("ManualOverride");
    expect((await second.component(other)).status).toBe("ManualOverride");
  });

  test("a read that fails right before an unbound deletion: nothing is deleted until it can be read", async () => {
    let fails = false;
    let reads = 0;
    const boundBy = () => ({ create: "etag", properties: "mask", tags: "mask" }) as const;
    const { sent, clouds } = counted((cloud) => ({
      read: async (...call) => {
        // The first read decides, and the one right before the deletion fails.
        if (!fails || ++reads % 2 === 1) return cloud.read(...call);
        return { state: "unreadable", reason: "Down" };
      },
    }));
    const { world, system, resourceId, console } = await deployed({}, { clouds, cloud: { boundBy } });
    fails = true;
    const failed = await world.passing(world.remove(system));
    expect(failed.status).toBe("Failed");
    expect(sent).not.toContain("remove");
    expect(await console.get(resourceId)).not.toBeNull();
    fails = false;
    expect((await world.passing(world.remove(system))).status).toBe("Succeeded");
    expect(await console.get(resourceId)).toBeNull();
  });

  test.each(["update", "remove"])("a process that pauses past its lease before its %s sends nothing", async (write) => {
    let isOver = false;
    let pauses = false;
    const boundBy = () => ({ create: "etag", properties: "mask", tags: "mask" }) as const;
    let reads = 0;
    const { sent, clouds } = counted((cloud) => ({
      read: async (...call) => {
        const reading = await cloud.read(...call);
        // It pauses between the read that it decides on and the write.
        if (pauses && ++reads === 2) isOver = true;
        return reading;
      },
    }));
    const { world, system, resourceId, console } = await deployed({}, { clouds, cloud: { boundBy } });
    const { clock } = world.runtime;
    const lease = {
      get deadline() {
        return isOver ? clock.monotonic() - 1 : clock.monotonic() + 60_000;
      },
      signal: new AbortController().signal,
    };
    await console.patchParameters(resourceId, { size: 7 });
    sent.length = 0;
    pauses = true;
    if (write === "update") await world.passing(world.override.agent.sweepShard("0:0", lease));
    else {
      await world.call("liveSystems.delete", { params: { id: system } });
      await world.passing(world.override.mutations.advance(system, lease));
    }
    expect(isOver).toBe(true);
    expect(sent).toEqual([]);
    expect(await console.get(resourceId)).toMatchObject({ tags: managed, parameters: { size: 7 } });
  });

  test.each(["update", "remove"])("a process that pauses past its claim before its %s decides again", async (write) => {
    let reads = 0;
    let pauses = false;
    const readsBefore: number[] = [];
    const boundBy = () => ({ create: "etag", properties: "mask", tags: "mask" }) as const;
    const { clouds } = counted((cloud) => ({
      read: async (...call) => {
        const reading = await cloud.read(...call);
        // It pauses between the read that it decides on and the write.
        if (pauses && ++reads === 2) await world.runtime.advance(31_000);
        return reading;
      },
      update: async (...call) => {
        readsBefore.push(reads);
        return cloud.update(...call);
      },
      remove: async (...call) => {
        readsBefore.push(reads);
        return cloud.remove(...call);
      },
    }));
    const { world, id, system, resourceId, console } = await deployed({}, { clouds, cloud: { boundBy } });
    await console.patchParameters(resourceId, { size: 7 });
    pauses = true;
    if (write === "update") {
      await expect(world.check(id)).rejects.toMatchObject({ code: "Conflict" });
      expect(readsBefore).toEqual([]);
      await world.check(id);
    } else {
      await world.passing(world.remove(system));
      expect(await console.get(resourceId)).toBeNull();
    }
    expect(readsBefore).toEqual([4]);
  });
});
