import { describe, expect, test } from "vitest";
import { LiveplaneError } from "../../src/errors.ts";
import { componentKey, components } from "../../src/override/records/component-record.ts";
import type { Cloud } from "../../src/ports/cloud.ts";
import { bothClouds } from "../builders/both-clouds.ts";
import { environmentId, overrideWorld } from "../builders/override.ts";
import { named, sites as ofAzure, recorded } from "../builders/sites.ts";

describe.each(bothClouds)("$provider: a mutation that is interrupted", (kind) => {
  const { provider } = kind;
  const sites = (...parts: Parameters<typeof ofAzure>) => ofAzure(...parts.map((one) => ({ ...kind, ...one })));
  const altered = (change: (cloud: Cloud) => Partial<Cloud>) => (clouds: readonly Cloud[]) =>
    clouds.map((cloud) => (cloud.provider === provider ? { ...cloud, ...change(cloud) } : cloud));

  test("what runs and what waits ends when the owner's account is deleted, and nothing more is made", async () => {
    const { world, calls } = recorded({ follows: false });
    await world.consoles[provider].setFaults({ slow: { takesMs: 600_000 } });
    const running = await world.create(sites({ path: "a" }, { path: "b", dependsOn: ["a"] }));
    const waiting = await world.create(sites({ path: "c" }));
    const under = world.override.mutations.advance(running.livesystemId);
    await world.runtime.advance(1_000);
    expect(await world.mutation(running)).toMatchObject({ status: "Running" });
    const stamp = { at: new Date(world.runtime.clock.now()).toISOString(), by: "operator" };
    await world.records.change({ actor: "test", requestId: "test" }, (change) =>
      world.override.holdings.fence(change, environmentId, stamp),
    );
    const ended = {
      status: "Failed",
      completedAt: stamp.at,
      error: { code: "Superseded", detail: "The live system was released.", componentId: null },
    };
    for (const one of [running, waiting]) expect(await world.mutation(one)).toMatchObject(ended);
    const failed = await world.events("livesystem.mutation.failed");
    const ids = failed.map(({ data }) => String(data.mutationId));
    expect(ids.sort()).toEqual([running.id, waiting.id].sort());
    await world.passing(under);
    await world.passing(world.override.mutations.advance(waiting.livesystemId));
    for (const one of [running, waiting]) expect(await world.mutation(one)).toMatchObject(ended);
    expect(calls).toEqual(["create a"]);
  });

  test("a lost answer of a create makes one resource, not two, and no failure", async () => {
    let lost = 0;
    const { world, calls } = recorded({
      cloud: { faultOf: ({ operation }) => (operation === "write" && lost++ === 0 ? "lose-answer" : null) },
    });
    const mutation = await world.create(sites({ path: "app" }));
    expect(mutation.status).toBe("Succeeded");
    expect(calls).toEqual(["create app"]);
  });

  test("what was found by its intent and is read as missing is on its way: nothing is made a second time", async () => {
    let lost = 0;
    let unseen = 0;
    const hidden = (cloud: Cloud): Cloud => ({
      ...cloud,
      read: async (ref, call) => (unseen-- > 0 ? { state: "missing" } : cloud.read(ref, call)),
    });
    const { world } = recorded({
      clouds: (clouds) => clouds.map(hidden),
      cloud: {
        choosesIds: true,
        faultOf: ({ operation }) => (operation === "write" && lost++ === 0 ? "lose-answer" : null),
        onChange: ({ by }) => {
          if (by === "caller") unseen = 3;
        },
      },
    });
    const mutation = await world.passing(world.create(sites({ path: "app" })));
    expect(mutation).toMatchObject({
      status: "Succeeded",
      components: [{ resourceId: expect.stringMatching(/app-/) }],
    });
    expect((await world.consoles[provider].list()).items).toHaveLength(1);
    expect(lost).toBe(1);
  });

  test("where removals are bound to what was read, a process late with one leaves alone what the next mutation made anew", async () => {
    const bound = { sharedByProcesses: true, cloud: { conditionalWrites: true } };
    const quick = overrideWorld({ ...bound, follows: false });
    const gate = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const late = overrideWorld({
      ...bound,
      store: quick.store,
      cloudStore: quick.cloudStore,
      runtime: quick.runtime,
      clouds: altered(({ remove }) => ({
        remove: async (...call) => {
          held.resolve();
          await gate.promise;
          return remove(...call);
        },
      })),
    });
    const { livesystemId: id } = await quick.create(sites({ path: "a" }, { path: "b" }));
    await quick.override.mutations.advance(id);
    await quick.deploy(id, sites({ path: "a" }));
    const behind = late.override.mutations.advance(id);
    await held.promise;
    // It waits for as long as the other's claim may be alive, and no longer.
    await quick.passing(quick.override.mutations.advance(id));
    const anew = await quick.deploy(id, sites({ path: "a" }, { path: "b" }));
    await quick.override.mutations.advance(id);
    gate.resolve();
    await quick.runtime.advance(60_000);
    await behind;
    const done = await quick.mutation(anew);
    expect(done.status).toBe("Succeeded");
    const b = named(done.components, "b");
    expect(b.status).toBe("Active");
    expect(await quick.consoles[provider].get(b.resourceId ?? "")).not.toBeNull();
  });

  test("what a person deleted isn't forgotten while another process is at deleting it: that could meet what is made anew", async () => {
    const [look, send] = [gate(), gate()];
    const looking = overrideWorld({
      sharedByProcesses: true,
      follows: false,
      clouds: altered(({ read }) => ({ read: look.before(read) })),
    });
    const { store, cloudStore, runtime } = looking;
    const deleting = overrideWorld({
      sharedByProcesses: true,
      store,
      cloudStore,
      runtime,
      clouds: altered(({ remove }) => ({ remove: send.before(remove) })),
    });
    send.close();
    const { livesystemId: id } = await looking.create(sites({ path: "a" }));
    await looking.override.mutations.advance(id);
    const resourceId = (await looking.component(`${id}/a`)).resourceId ?? "";
    await looking.call("liveSystems.delete", { params: { id } });
    look.close();
    const first = looking.override.mutations.advance(id);
    await look.reached();
    const second = deleting.override.mutations.advance(id);
    await send.reached();
    await looking.consoles[provider].delete(resourceId);
    look.open();
    await runtime.advance(1_000);
    expect((await looking.component(`${id}/a`)).id).toBe(`${id}/a`);
    send.open();
    await looking.passing(Promise.all([first, second]));
    const events = await looking.events();
    expect(events.filter(({ type }) => type === "component.deleted")).toHaveLength(1);
  });

  test("a mutation isn't at its end while another process goes on with what was blocked", async () => {
    const end = gate();
    const first = overrideWorld({ sharedByProcesses: true, follows: false });
    const { store, cloudStore, runtime } = first;
    const begun = await first.create(sites({ path: "a" }, { path: "b", dependsOn: ["a"] }));
    const { livesystemId: id } = begun;
    const refuse: Cloud["create"] = async () => {
      throw new LiveplaneError("ProviderCredentialsRejected");
    };
    const ending = overrideWorld({
      sharedByProcesses: true,
      store: { ...store, commit: end.before(store.commit, (commit) => JSON.stringify(commit).includes('"Failed"')) },
      cloudStore,
      runtime,
      clouds: altered(() => ({ create: refuse })),
    });
    end.close();
    const ended = ending.override.mutations.advance(id);
    await end.reached();
    const key = componentKey(id, "b");
    await first.records.change({ actor: "agent", requestId: runtime.newId() }, async (change) => {
      const record = await change.get(components, key);
      if (record !== null)
        change.put(components, { ...record, step: { mutationId: begun.id, state: "begun", error: null } });
    });
    end.open();
    await first.passing(ended);
    expect((await first.mutation(begun)).status).toBe("Failed");
    expect((await first.records.list(components)).map(({ record }) => record.step?.state)).toEqual([
      "failed",
      "blocked",
    ]);
  });
});

/** Lets calls through while it is open; whoever comes while it is closed waits, and is told of. */
function gate() {
  let opened = Promise.withResolvers<void>();
  const came = Promise.withResolvers<void>();
  opened.resolve();
  return {
    open: () => opened.resolve(),
    close: () => {
      opened = Promise.withResolvers<void>();
    },
    reached: () => came.promise,
    before:
      <Args extends unknown[], T>(
        call: (...args: Args) => Promise<T>,
        stops: (...args: Args) => boolean = () => true,
      ) =>
      async (...args: Args): Promise<T> => {
        if (stops(...args)) {
          if (!(await Promise.race([opened.promise.then(() => true), Promise.resolve(false)]))) came.resolve();
          await opened.promise;
        }
        return call(...args);
      },
  };
}
