import { expect, test } from "vitest";
import type { SimulatedCloud } from "../../src/clouds/index.ts";
import { LiveplaneError } from "../../src/errors.ts";
import type { Cloud } from "../../src/ports/cloud.ts";
import { memoryStore } from "../../src/ports/memory-store.ts";
import type { Store } from "../../src/ports/store.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";
import { bothClouds, toldIn } from "../builders/both-clouds.ts";
import { both } from "../builders/handed-over.ts";
import { eventsIn, overrideWorld } from "../builders/override.ts";
import { sites } from "../builders/sites.ts";

/** Dies at its n-th effect, before or after it was made; from then on nothing reaches store or cloud. */
function mortal(dies: { at: number; when: "before" | "after" }) {
  let effects = 0;
  const died = () => new LiveplaneError("StoreFailed", "The process is gone.");
  const effect = async <T>(make: () => Promise<T>): Promise<T> => {
    effects += 1;
    if (effects > dies.at || (effects === dies.at && dies.when === "before")) throw died();
    const made = await make();
    if (effects >= dies.at) throw died();
    return made;
  };
  const alive = <T>(read: () => Promise<T>) => (effects >= dies.at ? Promise.reject(died()) : read());
  return {
    count: () => effects,
    store: (store: Store): Store => ({
      ...store,
      get: (...args) => alive(() => store.get(...args)),
      list: (...args) => alive(() => store.list(...args)),
      commit: (...args) => effect(() => store.commit(...args)),
    }),
    clouds: (clouds: readonly Cloud[]): Cloud[] =>
      clouds.map((cloud) => ({
        ...(cloud as SimulatedCloud),
        create: (...args) => effect(() => cloud.create(...args)),
        update: (...args) => effect(() => cloud.update(...args)),
        removeTag: (...args) => effect(() => cloud.removeTag(...args)),
        remove: (...args) => effect(() => cloud.remove(...args)),
      })),
  };
}

/** The whole story, told by processes of which the first dies on the way. */
async function story(kind: (typeof bothClouds)[number], dies: { at: number; when: "before" | "after" }) {
  const runtime = fakeRuntime();
  const [store, cloudStore] = [memoryStore({ now: runtime.clock.now }), memoryStore({ now: runtime.clock.now })];
  const life = mortal(dies);
  const first = overrideWorld({ runtime, store: life.store(store), cloudStore, clouds: life.clouds });
  const second = overrideWorld({ runtime, store, cloudStore });
  let world = first;
  const definition = (size: number) =>
    toldIn(kind).declared(
      { path: "a", parameters: { size } },
      { path: "b", parameters: { from: { $output: "a#name" } } },
    );

  /** Does a chapter; whoever dies in it is followed by the next process, which goes on by itself. */
  const chapter = async (work: () => Promise<unknown>) => {
    try {
      await work();
      await world.cycle();
    } catch {
      world = second;
      for (const id of await second.override.mutations.open()) await second.override.mutations.advance(id);
      for (let cycle = 0; cycle < 2; cycle++) await second.cycle();
    }
  };
  const system = async () => {
    const page = (await second.call("liveSystems.list")) as unknown as { items: { id: string }[] };
    if (page.items.length === 0) await second.create(definition(1));
    return ((await second.call("liveSystems.list")) as unknown as { items: { id: string }[] }).items;
  };

  await chapter(() => world.create(definition(1)));
  const systems = await system();
  const id = systems[0]?.id ?? "";
  const a = await second.component(`${id}/a`);
  const console = second.consoles[kind.provider];
  await console.putTags(a.resourceId ?? "", { own: "kept" });
  await console.patchParameters(a.resourceId ?? "", { size: 5 });
  await chapter(async () => {});
  const taken = await second.component(`${id}/a`);
  await chapter(() => world.deploy(id, definition(2)));
  // What was never answered and never done is asked for again.
  const kept = (await second.call("liveSystems.get", { params: { id } })) as unknown as { definition: object };
  if (JSON.stringify(kept.definition).includes('"size":1')) await second.deploy(id, definition(2));
  await console.putTags(a.resourceId ?? "", { ...both, own: "kept" });
  await chapter(async () => {});
  await chapter(async () => {});
  await runtime.advance(180_000);
  await second.cycle();
  const components = await Promise.all(["a", "b"].map((path) => second.component(`${id}/${path}`)));
  return {
    effects: life.count(),
    systems,
    taken,
    components,
    resources: (await console.list()).items,
    events: await eventsIn(store),
    a,
  };
}

test.each(bothClouds)(
  "$provider: killed before or after any effect, it comes to the same end",
  { timeout: 60_000 },
  async (kind) => {
    const whole = await story(kind, { at: Number.POSITIVE_INFINITY, when: "before" });
    expect(whole.effects).toBeGreaterThan(20);
    for (let at = 1; at <= whole.effects; at++) {
      for (const when of ["before", "after"] as const) {
        const { systems, taken, components, resources, events, a } = await story(kind, { at, when });
        const where = `${when} effect ${at}`;
        expect(systems, where).toHaveLength(1);
        expect(taken.status, where).toBe("ManualOverride");
        for (const { status, outputFields } of components)
          expect([status, outputFields.drift], where).toEqual(["Active", undefined]);
        expect(resources, where).toHaveLength(2);
        const own = resources.find(({ id }) => id === a.resourceId);
        expect(own, where).toMatchObject({ parameters: { size: 2 }, tags: { "managed-by": "platform", own: "kept" } });
        expect(own?.tags, where).not.toHaveProperty("platform");
        const told = (type: string) => events.filter((event) => event.type === type).length;
        expect(
          [told("component.override.started"), told("component.reconcile.requested"), told("component.override.ended")],
          where,
        ).toEqual([1, 1, 1]);
      }
    }
  },
);

test.each([{ choosesIds: true }, { choosesIds: false }])(
  "a creation that arrives when its process is dead makes nothing twice, where the cloud chooses ids ($choosesIds) too",
  async (cloud) => {
    const runtime = fakeRuntime();
    const [store, cloudStore] = [memoryStore({ now: runtime.clock.now }), memoryStore({ now: runtime.clock.now })];
    const [sent, arrives] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const late = (one: Cloud): Cloud => ({
      ...one,
      async create(...asked) {
        sent.resolve();
        await arrives.promise;
        await one.create(...asked).catch(() => {});
        throw new LiveplaneError("StoreFailed", "The process is gone.");
      },
    });
    const before = { runtime, store, cloudStore, cloud, follows: false };
    const first = overrideWorld({ ...before, clouds: (all) => all.map(late) });
    const { livesystemId } = await first.create(sites({ path: "a" }));
    void first.override.mutations.advance(livesystemId);
    await sent.promise;

    const second = overrideWorld(before);
    const done = second.override.mutations.advance(livesystemId);
    await runtime.advance(3_000);
    arrives.resolve();
    await runtime.advance(120_000);
    await done;
    expect(await second.component(`${livesystemId}/a`)).toMatchObject({ conditions: { exists: { value: true } } });
    expect((await second.consoles["provider-a"].list()).items).toHaveLength(1);
  },
);
