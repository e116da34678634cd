import { expect, test } from "vitest";
import { simulatedCloud, simulatedConsole } from "../../src/clouds/index.ts";
import type { Api } from "../../src/contract/api.ts";
import { LiveplaneError } from "../../src/errors.ts";
import type { Cloud } from "../../src/ports/cloud.ts";
import { memoryStore } from "../../src/ports/memory-store.ts";
import type { ShardedTask } from "../../src/ports/scheduler.ts";
import type { Store } from "../../src/ports/store.ts";
import { fakeHasher, fakeTokens } from "../../src/testing/fake-identity.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";
import { fakeSealer, fakeSshKeys } from "../../src/testing/fake-secrets.ts";
import { identityWorld, password, refusal } from "../builders/identity.ts";

const subscriptionId = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";
const cloudA = { providerAClientId: "client", providerAClientSecret: "a cloud's secret" };
const purgeSeconds = 2_592_000;

/** A person with three live systems in an environment of their own, of which one is overridden; and an operator. */
async function setUp() {
  const runtime = fakeRuntime();
  const now = runtime.clock.now;
  const cloud = simulatedCloud({ provider: "provider-a", store: memoryStore({ now }), runtime });
  const writes: string[] = [];
  let onRead: () => Promise<void> = async () => {};
  const watched: Cloud = {
    ...cloud,
    async read(...call) {
      const doing = onRead;
      onRead = async () => {};
      await doing();
      return cloud.read(...call);
    },
    ...Object.fromEntries(
      (["create", "update", "remove", "removeTag"] as const).map((name) => [
        name,
        (...call: never[]) => {
          writes.push(name);
          return (cloud[name] as (...call: never[]) => unknown)(...call);
        },
      ]),
    ),
  };
  const store = memoryStore({ now });
  let before: { readonly kind: string; readonly work: () => Promise<unknown> } | null = null;
  const hooked: Store = {
    ...store,
    async commit(commit, options) {
      const due = before;
      if (due !== null && commit.sets?.some(({ key }) => key[0] === "record" && key[1] === due.kind)) {
        before = null;
        await due.work();
      }
      return store.commit(commit, options);
    },
  };
  /** Lets time pass for work that waits. */
  async function inTime<T>(work: Promise<T>): Promise<T> {
    let done = false;
    const watched = work.finally(() => {
      done = true;
    });
    watched.catch(() => {});
    while (!done) await runtime.advance(50);
    return watched;
  }
  const operators: string[] = [];
  const kept = {
    ...{ runtime, hasher: fakeHasher(runtime), tokens: fakeTokens(runtime) },
    ...{ sealer: fakeSealer(), sshKeys: fakeSshKeys() },
    clouds: { adapters: [watched], deviceAuthorizers: {} },
  };
  /** A control plane over the store, as after a start; its tasks run when they are told to. */
  async function start(over: Store) {
    const tasks = new Map<string, ShardedTask>();
    const scheduler = {
      async start(task: ShardedTask) {
        tasks.set(task.name, task);
        return { request: async () => {}, stop: async () => {} };
      },
      enqueue: async () => {},
    };
    const world = await identityWorld({ operators, purgeSeconds }, undefined, { ...kept, store: over, scheduler });
    await world.liveplane.start();
    const lease = { deadline: Number.POSITIVE_INFINITY, signal: new AbortController().signal };
    async function run(name: string) {
      const task = tasks.get(name);
      for (const shard of (await task?.shards()) ?? []) if (task) await inTime(task.run(shard, lease));
    }
    return { ...world, run };
  }
  const world = await start(hooked);
  const ada = await world.person("ada");
  const operator = await world.host.accounts.createWithCredentials({ username: "operator", password });
  operators.push(operator.id);
  const byOperator = world.bearer((await world.signIn("operator")).accessToken);
  const home = { type: "Personal", ownerId: ada.account.id, shortName: "home" } as const;
  const { environments, liveSystems } = ada.api;
  await environments.create(home, {});
  await environments.secrets.create(home, { shortName: "db", value: "päss" });
  await environments.ciCdProfiles.create(home, { shortName: "ci", sshPrivateKeyData: "fake-key:one" });
  await environments.providerA.initialize(home, { subscriptionId }, cloudA);
  for (let turns = 0; turns < 100; turns++) {
    const { initializationRun } = await environments.providerA.status(home);
    if (initializationRun.status === "Completed") break;
    await runtime.advance(100);
  }
  const ids: string[] = [];
  const resources: string[] = [];
  for (const name of ["one", "two", "three"]) {
    const { livesystemId } = await liveSystems.create(shop(home, name));
    await world.run("mutations");
    ids.push(livesystemId);
    const { items } = await liveSystems.components.list({ id: livesystemId });
    resources.push(...items.map(({ resourceId }) => resourceId ?? ""));
  }
  const console = simulatedConsole(cloud);
  const [first = ""] = resources;
  await console.putTags(first, {});
  await liveSystems.components.check({ id: ids[0] ?? "", componentId: `${ids[0]}/vnet` });
  writes.length = 0;
  return {
    ...{ world, ada, home, ids, resources, console, writes, store, byOperator, start, runtime, inTime },
    remove: () => byOperator.accounts.delete({ accountId: ada.account.id }),
    release: (api: Api = byOperator) => api.accounts.release({ accountId: ada.account.id }),
    /** Does something right before the next commit that writes a record of a kind. */
    beforeCommitOf(kind: string, work: () => Promise<unknown>) {
      before = { kind, work };
    },
    onNextRead(work: () => Promise<unknown>) {
      onRead = async () => void (await work());
    },
  };
}

type World = Awaited<ReturnType<typeof setUp>>;

function shop(environmentId: World["home"], name: string) {
  const type = "Microsoft.Network/virtualNetworks@2024-05-01";
  const component = { path: "vnet", provider: "provider-a", type, parameters: { addressSpace: "10.0.0.0/16" } };
  return { name, environmentId, components: [component] };
}

/** Whether anything of a kind is stored. */
async function isStored({ store }: World, kind: string): Promise<boolean> {
  return (await store.list({ prefix: ["record", kind], limit: 1 })).length > 0;
}

test("an account whose environments hold live systems isn't deleted by its owner, who is told which", async () => {
  const { ada, ids } = await setUp();
  for (const call of [ada.api.accounts.deleteMe(), ada.api.accounts.delete({ accountId: ada.account.id })]) {
    const refused = await call.then(
      () => null,
      (error: unknown) => error,
    );
    expect(refused).toMatchObject({ code: "EnvironmentNotEmpty", status: 409, details: { livesystemIds: ids } });
  }
  expect(await ada.api.accounts.me()).toMatchObject({ status: "Active" });
});

test("an account without live systems is deleted by its owner, and its secrets are destroyed", async () => {
  const world = await setUp();
  for (const id of world.ids) {
    await world.ada.api.liveSystems.delete({ id });
    await world.world.run("mutations");
  }
  await world.ada.api.accounts.deleteMe();
  await world.world.run("releases");
  expect(await isStored(world, "secret")).toBe(false);
  expect(await world.release()).toMatchObject({ status: "Released", liveSystems: [], left: [] });
});

test("a deletion by an operator releases what the account had: in one commit nobody may write to it any more", async () => {
  const world = await setUp();
  const { ids, resources, console, writes, remove, release } = world;
  const tags = async () => Promise.all(resources.map(async (id) => (await console.get(id))?.tags));
  const before = await tags();
  await console.patchParameters(resources[1] ?? "", { addressSpace: "10.9.0.0/16" });
  expect(await remove()).toMatchObject({ status: "Deleted" });
  expect(await release()).toMatchObject({ status: "Releasing", liveSystems: ids, left: [], completedAt: null });
  const { host, run } = world.world;
  for (const id of ids) expect(await host.liveSystems.get({ id })).toMatchObject({ status: "Releasing" });
  for (const id of ids) expect((await refusal(host.liveSystems.delete({ id }))).code).toBe("InvalidState");
  await run("mutations");
  await run("sweep");
  await host.liveSystems.components.check({ id: ids[1] ?? "", componentId: `${ids[1]}/vnet` });
  expect(writes).toEqual([]);

  await run("releases");
  const done = await release();
  expect(done).toMatchObject({ status: "Released", liveSystems: [], completedAt: expect.any(String) });
  expect(done.left.map(({ resourceId }) => resourceId).sort()).toEqual([...resources].sort());
  expect(await tags()).toEqual(before);
  expect((await console.get(resources[1] ?? ""))?.parameters).toMatchObject({ addressSpace: "10.9.0.0/16" });
  expect(writes).toEqual([]);
  for (const kind of ["secret", "ci-cd-profile", "component"])
    expect([kind, await isStored(world, kind)]).toEqual([kind, false]);
  const released = await world.world.events("component.released");
  expect(released.map(({ subject }) => subject).sort()).toEqual(ids.map((id) => `${id}/vnet`).sort());
  expect(released.map(({ data }) => data.resourceId).sort()).toEqual([...resources].sort());
  expect(await world.world.events("component.override.ended")).toMatchObject([{ data: { outcome: "Released" } }]);
  const episodes = await world.store.list({ prefix: ["record", "override-episode"], limit: 10 });
  const sides = { declared: { addressSpace: "10.0.0.0/16" }, actual: { addressSpace: "10.0.0.0/16" } };
  expect(episodes.map(({ value }) => value)).toMatchObject([
    { outcome: "Released", endedAt: expect.any(String), end: sides },
  ]);
});

test("a release gives back the places in the plan that the live systems took", async () => {
  const world = await setUp();
  const places = async () => {
    const rows = await world.store.list({ prefix: ["record", "plan-usage"], limit: 100 });
    const used = rows.map(({ value }) => value as { readonly liveSystems?: number; readonly components?: number });
    return used.map(({ liveSystems = 0, components = 0 }) => liveSystems + components).filter((count) => count > 0);
  };
  expect(await places()).toEqual([6]);
  await world.remove();
  await world.world.run("releases");
  expect(await places()).toEqual([]);
});

test("a write that was about to be made when the account was deleted isn't made", async () => {
  const { ids, resources, console, writes, remove, onNextRead, world, inTime } = await setUp();
  await console.patchParameters(resources[1] ?? "", { addressSpace: "10.9.0.0/16" });
  let deleted = false;
  onNextRead(async () => {
    await remove();
    deleted = true;
  });
  await inTime(world.host.liveSystems.components.check({ id: ids[1] ?? "", componentId: `${ids[1]}/vnet` }));
  expect(deleted).toBe(true);
  expect(writes).toEqual([]);
});

test("a live system that was being deleted is released with the others, and nothing more of it is deleted", async () => {
  const { ada, ids, console, resources, writes, remove, release, world } = await setUp();
  await ada.api.liveSystems.delete({ id: ids[1] ?? "" });
  await remove();
  expect((await release()).liveSystems).toEqual(ids);
  await world.run("mutations");
  await world.run("releases");
  expect(await release()).toMatchObject({ status: "Released", liveSystems: [] });
  expect(await console.get(resources[1] ?? "")).not.toBeNull();
  expect(writes).toEqual([]);
});

test("a live system that is made while the account is deleted is released with the others", async () => {
  const { ada, home, ids, remove, release, beforeCommitOf, world } = await setUp();
  beforeCommitOf("account", () => ada.api.liveSystems.create(shop(home, "late")));
  await remove();
  const { liveSystems } = await release();
  expect(liveSystems).toHaveLength(ids.length + 1);
  for (const id of liveSystems) expect(await world.host.liveSystems.get({ id })).toMatchObject({ status: "Releasing" });
});

test("nothing is made in what an account had once it is deleted", async () => {
  const { ada, home, remove, beforeCommitOf } = await setUp();
  beforeCommitOf("live-system", remove);
  expect((await refusal(ada.api.liveSystems.create(shop(home, "late")))).code).toBe("NotFound");
});

test("a release that was killed anywhere goes on after the next start, and tells of each component once", async () => {
  for (let commits = 0; commits < 6; commits++) {
    const world = await setUp();
    await world.remove();
    let left = commits;
    const dying: Store = {
      ...world.store,
      async commit(commit, options) {
        if (left-- <= 0) throw new LiveplaneError("StoreFailed");
        return world.store.commit(commit, options);
      },
    };
    const killed = await world.start(dying).catch(() => null);
    await killed?.run("releases").catch(() => {});
    const again = await world.start(world.store);
    const byOperator = again.bearer((await again.signIn("operator")).accessToken);
    await again.run("releases");
    expect(await world.release(byOperator)).toMatchObject({ status: "Released", liveSystems: [] });
    const released = await again.events("component.released");
    expect(released.map(({ subject }) => subject).sort()).toEqual(world.ids.map((id) => `${id}/vnet`).sort());
    expect(world.writes).toEqual([]);
    expect(await isStored(world, "secret")).toBe(false);
  }
});

test("an account is purged only after the release of what it had is done", async () => {
  const { world, ada, remove, runtime } = await setUp();
  await remove();
  const isThere = async () => (await world.store.get([["record", "account", ada.account.id]]))[0] !== null;
  await runtime.advance((purgeSeconds + 60) * 1000);
  await world.run("housekeeping");
  expect(await isThere()).toBe(true);
  await world.run("releases");
  await world.run("housekeeping");
  expect(await isThere()).toBe(false);
});

test("how far a release is is told to operators alone, and of deleted accounts alone", async () => {
  const { ada, release, remove, world } = await setUp();
  expect((await refusal(release())).code).toBe("NotFound");
  expect((await refusal(release(ada.api))).code).toBe("NotFound");
  await remove();
  const stranger = await world.person("stranger");
  expect((await refusal(release(stranger.api))).code).toBe("NotFound");
});
