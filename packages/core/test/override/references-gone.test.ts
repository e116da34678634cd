import { describe, expect, test } from "vitest";
import { bothClouds, toldIn } from "../builders/both-clouds.ts";
import { managed } from "../builders/handed-over.ts";
import { overrideWorld } from "../builders/override.ts";

const secretly = { parameters: { size: 1, password: { $secret: "db" } } };

const existing = {
  "provider-a":
    "/subscriptions/3f2504e0-4f89-41d3-9a0c-0305e82c3302/resourceGroups/dev/providers/Microsoft.Compute/virtualMachines/existing",
  "provider-b": "projects/project-one/buckets/existing",
};

describe.each(bothClouds)("$provider: a reference", (kind) => {
  const { declared, deployed } = toldIn(kind);

  test("is out of sync in the next sweep once a secret that it reads is gone, and names it", async () => {
    const { world, id } = await deployed(secretly, { secrets: { db: "hunter2" } });
    expect((await world.component(id)).conditions.inSync).toMatchObject({ value: true });
    world.secrets.delete("db");
    await world.cycle();
    const { conditions, version } = await world.component(id);
    expect(conditions.inSync).toMatchObject({ value: false, reason: "ReferenceNotFound" });
    expect(conditions.inSync.message).toContain("The secret db, which /parameters/password refers to,");
    await world.cycle();
    expect((await world.component(id)).version).toBe(version);
    world.secrets.set("db", "hunter2");
    await world.cycle();
    expect((await world.component(id)).conditions.inSync).toMatchObject({ value: true, reason: "InSync" });
  });

  test.each([managed, {}])(
    "is out of sync in the next sweep once an output that it reads is gone, whoever has that, and names it",
    async (tags) => {
      const { world, system, resourceId, console } = await deployed();
      await console.patchParameters(resourceId, { address: "10.0.0.1" });
      await world.check(`${system}/app`);
      const reader = { path: "reader", parameters: { at: { $output: "app#address" } } };
      const mutation = await world.deploy(system, declared({ path: "app" }, reader));
      expect(mutation.status).toBe("Succeeded");
      await console.patchParameters(resourceId, { address: null });
      await console.putTags(resourceId, tags);
      await world.cycle();
      await world.cycle();
      const { conditions } = await world.component(`${system}/reader`);
      expect(conditions.inSync).toMatchObject({
        value: false,
        reason: "ReferenceNotFound",
        message: "app#address, which /parameters/at refers to, does not exist. Outputs of app: id, name, size.",
      });
      await console.patchParameters(resourceId, { address: "10.0.0.2" });
      await world.cycle();
      await world.cycle();
      expect((await world.component(`${system}/reader`)).conditions.inSync).toMatchObject({ value: true });
    },
  );

  test("to an output that a resource doesn't have is the declaration's mistake, and blames no other component", async () => {
    const { world, system } = await deployed();
    const reader = { path: "reader", parameters: { at: { $output: "app#nothing" } } };
    expect(await world.deploy(system, declared({ path: "app" }, reader))).toMatchObject({ status: "Failed" });
    const { conditions, health } = await world.component(`${system}/reader`);
    expect(health).toBe("Uncorrectable");
    expect(conditions.inSync).toEqual({
      ...{ value: false, reason: "ReferenceNotFound", changedAt: expect.any(String), observedAt: expect.any(String) },
      message:
        "The resource has not been provisioned yet. app#nothing, which /parameters/at refers to, does not exist. Outputs of app: id, name, size.",
    });
  });

  test("what stands in the place of a secret that has gone is shown nowhere", async () => {
    const { world, id, resourceId, console } = await deployed(secretly, { secrets: { db: "hunter2" } });
    await console.patchParameters(resourceId, { size: 2 });
    world.secrets.delete("db");
    await console.putTags(resourceId, {});
    await world.cycle();
    const { component } = await world.check(id);
    expect(component.status).toBe("ManualOverride");
    expect(JSON.stringify(component)).not.toContain("hunter2");
    const stored = await world.store.list({ prefix: ["record"] });
    const holding = stored.filter(({ value }) => JSON.stringify(value).includes("hunter2")).map(({ key }) => key);
    expect(holding).toEqual([]);
  });

  test("to a secret that goes before its adopted resource was ever read still hides what stands there", async () => {
    const world = overrideWorld({ follows: false });
    world.secrets.set("db", "hunter2");
    const console = world.consoles[kind.provider];
    const resourceId = existing[kind.provider];
    await console.put(resourceId, { type: kind.type, tags: {}, parameters: { size: 1, code: "hunter2" } });
    const { livesystemId } = await world.create(
      declared({ path: "app", resourceId, parameters: { size: 1, code: { $secret: "db" } } }),
    );
    await console.setFaults({ read: "fail", bulk: "fail" });
    const running = world.override.mutations.advance(livesystemId);
    await world.runtime.advance(1_000);
    world.secrets.delete("db");
    await console.setFaults({});
    await world.runtime.advance(600_000);
    await running;
    await world.cycles(2);
    const { component } = await world.check(`${livesystemId}/app`);
    expect(component.status).toBe("ManualOverride");
    expect(JSON.stringify([component, await world.events()])).not.toContain("hunter2");
    const stored = await world.store.list({ prefix: ["record"] });
    expect(JSON.stringify(stored)).not.toContain("hunter2");
  });
});
