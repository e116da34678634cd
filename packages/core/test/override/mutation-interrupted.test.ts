import { expect, test } from "vitest";
import type { Cloud } from "../../src/ports/cloud.ts";
import { overrideWorld } from "../builders/override.ts";
import { named, recorded, sites } from "../builders/sites.ts";

test("a lost answer of a create makes one resource, not two, and no failure", async () => {
  let lost = 0;
  const { world, calls } = recorded({
    cloud: { faultOf: ({ operation }) => (operation === "write" && lost++ === 0 ? "lose-answer" : null) },
  });
  const mutation = await world.create(sites({ path: "app" }));
  expect(mutation.status).toBe("Succeeded");
  expect(calls).toEqual(["create app"]);
});

test("looks up by its intent what a cloud made under an id of its own", async () => {
  let lost = 0;
  const { world, calls } = recorded({
    cloud: {
      choosesIds: true,
      faultOf: ({ operation }) => (operation === "write" && lost++ === 0 ? "lose-answer" : null),
    },
  });
  const mutation = await world.create(sites({ path: "app" }));
  expect(mutation.status).toBe("Succeeded");
  expect(calls).toHaveLength(1);
  expect(mutation.components[0]?.resourceId).toMatch(/app-/);
});

test("goes on after a crash where it stopped, and makes nothing twice", async () => {
  const { world, calls } = recorded({ follows: false });
  const begun = await world.create(
    sites({ path: "a" }, { path: "b", dependsOn: ["a"] }, { path: "c", dependsOn: ["b"] }),
  );
  const lease = new AbortController();
  const stopped = world.override.mutations.advance(begun.livesystemId, {
    deadline: Number.POSITIVE_INFINITY,
    get signal() {
      if (calls.length >= 1) lease.abort();
      return lease.signal;
    },
  });
  await stopped.catch(() => {});
  expect((await world.mutation(begun)).status).toBe("Running");
  const after = overrideWorld({ store: world.store, cloudStore: world.cloudStore, runtime: world.runtime, cloud: {} });
  await after.override.mutations.advance(begun.livesystemId);
  expect(await after.mutation(begun)).toMatchObject({ status: "Succeeded" });
  expect((await after.consoles["provider-a"].list()).items).toHaveLength(3);
  expect(calls).toEqual(["create a"]);
});

test("a second process, late with what a mutation took away, leaves alone what the next one made anew", async () => {
  const quick = overrideWorld({ sharedByProcesses: true, follows: false });
  const gate = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const late = overrideWorld({
    sharedByProcesses: true,
    store: quick.store,
    cloudStore: quick.cloudStore,
    runtime: quick.runtime,
    clouds: ([a, b]) => {
      const remove: Cloud["remove"] = async (...call) => {
        held.resolve();
        await gate.promise;
        return (a as Cloud).remove(...call);
      };
      return [{ ...(a as Cloud), remove }, b as Cloud];
    },
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
  expect(await quick.consoles["provider-a"].get(b.resourceId ?? "")).not.toBeNull();
});
