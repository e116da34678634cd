import { expect, test } from "vitest";
import type { Cloud } from "../../src/ports/cloud.ts";
import { memoryStore } from "../../src/ports/memory-store.ts";
import { bothClouds, toldIn } from "../builders/both-clouds.ts";
import { code, refusal } from "../builders/handed-over.ts";
import { environmentId, overrideWorld } from "../builders/override.ts";
import { recorded, sites } from "../builders/sites.ts";

const fixed = [
  { provider: "provider-a", type: "Microsoft.Storage/storageAccounts@2024-01-01", parameter: "kind" },
  { provider: "provider-b", type: "redis.v1.instance", parameter: "tier" },
];

test.each(fixed)(
  "$provider: an immutable parameter fails the mutation, the drift stays, nothing is replaced",
  async ({ parameter, ...account }) => {
    const { world, calls } = recorded();
    const mutation = await world.create(sites({ path: "s", ...account, parameters: { [parameter]: "v1", size: 1 } }));
    const after = await world.deploy(
      mutation.livesystemId,
      sites({ path: "s", ...account, parameters: { [parameter]: "v2", size: 2 } }),
    );
    expect(after).toMatchObject({
      status: "Failed",
      error: {
        code: "Immutable",
        detail: `${parameter} can't change once the resource exists. Everything else in it is as declared.`,
        componentId: mutation.components[0]?.id,
      },
    });
    expect(after.components[0]?.outputFields.drift).toEqual({ [parameter]: { declared: "v2", actual: "v1" } });
    expect(after.components[0]).toMatchObject({
      status: "Active",
      conditions: { inSync: { value: false, reason: "Immutable" } },
    });
    expect(calls).toEqual(["create s", "update s"]);
  },
);

test("refuses what a redeploy can't change, at its place, and a resource that is another component's", async () => {
  const { world } = recorded();
  const first = await world.create(sites({ path: "a", resourceName: "shop" }));
  const id = first.livesystemId;
  const resourceId = first.components[0]?.resourceId;
  const refused = async (declared: object) => {
    const { code, errors = [] } = (await refusal(world.deploy(id, { ...sites({ path: "a" }), ...declared }))) ?? {};
    expect(code).toBe("InvalidDeclaration");
    return errors.map(({ pointer, detail }) => [pointer, detail]);
  };
  const bucket = { provider: "provider-b", type: "storage.v1.bucket" };
  const provider = ["#/components/0/provider", "A component's provider can't change. Use another path."];
  const type = ["#/components/0/type", "A component's type can't change. Use another path."];
  expect(await refused(sites({ path: "a", ...bucket }))).toEqual([provider, type]);
  expect(await refused(sites({ path: "A", type: "Microsoft.Cache/Redis@2024-01-01" }))).toEqual([type]);
  const fixed = "The resource of a component is fixed at its first deploy.";
  expect(await refused(sites({ path: "a", resourceId: "/other" }))).toEqual([["#/components/0/resourceId", fixed]]);
  expect(await refused(sites({ path: "a", resourceName: "store" }))).toEqual([["#/components/0/resourceName", fixed]]);
  expect(await refused({ environmentId: { ...environmentId, shortName: "other" } })).toEqual([
    ["#/environmentId", "A live system can't move to another environment."],
  ]);
  expect(await code(world.deploy(id, sites({ path: "a", resourceName: "shop" })))).toBe("no error");
  expect(await code(world.create(sites({ path: "x", resourceId })))).toBe("AlreadyExists");
});

test("needs a completed initialization and credentials of each cloud that it uses", async () => {
  const { world } = recorded();
  world.uninitialized.add("provider-a");
  expect(await code(world.create(sites({ path: "a" })))).toBe("InvalidState");
  world.uninitialized.delete("provider-a");
  world.withoutCredentials.add("provider-a");
  expect(await code(world.create(sites({ path: "a" })))).toBe("ProviderCredentialsMissing");
  expect(await code(world.create(sites({ path: "a", provider: "provider-b", type: "storage.v1.bucket" })))).toBe(
    "no error",
  );
});

test("a group must be one of the environment's when it is declared first", async () => {
  const group = { resourceGroupType: "Personal", ownerId: environmentId.ownerId, shortName: "Web" } as const;
  const without = recorded().world;
  expect(await code(without.create({ ...sites({ path: "a" }), resourceGroupId: group }))).toBe("InvalidDeclaration");
  const groups = [`Personal/${environmentId.ownerId}/web`];
  const { world } = recorded({ groups });
  const definition = { ...sites({ path: "a" }), resourceGroupId: group };
  const made = await world.create(definition);
  expect(await world.override.liveSystemsOf(`Personal/${environmentId.ownerId}/WEB`)).toEqual([made.livesystemId]);
  expect((await world.override.liveSystemScope(made.livesystemId))?.groups).toHaveLength(2);
  groups.pop();
  expect(await world.deploy(made.livesystemId, definition)).toMatchObject({ status: "Succeeded" });
  expect(await code(world.create(definition))).toBe("InvalidDeclaration");
});

test.each(bothClouds)("$provider: a live system shows how its last mutation came out, in lists too", async (cloud) => {
  const { declared } = toldIn(cloud);
  const { world } = recorded();
  const bad = declared({ path: "a", parameters: { x: { $output: "b#nothing" } } }, { path: "b" });
  const failed = await world.create(bad);
  const { id, kind, error } = failed;
  expect(error).toMatchObject({ code: "InvalidDeclaration", componentId: `${failed.livesystemId}/a` });
  expect(error?.detail).toContain("/parameters/x");
  const told = { lastMutationId: id, lastMutation: { id, kind, status: "Failed", error } };
  const shown = await world.call("liveSystems.get", { params: { id: failed.livesystemId } });
  expect(shown).toMatchObject(told);
  expect(await world.call("liveSystems.list")).toMatchObject({ items: [told] });
  await world.deploy(failed.livesystemId, declared({ path: "b" }));
  expect(await world.call("liveSystems.get", { params: { id: failed.livesystemId } })).toMatchObject({
    lastMutation: { kind: "Deploy", status: "Succeeded", error: null },
  });
});

test("what a redeploy leaves out stays, null clears, and a group can't be cleared", async () => {
  const group = { resourceGroupType: "Personal", ownerId: environmentId.ownerId, shortName: "Web" } as const;
  const { world } = recorded({ groups: [`Personal/${environmentId.ownerId}/web`] });
  const base = sites({ path: "a" });
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
  const mutation = await world.create(sites({ path }));
  expect(mutation.status).toBe("Succeeded");
  expect(await world.component(`${mutation.livesystemId}/${path}`)).toMatchObject({ status: "Active" });
});

test("a deploy reclaims what a deletion marked, and creates what it deleted, while the deploy was judged", async () => {
  const kept = memoryStore({ now: () => world.runtime.clock.now() });
  let afterList: (() => Promise<void>) | null = null;
  let refuses = false;
  const { world, calls } = recorded({
    store: {
      ...kept,
      async list(...asked) {
        const listed = await kept.list(...asked);
        await afterList?.();
        return listed;
      },
    },
    follows: false,
    cloud: {
      faultOf: ({ operation, resourceId }) =>
        refuses && operation === "write" && resourceId?.includes("/kept-") ? "fail" : null,
    },
  });
  const advance = (id: string) => world.passing(world.override.mutations.advance(id));
  const declared = sites({ path: "kept" }, { path: "gone", dependsOn: ["kept"] });
  const { livesystemId: id } = await world.create(declared);
  await advance(id);
  await world.call("liveSystems.delete", { params: { id } });
  refuses = true;
  afterList = async () => {
    afterList = null;
    await advance(id);
  };
  await world.call("liveSystems.deploy", { params: { id }, body: declared });
  await advance(id);
  await world.cycles(1);
  expect(calls).toEqual(["create kept", "create gone", "remove gone", "create gone"]);
  for (const path of ["kept", "gone"])
    expect(await world.component(`${id}/${path}`)).toMatchObject({ conditions: { inSync: { reason: "InSync" } } });
});

test.each(["deploy", "planDeploy"] as const)(
  "a %s is judged again when others deploy meanwhile, and refused when they don't stop",
  async (asked) => {
    const rival = overrideWorld({ follows: false });
    const { store, cloudStore, runtime } = rival;
    let left = 0;
    const { livesystemId: id } = await rival.create(sites({ path: "a" }));
    const interfered: NonNullable<Cloud["judgeParameters"]> = async () => {
      left -= 1;
      if (left >= 0) await rival.deploy(id, { ...sites({ path: "a" }), name: `rival ${left}` });
      return [];
    };
    const clouds = (all: readonly Cloud[]) => all.map((cloud) => ({ ...cloud, judgeParameters: interfered }));
    const world = overrideWorld({ store, cloudStore, runtime, clouds, follows: false });
    const body = sites({ path: "a", parameters: { size: 2 } });
    const call = () => world.call(`liveSystems.${asked}`, { params: { id }, body });
    left = 10;
    await expect(call()).rejects.toMatchObject({
      code: "Conflict",
      message: "Other deploys of this live system kept interfering. Try again.",
    });
    expect(await rival.call("liveSystems.get", { params: { id } })).toMatchObject({ name: "rival 0" });
    left = 9;
    expect(await code(call())).toBe("no error");
  },
);
