import { expect, test } from "vitest";
import type { Component, LiveSystemDefinition } from "../../src/contract/live-system-schemas.ts";
import type { Cloud } from "../../src/ports/cloud.ts";
import { code } from "../builders/handed-over.ts";
import { environmentId, overrideWorld, type WorldOptions } from "../builders/override.ts";

const managed = { "managed-by": "platform" };
const site = { provider: "provider-a", type: "Microsoft.Web/sites@2024-04-01" };

interface Declared {
  readonly path: string;
  readonly [member: string]: unknown;
}

function definition(...components: Declared[]): LiveSystemDefinition {
  const whole = components.map((one) => ({ ...site, parameters: {}, ...one }));
  return { name: "shop", environmentId, components: whole } as unknown as LiveSystemDefinition;
}

function named(components: readonly Component[], path: string): Component {
  const found = components.find(({ id }) => id.endsWith(`/${path}`));
  if (found === undefined) throw new Error(`no component ${path}`);
  return found;
}

/** Notes what the clouds do, in order. */
function recorded(options: WorldOptions = {}) {
  const calls: string[] = [];
  const onChange: NonNullable<NonNullable<WorldOptions["cloud"]>["onChange"]> = ({ by, operation, resourceId }) => {
    if (by === "caller")
      calls.push(
        `${operation} ${resourceId
          .split("/")
          .at(-1)
          ?.replace(/-[0-9a-f]{10}$/, "")}`,
      );
  };
  return { world: overrideWorld({ ...options, cloud: { onChange, ...options.cloud } }), calls };
}

test("creates in the order of dependencies and deletes in the opposite one", async () => {
  const { world, calls } = recorded();
  const mutation = await world.create(
    definition(
      { path: "app", parameters: { db: { $output: "db#id" } } },
      { path: "db", dependsOn: ["net"] },
      { path: "net" },
    ),
  );
  expect(mutation.status).toBe("Succeeded");
  expect(calls).toEqual(["create net", "create db", "create app"]);
  expect(named(mutation.components, "app").dependsOn).toEqual(["db"]);
  const removed = await world.remove(mutation.livesystemId);
  expect(removed).toMatchObject({ kind: "Delete", status: "Succeeded", components: [], released: [] });
  expect(calls.slice(3)).toEqual(["remove app", "remove db", "remove net"]);
  expect(await code(world.call("liveSystems.get", { params: { id: mutation.livesystemId } }))).toBe("NotFound");
  expect(await world.mutation(mutation)).toMatchObject({ status: "Succeeded" });
});

test("works on independent components side by side", async () => {
  const { world } = recorded({ cloud: { latencyMs: 1000 } });
  const begun = world.create(definition(...Array.from({ length: 6 }, (_, at) => ({ path: `c${at}` }))));
  await world.runtime.advance(4_000);
  expect((await begun).status).toBe("Succeeded");
});

test("goes as far as it can, begins nothing that depends on what failed, and keeps on trying", async () => {
  const { world } = recorded({
    cloud: {
      faultOf: ({ operation, resourceId }) => (operation === "write" && resourceId?.includes("bad-") ? "fail" : null),
    },
  });
  const begun = world.create(definition({ path: "bad" }, { path: "after", dependsOn: ["bad"] }, { path: "good" }));
  await world.runtime.advance(60_000);
  const mutation = await begun;
  const bad = named(mutation.components, "bad");
  expect(mutation).toMatchObject({ status: "Failed", error: { code: "ProviderError", componentId: bad.id } });
  expect(named(mutation.components, "good").conditions.exists.value).toBe(true);
  expect(named(mutation.components, "after")).toMatchObject({
    status: "Active",
    conditions: { exists: { value: false } },
  });
  expect((await world.events()).filter(({ type }) => type === "component.correction_failed")).toHaveLength(1);
});

test("the sweep makes good what a mutation could not, in the order of dependencies", async () => {
  let broken = true;
  const { world } = recorded({
    cloud: { faultOf: ({ operation }) => (broken && operation === "write" ? "fail" : null) },
  });
  const begun = world.create(definition({ path: "app", dependsOn: ["net"] }, { path: "net" }));
  await world.runtime.advance(60_000);
  const mutation = await begun;
  broken = false;
  for (let cycle = 0; cycle < 3; cycle++) {
    await world.runtime.advance(180_000);
    await world.cycle();
  }
  for (const { id } of mutation.components) expect((await world.component(id)).conditions.exists.value).toBe(true);
  expect((await world.mutation(mutation)).status).toBe("Failed");
});

test("a lost answer of a create makes one resource, not two, and no failure", async () => {
  let lost = 0;
  const { world, calls } = recorded({
    cloud: { faultOf: ({ operation }) => (operation === "write" && lost++ === 0 ? "lose-answer" : null) },
  });
  const mutation = await world.create(definition({ path: "app" }));
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
  const mutation = await world.create(definition({ path: "app" }));
  expect(mutation.status).toBe("Succeeded");
  expect(calls).toHaveLength(1);
  expect(mutation.components[0]?.resourceId).toMatch(/app-/);
});

test("a newer mutation takes the place of one that waits", async () => {
  const { world } = recorded({ follows: false });
  const first = await world.create(definition({ path: "a" }));
  const second = await world.deploy(first.livesystemId, definition({ path: "b" }));
  await world.override.mutations.advance(first.livesystemId);
  expect(await world.mutation(first)).toMatchObject({ status: "Failed", error: { code: "Superseded" } });
  const done = await world.mutation(second);
  expect(done).toMatchObject({ status: "Succeeded" });
  expect(done.components.map(({ id }) => id.split("/").slice(1).join("/"))).toEqual(["b"]);
});

test("a mutation under way is let finish, one that came meanwhile follows", async () => {
  const { world, calls } = recorded({ follows: false, cloud: { latencyMs: 1000 } });
  const first = await world.create(definition({ path: "a" }));
  const running = world.override.mutations.advance(first.livesystemId);
  await world.runtime.settle();
  const second = await world.deploy(first.livesystemId, definition({ path: "b" }));
  await world.runtime.advance(60_000);
  await running;
  expect([await world.mutation(first), await world.mutation(second)].map(({ status }) => status)).toEqual([
    "Succeeded",
    "Succeeded",
  ]);
  expect(calls).toEqual(["create a", "create b", "remove a"]);
});

test("goes on after a crash where it stopped, and makes nothing twice", async () => {
  const { world, calls } = recorded({ follows: false });
  const begun = await world.create(
    definition({ path: "a" }, { path: "b", dependsOn: ["a"] }, { path: "c", dependsOn: ["b"] }),
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
  const { livesystemId: id } = await quick.create(definition({ path: "a" }, { path: "b" }));
  await quick.override.mutations.advance(id);
  await quick.deploy(id, definition({ path: "a" }));
  const behind = late.override.mutations.advance(id);
  await held.promise;
  await quick.override.mutations.advance(id);
  const anew = await quick.deploy(id, definition({ path: "a" }, { path: "b" }));
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

test("any write during a delete is a conflict of states", async () => {
  const { world } = recorded({ follows: false });
  const begun = await world.create(definition({ path: "a" }));
  const id = begun.livesystemId;
  await world.override.mutations.advance(id);
  await world.remove(id);
  expect(await world.call("liveSystems.get", { params: { id } })).toMatchObject({ status: "Deleting" });
  expect(await code(world.deploy(id, definition({ path: "a" })))).toBe("InvalidState");
  expect(await code(world.remove(id))).toBe("InvalidState");
});

test("a retained component is left behind with its tags, told with its resource's id, and a later declaration adopts it", async () => {
  const { world } = recorded();
  const mutation = await world.create(definition({ path: "keep", deletionPolicy: "Retain" }));
  const resourceId = mutation.components[0]?.resourceId ?? "";
  const removed = await world.remove(mutation.livesystemId);
  expect(removed.released).toEqual([mutation.components[0]?.id]);
  const told = (await world.events()).filter(({ type }) => type === "component.released");
  expect(told).toMatchObject([{ subject: mutation.components[0]?.id, data: { resourceId } }]);
  expect((await world.consoles["provider-a"].get(resourceId))?.tags).toEqual(managed);
  const again = await world.create(definition({ path: "keep", resourceId }));
  expect(again).toMatchObject({ status: "Succeeded", components: [{ status: "Active", resourceId }] });
});

test("what is missing when it is to be deleted isn't named as left behind", async () => {
  const { world } = recorded();
  const mutation = await world.create(definition({ path: "a" }));
  await world.consoles["provider-a"].delete(mutation.components[0]?.resourceId ?? "");
  expect(await world.remove(mutation.livesystemId)).toMatchObject({ status: "Succeeded", released: [] });
});

test("an immutable parameter fails the mutation, the drift stays, nothing is replaced", async () => {
  const { world, calls } = recorded();
  const account = { type: "Microsoft.Storage/storageAccounts@2024-01-01" };
  const mutation = await world.create(definition({ path: "s", ...account, parameters: { kind: "v1", size: 1 } }));
  const after = await world.deploy(
    mutation.livesystemId,
    definition({ path: "s", ...account, parameters: { kind: "v2", size: 2 } }),
  );
  expect(after).toMatchObject({
    status: "Failed",
    error: { code: "Immutable", componentId: mutation.components[0]?.id },
  });
  expect(after.components[0]?.outputFields.drift).toEqual({ kind: { declared: "v2", actual: "v1" } });
  expect(after.components[0]).toMatchObject({
    status: "Active",
    conditions: { inSync: { value: false, reason: "Immutable" } },
  });
  expect(calls).toEqual(["create s", "update s"]);
});

test("refuses what a redeploy can't change, and a resource that is another component's", async () => {
  const { world } = recorded();
  const first = await world.create(definition({ path: "a" }));
  const id = first.livesystemId;
  const resourceId = first.components[0]?.resourceId;
  expect(await code(world.deploy(id, definition({ path: "A", type: "Microsoft.Cache/Redis@2024-01-01" })))).toBe(
    "InvalidDeclaration",
  );
  expect(await code(world.deploy(id, definition({ path: "a", resourceId: "/other" })))).toBe("InvalidDeclaration");
  expect(
    await code(
      world.deploy(id, { ...definition({ path: "a" }), environmentId: { ...environmentId, shortName: "other" } }),
    ),
  ).toBe("InvalidDeclaration");
  expect(await code(world.create(definition({ path: "x", resourceId })))).toBe("AlreadyExists");
});

test("needs a completed initialization and credentials of each cloud that it uses", async () => {
  const { world } = recorded();
  world.uninitialized.add("provider-a");
  expect(await code(world.create(definition({ path: "a" })))).toBe("InvalidState");
  world.uninitialized.delete("provider-a");
  world.withoutCredentials.add("provider-a");
  expect(await code(world.create(definition({ path: "a" })))).toBe("ProviderCredentialsMissing");
  expect(await code(world.create(definition({ path: "a", provider: "provider-b", type: "storage.v1.bucket" })))).toBe(
    "no error",
  );
});

test("a group must be one of the environment's", async () => {
  const group = { resourceGroupType: "Personal", ownerId: environmentId.ownerId, shortName: "Web" } as const;
  const without = recorded().world;
  expect(await code(without.create({ ...definition({ path: "a" }), resourceGroupId: group }))).toBe(
    "InvalidDeclaration",
  );
  const { world } = recorded({ groups: [`Personal/${environmentId.ownerId}/web`] });
  const made = await world.create({ ...definition({ path: "a" }), resourceGroupId: group });
  expect(await world.override.liveSystemsOf(`Personal/${environmentId.ownerId}/WEB`)).toEqual([made.livesystemId]);
  expect((await world.override.liveSystemScope(made.livesystemId))?.groups).toHaveLength(2);
});

test("what a redeploy leaves out stays, null clears, and a group can't be cleared", async () => {
  const group = { resourceGroupType: "Personal", ownerId: environmentId.ownerId, shortName: "Web" } as const;
  const { world } = recorded({ groups: [`Personal/${environmentId.ownerId}/web`] });
  const base = definition({ path: "a" });
  const { livesystemId: id } = await world.create({ ...base, description: "sells", resourceGroupId: group });
  const shown = () => world.call("liveSystems.get", { params: { id } });
  expect(await world.deploy(id, { ...base, name: "store" })).toMatchObject({ status: "Succeeded" });
  expect(await shown()).toMatchObject({ name: "store", description: "sells", resourceGroupId: group });
  await world.deploy(id, { ...base, description: null });
  expect(await shown()).toMatchObject({ description: null, resourceGroupId: group });
  expect(await code(world.deploy(id, { ...base, resourceGroupId: null }))).toBe("InvalidDeclaration");
});

test("the longest path there can be is deployed and found", async () => {
  const { world } = recorded();
  const path = Array.from({ length: 10 }, () => "x".repeat(64)).join("/");
  const mutation = await world.create(definition({ path }));
  expect(mutation.status).toBe("Succeeded");
  expect(await world.component(`${mutation.livesystemId}/${path}`)).toMatchObject({ status: "Active" });
});

test("a reference to an output that doesn't exist fails the mutation at its place", async () => {
  const { world } = recorded();
  const mutation = await world.create(
    definition({ path: "a" }, { path: "b", parameters: { x: { $output: "a#nothing" } } }),
  );
  expect(mutation).toMatchObject({
    status: "Failed",
    error: { code: "InvalidDeclaration", componentId: named(mutation.components, "b").id },
  });
  expect(mutation.error?.detail).toContain("/parameters/x");
});

test("a component waits for an overridden one, and the mutation succeeds", async () => {
  const { world } = recorded();
  const base = definition({ path: "a" });
  const mutation = await world.create(base);
  const a = named(mutation.components, "a");
  await world.consoles["provider-a"].putTags(a.resourceId ?? "", {});
  await world.cycle();
  const after = await world.deploy(
    mutation.livesystemId,
    definition({ path: "a" }, { path: "b", parameters: { x: { $output: "a#unheard" } } }),
  );
  expect(after).toMatchObject({ status: "Succeeded" });
  expect([...after.held].sort()).toEqual([a.id, named(after.components, "b").id]);
});

test("what can't carry tags is corrected only while the component that stands for it is Active", async () => {
  const { world } = recorded();
  const net = { path: "net", type: "Microsoft.Network/virtualNetworks@2024-05-01", resourceName: "net" };
  const subnet = (prefix: string) => ({
    path: "net/sub",
    type: "Microsoft.Network/virtualNetworks/subnets@2024-05-01",
    resourceName: "net/sub",
    overrideWith: "net",
    dependsOn: ["net"],
    parameters: { prefix },
  });
  const mutation = await world.create(definition(net, subnet("10.0.0.0/24")));
  expect(mutation.status).toBe("Succeeded");
  const console = world.consoles["provider-a"];
  const [parent, child] = [named(mutation.components, "net"), named(mutation.components, "net/sub")];
  await console.putTags(parent.resourceId ?? "", {});
  await console.patchParameters(child.resourceId ?? "", { prefix: "10.0.1.0/24" });
  await world.cycle();
  await world.cycle();
  expect((await world.component(parent.id)).status).toBe("ManualOverride");
  expect(await world.component(child.id)).toMatchObject({
    status: "Active",
    override: null,
    outputFields: { drift: { prefix: { actual: "10.0.1.0/24" } } },
  });
  const held = await world.deploy(mutation.livesystemId, definition(net, subnet("10.0.2.0/24")));
  expect(held).toMatchObject({ status: "Succeeded" });
  expect([...held.held].sort()).toEqual([parent.id, child.id].sort());
  expect((await console.get(child.resourceId ?? ""))?.parameters.prefix).toBe("10.0.1.0/24");
  await console.putTags(parent.resourceId ?? "", managed);
  await world.cycle();
  await world.cycle();
  expect((await console.get(child.resourceId ?? ""))?.parameters.prefix).toBe("10.0.2.0/24");
});

test("says what a deploy would do, by the code that does it, and stores nothing", async () => {
  const { world } = recorded();
  const mutation = await world.create(
    definition({ path: "same" }, { path: "moved", parameters: { size: 1 } }, { path: "mine" }, { path: "gone" }),
  );
  const console = world.consoles["provider-a"];
  const mine = named(mutation.components, "mine");
  await console.putTags(mine.resourceId ?? "", {});
  await world.cycle();
  const before = JSON.stringify(await world.store.list({ prefix: ["record"], limit: 10_000 }));
  const there =
    "/subscriptions/3f2504e0-4f89-41d3-9a0c-0305e82c3302/resourceGroups/dev/providers/Microsoft.Web/sites/there";
  await console.put(there, { type: site.type, tags: managed, parameters: {} });
  const plan = (await world.call("liveSystems.planDeploy", {
    params: { id: mutation.livesystemId },
    body: definition(
      { path: "same" },
      { path: "moved", parameters: { size: 2 } },
      { path: "mine", parameters: { x: 1 } },
      { path: "new" },
      { path: "there", resourceId: there },
    ),
  })) as unknown as { components: { componentId: string; action: string; changes: { pointer: string }[] }[] };
  const actions = plan.components.map(({ componentId, action, changes }) => [
    componentId.slice(37),
    action,
    changes.map(({ pointer }) => pointer),
  ]);
  expect(actions).toEqual([
    ["same", "none", []],
    ["moved", "correct", ["/size"]],
    ["mine", "hold", ["/x"]],
    ["new", "create", []],
    ["there", "adopt", []],
    ["gone", "delete", []],
  ]);
  expect(JSON.stringify(await world.store.list({ prefix: ["record"], limit: 10_000 }))).toBe(before);
});

test("deleting goes by a fresh read: the tag taken off a moment ago is enough to be left alone", async () => {
  const { world } = recorded();
  const mutation = await world.create(definition({ path: "a" }));
  await world.consoles["provider-a"].putTags(mutation.components[0]?.resourceId ?? "", { mine: "now" });
  const removed = await world.remove(mutation.livesystemId);
  expect(removed.released).toEqual([mutation.components[0]?.id]);
  expect((await world.consoles["provider-a"].get(mutation.components[0]?.resourceId ?? ""))?.tags).toEqual({
    mine: "now",
  });
});

test("purges what was deleted long ago, and not before", async () => {
  const { world } = recorded();
  const mutation = await world.create(definition({ path: "a" }));
  await world.remove(mutation.livesystemId);
  await world.override.housekeep();
  expect((await world.mutation(mutation)).status).toBe("Succeeded");
  await world.runtime.advance(31 * 24 * 3_600_000);
  await world.override.housekeep();
  expect(await code(world.mutation(mutation))).toBe("NotFound");
});

test("what a mutation tells of names the request that asked for it, to the end", async () => {
  const { world } = recorded();
  const { livesystemId } = await world.create(definition({ path: "a" }, { path: "b" }));
  await world.remove(livesystemId);
  const own = (await world.events()).filter(
    ({ type, data }) => type.startsWith("livesystem.mutation.") || typeof data.mutationId === "string",
  );
  const requests = new Map<unknown, Set<string>>();
  for (const { data, requestId } of own) {
    requests.set(data.mutationId, (requests.get(data.mutationId) ?? new Set()).add(requestId));
  }
  expect(own.map(({ type }) => type)).toContain("component.deleted");
  expect([...requests.values()].map(({ size }) => size)).toEqual([1, 1]);
  expect(new Set([...requests.values()].flatMap((ids) => [...ids])).size).toBe(2);
});
