import { expect, test } from "vitest";
import type { DeployPlan } from "../../src/contract/schemas/live-system-schemas.ts";
import { environmentId, overrideWorld, type World } from "../builders/override.ts";

const type = "Microsoft.Storage/storageAccounts@2023-01-01";
const shop = (more: object = {}) => ({
  name: "shop",
  environmentId,
  components: [
    { path: "db", provider: "provider-a", type, parameters: { tier: "S" }, ...more },
    {
      path: "app",
      provider: "provider-a",
      type,
      parameters: { at: { $output: "db#id" } },
    },
  ],
});
const plan = (world: World, body: unknown) => world.call("liveSystems.plan", { body }) as Promise<DeployPlan>;
const kept = async ({ store }: World) => JSON.stringify(await store.list({ prefix: ["record"], limit: 10_000 }));

test("a live system that does not exist is planned, and nothing is stored", async () => {
  const world = overrideWorld();
  const before = await kept(world);
  const planned = await plan(world, shop());
  expect(planned.components).toMatchObject([
    { action: "create", changes: [{ pointer: "/tier" }] },
    { action: "create", changes: [{ pointer: "/at", declared: { $output: "db#id" }, actual: null }] },
  ]);
  expect(planned.components.map(({ componentId }) => componentId.slice(37))).toEqual(["db", "app"]);
  expect(await plan(world, shop())).toEqual(planned);
  expect(await kept(world)).toBe(before);
  expect(await world.call("liveSystems.list", {})).toMatchObject({ items: [] });
});

test("a value that comes with the deploy shows as it is declared, wherever it is, and no secret beside it does", async () => {
  const world = overrideWorld();
  const parameters = {
    settings: [
      { name: "DB", value: { $output: "db#id" } },
      { name: "level", value: "low" },
    ],
    identity: { kind: null, userAssigned: { "$output:db#id": { password: "hunter2" } } },
    at: { $output: "db#id" },
  };
  const [db, app] = shop().components;
  const planned = await plan(world, { ...shop(), components: [db, { ...app, parameters }] });
  const changes = planned.components[1]?.changes.map(({ pointer, declared }) => [pointer, declared]);
  expect(changes).toEqual([
    ["/settings", parameters.settings],
    ["/identity", { kind: null, userAssigned: { "$output:db#id": { password: "[redacted]" } } }],
    ["/at", { $output: "db#id" }],
  ]);
});

test("a second live system of a name in its environment is warned of", async () => {
  const world = overrideWorld();
  const other = { ...shop(), name: "other" };
  await world.create(other);
  expect((await plan(world, shop())).warnings).toEqual([]);
  const { livesystemId } = await world.create(shop());
  const { warnings } = await plan(world, shop());
  const detail = `The environment already has a live system named shop. This deploy makes a second one. To deploy the existing one, give its ID: ${livesystemId}.`;
  expect(warnings).toMatchObject([{ detail }]);
  const again = { params: { id: livesystemId }, body: shop() };
  expect(((await world.call("liveSystems.planDeploy", again)) as DeployPlan).warnings).toEqual([]);
});

test("the plan of a new live system is refused as its creation is", async () => {
  const world = overrideWorld();
  const wrong = [
    shop({ provider: "provider-z" }),
    shop({ dependsOn: ["nothing"] }),
    { ...shop(), environmentId: { ...environmentId, shortName: "gone" } },
  ];
  const unfound = plan(world, wrong[2]);
  await expect(unfound).rejects.toMatchObject({
    code: "NotFound",
    details: { errors: [{ pointer: "#/environmentId" }] },
  });
  for (const body of wrong) {
    const refusal = await world.call("liveSystems.create", { body }).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: expect.any(String) });
    await expect(plan(world, body)).rejects.toEqual(refusal);
  }
  world.uninitialized.add("provider-a");
  await expect(plan(world, shop())).rejects.toMatchObject({
    code: "InvalidState",
    message: "The environment isn't initialized in Azure (provider-a). Initialize it there first.",
  });
});

test("the plan of a new live system names the existing resource that it adopts, and refuses another component's", async () => {
  const world = overrideWorld();
  const made = await world.create(shop());
  const resourceId = made.components[0]?.resourceId ?? "";
  await expect(plan(world, shop({ resourceId }))).rejects.toMatchObject({ code: "AlreadyExists" });
  const own = overrideWorld();
  await own.consoles["provider-a"].put(resourceId, { type, parameters: { tier: "L" }, tags: {} });
  expect((await plan(own, shop({ resourceId }))).components[0]).not.toMatchObject({ action: "create" });
});

test("a plan names the rights that the agent lacks for new components, once for each place", async () => {
  const asked: (readonly string[])[] = [];
  const world = overrideWorld({
    clouds: (clouds) =>
      clouds.map((cloud) => ({
        ...cloud,
        async missingRights(types) {
          asked.push(types);
          return ["Microsoft.Storage/storageAccounts/delete"];
        },
      })),
  });
  const { warnings } = await plan(world, shop());
  expect(asked).toEqual([[type]]);
  expect(warnings).toMatchObject([
    {
      detail: expect.stringContaining(
        "db and 1 more: The agent's credentials lack these rights in dev: Microsoft.Storage/storageAccounts/delete.",
      ),
    },
  ]);
  const { livesystemId } = await world.create(shop());
  const again = await world.call("liveSystems.planDeploy", { params: { id: livesystemId }, body: shop() });
  expect(again).toMatchObject({ warnings: [] });
});
