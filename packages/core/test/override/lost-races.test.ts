import { describe, expect, test } from "vitest";
import type { SimulatedCloud } from "../../src/clouds/index.ts";
import { LiveplaneError } from "../../src/errors.ts";
import { components } from "../../src/override/records/component-record.ts";
import type { Cloud } from "../../src/ports/cloud.ts";
import { bothClouds, toldIn } from "../builders/both-clouds.ts";
import { both, deployed, managed, overridden } from "../builders/handed-over.ts";
import { overrideWorld } from "../builders/override.ts";

const minute = 60_000;

/** A cloud whose reads show no etag. */
function withoutEtags(cloud: Cloud): Cloud {
  const read: Cloud["read"] = async (...call) => {
    const reading = await cloud.read(...call);
    if (reading.state !== "present") return reading;
    const { etag: _, ...bare } = reading;
    return bare;
  };
  return { ...cloud, read };
}

/** What goes wrong after an unbound write that crosses a take-over. */
type Mishap =
  | "its answer is lost"
  | "its answer and the next read are lost"
  | "its answer is lost and the next read shows the cloud at work"
  | "the next read fails"
  | "its worker dies";
const mishaps: readonly Mishap[] = [
  "its answer is lost",
  "its answer and the next read are lost",
  "its answer is lost and the next read shows the cloud at work",
  "the next read fails",
  "its worker dies",
];

const lost = () => new LiveplaneError("ProviderTimeout", "The answer was lost.", { details: { outcome: "unknown" } });

/** A cloud in which a person removes the tag as the next write arrives, and then something goes wrong. */
function crossing() {
  let next: {
    readonly mishap: Mishap | "nothing";
    readonly arrives: boolean;
    readonly takeOver: () => Promise<void>;
  } | null;
  next = null;
  let failsToRead: Mishap | null = null;
  const watched = (cloud: Cloud): Cloud => {
    const crossed = async <T>(write: () => Promise<T>, isCreation = false): Promise<T> => {
      if (next === null) return write();
      const { mishap, arrives, takeOver } = next;
      next = null;
      if (!isCreation) await takeOver();
      const written = arrives ? await write() : null;
      if (isCreation) await takeOver();
      failsToRead = mishap !== "nothing" && mishap.includes("next read") ? mishap : null;
      if (mishap === "its worker dies") return new Promise(() => {});
      if (written === null || mishap.includes("answer")) throw lost();
      return written;
    };
    return {
      ...cloud,
      update: (...call) => crossed(() => (cloud as SimulatedCloud).update(...call)),
      create: (...call) => crossed(() => (cloud as SimulatedCloud).create(...call), true),
      read: async (...call) => {
        const mishap = failsToRead;
        failsToRead = null;
        const reading = await cloud.read(...call);
        if (mishap === null) return reading;
        const isShown = mishap.endsWith("at work") && reading.state === "present";
        return isShown ? { state: "working", resource: reading } : { state: "unreadable", reason: "Lost" };
      },
    };
  };
  const atNextWrite = (what: NonNullable<typeof next>) => {
    next = what;
  };
  return { watched, atNextWrite };
}

describe.each(bothClouds)("$provider: an unbound write that crosses a take-over", (kind) => {
  interface Bound {
    readonly boundBy: "mask" | "etag";
    /** How its tags are bound. @default the same */
    readonly tags?: "mask" | "etag";
    /** Reads show no etag. */
    readonly isBare?: boolean;
  }

  function undeployed({ boundBy: part, tags = part, isBare = false }: Bound) {
    const { watched, atNextWrite } = crossing();
    const boundBy = () => ({ create: "none", properties: part, tags }) as const;
    const cloud = { boundBy };
    const clouds = (all: readonly Cloud[]) => all.map(isBare ? (one) => watched(withoutEtags(one)) : watched);
    const world = overrideWorld({ cloud, clouds, sharedByProcesses: true, follows: false });
    const console = world.consoles[kind.provider];
    const { store, cloudStore, runtime } = world;
    world.secrets.set("db", "correct-horse-battery");
    const second = overrideWorld({ cloud, store, cloudStore, runtime, sharedByProcesses: true });
    second.secrets.set("db", "correct-horse-battery");
    const races = () => world.events("component.race_detected");
    return { world, second, console, races, atNextWrite };
  }

  async function deployed(bound: Bound = { boundBy: "mask" }, parameters?: object) {
    const made = undeployed(bound);
    const { world, console } = made;
    const asked = await world.create(toldIn(kind).declared({ path: "app", ...(parameters && { parameters }) }));
    await world.passing(world.override.mutations.advance(asked.livesystemId));
    const { id = "", resourceId = null } = (await world.mutation(asked)).components[0] ?? {};
    const at = resourceId ?? "";
    const takeOver = async () => void (await console.putTags(at, {}));
    return { ...made, id, at, takeOver };
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

  test("is reported although it carried an etag, which binds tags alone", async () => {
    const { world, at, console, races, atNextWrite, takeOver } = await deployed({ boundBy: "mask", tags: "etag" });
    await console.patchParameters(at, { size: 7 });
    atNextWrite({ mishap: "nothing", arrives: true, takeOver });
    await world.cycles(2);
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
    const parameters = { size: 1, zone: "a", login: { $secret: "db" } };
    const { world, second, at, console, races, atNextWrite, takeOver } = await deployed(undefined, parameters);
    await console.patchParameters(at, { size: 7, zone: "b", login: "before" });
    atNextWrite({ mishap: "its answer and the next read are lost", arrives: true, takeOver });
    await world.runtime.during(world.override.agent.sweepShard("0:0"));
    await console.patchParameters(at, { zone: "c", login: "after" });
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

  test.each(mishaps)("can happen to a type that etags bind, where a read showed none, and %s", async (mishap) => {
    const { world, second, at, console, races, atNextWrite, takeOver } = await deployed({
      boundBy: "etag",
      isBare: true,
    });
    await console.patchParameters(at, { size: 7 });
    atNextWrite({ mishap, arrives: true, takeOver });
    const swept = world.override.agent.sweepShard("0:0");
    await (mishap === "its worker dies" ? world.runtime.settle() : world.runtime.during(swept));
    await second.cycles(2);
    expect((await console.get(at))?.parameters).toMatchObject({ size: 1 });
    expect(await races()).toMatchObject([{ data: { fields: [{ pointer: "/size", from: 7, to: 1 }] } }]);
  });

  test.each(mishaps.flatMap((mishap) => [true, false].map((isKept) => ({ mishap, isKept }))))(
    "is reported of a first creation that the person left as it was made ($isKept), although $mishap",
    async ({ mishap, isKept }) => {
      const { world, second, console, races, atNextWrite } = undeployed({ boundBy: "mask" });
      const takeOver = async () => {
        const [made] = (await console.list()).items;
        if (!isKept) await console.patchParameters(made?.id ?? "", { size: 7 });
        await console.putTags(made?.id ?? "", {});
      };
      atNextWrite({ mishap, arrives: true, takeOver });
      const { livesystemId } = await world.create(
        toldIn(kind).declared({ path: "app", parameters: { size: 1, zone: "a" } }),
      );
      const running = world.override.mutations.advance(livesystemId);
      await (mishap === "its worker dies" ? world.runtime.settle() : world.runtime.during(running));
      await second.cycles(2);
      expect((await second.component(`${livesystemId}/app`)).status).toBe("ManualOverride");
      expect(await races()).toHaveLength(isKept ? 1 : 0);
    },
  );

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

test("a slow creation that crosses a take-over is reported, though the read at its end fails", async () => {
  let isDown = false;
  const down = (cloud: Cloud): Cloud => ({
    ...(cloud as SimulatedCloud),
    read: async (...call) => (isDown ? { state: "unreadable", reason: "Down" } : cloud.read(...call)),
  });
  const { world, id, console, resourceId } = await deployed({}, { clouds: (all) => all.map(down) });
  await console.delete(resourceId);
  await console.setFaults({ slow: { takesMs: minute } });
  await world.cycles(1);
  await console.putTags(resourceId, {});
  await world.runtime.advance(minute);
  isDown = true;
  await world.check(id);
  isDown = false;
  await world.cycles(2);
  expect((await world.component(id)).status).toBe("ManualOverride");
  expect(await world.events("component.race_detected")).toMatchObject([
    { data: { fields: [{ pointer: "/size", from: null, to: 1 }] } },
  ]);
});

test.each(["made", "lost", "refused"].flatMap((answer) => [false, true].map((isNoted) => ({ answer, isNoted }))))(
  "a correction counts as the last write unless it is refused: $answer, noted meanwhile: $isNoted",
  async (told) => {
    let meanwhile = async (): Promise<unknown> => null;
    const noting = (cloud: Cloud): Cloud => ({
      ...cloud,
      update: async (...call) => {
        const written = told.answer === "refused" ? null : await (cloud as SimulatedCloud).update(...call);
        await meanwhile();
        if (written === null) throw new LiveplaneError("ProviderError", "It is locked.");
        if (told.answer === "lost") throw lost();
        return written;
      },
    });
    const { world, id, params, resourceId, console } = await overridden({}, { clouds: (all) => all.map(noting) });
    const before = (await world.check(id)).acknowledgement.lastWriteAt;
    await console.patchParameters(resourceId, { size: 7 });
    await console.putTags(resourceId, both);
    if (told.isNoted)
      meanwhile = () => world.call("liveSystems.components.annotateOverride", { params, body: { reason: "late" } });
    await world.runtime.advance(60_000);
    const at = new Date(world.runtime.clock.now()).toISOString();
    await world.check(id);
    await world.override.agent.idle();
    await world.runtime.advance(60_000);
    await console.putTags(resourceId, {});
    const { acknowledgement } = await world.check(id);
    expect(acknowledgement.lastWriteAt).toBe(told.answer === "refused" ? before : at);
    expect(await world.events("component.corrected")).toHaveLength(told.answer === "made" ? 1 : 0);
  },
);

test("the result of a write isn't stored once another worker has the claim", async () => {
  let meanwhile = async (): Promise<unknown> => null;
  const slow = (cloud: Cloud): Cloud => ({
    ...cloud,
    update: async (...call) => {
      const written = await (cloud as SimulatedCloud).update(...call);
      await meanwhile();
      return written;
    },
  });
  const made = await deployed({}, { clouds: (all) => all.map(slow), sharedByProcesses: true });
  const { world, system, console, resourceId } = made;
  await console.patchParameters(resourceId, { size: 7 });
  const work = { id: "another", worker: "other", kind: "correct" } as const;
  meanwhile = () =>
    world.records.change({ actor: "test", requestId: "test" }, async (change) => {
      const record = await change.get(components, [system, "app"]);
      if (record !== null) change.put(components, { ...record, work });
    });
  await world.runtime.during(world.override.agent.sweepShard("0:0"));
  expect((await world.records.get(components, [system, "app"]))?.work).toEqual(work);
  expect(await world.events("component.corrected")).toEqual([]);
});
