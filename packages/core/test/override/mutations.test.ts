import { describe, expect, test } from "vitest";
import type { Cloud } from "../../src/ports/cloud.ts";
import { flavours } from "../builders/drawn-deploys.ts";
import { both, code, definition, overridden } from "../builders/handed-over.ts";
import { named, sites as ofAzure, recorded } from "../builders/sites.ts";

describe.each(flavours)("$provider: a mutation", ({ provider, kinds }) => {
  const sites = (...components: Parameters<typeof ofAzure>) =>
    ofAzure(...components.map((one) => ({ provider, type: kinds.plain, ...one })));

  test("creates in the order of dependencies and deletes in the opposite one", async () => {
    const { world, calls } = recorded();
    const mutation = await world.create(
      sites(
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

  test("compares paths without case in the order of its steps", async () => {
    const { world, calls } = recorded();
    const { livesystemId } = await world.create(sites({ path: "Zone", dependsOn: ["nET"] }, { path: "Net" }));
    expect(calls).toEqual(["create net", "create zone"]);
    await world.remove(livesystemId);
    expect(calls.slice(2)).toEqual(["remove zone", "remove net"]);
  });

  test("what is missing is created again once what it needs is there, however that is spelled", async () => {
    const { world, calls } = recorded();
    const { components } = await world.create(sites({ path: "App", dependsOn: ["nET"] }, { path: "Net" }));
    const { resourceId } = named(components, "App");
    await world.consoles[provider].delete(resourceId ?? "");
    await world.cycle();
    expect(calls).toEqual(["create net", "create app", "create app"]);
  });

  test("what is missing names the missing one that it waits for, also where a person has that", async () => {
    const { world, calls } = recorded();
    const { components } = await world.create(sites({ path: "app", dependsOn: ["net"] }, { path: "net" }));
    const [app, net] = [named(components, "app"), named(components, "net")];
    const hand = world.consoles[provider];
    await hand.putTags(net.resourceId ?? "", {});
    await world.cycle();
    await hand.delete(net.resourceId ?? "");
    await world.cycle();
    await hand.delete(app.resourceId ?? "");
    await world.cycles(2);
    expect(await world.component(app.id)).toMatchObject({
      health: "Blocked",
      conditions: {
        exists: { reason: "Missing" },
        inSync: { value: false, reason: "Blocked", message: "net must exist first.", blockedBy: net.id },
      },
    });
    expect(calls).toEqual(["create net", "create app"]);
  });

  test("names the first component that failed in the order of the declaration", async () => {
    const { world } = recorded({ cloud: { faultOf: ({ operation }) => (operation === "write" ? "fail" : null) } });
    const { components, error } = await world.passing(world.create(sites({ path: "z" }, { path: "a" }, { path: "m" })));
    expect(error).toMatchObject({ code: "ProviderError", componentId: named(components, "z").id });
  });

  test("asks a creation for nothing at a place that is declared to be absent", async () => {
    const asked: unknown[] = [];
    const watched = (cloud: Cloud): Cloud => ({
      ...cloud,
      create: (resource, ...rest) => {
        asked.push({ ...resource.parameters, tags: Object.keys(resource.tags) });
        return cloud.create(resource, ...rest);
      },
    });
    const { world } = recorded({ clouds: (all) => all.map(watched) });
    const tags = { [provider === "provider-a" ? "tags" : "labels"]: { team: "blue", gone: null } };
    await world.create(sites({ path: "a", parameters: { size: 1, gone: null, ...tags } }));
    expect(asked).toEqual([{ size: 1, tags: expect.arrayContaining(["team", "managed-by"]) }]);
    expect(asked).not.toEqual([{ size: 1, tags: expect.arrayContaining(["gone"]) }]);
  });

  test("works on independent components side by side", async () => {
    const { world } = recorded({ cloud: { latencyMs: 1000 } });
    const begun = world.create(sites(...Array.from({ length: 6 }, (_, at) => ({ path: `c${at}` }))));
    await world.runtime.advance(4_000);
    expect((await begun).status).toBe("Succeeded");
  });

  test("goes as far as it can, begins nothing that depends on what failed, and keeps on trying", async () => {
    const { world } = recorded({
      cloud: {
        faultOf: ({ operation, resourceId }) => (operation === "write" && resourceId?.includes("bad-") ? "fail" : null),
      },
    });
    const mutation = await world.passing(
      world.create(sites({ path: "bad" }, { path: "after", dependsOn: ["bad"] }, { path: "good" })),
    );
    const bad = named(mutation.components, "bad");
    expect(mutation).toMatchObject({ status: "Failed", error: { code: "ProviderError", componentId: bad.id } });
    expect(named(mutation.components, "good").conditions.exists.value).toBe(true);
    expect(named(mutation.components, "after")).toMatchObject({
      status: "Active",
      conditions: { exists: { value: false } },
    });
    expect(await world.events("component.correction_failed")).toHaveLength(1);
  });

  test("a newer mutation takes the place of one that waits", async () => {
    const { world } = recorded({ follows: false });
    const first = await world.create(sites({ path: "a" }));
    const second = await world.deploy(first.livesystemId, sites({ path: "b" }));
    await world.override.mutations.advance(first.livesystemId);
    expect(await world.mutation(first)).toMatchObject({ status: "Failed", error: { code: "Superseded" } });
    const done = await world.mutation(second);
    expect(done).toMatchObject({ status: "Succeeded" });
    expect(done.components.map(({ id }) => id.split("/").slice(1).join("/"))).toEqual(["b"]);
  });

  test("a mutation under way finishes the write that the cloud has, begins nothing more, and ends superseded", async () => {
    const { world, calls } = recorded({ follows: false, cloud: { latencyMs: 1000 } });
    const first = await world.create(sites({ path: "a" }, { path: "never", dependsOn: ["a"] }));
    const running = world.override.mutations.advance(first.livesystemId);
    await world.runtime.advance(1500);
    const second = await world.deploy(first.livesystemId, sites({ path: "b" }));
    await world.runtime.advance(60_000);
    await running;
    expect(await world.mutation(first)).toMatchObject({ status: "Failed", error: { code: "Superseded" } });
    expect(await world.mutation(second)).toMatchObject({ status: "Succeeded" });
    expect(calls).toEqual(["create a", "create b", "remove a"]);
  });

  test.each([
    { afterMs: 1_500, removed: false },
    { afterMs: 2_500, removed: false },
    { afterMs: 3_500, removed: false },
    { afterMs: 4_500, removed: true },
  ])(
    "what is declared again $afterMs ms into its deletion is removed ($removed): one that goes out is let end",
    async ({ afterMs, removed }) => {
      const { world, calls } = recorded({ follows: false, cloud: { latencyMs: 1_000 } });
      const net = { path: "net", type: kinds.tagOwner };
      const subnet = { path: "net/sub", type: kinds.governed, overrideWith: "net", dependsOn: ["net"] };
      const { livesystemId } = await world.create(sites(net, subnet));
      const made = world.override.mutations.advance(livesystemId);
      await world.runtime.advance(60_000);
      await made;
      await world.deploy(livesystemId, sites(net));
      const running = world.override.mutations.advance(livesystemId);
      await world.runtime.advance(afterMs);
      await world.deploy(livesystemId, sites(net, subnet));
      await world.runtime.advance(60_000);
      await running;
      expect(calls.includes("remove sub")).toBe(removed);
    },
  );

  test("a component waits for an overridden one, and the mutation succeeds", async () => {
    const { world } = recorded();
    const base = sites({ path: "a" });
    const mutation = await world.create(base);
    const a = named(mutation.components, "a");
    await world.consoles[provider].putTags(a.resourceId ?? "", {});
    await world.cycle();
    const after = await world.deploy(
      mutation.livesystemId,
      sites({ path: "a" }, { path: "b", parameters: { x: { $output: "a#unheard" } } }),
    );
    expect(after).toMatchObject({ status: "Succeeded" });
    expect([...after.held].sort()).toEqual([a.id, named(after.components, "b").id]);
    // Nobody knows whether it will ever be there.
    await world.consoles[provider].delete(a.resourceId ?? "");
    await world.cycles(2);
    const { inSync } = (await world.component(named(after.components, "b").id)).conditions;
    expect(inSync.message).toContain("a#unheard, which /parameters/x refers to, does not exist.");
  });

  test("of what answers to an overridden one, only what isn't as declared is held", async () => {
    const { world } = recorded();
    const member = (path: string, size: number) => ({
      ...{ path, type: kinds.governed, overrideWith: "net", parameters: { size } },
    });
    const shop = (size: number) =>
      sites({ path: "net", type: kinds.tagOwner }, member("as-it-is", 1), member("other", size));
    const { livesystemId: system, components } = await world.create(shop(1));
    await world.consoles[provider].putTags(named(components, "net").resourceId ?? "", {});
    await world.cycle();
    const { held, steps } = await world.deploy(system, shop(2));
    expect([...held].sort()).toEqual([`${system}/net`, `${system}/other`]);
    expect(steps.find(({ componentId }) => componentId === `${system}/as-it-is`)?.state).toBe("converged");
  });

  test.each([
    ["rejects the agent's credentials", "ProviderCredentialsRejected", true],
    ["fails for another reason", "Down", false],
  ])("gives up within a minute where the cloud %s: %s, %s", async (_, reason, isSoon) => {
    let isRefused = false;
    const refusing = (cloud: Cloud): Cloud => ({
      ...cloud,
      read: async (...call) => (isRefused ? { state: "unreadable", reason } : cloud.read(...call)),
    });
    const { world } = recorded({ clouds: (all) => all.map(refusing) });
    const { livesystemId: system } = await world.create(sites({ path: "a" }));
    isRefused = true;
    const before = world.runtime.clock.monotonic();
    const { error } = await world.passing(world.deploy(system, sites({ path: "a", parameters: { size: 2 } })));
    expect(error).toMatchObject({ code: "ProviderError", detail: `The resource could not be read: ${reason}.` });
    expect(world.runtime.clock.monotonic() - before < 60_000).toBe(isSoon);
  });

  test("what a mutation tells of names the request that asked for it, to the end", async () => {
    const { world } = recorded();
    const { livesystemId } = await world.create(sites({ path: "a" }, { path: "b" }));
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
});

test.each([
  { what: "sets the reconcile tag again", code: "Conflict" },
  { what: "doesn't remove it", code: "Conflict" },
  { what: "ignores what is written", code: "Ineffective" },
])(
  "a deploy waits for a hand-back and fails with $code where it doesn't end, because the cloud $what",
  async ({ what, code }) => {
    const policy = (cloud: Cloud): Cloud => ({
      ...cloud,
      update: async () => ({}),
      async removeTag(ref, ...rest) {
        if (what === "doesn't remove it") return {};
        const removed = await cloud.removeTag(ref, ...rest);
        await made.console.putTags(ref.resourceId, both);
        return removed;
      },
    });
    const made = await overridden({}, { clouds: (all) => all.map(policy) });
    const { world, system, id, console, resourceId } = made;
    if (code === "Ineffective") await console.patchParameters(resourceId, { size: 7 });
    await console.putTags(resourceId, both);
    const deployed = await world.passing(world.deploy(system, definition([{ path: "app" }])));
    expect(deployed).toMatchObject({ status: "Failed", error: { code, componentId: id }, held: [] });
    expect((await world.component(id)).status).toBe("ReconcileRequested");
  },
);
