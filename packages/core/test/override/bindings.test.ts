import { describe, expect, test } from "vitest";
import type { SimulatedCloud } from "../../src/clouds/index.ts";
import { LiveplaneError } from "../../src/errors.ts";
import type { Cloud } from "../../src/ports/cloud.ts";
import type { Binding } from "../../src/ports/resource-type.ts";
import { definition as declared, managed } from "../builders/handed-over.ts";
import { overrideWorld } from "../builders/override.ts";

const flavours = [
  { provider: "provider-a", type: "Microsoft.Web/sites@2024-04-01" },
  { provider: "provider-b", type: "run.v2.service" },
] as const;

describe.each(flavours)("$provider", (flavour) => {
  const { provider } = flavour;
  const definition = (component: object, ...others: { path: string }[]) =>
    declared([{ path: "app", ...component }, ...others].map((one) => ({ ...flavour, ...one })));

  /** A component of a type that is bound by this alone, and a moment between what the agent reads and what it writes. */
  async function deployed(part: Binding, component: object = {}, tags = part) {
    let meanwhile = async () => {};
    let isAnswerLost = false;
    const loseAnswerNext = () => {
      isAnswerLost = true;
    };
    const writes: string[] = [];
    const boundBy = () => ({ create: "etag", properties: part, tags }) as const;
    const watched = (cloud: Cloud): Cloud => ({
      ...cloud,
      update: async (ref, ...rest) => {
        writes.push("update");
        await meanwhile();
        const written = await (cloud as SimulatedCloud).update(ref, ...rest);
        if (!isAnswerLost) return written;
        throw new LiveplaneError("ProviderTimeout", "The answer was lost.", { details: { outcome: "unknown" } });
      },
    });
    const world = overrideWorld({ cloud: { boundBy }, clouds: (clouds) => clouds.map(watched) });
    const mutation = await world.create(definition(component));
    const [{ id = "", resourceId = null } = {}] = mutation.components;
    const console = world.consoles[provider];
    const at = resourceId ?? "";
    const cycle = async () => {
      await world.cycles(1);
      return world.component(id);
    };
    const removeTagNext = () => {
      meanwhile = async () => {
        meanwhile = async () => {};
        await console.putTags(at, {});
      };
    };
    const races = () => world.events("component.race_detected");
    return {
      world,
      id,
      at,
      system: mutation.livesystemId,
      console,
      cycle,
      removeTagNext,
      loseAnswerNext,
      races,
      writes,
    };
  }

  test.each([
    ["none", 1],
    ["etag", 0],
  ] as const)(
    "a creation that %s binds, with the tag off right after it, is told of as a race %i times",
    async (create, told) => {
      const boundBy = () => ({ create, properties: "etag", tags: "etag" }) as const;
      let made = "";
      const takenOver = (cloud: Cloud): Cloud => ({
        ...cloud,
        create: async (...call) => {
          const created = await (cloud as SimulatedCloud).create(...call);
          made = created.resourceId;
          await world.consoles[provider].putTags(made, {});
          return created;
        },
      });
      const world = overrideWorld({ cloud: { boundBy }, clouds: (clouds) => clouds.map(takenOver) });
      await world.create(definition({}));
      expect(made).not.toBe("");
      const races = await world.events("component.race_detected");
      expect(races).toHaveLength(told);
    },
  );

  test.each(["etag", "test"] as const)(
    "bound by %s, a write is refused once the tag is off: nothing happens to what a person holds",
    async (part) => {
      const { console, at, cycle, removeTagNext, races } = await deployed(part);
      await console.patchParameters(at, { size: 7 });
      removeTagNext();
      expect((await cycle()).status).toBe("ManualOverride");
      expect(await console.get(at)).toMatchObject({ tags: {}, parameters: { size: 7 } });
      expect(await races()).toEqual([]);
    },
  );

  test("bound by masks, a write that lands after the removal leaves the tags alone, and is told", async () => {
    const { console, at, cycle, removeTagNext, races } = await deployed("mask");
    await console.patchParameters(at, { size: 7, other: 3 });
    removeTagNext();
    expect((await cycle()).status).toBe("ManualOverride");
    expect(await console.get(at)).toMatchObject({ tags: {}, parameters: { size: 1, other: 3 } });
    expect(await races()).toMatchObject([{ data: { fields: [{ pointer: "/size", from: 7, to: 1 }] } }]);
  });

  test("a race is told although the answer of its write was lost", async () => {
    const { console, at, cycle, removeTagNext, loseAnswerNext, races } = await deployed("mask");
    await console.patchParameters(at, { size: 7 });
    removeTagNext();
    loseAnswerNext();
    expect((await cycle()).status).toBe("ManualOverride");
    expect(await console.get(at)).toMatchObject({ tags: {}, parameters: { size: 1 } });
    expect(await races()).toMatchObject([{ data: { fields: [{ pointer: "/size", from: 7, to: 1 }] } }]);
  });

  test("bound by nothing, drift stays and is shown, and a deploy of it fails", async () => {
    const { console, at, cycle, writes, world, system, id } = await deployed("none");
    expect(await console.get(at)).toMatchObject({ tags: managed, parameters: { size: 1 } });
    await console.patchParameters(at, { size: 7 });
    const drifting = await cycle();
    expect(drifting).toMatchObject({
      status: "Active",
      conditions: { inSync: { value: false, reason: "NotCorrectable" } },
    });
    expect(drifting.outputFields.drift).toEqual({ size: { declared: 1, actual: 7 } });
    expect(writes).toEqual([]);
    const plan = await world.plan(system, definition({}));
    expect(plan).toMatchObject({ components: [{ action: "hold" }] });
    const failed = await world.deploy(system, definition({}));
    expect(failed).toMatchObject({ status: "Failed", error: { code: "NotCorrectable", componentId: id } });
    await console.patchParameters(at, { size: 1 });
    expect((await cycle()).conditions.inSync.value).toBe(true);
  });

  test.each([
    ["none", 0],
    ["etag", 1],
  ] as const)(
    "what failed, and differs nowhere, is written again if it is bound: by %s, %i times",
    async (part, times) => {
      const { console, at, cycle, writes, world } = await deployed(part);
      await console.setFaults({ slow: { takesMs: 1, fails: { code: "Quota", message: "There is no more." } } });
      const cloud = provider === "provider-a" ? world.clouds.a : world.clouds.b;
      const call = { credentials: { kind: "workload", name: null, secret: null } } as const;
      const change = { parameters: [{ pointer: "/other", value: 7 }], tags: {} };
      await cloud.update({ type: flavour.type, resourceId: at }, change, {}, call);
      await console.setFaults({});
      await cycle();
      expect(writes).toHaveLength(times);
    },
  );

  const unbound = [
    { properties: "none", tags: "etag" },
    { properties: "etag", tags: "none" },
  ] as const;
  const places = ["size", "a tag", "a removed tag"];
  const someOf = [1, 2, 3, 4, 5, 6, 7].map((set) => places.filter((_, at) => set & (1 << at)));

  test.each(unbound.flatMap((bound) => someOf.map((differing) => ({ ...bound, differing }))))(
    "properties bound by $properties and tags by $tags: $differing are corrected together or not at all",
    async ({ properties, tags, differing }) => {
      const tagParameter = provider === "provider-a" ? "tags" : "labels";
      const component = { parameters: { size: 1, [tagParameter]: { team: "blue", old: null } } };
      const { console, at, cycle, world, system } = await deployed(properties, component, tags);
      const asDeclared = { tags: { ...managed, team: "blue" }, parameters: { size: 1 } };
      const changed = {
        tags: {
          ...managed,
          team: differing.includes("a tag") ? "red" : "blue",
          ...(differing.includes("a removed tag") && { old: "x" }),
        },
        parameters: { size: differing.includes("size") ? 7 : 1 },
      };
      await console.patchParameters(at, changed.parameters);
      await console.putTags(at, changed.tags);
      const isUnbound = differing.some((place) => (place === "size" ? properties : tags) === "none");
      const plan = await world.plan(system, definition(component));
      const unwritable = isUnbound ? { reason: "NotCorrectable" } : null;
      const changes = differing.map(() => ({ unwritable }));
      expect(plan).toMatchObject({ components: [{ action: isUnbound ? "hold" : "correct", changes }] });
      const { reason } = (await cycle()).conditions.inSync;
      const { tags: tagsNow, parameters } = (await console.get(at)) ?? {};
      expect({ tags: tagsNow, parameters }).toEqual(isUnbound ? changed : asDeclared);
      expect(reason).toBe(isUnbound ? "NotCorrectable" : "InSync");
    },
  );

  test.each([
    ["none", "hold", "Failed"],
    ["mask", "correct", "Succeeded"],
  ] as const)(
    "bound by %s, what is to refer to something that comes is planned as %s",
    async (part, action, status) => {
      const { world, system } = await deployed(part);
      const next = definition({ parameters: { size: 1, peer: { $output: "peer#id" } } }, { path: "peer" });
      const plan = await world.plan(system, next);
      expect(plan).toMatchObject({ components: [{ action }, { action: "create" }] });
      expect(await world.deploy(system, next)).toMatchObject({ status });
    },
  );

  test("bound by nothing, it is handed over and back, and what differs stays until somebody decides", async () => {
    const { console, at, cycle } = await deployed("none");
    await console.putTags(at, {});
    await console.patchParameters(at, { size: 7 });
    expect((await cycle()).status).toBe("ManualOverride");
    await console.putTags(at, { ...managed, platform: "reconcile" });
    await cycle();
    expect(await cycle()).toMatchObject({
      status: "ReconcileRequested",
      conditions: { inSync: { reason: "NotCorrectable" } },
    });
    await console.patchParameters(at, { size: 1 });
    await cycle();
    expect((await cycle()).status).toBe("Active");
    expect(await console.get(at)).toMatchObject({ tags: managed });
  });

  test("a component that accepts unconditional writes is corrected, and a race that can be seen is told", async () => {
    const { console, at, cycle, removeTagNext, races, world, system } = await deployed("none", {
      unconditionalWrites: true,
    });
    await console.patchParameters(at, { size: 7 });
    expect((await cycle()).conditions.inSync.value).toBe(true);
    expect(await console.get(at)).toMatchObject({ tags: managed, parameters: { size: 1 } });
    await console.patchParameters(at, { size: 8 });
    removeTagNext();
    expect((await cycle()).status).toBe("ManualOverride");
    expect(await races()).toHaveLength(1);
    const shown = await world.call("liveSystems.get", { params: { id: system } });
    expect(shown).toMatchObject({ definition: { components: [{ unconditionalWrites: true }] } });
  });
});
