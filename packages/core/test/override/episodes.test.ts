import { expect, test } from "vitest";
import { component } from "../../src/contract/schemas/live-system-schemas.ts";
import { overrideDigestRow, overrideEpisode } from "../../src/contract/schemas/override-schemas.ts";
import type { EnvironmentRef } from "../../src/contract/target.ts";
import { episodes } from "../../src/override/records/episode-record.ts";
import { both, code, definition, overridden, planOf, vm } from "../builders/handed-over.ts";
import { environmentId, me, overrideWorld } from "../builders/override.ts";

test("keeps a line for every override: what was there at both ends, how it ended, who claims it and why", async () => {
  const { world, resourceId, console, params } = await overridden();
  await console.patchParameters(resourceId, { size: 2 });
  const noted = (await world.call("liveSystems.components.annotateOverride", {
    params,
    body: { reason: "night shift", ticket: "OPS-1" },
  })) as unknown as { override: object };
  component.parse(noted);
  expect(noted.override).toMatchObject({
    reason: "night shift",
    ticket: "OPS-1",
    claimedBy: me.kind === "account" ? me.accountId : "",
  });
  const actor = { kind: "account", accountId: "whoever-came-later" } as const;
  await world.call("liveSystems.components.annotateOverride", { params, actor, body: { ticket: null } });
  await console.putTags(resourceId, both);
  await world.cycle();
  await console.putTags(resourceId, {});
  await world.runtime.advance(1_000);
  await world.cycle();
  const page = (await world.call("liveSystems.components.overrides", { params })) as unknown as { items: object[] };
  for (const item of page.items) overrideEpisode.parse(item);
  expect(page.items).toMatchObject([
    { outcome: null, endedAt: null, end: null, start: { declared: { size: 1 }, actual: { size: 1 } } },
    {
      outcome: "Reconciled",
      reason: "night shift",
      ticket: null,
      claimedBy: actor.accountId,
      start: { actual: { size: 1 } },
      end: { actual: { size: 1 }, declared: { size: 1 } },
    },
  ]);
});

test("the ledger stays readable after the live system is gone", async () => {
  const { world, params, system } = await overridden();
  expect(await world.remove(system)).toMatchObject({ status: "Succeeded", released: [params.componentId] });
  const page = (await world.call("liveSystems.components.overrides", { params })) as unknown as { items: object[] };
  expect(page.items).toMatchObject([{ outcome: "Released" }]);
  expect(await code(world.call("liveSystems.components.get", { params }))).toBe("NotFound");
});

test.each([
  { was: "as it was", actual: { size: 1, zone: "a" }, differing: [] },
  { was: "changed", actual: { size: 7, zone: "a" }, differing: ["/size"] },
  { was: "changed, and then unreadable", actual: { size: 7, zone: "a" }, differing: ["/size"] },
  { was: "deleted", actual: {}, differing: ["/size", "/zone"] },
])("a release without a read ends the ledger with what the last read showed: $was", async ({ was, ...end }) => {
  const declared = { size: 1, zone: "a" };
  const { world, resourceId, console } = await overridden({ parameters: declared });
  if (was.startsWith("changed")) await console.patchParameters(resourceId, { size: 7 });
  if (was === "deleted") await console.delete(resourceId);
  await world.cycle();
  if (was.endsWith("unreadable")) {
    await console.setFaults({ read: "fail", bulk: "fail" });
    await console.delete(resourceId);
    await world.cycle();
  }
  const { holdings } = world.override;
  const stamp = { at: "2026-01-01T00:00:00.000Z", by: "operator" };
  await world.records.change({ actor: "test", requestId: "test" }, (change) =>
    holdings.fence(change, environmentId, stamp),
  );
  await holdings.release(environmentId, () => false);
  const ledger = (await world.records.list(episodes)).map(({ record }) => record);
  expect(ledger).toMatchObject([{ outcome: "Released", end: { declared, ...end } }]);
  expect(ledger[0]?.end?.actual).toEqual(end.actual);
});

test("only what is overridden can be annotated, for a time to come, at the version that was read", async () => {
  const { world, params } = await overridden();
  const note = (body: object, ifMatch?: string) =>
    code(world.call("liveSystems.components.annotateOverride", { params, body, ...(ifMatch && { ifMatch }) }));
  expect(await note({ remindAt: "2020-01-01T00:00:00Z" })).toBe("ValidationFailed");
  expect(await note({ reason: "x" }, "nothing")).toBe("PreconditionFailed");
  const { version } = (await world.component(params.componentId)) as unknown as { version: string };
  expect(await note({ reason: "x" }, version)).toBe("no error");
  const active = overrideWorld();
  const mutation = await active.create(definition([{ path: "app" }]));
  const componentId = mutation.components[0]?.id ?? "";
  expect(
    await code(
      active.call("liveSystems.components.annotateOverride", {
        params: { id: mutation.livesystemId, componentId },
        body: {},
      }),
    ),
  ).toBe("InvalidState");
});

test("names who reads what changed by hand", async () => {
  const world = overrideWorld();
  const mutation = await world.create(
    definition([
      { path: "base", parameters: { endpoint: "one", port: 80 } },
      { path: "app", parameters: { urls: [{ $output: "base#endpoint" }], port: { $output: "BASE#port" } } },
    ]),
  );
  const base = mutation.components.find(({ id }) => id.endsWith("/base"));
  const params = { id: mutation.livesystemId, componentId: base?.id ?? "" };
  const console = world.consoles["provider-a"];
  await console.putTags(base?.resourceId ?? "", {});
  await world.cycle();
  await console.patchParameters(base?.resourceId ?? "", { endpoint: "two" });
  await world.cycle();
  const page = (await world.call("liveSystems.components.dependents", { params })) as unknown as { items: object[] };
  const app = `${mutation.livesystemId}/app`;
  expect(page.items).toEqual([
    {
      componentId: app,
      pointer: "/urls/0",
      output: "endpoint",
      exists: true,
      created: true,
      changed: true,
      valueAtOverride: "one",
      valueNow: "two",
    },
    {
      componentId: app,
      pointer: "/port",
      output: "port",
      exists: true,
      created: true,
      changed: false,
      valueAtOverride: 80,
      valueNow: 80,
    },
  ]);
  expect((await planOf(world, params)).dependents).toHaveLength(2);
});

test("what was never made is released without an ID", async () => {
  const world = overrideWorld({ cloud: { faultOf: ({ operation }) => (operation === "write" ? "fail" : null) } });
  expect(await world.passing(world.create(definition([{ path: "app" }])))).toMatchObject({ status: "Failed" });
  const { holdings } = world.override;
  await world.records.change({ actor: "test", requestId: "test" }, (change) =>
    holdings.fence(change, environmentId, { at: "2026-01-01T00:00:00.000Z", by: "operator" }),
  );
  await holdings.release(environmentId, () => false);
  expect(await world.events("component.released")).toMatchObject([{ data: { resourceId: null } }]);
  expect(await holdings.left(world.records, environmentId.ownerId, 10)).toMatchObject([{ resourceId: null }]);
});

test("all that an owner left in clouds is forgotten, however much it is, and nothing of another's", async () => {
  const world = overrideWorld({ follows: false });
  const other = { ...environmentId, ownerId: "3f2504e0-4f89-41d3-9a0c-0305e82c33ff" };
  const many = Array.from({ length: 120 }, (_, at) => ({ path: `c${at}` }));
  await world.create(definition(many));
  await world.create({ ...definition([{ path: "app" }]), environmentId: other });
  const { holdings } = world.override;
  for (const owner of [environmentId, other]) {
    await world.records.change({ actor: "test", requestId: "test" }, (change) =>
      holdings.fence(change, owner, { at: "2026-01-01T00:00:00.000Z", by: "operator" }),
    );
    await holdings.release(owner, () => false);
  }
  const left = async ({ ownerId }: EnvironmentRef) => (await holdings.left(world.records, ownerId, 1000)).length;
  expect(await left(environmentId)).toBe(120);
  await holdings.forget(environmentId.ownerId);
  expect([await left(environmentId), await left(other)]).toEqual([0, 1]);
});

test("lists the overrides in force, oldest first, and counts the same change on many as one", async () => {
  const world = overrideWorld();
  const many = await world.create(
    definition(Array.from({ length: 5 }, (_, at) => ({ path: `c${at}`, muteDrift: at === 4 ? ["size"] : [] }))),
  );
  const console = world.consoles["provider-a"];
  for (const { resourceId } of many.components) {
    await console.putTags(resourceId ?? "", {});
    await console.patchParameters(resourceId ?? "", { size: 9 });
    await world.runtime.advance(1_000);
    await world.cycle();
  }
  const list = (await world.call("overrides.list", {
    query: { limit: 2, environment: `Personal/${environmentId.ownerId.toUpperCase()}/dev` },
  })) as unknown as {
    items: { component: { id: string }; override: { since: string }; driftCount: number }[];
    nextCursor: string;
  };
  expect(list.items.map(({ component: { id }, driftCount }) => [id.slice(37), driftCount])).toEqual([
    ["c0", 1],
    ["c1", 1],
  ]);
  const rest = (await world.call("overrides.list", {
    query: { cursor: list.nextCursor, environment: `Personal/${environmentId.ownerId.toUpperCase()}/dev` },
  })) as unknown as typeof list;
  expect(rest.items.map(({ component: { id } }) => id.slice(37))).toEqual(["c2", "c3", "c4"]);
  const digest = (await world.call("overrides.digest")) as unknown as {
    items: { count: number; componentIds: string[] }[];
  };
  for (const row of digest.items) overrideDigestRow.parse(row);
  const oldestSince = list.items[0]?.override.since ?? "none";
  expect(digest.items).toMatchObject([{ type: vm.type, parameter: "size", count: 4, oldestSince }]);
  expect(digest.items[0]?.componentIds.map((id) => id.slice(37))).toEqual(["c0", "c1", "c2", "c3"]);
  // Of what is gone, no place differs.
  await console.delete(many.components.find(({ id }) => id.endsWith("/c0"))?.resourceId ?? "");
  await world.cycle();
  const later = (await world.call("overrides.list", { query: { limit: 2 } })) as unknown as typeof list;
  expect(later.items.map(({ driftCount }) => driftCount)).toEqual([0, 1]);
  expect(await world.call("overrides.digest")).toMatchObject({ items: [{ count: 3 }] });
});

test("the digest of overrides begins with what was changed most often, then goes by type and parameter", async () => {
  const world = overrideWorld();
  const redis = { type: "Microsoft.Cache/Redis@2024-01-01" };
  const parameters = { zone: "a", size: 1 };
  const { components } = await world.create(
    definition([{ path: "a" }, { path: "b", ...redis }, { path: "c" }].map((one) => ({ ...one, parameters }))),
  );
  for (const [at, { resourceId }] of components.entries()) {
    const console = world.consoles["provider-a"];
    await console.putTags(resourceId ?? "", {});
    await console.patchParameters(resourceId ?? "", at === 2 ? { size: 9 } : { zone: "b", size: 9 });
    await world.runtime.advance(1_000);
    await world.cycle();
  }
  const { items } = (await world.call("overrides.digest")) as unknown as {
    items: { type: string; parameter: string; count: number }[];
  };
  expect(items.map(({ type, parameter, count }) => [count, type, parameter])).toEqual([
    [2, vm.type, "size"],
    [1, redis.type, "size"],
    [1, redis.type, "zone"],
    [1, vm.type, "zone"],
  ]);
});

test("lists components by status and drift", async () => {
  const { world, system, resourceId, console } = await overridden();
  await console.patchParameters(resourceId, { size: 9 });
  await world.cycle();
  const ids = async (query: object) =>
    (
      (await world.call("liveSystems.components.list", { params: { id: system }, query })) as unknown as {
        items: object[];
      }
    ).items.length;
  expect(await ids({ status: ["ManualOverride"], drift: true })).toBe(1);
  expect(await ids({ status: ["Active", "ReconcileRequested"] })).toBe(0);
  expect(await ids({ drift: false })).toBe(0);
});

test("a cloud's own output named drift gives way to the drift", async () => {
  const { world, id, resourceId, console } = await overridden({ parameters: { drift: "sideways" } });
  expect((await world.component(id)).outputFields).toMatchObject({ drift_: "sideways" });
  expect((await world.component(id)).outputFields).not.toHaveProperty("drift");
  await console.patchParameters(resourceId, { drift: "backwards" });
  await world.check(id);
  expect((await world.component(id)).outputFields).toMatchObject({
    drift_: "backwards",
    drift: { drift: { declared: "sideways", actual: "backwards" } },
  });
});

test("finds a component under any spelling of its path, and nothing under another live system", async () => {
  const { world, id, system, params } = await overridden();
  const get = (componentId: string) =>
    code(world.call("liveSystems.components.get", { params: { ...params, componentId } }));
  expect(await get(id.toUpperCase())).toBe("no error");
  expect(await get(`${system}/other`)).toBe("NotFound");
  expect(await get(id.replace(system, "3f2504e0-4f89-41d3-9a0c-0305e82c3399"))).toBe("NotFound");
  expect(await get(system)).toBe("NotFound");
});
