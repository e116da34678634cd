import { expect, test } from "vitest";
import { mutations } from "../../src/override/records/live-system-record.ts";
import type { PlanLimits } from "../../src/settings.ts";
import { code } from "../builders/handed-over.ts";
import { environmentId, overrideWorld, subscribe, type World, type WorldOptions } from "../builders/override.ts";
import { site, sites } from "../builders/sites.ts";

const accounts = { accounts: 5, organizations: 1 };
const plans = {
  discover: { ...accounts, liveSystems: 2, components: 4 },
  workgroup: { ...accounts, liveSystems: 50, components: 5000 },
} satisfies PlanLimits;

async function subscribed(options: WorldOptions = {}): Promise<World> {
  const world = overrideWorld({ plans, ...options });
  await subscribe(world);
  return world;
}

const paths = (...names: string[]) => sites(...names.map((path) => ({ path })));

async function usage({ store }: World) {
  const [entry] = await store.list({ prefix: ["record", "plan-usage"] });
  const { liveSystems, components } = (entry?.value ?? {}) as Record<string, number>;
  return { liveSystems, components };
}

test("a live system more than the plan has places for is refused, with the counts", async () => {
  const world = await subscribed();
  await world.create(paths("a"));
  await world.create(paths("a"));
  await expect(world.create(paths("a"))).rejects.toMatchObject({
    code: "SubscriptionLimitReached",
    status: 403,
    details: { counts: { liveSystems: { used: 2, limit: 2 }, components: { used: 2, limit: 4 } } },
  });
  expect(await usage(world)).toEqual({ liveSystems: 2, components: 2 });
});

test("components more than the plan has places for are refused at create and at deploy, and nothing is written", async () => {
  const world = await subscribed();
  expect(await code(world.create(paths("a", "b", "c", "d", "e")))).toBe("SubscriptionLimitReached");
  const { livesystemId: id } = await world.create(paths("a", "b"));
  const before = JSON.stringify(await world.store.list({ prefix: [], limit: 10_000 }));
  expect(await code(world.deploy(id, paths("a", "b", "c", "d", "e")))).toBe("SubscriptionLimitReached");
  expect(JSON.stringify(await world.store.list({ prefix: [], limit: 10_000 }))).toBe(before);
  expect(await world.deploy(id, paths("a", "b", "c", "d"))).toMatchObject({ status: "Succeeded" });
  expect(await usage(world)).toEqual({ liveSystems: 1, components: 4 });
});

test("what leaves frees its place once it is gone, and not before", async () => {
  const world = await subscribed({ follows: false });
  const { livesystemId: id } = await world.create(paths("a", "b", "c"));
  await world.override.mutations.advance(id);
  await world.deploy(id, paths("a"));
  expect(await usage(world)).toEqual({ liveSystems: 1, components: 3 });
  expect(await code(world.create(paths("x", "y")))).toBe("SubscriptionLimitReached");
  await world.override.mutations.advance(id);
  expect(await usage(world)).toEqual({ liveSystems: 1, components: 1 });
  await world.remove(id);
  expect(await usage(world)).toEqual({ liveSystems: 1, components: 1 });
  await world.override.mutations.advance(id);
  expect(await usage(world)).toEqual({ liveSystems: 0, components: 0 });
});

test("an Enterprise subscription has as many places as its details say, and any number where they say nothing", async () => {
  const world = overrideWorld({ plans });
  await subscribe(world, { maxNumberOfLiveSystems: 1, maxNumberOfComponents: 3 });
  const { livesystemId: id } = await world.create(paths("a"));
  expect(await code(world.create(paths("a")))).toBe("SubscriptionLimitReached");
  expect(await code(world.deploy(id, paths("a", "b", "c", "d")))).toBe("SubscriptionLimitReached");
  const free = overrideWorld({ plans });
  await subscribe(free, {} as never);
  for (let times = 0; times < 4; times++) await free.create(paths("a", "b"));
  expect(await usage(free)).toEqual({ liveSystems: 4, components: 8 });
});

test("what an owner had before its subscription is counted before more is let in, and may stay where it is too much", async () => {
  const limits = { discover: { ...plans.discover, liveSystems: 9, components: 9 }, workgroup: plans.workgroup };
  const world = overrideWorld({ plans: limits });
  await subscribe(world);
  const ids: string[] = [];
  for (let times = 0; times < 3; times++) ids.push((await world.create(paths("a", "b"))).livesystemId);
  const ownerId = "3f2504e0-4f89-41d3-9a0c-0305e82c33ff";
  await world.create({ ...paths("a"), environmentId: { ...environmentId, ownerId } });
  await world.store.commit({ deletes: [["record", "plan-usage", "plan"]] });

  const { store, cloudStore, runtime } = world;
  const again = overrideWorld({ plans, store, cloudStore, runtime });
  await expect(again.create(paths("a"))).rejects.toMatchObject({
    details: { counts: { liveSystems: { used: 3, limit: 2 }, components: { used: 6, limit: 4 } } },
  });
  expect(await again.deploy(ids[0] ?? "", paths("a", "b"))).toMatchObject({ status: "Succeeded" });
  expect(await again.deploy(ids[0] ?? "", paths("a"))).toMatchObject({ status: "Succeeded" });
  expect(await usage(again)).toEqual({ liveSystems: 3, components: 5 });
  expect(await code(again.deploy(ids[0] ?? "", paths("a", "b")))).toBe("SubscriptionLimitReached");
});

test("of many deploys at once as many get through as there are places, and the count is what is there", async () => {
  for (let seed = 1; seed <= 5; seed++) {
    const limits = { discover: { ...plans.discover, liveSystems: 9, components: 7 }, workgroup: plans.workgroup };
    const world = await subscribed({ plans: limits });
    const ids: string[] = [];
    for (let times = 0; times < 3; times++) ids.push((await world.create(paths("a"))).livesystemId);
    const wanted = ids.map((id) =>
      code(world.call("liveSystems.deploy", { params: { id }, body: paths("a", "b", "c") })),
    );
    const outcomes = await world.passing(Promise.all(wanted));
    expect(outcomes.sort()).toEqual(["SubscriptionLimitReached", "no error", "no error"]);
    await world.passing(Promise.all(ids.map((id) => world.override.mutations.advance(id))));
    expect(await usage(world)).toEqual({ liveSystems: 3, components: 7 });
  }
});

test("a redeploy takes back what was about to be removed, and takes no place anew", async () => {
  const world = await subscribed({ follows: false });
  const { livesystemId: id } = await world.create(paths("a", "b", "c", "d"));
  await world.override.mutations.advance(id);
  const leaving = await world.deploy(id, paths("a"));
  await world.records.change({ actor: "test", requestId: "test" }, async (change) => {
    const known = await change.get(mutations, [id, leaving.id]);
    if (known !== null) change.put(mutations, { ...known, status: "Running" });
  });
  const again = await world.deploy(id, paths("a", "b", "c", "d"));
  await world.override.mutations.advance(id);
  expect(await world.mutation(leaving)).toMatchObject({ status: "Failed", error: { code: "Superseded" } });
  expect(await world.mutation(again)).toMatchObject({ status: "Succeeded", components: { length: 4 } });
  expect(await usage(world)).toEqual({ liveSystems: 1, components: 4 });
});

test("withdrawing two hundred components at once counts every one of them", async () => {
  const many = Array.from({ length: 200 }, (_, at) => ({ ...site, path: `c${at}` }));
  const world = await subscribed({ plans: {} });
  const { livesystemId: id } = await world.create(sites(...many));
  expect(await usage(world)).toEqual({ liveSystems: 1, components: 200 });
  await world.passing(world.remove(id));
  expect(await usage(world)).toEqual({ liveSystems: 0, components: 0 });
});
