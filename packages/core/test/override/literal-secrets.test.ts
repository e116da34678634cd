import { expect, test } from "vitest";
import type { JsonObject } from "../../src/json-pointer.ts";
import { environmentId, overrideWorld } from "../builders/override.ts";

const type = "Microsoft.Compute/virtualMachineScaleSets@2024-03-01";
const scaleSet = (adminPassword: string, more: JsonObject = {}) => ({
  name: "shop",
  environmentId,
  components: [
    {
      path: "app",
      provider: "provider-a",
      type,
      parameters: {
        properties: { virtualMachineProfile: { osProfile: { adminUsername: "ada", adminPassword } } },
        users: [{ name: "a", apiToken: "first-token" }, { name: "b" }],
        size: 1,
        ...more,
      },
    },
  ],
});

async function deployed() {
  const world = overrideWorld();
  const mutation = await world.create(scaleSet("plain-password") as never);
  const [app] = mutation.components;
  const at = { params: { id: mutation.livesystemId, componentId: app?.id ?? "" } };
  const there = async () => (await world.consoles["provider-a"].get(app?.resourceId ?? ""))?.parameters;
  return { world, mutation, at, id: app?.id ?? "", resourceId: app?.resourceId ?? "", there };
}

test("a literal password of a nested profile is in no answer and no event", async () => {
  const { world, mutation, at, id, resourceId } = await deployed();
  const console = world.consoles["provider-a"];
  await console.putTags(resourceId, {});
  const osProfile = { adminUsername: "eve", adminPassword: "drifted-password" };
  await console.patchParameters(resourceId, {
    properties: { virtualMachineProfile: { osProfile } },
    note: "plain-password!",
    size: 2,
  });
  const told = [
    mutation,
    await world.check(id),
    await world.call("liveSystems.components.get", at),
    await world.call("liveSystems.components.adoptionPlan", at),
    await world.call("liveSystems.components.overrides", at),
    await world.call("liveSystems.get", at),
    await world.call("liveSystems.planDeploy", { ...at, body: scaleSet("plain-password", { note: "x" }) }),
    await world.events(),
  ];
  const text = JSON.stringify(told);
  for (const secret of ["plain-password", "drifted-password", "first-token"]) expect(text).not.toContain(secret);
  expect(text).toContain("adminUsername");
});

test("a plan warns of secrets that are written into parameters", async () => {
  const { world, at, id } = await deployed();
  const plan = await world.call("liveSystems.planDeploy", { ...at, body: scaleSet("plain-password") });
  expect(plan).toMatchObject({
    warnings: [
      { componentId: id, otherComponentId: null, detail: expect.stringMatching(/^[a-z]+: \/parameters.*\$secret/) },
    ],
  });
});

test("a definition that was answered can be deployed again, changed or not, and loses no secret", async () => {
  const { world, at, there } = await deployed();
  const { definition } = (await world.call("liveSystems.get", at)) as {
    definition: { components: [{ parameters: JsonObject }] };
  };
  expect(JSON.stringify(definition)).not.toContain("plain-password");
  const [component] = definition.components;
  const changed = { ...definition, components: [{ ...component, parameters: { ...component.parameters, size: 3 } }] };
  expect(await world.deploy(at.params.id, changed as never)).toMatchObject({ status: "Succeeded" });
  expect(await there()).toMatchObject({
    properties: { virtualMachineProfile: { osProfile: { adminPassword: "plain-password" } } },
    users: [{ apiToken: "first-token" }, { name: "b" }],
    size: 3,
  });
});

test("a hidden value that can't be told from others is refused, and never written", async () => {
  const { world, at, there } = await deployed();
  const before = await there();
  const users = [{ name: "b" }, { name: "a", apiToken: "[redacted]" }];
  await expect(world.deploy(at.params.id, scaleSet("[redacted]", { users }) as never)).rejects.toMatchObject({
    code: "InvalidDeclaration",
    details: { errors: [{ pointer: "#/components/0/parameters/users/1/apiToken" }] },
  });
  await expect(world.create(scaleSet("[redacted]") as never)).rejects.toMatchObject({ code: "InvalidDeclaration" });
  expect(await there()).toEqual(before);
});

test("a reference to a secret is answered as it was declared", async () => {
  const world = overrideWorld();
  world.secrets.set("db", "hidden");
  const { livesystemId, components } = await world.create(scaleSet({ $secret: "db" } as never) as never);
  const params = { id: livesystemId, componentId: components[0]?.id ?? "" };
  expect(await world.call("liveSystems.components.get", { params })).toMatchObject({
    parameters: { properties: { virtualMachineProfile: { osProfile: { adminPassword: { $secret: "db" } } } } },
  });
});

test("the value of an item that is named like a secret is one", async () => {
  const world = overrideWorld();
  const settings = [
    { name: "DB_PASSWORD", value: "plain-password" },
    { name: "CONNECTION_STRING", value: "plain-connection" },
    { name: "COLOR", value: "blue" },
  ];
  const mutation = await world.create(scaleSet("", { settings }) as never);
  const answer = await world.call("liveSystems.get", { params: { id: mutation.livesystemId } });
  const text = JSON.stringify([answer, await world.component(mutation.components[0]?.id ?? ""), await world.events()]);
  for (const secret of ["plain-password", "plain-connection"]) expect(text).not.toContain(secret);
  expect(text).toContain("blue");
});
