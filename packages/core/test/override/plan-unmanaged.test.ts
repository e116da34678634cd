import { expect, test } from "vitest";
import { definition } from "../builders/handed-over.ts";
import { overrideWorld } from "../builders/override.ts";

const before = {
  location: "a",
  size: 1,
  sku: { name: "S1", tier: { kind: "x", level: 2 } },
  hosts: ["a", "b"],
  first: "once",
  tags: { team: "x", stage: "y" },
  address: { $output: "db#id" },
};
const db = { path: "db", parameters: { location: "a" } };

test("a plan names what is no longer declared, changes nothing for it, and the cloud keeps the values", async () => {
  const world = overrideWorld();
  const own = { path: "web", parameters: before, ignoreChanges: ["/first"] };
  const { livesystemId: id } = await world.create(definition([db, own]));
  const after = {
    location: "a",
    size: 1,
    sku: { name: "S1", tier: { level: 2 } },
    hosts: ["a", "b"],
    tags: { stage: "y" },
  };
  const next = definition([db, { path: "web", parameters: after }]);
  const { components } = await world.plan(id, next);
  expect(components.map(({ action, changes, unmanaged }) => [action, changes, unmanaged])).toEqual([
    ["none", [], []],
    ["none", [], ["/sku/tier/kind", "/tags/team", "/address"]],
  ]);
  await world.deploy(id, next);
  const { resourceId } = await world.component(`${id}/web`);
  const there = await world.consoles["provider-a"].get(resourceId ?? "");
  expect(there).toMatchObject({ tags: { team: "x" }, parameters: { sku: before.sku, first: "once" } });
  expect((await world.plan(id, next)).components.map(({ unmanaged }) => unmanaged)).toEqual([[], []]);
});

test("what moves or is deleted: only what stays under a declaration has places that it no longer names", async () => {
  const world = overrideWorld();
  const { livesystemId: id } = await world.create(definition([db, { path: "web", parameters: { size: 1, more: 2 } }]));
  const moved = { path: "site", movedFrom: "web", parameters: { size: 1 } };
  const { components } = await world.plan(id, definition([moved]));
  expect(components.map(({ action, unmanaged }) => [action, unmanaged])).toEqual([
    ["move", ["/more"]],
    ["delete", []],
  ]);
});
