import { describe, expect, test } from "vitest";
import type { SimulatedCloud } from "../../src/clouds/index.ts";
import { LiveplaneError } from "../../src/errors.ts";
import type { Cloud } from "../../src/ports/cloud.ts";
import { bothClouds, toldIn } from "../builders/both-clouds.ts";
import { both, managed, overridden } from "../builders/handed-over.ts";
import { overrideWorld } from "../builders/override.ts";

const minute = 60_000;

/** What goes wrong after an unbound write that crosses a take-over. */
type Mishap =
  | "its answer is lost"
  | "its answer and the next read are lost"
  | "the next read fails"
  | "its worker dies";
const mishaps: readonly Mishap[] = [
  "its answer is lost",
  "its answer and the next read are lost",
  "the next read fails",
  "its worker dies",
];

/** A cloud in which a person removes the tag right before the next write arrives, and then something goes wrong. */
function crossing() {
  let next: {
    readonly mishap: Mishap | "nothing";
    readonly arrives: boolean;
    readonly takeOver: () => Promise<void>;
  } | null;
  next = null;
  let failsToRead = false;
  const lost = () => new LiveplaneError("ProviderTimeout", "The answer was lost.", { details: { outcome: "unknown" } });
  const watched = (cloud: Cloud): Cloud => {
    const crossed = async <T>(write: () => Promise<T>): Promise<T> => {
      if (next === null) return write();
      const { mishap, arrives, takeOver } = next;
      next = null;
      await takeOver();
      const written = arrives ? await write() : null;
      failsToRead = mishap.includes("next read");
      if (mishap === "its worker dies") return new Promise(() => {});
      if (written === null || mishap.includes("answer")) throw lost();
      return written;
    };
    return {
      ...cloud,
      update: (...call) => crossed(() => (cloud as SimulatedCloud).update(...call)),
      create: (...call) => crossed(() => (cloud as SimulatedCloud).create(...call)),
      read: async (...call) => {
        if (!failsToRead) return cloud.read(...call);
        failsToRead = false;
        return { state: "unreadable", reason: "Lost" };
      },
    };
  };
  const atNextWrite = (what: NonNullable<typeof next>) => {
    next = what;
  };
  return { watched, atNextWrite };
}

describe.each(bothClouds)("$provider: an unbound write that crosses a take-over", (kind) => {
  async function deployed(options: { readonly boundBy: "mask" | "etag" } = { boundBy: "mask" }, parameters?: object) {
    const { watched, atNextWrite } = crossing();
    const part = options.boundBy;
    const boundBy = () => ({ create: "none", properties: part, tags: part }) as const;
    const cloud = { boundBy };
    const world = overrideWorld({ cloud, clouds: (clouds) => clouds.map(watched), sharedByProcesses: true });
    const mutation = await world.create(toldIn(kind).declared({ path: "app", ...(parameters && { parameters }) }));
    const { id = "", resourceId = null } = mutation.components[0] ?? {};
    const at = resourceId ?? "";
    const console = world.consoles[kind.provider];
    const { store, cloudStore, runtime } = world;
    const second = overrideWorld({ cloud, store, cloudStore, runtime, sharedByProcesses: true });
    const races = () => world.events("component.race_detected");
    const takeOver = async () => void (await console.putTags(at, {}));
    return { world, second, id, at, console, races, atNextWrite, takeOver };
  }

  test.each(mishaps)("is reported although %s", async (mishap) => {
    const { world, second, id, at, console, races, atNextWrite, takeOver } = await deployed();
    await console.patchParameters(at, { size: 7 });
    atNextWrite({ mishap, arrives: true, takeOver });
    const swept = world.override.agent.sweepShard("0:0");
    await (mishap === "its worker dies" ? world.runtime.settle() : world.runtime.during(swept));
    for (let cycle = 0; cycle < 2; cycle++) {
      await second.cycle();
      await world.runtime.advance(2 * minute);
    }
    expect((await second.component(id)).status).toBe("ManualOverride");
    expect(await console.get(at)).toMatchObject({ tags: {}, parameters: { size: 1 } });
    expect(await races()).toMatchObject([{ data: { fields: [{ pointer: "/size", from: 7, to: 1 }] } }]);
  });

  test("isn't reported if it never arrived", async () => {
    const { world, second, id, at, console, races, atNextWrite, takeOver } = await deployed();
    await console.patchParameters(at, { size: 7 });
    atNextWrite({ mishap: "its answer and the next read are lost", arrives: false, takeOver });
    await world.cycles(1);
    await second.cycles(2);
    expect((await second.component(id)).status).toBe("ManualOverride");
    expect((await console.get(at))?.parameters).toMatchObject({ size: 7 });
    expect(await races()).toEqual([]);
  });

  test("isn't reported for a take-over after the write was read back", async () => {
    const { world, at, console, races, atNextWrite } = await deployed();
    await console.patchParameters(at, { size: 7 });
    atNextWrite({ mishap: "its answer and the next read are lost", arrives: true, takeOver: async () => {} });
    await world.cycles(2);
    expect(await console.get(at)).toMatchObject({ tags: managed, parameters: { size: 1 } });
    await console.putTags(at, {});
    await world.cycles(1);
    expect(await races()).toEqual([]);
  });

  test("is reported of the places that the person left as they were written", async () => {
    const parameters = { size: 1, zone: "a" };
    const { world, second, at, console, races, atNextWrite, takeOver } = await deployed(undefined, parameters);
    await console.patchParameters(at, { size: 7, zone: "b" });
    atNextWrite({ mishap: "its answer and the next read are lost", arrives: true, takeOver });
    await world.runtime.during(world.override.agent.sweepShard("0:0"));
    await console.patchParameters(at, { zone: "c" });
    await world.runtime.advance(2 * minute);
    await second.cycle();
    expect(await races()).toMatchObject([{ data: { fields: [{ pointer: "/size", from: 7, to: 1 }] } }]);
  });

  test("can't happen with an etag, whatever is lost", async () => {
    const { world, at, console, races, atNextWrite, takeOver } = await deployed({ boundBy: "etag" });
    await console.patchParameters(at, { size: 7 });
    atNextWrite({ mishap: "its answer and the next read are lost", arrives: true, takeOver });
    await world.cycles(3);
    expect((await console.get(at))?.parameters).toMatchObject({ size: 7 });
    expect(await races()).toEqual([]);
  });

  test("is reported of a creation whose answer was lost", async () => {
    const { world, at, console, races, atNextWrite } = await deployed();
    await console.delete(at);
    atNextWrite({ mishap: "its answer and the next read are lost", arrives: true, takeOver: async () => {} });
    await world.cycles(1);
    expect(await console.get(at)).toMatchObject({ tags: managed });
    await console.putTags(at, {});
    await world.cycles(1);
    expect(await races()).toMatchObject([{ data: { fields: [{ pointer: "/size", from: null, to: 1 }] } }]);
  });
});

test("a note that is made while a write is under way doesn't lose the result of the write", async () => {
  let note: (() => Promise<unknown>) | null = null;
  const noting = (cloud: Cloud): Cloud => ({
    ...cloud,
    update: async (...call) => {
      const written = await cloud.update(...call);
      await note?.();
      return written;
    },
  });
  const { world, id, params, resourceId, console } = await overridden({}, { clouds: (all) => all.map(noting) });
  await console.patchParameters(resourceId, { size: 7 });
  await console.putTags(resourceId, both);
  note = () => world.call("liveSystems.components.annotateOverride", { params, body: { reason: "late" } });
  await world.runtime.advance(60_000);
  await world.check(id);
  await world.override.agent.idle();
  expect(await world.events("component.corrected")).toHaveLength(1);
  const { acknowledgement } = await world.check(id);
  expect(acknowledgement.lastWriteAt).toBe(new Date(world.runtime.clock.now()).toISOString());
});
