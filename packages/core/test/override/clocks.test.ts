import { describe, expect, test } from "vitest";
import type { SimulatedChange } from "../../src/clouds/index.ts";
import type { Cloud } from "../../src/ports/cloud.ts";
import { intervalScheduler } from "../../src/ports/interval-scheduler.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";
import { bothClouds, toldIn } from "../builders/both-clouds.ts";
import { definition, deployed } from "../builders/handed-over.ts";
import { overrideWorld } from "../builders/override.ts";

const [hour, day] = [3_600_000, 86_400_000];

const jumps = [
  { how: "goes back by a day", ms: -day },
  { how: "goes back by five hours", ms: -5 * hour },
  { how: "goes forth by a day", ms: day },
] as const;

describe.each(bothClouds.flatMap((kind) => jumps.map((jump) => ({ ...kind, ...jump }))))(
  "$provider: where the wall clock $how",
  ({ how: _, ms, ...kind }) => {
    const { deployed } = toldIn(kind);

    test("a correction that failed is tried again when its rest is over, and no later", async () => {
      const { world, resourceId, console } = await deployed();
      await console.setFaults({ write: "fail" });
      await console.patchParameters(resourceId, { size: 7 });
      await world.cycle();
      await console.setFaults({});
      world.runtime.jump(ms);
      await world.cycles(1);
      expect((await console.get(resourceId))?.parameters.size).toBe(1);
    });

    test("the agent goes on sweeping", async () => {
      const runtime = fakeRuntime();
      const { world, resourceId, console } = await deployed({}, { runtime, scheduler: intervalScheduler({ runtime }) });
      await world.override.start();
      await runtime.advance(180_000);
      runtime.jump(ms);
      await console.patchParameters(resourceId, { size: 7 });
      await runtime.advance(360_000);
      expect((await console.get(resourceId))?.parameters.size).toBe(1);
      const stopped = world.override.stop();
      await runtime.advance(1000);
      await stopped;
    });
  },
);

test.each(bothClouds)("$provider: a rest after a failed write ends where the clock is put back", async (kind) => {
  const { world, resourceId, console } = await deployed(kind);
  await console.setFaults({ write: "fail" });
  await console.patchParameters(resourceId, { size: 7 });
  await world.cycle();
  await console.setFaults({});
  await world.cycle();
  expect((await console.get(resourceId))?.parameters.size).toBe(7);
  world.runtime.jump(-day);
  await world.cycle();
  expect((await console.get(resourceId))?.parameters.size).toBe(1);
});

test.each(bothClouds.flatMap((kind) => [0, 5 * hour, -5 * hour].map((apartMs) => ({ ...kind, apartMs }))))(
  "$provider: two agents whose clocks are $apartMs ms apart write a correction once",
  async ({ apartMs, ...kind }) => {
    const writes: string[] = [];
    const cloud = {
      onChange: ({ by, operation }: { by: string; operation: string }) =>
        void (by === "caller" && writes.push(operation)),
    };
    const first = overrideWorld({ sharedByProcesses: true, cloud });
    const { clock } = first.runtime;
    const runtime = { ...first.runtime, clock: { ...clock, now: () => clock.now() + apartMs } };
    const { store, cloudStore } = first;
    const second = overrideWorld({ sharedByProcesses: true, cloud, store, cloudStore, runtime });
    const mutation = await first.create(definition([{ path: "app", ...kind }]));
    const resourceId = mutation.components[0]?.resourceId ?? "";
    for (let times = 0; times < 4; times++) {
      await first.consoles[kind.provider].patchParameters(resourceId, { size: 10 + times });
      await Promise.all([first.cycle(), second.cycle(), first.cycle()]);
    }
    expect(writes).toEqual(["create", ...Array.from({ length: 4 }, () => "update")]);
  },
);

test.each(bothClouds.flatMap((flavour) => [day, -day].map((apartMs) => ({ ...flavour, apartMs }))))(
  "$provider: what one process has made and nobody sees yet isn't made again by another whose clock is $apartMs ms apart",
  async ({ apartMs, ...flavour }) => {
    const hiding = new Set<string>();
    const unseen = (cloud: Cloud): Cloud => ({
      ...cloud,
      read: async (ref, call) => (hiding.has("all") ? { state: "missing" } : cloud.read(ref, call)),
      readMany: async (refs, call) =>
        hiding.has("all") ? refs.map(() => ({ state: "missing" })) : cloud.readMany(refs, call),
    });
    const options = {
      sharedByProcesses: true,
      follows: false,
      clouds: (clouds: readonly Cloud[]) => clouds.map(unseen),
      cloud: {
        choosesIds: true,
        onChange: ({ operation }: SimulatedChange) => void (operation === "create" && hiding.add("all")),
      },
    };
    const first = overrideWorld(options);
    const { clock } = first.runtime;
    const { store, cloudStore } = first;
    const runtime = { ...first.runtime, clock: { ...clock, now: () => clock.now() + apartMs } };
    const second = overrideWorld({ ...options, store, cloudStore, runtime });
    const { livesystemId: id } = await first.create(definition([{ path: "app", ...flavour }]));
    const running = first.override.mutations.advance(id);
    await first.runtime.advance(1_000);
    for (let times = 0; times < 3; times++) {
      await second.cycle();
      await first.runtime.advance(30_000);
    }
    hiding.clear();
    await first.runtime.advance(60_000);
    await running;
    await second.cycle();
    const console = first.consoles[flavour.provider];
    expect((await console.list()).items).toHaveLength(1);
    expect(await first.component(`${id}/app`)).toMatchObject({ conditions: { inSync: { value: true } } });
  },
);
